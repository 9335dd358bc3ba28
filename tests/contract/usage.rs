//! Sections 2.5 and 4.4: the consumption of the caller's own account.

use serde_json::{Value, json};

use crate::api::Api;
use crate::envelope::is_timestamp;
use crate::service::{Service, figures};
use crate::taxes::payload_of;

/// An account of its own, so that no other test counts its calls.
struct Own {
    api: Api,
    client_id: String,
    /// The key in clear.
    key: String,
}

fn account(service: &Service, name: &str, more: &[&str]) -> Own {
    let made = service.dir.account(name, more);
    Own { api: service.with_key(&made.live.key), client_id: made.client_id, key: made.live.key }
}

/// Returns the record with the last 50 calls. Measuring is done when a call has ended, so the last ones may be missing.
fn usage(api: &Api) -> Value {
    api.get("/v1/usage?recentes=50").ok()
}

/// Waits until the record counts that many calls besides those that ask for it.
fn usage_after(own: &Own, service: &Service) -> Value {
    service.dir.wait_until_logged();
    usage(&own.api)
}

/// Returns the recent calls to other paths than `/v1/usage`, the latest first.
fn others(usage: &Value) -> Vec<Value> {
    let recent = usage["recentes"].as_array().unwrap();
    recent.iter().filter(|call| !call["resumo"].as_str().unwrap().contains("/v1/usage")).cloned().collect()
}

// Section 2.5: every field and its type.
#[test]
fn the_record_has_every_field() {
    let service = figures();
    let own = account(&service, "Registro", &["--plan", "growth"]);
    own.api.envelope(&payload_of("ipi"));
    let usage = usage_after(&own, &service);
    assert_eq!(usage["client_id"], own.client_id);
    assert_eq!(usage["nome"], "Registro");
    assert_eq!(usage["tier"].as_str().unwrap().to_lowercase(), "growth");
    for counter in ["rate_limit", "total_chamadas", "chamadas_24h"] {
        assert!(usage[counter].is_u64(), "{counter}: {usage}");
    }
    for latency in ["p50_ms", "p95_ms"] {
        assert!(usage["latencia"][latency].is_u64(), "{latency}: {usage}");
    }
    for class in ["sucesso_2xx", "erro_cliente_4xx", "erro_servidor_5xx"] {
        assert!(usage["status"][class].is_u64(), "{class}: {usage}");
    }
    assert!(usage["recentes"].is_array(), "{usage}");
}

// Section 2.5: total, last 24 hours, and classes of status.
#[test]
fn calls_are_counted_by_class() {
    let service = figures();
    let own = account(&service, "Contagem", &[]);
    own.api.envelope(&payload_of("ipi"));
    own.api.calculate(&json!({"tributo": "ipi"})).refused(422);
    own.api.get("/v1/regras?limit=1").ok();
    let usage = usage_after(&own, &service);
    assert_eq!((&usage["total_chamadas"], &usage["chamadas_24h"]), (&3.into(), &3.into()), "{usage}");
    assert_eq!(usage["status"]["sucesso_2xx"], 2, "{usage}");
    assert_eq!(usage["status"]["erro_cliente_4xx"], 1, "{usage}");
    assert_eq!(usage["status"]["erro_servidor_5xx"], 0, "{usage}");
}

// Section 2.5: "the call to `/v1/usage` itself is measured like any other `/v1/*` call".
#[test]
fn the_call_for_usage_is_measured() {
    let service = figures();
    let own = account(&service, "Medida", &[]);
    usage(&own.api);
    let usage = usage_after(&own, &service);
    assert_eq!(usage["total_chamadas"], 1, "{usage}");
    assert_eq!(usage["recentes"][0]["resumo"], "GET /v1/usage", "{usage}");
}

// Section 2.5: every field of an item of `recentes`.
#[test]
fn a_recent_call_has_every_field() {
    let service = figures();
    let own = account(&service, "Recente", &[]);
    own.api.envelope(&payload_of("ipi"));
    let usage = usage_after(&own, &service);
    let call = &usage["recentes"][0];
    assert!(is_timestamp(&call["created_at"]), "{call}");
    assert_eq!(call["status_code"], 200, "{call}");
    assert!(call["latency_ms"].is_u64() && call["cached"].is_boolean(), "{call}");
    assert_eq!(call["rule_id"], "ipi-cerveja-ex01-v1.0", "{call}");
    // Method, path and, for calculations, the tax in parentheses.
    assert_eq!(call["resumo"], "POST /v1/calculate (ipi)", "{call}");
    let request = call["request"].as_object().unwrap();
    let payload = payload_of("ipi");
    assert!(!request.is_empty(), "{call}");
    assert!(request.iter().all(|(name, value)| payload.get(name) == Some(value)), "a subset of the payload: {call}");
}

