//! Sections 1, 4, 8 and 9: the routes, their methods and media types, and the latency targets.

use serde_json::{Value, json};

use crate::service::figures;
use crate::support::with;
use crate::taxes::{payload_of, payloads};

// Section 1: "the calculation is done by one endpoint"; section 4.1.
#[test]
fn one_route_calculates_every_tax() {
    let service = figures();
    for payload in payloads() {
        service.envelope(&payload);
    }
    assert_eq!(service.get("/v1/calculate").status / 100, 4, "it is a POST");
}

// Section 4: "requests with a body use Content-Type: application/json".
#[test]
fn a_body_is_json() {
    let service = figures();
    let own = service.dir.account("Corpo", &[]);
    for kind in ["application/json", "application/json; charset=utf-8"] {
        let headers = [("X-API-Key", own.live.key.as_str()), ("Content-Type", kind)];
        service.send("POST", "/v1/calculate", &headers, &payload_of("ipi").to_string()).ok();
    }
}

// Section 4.2: "lists the approved rules, with filters and pagination". Its shape is not shown.
#[test]
fn approved_rules_are_listed() {
    let answer = figures().get("/v1/regras?limit=500");
    let listed = answer.ok().to_string();
    for id in ["ipi-cerveja-ex01-v1.0", "icms-sp-v1.0", "cbs-2026-v1.0", "virada-iss-v1.1"] {
        assert!(listed.contains(&format!("\"{id}\"")), "{id}");
    }
    let filtered = figures().get("/v1/regras?limit=500&tributo=itbi").ok().to_string();
    assert!(filtered.contains("itbi-sp-v1.0") && !filtered.contains("icms-sp-v1.0"));
}

// Section 4.5: a public page, outside `/v1`.
#[test]
fn the_sandbox_is_public() {
    let page = figures().send("GET", "/sandbox", &[], "");
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/html"), "{page:?}");
}

// Sections 1 and 9: the whole API lives under `/v1`; an incompatible change would appear under `/v2`.
#[test]
fn other_versions_and_routes_are_not_found() {
    let service = figures();
    for path in ["/v2/usage", "/usage", "/v1/outra", "/v1"] {
        assert_eq!(service.get(path).status / 100, 4, "{path}");
    }
}

// Section 2.1 and section 9: "earlier payloads remain valid": a field that this version does not know changes nothing.
#[test]
fn an_unknown_field_changes_no_answer() {
    for payload in payloads() {
        let newer = with(&payload, &json!({"campo_de_outra_versao": "1"}));
        // `cbs` and `ibs` are strict (section 2.3).
        if newer["tributo"] == "cbs" || newer["tributo"] == "ibs" {
            continue;
        }
        let (known, unknown) = (figures().envelope(&payload), figures().envelope(&newer));
        for member in ["valor", "regra", "detalhes"] {
            assert_eq!(known[member], unknown[member], "{newer}");
        }
    }
}

// Section 8: a full calculation in under 200 ms, a hit of the cache in under 5 ms. The service measures itself.
#[test]
fn latencies_are_within_the_targets() {
    let service = figures();
    let median = |payload: &dyn Fn(usize) -> Value, name: &str| {
        let own = service.dir.account(name, &[]);
        let api = service.with_key(&own.live.key);
        for call in 0..200 {
            api.envelope(&payload(call));
        }
        service.dir.wait_until_logged();
        api.get("/v1/usage").ok()["latencia"]["p50_ms"].as_u64().unwrap()
    };
    let new = |call: usize| with(&payload_of("cbs"), &json!({"valor_operacao": format!("5000.{call:03}")}));
    assert!(median(&new, "Cálculos") < 200);
    assert!(median(&|_| payload_of("ipi"), "Repetições") < 5);
}
