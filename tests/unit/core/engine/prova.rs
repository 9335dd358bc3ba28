//! The proof of an answer, computed again by another way: from the payload, the answer and the listing of rules.

use std::fmt::Write;

use serde_json::{Value, json};
use taxd_base::sentence::Reader;
use taxd_base::value::{Date, RuleId, sha256_hex};
use taxd_core::engine::{Engine, Extras, Filter};
use taxd_law::tax::REGISTRY;

use crate::support::{built_in_engine, calculate, engine, engine_with, publish, rule, with};

const PROVA: Extras = Extras { memoria: false, prova: true, leitor: Reader::Program, com_leitor: false };

/// The canonical form, written member by member.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            let mut out = String::from("{");
            for (i, name) in names.into_iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                write!(out, "{comma}{}:{}", Value::String(name.clone()), canonical(&members[name])).unwrap();
            }
            out + "}"
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        plain => plain.to_string(),
    }
}

fn digest(value: &Value) -> Value {
    json!(sha256_hex(canonical(value).as_bytes()))
}

fn without(value: &Value, names: &[&str]) -> Value {
    let mut value = value.clone();
    value.as_object_mut().unwrap().retain(|name, _| !names.contains(&name.as_str()));
    value
}

fn proved(engine: &Engine, payload: &str) -> Value {
    serde_json::from_slice(&engine.calculate(payload.as_bytes(), PROVA).unwrap().to_json()).unwrap()
}

/// The record of a rule as `GET /v1/regras` shows it.
fn listed(engine: &Engine, rule_id: &Value) -> Value {
    let filter = Filter { rule_id: RuleId::parse(rule_id.as_str().unwrap()), ..Filter::default() };
    let page = engine.regras(&filter, Date::parse("2026-03-10").unwrap(), 0, 2).unwrap();
    assert_eq!(page.items.len(), 1, "{rule_id}");
    serde_json::from_str(&page.items[0]).unwrap()
}

#[test]
fn the_proof_of_every_tax_follows_from_payload_answer_and_listing() {
    let engine = built_in_engine();
    let mut rules = 0;
    for entry in REGISTRY {
        let answer = proved(engine, entry.exemplo);
        let plain = calculate(engine, &serde_json::from_str(entry.exemplo).unwrap()).unwrap();
        assert_eq!(without(&answer, &["prova"]), plain, "{}", entry.tributo);
        let payload: Value = serde_json::from_str(entry.exemplo).unwrap();
        let state = ["vigente_ate", "situacao", "publicado_em", "substituida_por"];
        let auxiliares = answer["detalhes"]["regras_auxiliares"].as_array().cloned().unwrap_or_default();
        let used = std::iter::once(&answer["regra"]).chain(&auxiliares).map(|regra| &regra["rule_id"]);
        let of_rule = |id: &Value| json!({"rule_id": id, "sha256": digest(&without(&listed(engine, id), &state))});
        let of_rules: Vec<Value> = used.map(of_rule).collect();
        rules += of_rules.len();
        let parts = json!({
            "algoritmo": "SHA-256",
            "motor": format!("taxd {}", env!("CARGO_PKG_VERSION")),
            "pedido": digest(&payload),
            "regras": of_rules,
            "resultado": digest(&plain_of(&plain)),
        });
        assert_eq!(answer["prova"], with(&parts, &json!({"resumo": digest(&parts)})), "{}", entry.tributo);
    }
    assert!(rules > REGISTRY.len(), "some tax uses a second rule");
}

fn plain_of(answer: &Value) -> Value {
    without(answer, &["cached"])
}

#[test]
fn order_blanks_and_ignored_fields_of_the_payload_do_not_count_and_values_do() {
    let engine = engine_with(&[rule("geral", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}))]);
    let pedido = |payload: &str| proved(&engine, payload)["prova"]["pedido"].clone();
    let first = pedido(
        r#"{"tributo":"icms","uf_origem":"SP","uf_destino":"SP","valor_produto":"100.00","data_operacao":"2026-03-10"}"#,
    );
    let moved = "\u{feff}{ \"data_operacao\": \"2026-03-10\", \"apelido\": 1e400, \"valor_produto\": \"100.00\",\n\"uf_destino\": \"SP\", \"uf_origem\": \"S\\u0050\", \"tributo\": \"icms\"}";
    assert_eq!(pedido(&moved.replace("1e400", "1.5")), first);
    let other = moved.replace("1e400", "1.5").replace("100.00", "100.0");
    assert_ne!(pedido(&other), first, "the amount was sent otherwise");
}

/// The proof is a part of the cached answer, and a publication in its scope makes another one.
#[test]
fn a_cached_answer_has_the_same_proof_until_its_rule_changes() {
    let engine = engine(64);
    let general = rule("geral", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}));
    publish(&engine, std::slice::from_ref(&general)).unwrap();
    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "100.00",
        "data_operacao": "2026-03-10"})
    .to_string();
    let plain = calculate(&engine, &serde_json::from_str(&payload).unwrap()).unwrap();
    assert_eq!(plain.get("prova"), None);
    let (first, second) = (proved(&engine, &payload), proved(&engine, &payload));
    assert_eq!((&first["cached"], &second["cached"]), (&json!(false), &json!(true)), "kept apart from the plain one");
    assert_eq!(without(&first, &["cached"]), without(&second, &["cached"]));
    // The same amounts by a rule of other words: only its digest and citation differ.
    let next = json!({"versao": "1.1", "vigente_de": "2020-01-01", "citacao_legal": "Outra lei"});
    publish(&engine, &[with(&general, &next)]).unwrap();
    let third = proved(&engine, &payload);
    assert_eq!((&third["cached"], &third["valor"]), (&json!(false), &first["valor"]));
    assert_ne!(third["prova"]["regras"][0]["sha256"], first["prova"]["regras"][0]["sha256"]);
}
