//! Sections 2.6, 3, 4.3 and 6.2: events of the changelog, and the states of versions that they announce.

use serde_json::{Value, json};

use crate::envelope::{has_version, is_date, is_timestamp};
use crate::service::Service;
use crate::support::bundle;

/// One version of the ordinary IPI rule of a product.
fn version(code: &str, version: &str, from: &str, rate: &str) -> Value {
    json!({
        "rule_code": code, "versao": version, "tributo": "ipi", "escopo": {"ncm": "22030000"}, "vigente_de": from,
        "citacao_legal": format!("Decreto de exemplo, {version}"),
        "conteudo": {"situacao": "tributado", "aliquota": rate, "tabela_versao": "TIPI de exemplo"},
    })
}

fn city_rule() -> Value {
    json!({
        "rule_code": "itbi-sp", "versao": "1.0", "tributo": "itbi", "escopo": {"uf": "SP", "municipio": "São Paulo"},
        "vigente_de": "2024-01-01", "citacao_legal": "Lei de exemplo", "conteudo": {"aliquota": "3.00"},
    })
}

fn interstate_rule() -> Value {
    json!({
        "rule_code": "icms-sp-ba", "versao": "1.0", "tributo": "icms", "escopo": {"uf_origem": "SP", "uf_destino": "BA"},
        "vigente_de": "2024-01-01", "citacao_legal": "Resolução de exemplo", "conteudo": {"aliquota": "7.00"},
    })
}

/// A server with one version from 2024, and the rules of two other taxes.
fn service() -> Service {
    Service::start(
        &[bundle(&[version("ipi-cerveja", "1.0", "2024-01-01", "10.00"), city_rule(), interstate_rule()])],
        &[],
    )
}

fn events(service: &Service, query: &str) -> Vec<Value> {
    service.get(&format!("/v1/changelog{query}")).ok().as_array().unwrap().clone()
}

fn of_kind(events: &[Value], kind: &str) -> Vec<Value> {
    events.iter().filter(|event| event["tipo"] == kind).cloned().collect()
}

fn on(service: &Service, day: &str) -> (u16, Value) {
    let payload = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "1000.00", "data_operacao": day});
    let answer = service.calculate(&payload);
    (answer.status, answer.json())
}

// Section 2.6: every field of a publication.
#[test]
fn a_publication_is_an_event() {
    let service = service();
    let events = events(&service, "");
    assert_eq!(of_kind(&events, "publicacao").len(), 3, "{events:?}");
    for event in &events {
        assert!(has_version(&event["rule_id"]), "{event}");
        assert!(is_date(&event["vigente_de"]) && is_timestamp(&event["publicado_em"]), "{event}");
        for name in ["tributo", "uf_origem", "uf_destino", "municipio"] {
            assert!(event.get(name).is_some(), "{name} is there: {event}");
        }
    }
    let of = |tax: &str| events.iter().find(|event| event["tributo"] == tax).unwrap();
    let place = |event: &Value| json!([event["uf_origem"], event["uf_destino"], event["municipio"]]);
    assert_eq!(place(of("ipi")), json!([null, null, null]), "a federal rule has no place");
    assert_eq!(place(of("icms")), json!(["SP", "BA", null]));
    assert_eq!(of("itbi")["municipio"], "São Paulo");
}

