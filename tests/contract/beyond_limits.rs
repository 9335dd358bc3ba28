//! Section 2.5, of calls that a limit refused: they are measured like any other, and the consumption can be read.

use serde_json::json;

use crate::service::figures;
use crate::taxes::payload_of;

#[test]
fn a_call_beyond_a_limit_is_a_recent_call_with_its_tax() {
    let service = figures();
    for (option, count) in [("--rate-limit", 1), ("--quota", 1)] {
        let own = service.dir.account(&format!("Além {option}"), &[option, "1"]);
        let api = service.with_key(&own.live.key);
        for _ in 0..=count {
            api.calculate(&payload_of("ipi"));
        }
        service.dir.wait_until_logged();
        let shown = service.dir.shown(&own.client_id).to_string();
        assert!(shown.contains("429"), "{shown}");
        assert_eq!(shown.matches("POST /v1/calculate (ipi)").count(), 2, "{shown}");
    }
}

#[test]
fn usage_answers_a_key_whose_quota_is_spent() {
    let service = figures();
    let own = service.dir.account("Esgotada", &["--quota", "1"]);
    let api = service.with_key(&own.live.key);
    api.envelope(&payload_of("ipi"));
    assert_eq!(api.status(&payload_of("ipi")), 429);
    service.dir.wait_until_logged();
    let usage = api.get("/v1/usage?recentes=50").ok();
    let refused = &usage["recentes"][0];
    assert_eq!((&refused["status_code"], &refused["resumo"]), (&json!(429), &json!("POST /v1/calculate (ipi)")));
    assert_eq!(refused["request"]["ncm"], "22030000", "{usage}");
}