#[test]
fn the_latest_call_comes_first() {
    let service = figures();
    let own = account(&service, "Ordem", &[]);
    own.api.envelope(&payload_of("ipi"));
    own.api.envelope(&payload_of("cbs"));
    let summaries: Vec<Value> =
        others(&usage_after(&own, &service)).iter().map(|call| call["resumo"].clone()).collect();
    assert_eq!(summaries, ["POST /v1/calculate (cbs)", "POST /v1/calculate (ipi)"]);
}

// Section 4.4: `recentes` is 1 to 50, by default 10.
#[test]
fn recentes_is_1_to_50_and_10_by_default() {
    let service = figures();
    let own = account(&service, "Cinquenta", &[]);
    for _ in 0..55 {
        own.api.get("/v1/regras?limit=1").ok();
    }
    service.dir.wait_until_logged();
    let shown = |query: &str| own.api.get(&format!("/v1/usage{query}")).ok()["recentes"].as_array().unwrap().len();
    assert_eq!((shown(""), shown("?recentes=1"), shown("?recentes=50")), (10, 1, 50));
    for beyond in ["0", "51", "-1", "dez"] {
        let answer = own.api.get(&format!("/v1/usage?recentes={beyond}"));
        assert!(answer.status / 100 == 4 || answer.ok()["recentes"].as_array().unwrap().len() <= 50, "{beyond}");
    }
}

// Section 2.5: "the caller's own account only; no third-party data".
#[test]
fn an_account_sees_its_own_calls_alone() {
    let service = figures();
    let (one, other) = (account(&service, "Uma", &[]), account(&service, "Outra", &[]));
    one.api.envelope(&payload_of("ipi"));
    let usage = usage_after(&other, &service);
    assert_eq!((&usage["total_chamadas"], &usage["recentes"]), (&0.into(), &json!([])), "{usage}");
    assert!(!usage.to_string().contains(&one.client_id), "{usage}");
}

// Section 2.5: "never a key in clear"; section 5, 4: "never written to the call log and never returned in clear".
#[test]
fn a_key_is_never_shown() {
    let service = figures();
    let own = account(&service, "Segredo", &[]);
    // Also where a caller puts it into the payload by mistake.
    let mut payload = payload_of("ipi");
    payload["x_api_key"] = json!(own.key);
    payload["ex"] = json!(own.key);
    own.api.calculate(&payload);
    own.api.envelope(&payload_of("ipi"));
    let usage = usage_after(&own, &service).to_string();
    let secret = own.key.rsplit('_').next().unwrap();
    assert!(!usage.contains(secret), "{usage}");
}

// Section 2.5: `request` is sanitised, and "passes a second filter before being echoed".
#[test]
fn a_request_shows_fields_of_the_tax_alone() {
    let service = figures();
    let own = account(&service, "Filtro", &[]);
    let mut payload = payload_of("ipi");
    payload["cpf_do_cliente"] = json!("123.456.789-09");
    own.api.envelope(&payload);
    let usage = usage_after(&own, &service);
    assert!(!usage.to_string().contains("123.456"), "{usage}");
}

// Sections 2.5 and 8: `rate_limit` is the "limit actually applied by the gate (plan or account override)".
#[test]
fn rate_limit_is_the_plan_value_or_the_override() {
    let service = figures();
    let plan = usage(&account(&service, "Plano", &["--plan", "growth"]).api)["rate_limit"].as_u64().unwrap();
    let own = account(&service, "Exceção", &["--plan", "growth", "--rate-limit", "3"]);
    assert_eq!(usage(&own.api)["rate_limit"], 3);
    assert_ne!(plan, 3);
    let statuses: Vec<u16> = (0..4).map(|_| own.api.get("/v1/regras?limit=1").status).collect();
    assert_eq!((&statuses[..2], statuses[3] / 100), (&[200, 200][..], 4), "{statuses:?}");
}