// Section 3: a newer version closes the previous one from a turning date.
#[test]
fn a_supersession_closes_the_previous_version() {
    let service = service();
    service.publish(&[version("ipi-cerveja", "1.1", "2026-07-01", "12.00")]);
    let all = events(&service, "");
    let closed = of_kind(&all, "substituicao");
    let [event] = &closed[..] else { panic!("one event: {all:?}") };
    let wanted = json!({
        "rule_id": "ipi-cerveja-v1.0", "tributo": "ipi", "vigente_de": "2024-01-01", "vigente_ate": "2026-07-01",
        "rule_code": "ipi-cerveja", "substituida_por": "ipi-cerveja-v1.1",
    });
    for (name, wanted) in wanted.as_object().unwrap() {
        assert_eq!(&event[name], wanted, "{event}");
    }
    assert!(is_timestamp(&event["publicado_em"]), "{event}");
    assert!(of_kind(&all, "publicacao").iter().any(|event| event["rule_id"] == "ipi-cerveja-v1.1"), "{all:?}");
    // Each date has its version; the closed one answers with its end.
    let (_, before) = on(&service, "2026-06-30");
    assert_eq!((&before["regra"]["rule_id"], &before["valor"]), (&json!("ipi-cerveja-v1.0"), &json!("100.00")));
    assert_eq!(before["regra"]["vigente_ate"], "2026-07-01");
    let (_, after) = on(&service, "2026-07-01");
    assert_eq!((&after["regra"]["rule_id"], &after["valor"]), (&json!("ipi-cerveja-v1.1"), &json!("120.00")));
    assert!(after["regra"]["vigente_ate"].is_null(), "open-ended: {after}");
    let rules = service.get("/v1/regras?limit=500").ok().to_string();
    assert!(rules.contains("ipi-cerveja-v1.0"), "it stays in the history: {rules}");
}

// Section 3: a version that applies backwards replaces the previous one entirely.
#[test]
fn a_retroactive_supersession_replaces_the_previous_version() {
    let service = service();
    service.publish(&[version("ipi-cerveja", "2.0", "2023-01-01", "8.00")]);
    let all = events(&service, "");
    let replaced = of_kind(&all, "substituicao_retroativa");
    let [event] = &replaced[..] else { panic!("one event: {all:?}") };
    assert_eq!((&event["rule_id"], &event["rule_code"]), (&json!("ipi-cerveja-v1.0"), &json!("ipi-cerveja")));
    assert_eq!(event["substituida_por"], "ipi-cerveja-v2.0");
    let (from, until) = (event["vigente_de"].as_str().unwrap(), event["vigente_ate"].as_str().unwrap());
    assert!(until <= from, "vigente_ate <= vigente_de: {event}");
    assert!(of_kind(&all, "substituicao").is_empty(), "{all:?}");
    // Every date has the new version now.
    for day in ["2023-01-01", "2024-01-01", "2026-03-10"] {
        assert_eq!(on(&service, day).1["regra"]["rule_id"], "ipi-cerveja-v2.0", "{day}");
    }
    // The old one stays in the history.
    let rules = service.get("/v1/regras?limit=500").ok().to_string();
    assert!(rules.contains("ipi-cerveja-v1.0"), "auditable, never deleted: {rules}");
}

// Section 3: a version that begins on the same day replaces the previous one entirely too.
#[test]
fn a_version_from_the_same_day_is_retroactive() {
    let service = service();
    service.publish(&[version("ipi-cerveja", "1.1", "2024-01-01", "12.00")]);
    let all = events(&service, "");
    assert_eq!(of_kind(&all, "substituicao_retroativa").len(), 1, "{all:?}");
    assert_eq!(on(&service, "2026-03-10").1["valor"], "120.00");
}

// Section 4.3: "a JSON array in reverse chronological order".
#[test]
fn events_are_in_reverse_chronological_order() {
    let service = service();
    for (number, from) in [("1.1", "2025-01-01"), ("1.2", "2026-01-01"), ("1.3", "2027-01-01")] {
        service.publish(&[version("ipi-cerveja", number, from, "12.00")]);
    }
    let published: Vec<String> =
        events(&service, "").iter().map(|event| event["publicado_em"].as_str().unwrap().to_owned()).collect();
    assert!(published.is_sorted_by(|a, b| a >= b), "{published:?}");
    let latest = of_kind(&events(&service, ""), "publicacao")[0]["rule_id"].clone();
    assert_eq!(latest, "ipi-cerveja-v1.3");
}

