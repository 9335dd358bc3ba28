//! Sections 5 and 8: the keys of an account.

use serde_json::json;

use crate::service::{Service, figures};
use crate::support::Key;
use crate::taxes::payload_of;

/// Every endpoint under `/v1`.
const ENDPOINTS: [(&str, &str); 4] =
    [("POST", "/v1/calculate"), ("GET", "/v1/regras"), ("GET", "/v1/changelog"), ("GET", "/v1/usage")];

/// Asks each endpoint with these headers. Returns the statuses.
fn statuses(service: &Service, headers: &[(&str, &str)]) -> Vec<u16> {
    let ask = |(method, path): (&str, &str)| {
        let body = if method == "POST" { payload_of("ipi").to_string() } else { String::new() };
        let headers = [headers, &[("Content-Type", "application/json")]].concat();
        service.send(method, path, &headers, &body).status
    };
    ENDPOINTS.into_iter().map(ask).collect()
}

// Section 5, 1: "every /v1 call carries the API key in the request header X-API-Key".
#[test]
fn every_endpoint_requires_the_key() {
    let service = figures();
    let own = service.dir.account("Chave", &[]);
    let key = own.live.key.as_str();
    assert_eq!(statuses(&service, &[("X-API-Key", key)]), [200; 4]);
    assert_eq!(statuses(&service, &[("x-api-key", key)]), [200; 4], "names of headers have no case");
    let wrong = format!("{key}0");
    let bearer = format!("Bearer {key}");
    for headers in
        [&[][..], &[("X-API-Key", wrong.as_str())], &[("X-API-Key", "")], &[("Authorization", bearer.as_str())]]
    {
        assert!(statuses(&service, headers).iter().all(|status| status / 100 == 4), "{headers:?}");
    }
}

// Section 5, 2: the prefix of a key says its kind.
#[test]
fn the_prefix_says_the_kind() {
    let service = figures();
    let own = service.dir.account("Prefixo", &[]);
    assert!(own.live.key.starts_with("svc_live_"));
    assert!(service.dir.new_key(&own.client_id, "test").key.starts_with("svc_test_"));
}

// Sections 5 and 8: production keys consume quota; the calls of sandbox keys are not billed.
#[test]
fn production_calls_consume_quota_and_sandbox_calls_do_not() {
    let service = figures();
    let own = service.dir.account("Cota", &["--quota", "3"]);
    let sandbox = service.with_key(&service.dir.new_key(&own.client_id, "test").key);
    let live = service.with_key(&own.live.key);
    for _ in 0..5 {
        sandbox.envelope(&payload_of("ipi"));
    }
    for _ in 0..3 {
        live.envelope(&payload_of("ipi"));
    }
    assert_eq!(live.status(&payload_of("ipi")) / 100, 4, "the quota is spent");
    sandbox.envelope(&payload_of("ipi"));
}

// Sections 5 and 8: 1,000 calls a month with a sandbox key.
#[test]
fn a_sandbox_key_has_1000_calls() {
    let service = figures();
    let own = service.dir.account("Teste", &[]);
    let sandbox = service.with_key(&service.dir.new_key(&own.client_id, "test").key);
    for call in 1..=1_000 {
        assert_eq!(sandbox.status(&payload_of("ipi")), 200, "call {call}");
    }
    assert_eq!(sandbox.status(&payload_of("ipi")) / 100, 4, "call 1,001");
    service.with_key(&own.live.key).envelope(&payload_of("ipi"));
}

// Section 5, 6: keys are "rotated (with a grace window) and revoked".
#[test]
fn a_rotated_key_works_during_the_grace_window_and_a_revoked_one_never() {
    let service = figures();
    let own = service.dir.account("Rodízio", &[]);
    let newer = Key::of(&service.run(&["key", "rotate", &own.live.key_id, "--grace", "1h"]));
    assert_ne!(newer.key, own.live.key);
    for key in [&own.live.key, &newer.key] {
        assert_eq!(service.with_key(key).status(&payload_of("ipi")), 200);
    }
    service.run(&["key", "revoke", &own.live.key_id]);
    assert_eq!(service.with_key(&own.live.key).status(&payload_of("ipi")) / 100, 4);
    assert_eq!(service.with_key(&newer.key).status(&payload_of("ipi")), 200);
    let ended = Key::of(&service.run(&["key", "rotate", &newer.key_id, "--grace", "0s"]));
    assert_eq!(service.with_key(&newer.key).status(&payload_of("ipi")) / 100, 4, "no grace");
    assert_eq!(service.with_key(&ended.key).status(&payload_of("ipi")), 200);
}

// Section 5, 4: a key is "never returned in clear", also not by a refusal.
#[test]
fn an_answer_never_repeats_the_key() {
    let service = figures();
    let own = service.dir.account("Discreta", &[]);
    let api = service.with_key(&own.live.key);
    let secret = own.live.key.rsplit('_').next().unwrap();
    let answers = [
        api.calculate(&payload_of("ipi")),
        api.calculate(&json!({"tributo": "ipi"})),
        api.get("/v1/usage"),
        api.get("/v1/regras?limit=1"),
        api.get("/v1/changelog?limit=1"),
        service.with_key(&format!("{}0", own.live.key)).get("/v1/usage"),
    ];
    for answer in answers {
        assert!(!String::from_utf8_lossy(&answer.body).contains(secret), "{answer:?}");
        assert!(answer.headers.values().all(|value| !value.to_str().unwrap_or_default().contains(secret)));
    }
}
