//! Sections 1, 2.1 and 2.2: the same envelope for every tax, with the rule that answered.

use serde_json::Value;

use crate::service::figures;
use crate::taxes::payloads;

/// Whether the text is `YYYY-MM-DD`.
pub fn is_date(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    shape == "9999-99-99"
}

/// Whether the text is an ISO 8601 timestamp in UTC.
pub fn is_timestamp(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    let (date, time) = text.split_once('T').unwrap_or_default();
    is_date(&date.into()) && (time.ends_with('Z') || time.ends_with("+00:00"))
}

/// Whether the text ends with `-v<major>.<minor>`.
pub fn has_version(value: &Value) -> bool {
    let version = value.as_str().and_then(|id| id.rsplit_once("-v")).map(|(_, version)| version.split('.'));
    version.is_some_and(|parts| {
        let parts: Vec<&str> = parts.collect();
        parts.len() == 2 && parts.iter().all(|part| part.parse::<u32>().is_ok())
    })
}

// Section 1: the twelve values of `tributo`; section 2.2: "echo of the payload discriminator".
#[test]
fn every_tax_answers_and_echoes_its_name() {
    let service = figures();
    let payloads = payloads();
    assert_eq!(payloads.len(), 12);
    for payload in payloads {
        assert_eq!(service.envelope(&payload)["tributo"], payload["tributo"]);
    }
}

// Section 2.1: decimals travel as strings with a dot. Section 2.2: `valor` is one.
#[test]
fn valor_is_a_decimal_string() {
    for payload in payloads() {
        let envelope = figures().envelope(&payload);
        let valor = envelope["valor"].as_str().unwrap_or_else(|| panic!("a string: {envelope}"));
        assert!(valor.chars().all(|c| c.is_ascii_digit() || c == '.') && valor.parse::<f64>().is_ok(), "{valor}");
    }
}

// Section 1, principle 1; section 2.2, `regra`.
#[test]
fn every_result_has_its_source() {
    for payload in payloads() {
        let envelope = figures().envelope(&payload);
        let rule = &envelope["regra"];
        assert!(has_version(&rule["rule_id"]), "{envelope}");
        assert!(rule["citacao_legal"].as_str().is_some_and(|text| !text.is_empty()), "{envelope}");
        assert!(is_date(&rule["vigente_de"]), "{envelope}");
        let until = rule.get("vigente_ate").unwrap_or_else(|| panic!("vigente_ate is there: {envelope}"));
        assert!(until.is_null() || is_date(until), "{envelope}");
    }
}

// Section 2.2: `detalhes` is an object, `cached` a boolean.
#[test]
fn detalhes_is_an_object_and_cached_a_boolean() {
    for payload in payloads() {
        let envelope = figures().envelope(&payload);
        assert!(envelope["detalhes"].is_object() && envelope["cached"].is_boolean(), "{envelope}");
    }
}

// Section 1: "HTTP with JSON bodies".
#[test]
fn answers_are_json() {
    for payload in payloads() {
        let answer = figures().calculate(&payload);
        assert!(answer.header("content-type").starts_with("application/json"), "{answer:?}");
    }
}

// Section 1, Cache: `cached` is "true when the response came from the cache (same rule, same validity)".
#[test]
fn an_identical_payload_comes_from_the_cache() {
    // Held for the whole test: the server that tests share ends with the last of them.
    let service = figures();
    for mut payload in payloads() {
        // An amount that no other test asks for.
        let amount = payload
            .as_object()
            .unwrap()
            .iter()
            .find(|(_, value)| value.as_str().is_some_and(|text| text.ends_with(".00") && text.len() > 6));
        let field = amount.map(|(name, _)| name.clone()).unwrap();
        payload[field] = "7654321.89".into();
        let first = service.envelope(&payload);
        let again = service.envelope(&payload);
        assert_eq!((&first["cached"], &again["cached"]), (&false.into(), &true.into()), "{payload}");
        for member in ["tributo", "valor", "regra", "detalhes"] {
            assert_eq!(first[member], again[member], "{payload}");
        }
    }
}