// Section 4.3: `limit` is 1 to 500.
#[test]
fn limit_is_1_to_500() {
    let service = service();
    assert_eq!(events(&service, "?limit=1").len(), 1);
    assert_eq!(events(&service, "?limit=500").len(), 3);
    for beyond in ["0", "501", "-1", "cem"] {
        let answer = service.get(&format!("/v1/changelog?limit={beyond}"));
        assert!(answer.status / 100 == 4 || answer.ok().as_array().unwrap().len() <= 500, "{beyond}");
    }
}

// Section 4.3: "default 100".
#[test]
fn limit_is_100_by_default() {
    let rules: Vec<Value> = (0..120)
        .map(|i| {
            let mut rule = version(&format!("ipi-{i:03}"), "1.0", "2024-01-01", "10.00");
            rule["escopo"]["ncm"] = json!(format!("2203{i:04}"));
            rule
        })
        .collect();
    let service = Service::start(&[bundle(&rules)], &[]);
    assert_eq!(events(&service, "").len(), 100);
    assert_eq!(events(&service, "?limit=119").len(), 119);
}

// Section 4.3: `desde` is "only events from this date on". The date is that of the publication.
#[test]
fn desde_is_the_first_day_of_publication() {
    let service = service();
    let today = events(&service, "")[0]["publicado_em"].as_str().unwrap()[..10].to_owned();
    assert_eq!(events(&service, &format!("?desde={today}")).len(), 3);
    assert_eq!(events(&service, "?desde=2020-01-01").len(), 3);
    assert!(events(&service, "?desde=2199-12-31").is_empty());
    assert_eq!(service.get("/v1/changelog?desde=ontem").status / 100, 4);
}

// Section 3 and section 1, principle 4: a version never changes; the same bundle again publishes nothing.
#[test]
fn a_version_that_was_published_again_is_not_an_event() {
    let service = service();
    service.publish(&[version("ipi-cerveja", "1.0", "2024-01-01", "10.00")]);
    assert_eq!(events(&service, "").len(), 3);
}

// Section 1, Cache: "publishing a new rule invalidates the cache keys of the affected scope".
#[test]
fn a_publication_invalidates_the_affected_scope() {
    let service = service();
    let tax = json!({
        "tributo": "itbi", "uf": "SP", "municipio": "São Paulo", "valor_transacao": "1000.00", "data": "2026-03-10"
    });
    for _ in 0..2 {
        on(&service, "2026-12-10");
        service.envelope(&tax);
    }
    assert_eq!(on(&service, "2026-12-10").1["cached"], true);
    service.publish(&[version("ipi-cerveja", "1.1", "2026-07-01", "12.00")]);
    let (_, after) = on(&service, "2026-12-10");
    assert_eq!((&after["cached"], &after["valor"]), (&json!(false), &json!("120.00")), "the new rule answers at once");
    assert_eq!(service.envelope(&tax)["cached"], true, "another scope keeps its entries");
}

// Section 1, principle 4: "a change of result implies a new rule, visible in GET /v1/changelog".
#[test]
fn a_changed_result_names_a_rule_of_the_changelog() {
    let service = service();
    let before = on(&service, "2026-12-10").1;
    service.publish(&[version("ipi-cerveja", "1.1", "2026-07-01", "12.00")]);
    let after = on(&service, "2026-12-10").1;
    assert_ne!(before["valor"], after["valor"]);
    assert_ne!(before["regra"]["rule_id"], after["regra"]["rule_id"]);
    assert!(events(&service, "").iter().any(|event| event["rule_id"] == after["regra"]["rule_id"]));
}

// Section 3: no version covers the date.
#[test]
fn before_the_first_version_there_is_a_404() {
    let service = service();
    assert_eq!(on(&service, "2023-12-31").0, 404);
    assert_eq!(on(&service, "2024-01-01").0, 200);
}
