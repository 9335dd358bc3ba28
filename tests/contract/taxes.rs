//! Sections 2.3, 2.4 and 7 of each tax, as data: `taxes.json`.
//!
//! A tax has a payload that is answered, a row (`linhas`) for each field of its table, and cases: what changes in the
//! payload (`muda`; null removes a field), the section of the contract with the figures by hand, and what the answer has.
//! `detalhes` has these entries, `entradas` are there, null or not; `contem` are words of the answer, `contem_em` of an
//! entry. A refusal has its `status`, or its class alone.

use serde_json::{Value, json};

use crate::rows::Row;
use crate::service::figures;
use crate::support::with;

/// The taxes of `taxes.json`.
fn taxes() -> Vec<Value> {
    serde_json::from_str(include_str!("taxes.json")).unwrap()
}

/// A payload of each of the twelve taxes. All are answered, and have every field that is required or has a default.
pub fn payloads() -> Vec<Value> {
    taxes().into_iter().map(|mut tax| tax["payload"].take()).collect()
}

/// The payload of a tax.
pub fn payload_of(tributo: &str) -> Value {
    let payload = payloads().into_iter().find(|payload| payload["tributo"] == tributo);
    payload.unwrap_or_else(|| panic!("no tax {tributo}"))
}

/// Checks every part of every tax, and fails with the names of those that do not hold.
fn each(part: &str, check: impl Fn(&Value, &Value) + std::panic::RefUnwindSafe) {
    // Held for the whole test: the server that tests share ends with the last of them.
    let _service = figures();
    let mut failed = Vec::new();
    let mut tried = 0;
    for tax in taxes() {
        for one in tax[part].as_array().unwrap() {
            tried += 1;
            if std::panic::catch_unwind(|| check(&tax["payload"], one)).is_err() {
                failed.push(format!("{}: {}", tax["payload"]["tributo"], one.get("caso").unwrap_or(&one["campo"])));
            }
        }
    }
    assert!(tried > 90 && failed.is_empty(), "{} of {tried}, each described above: {failed:#?}", failed.len());
}

#[test]
fn every_field_of_every_tax_is_as_its_row_says() {
    each("linhas", |payload, row| {
        let payload = row.get("muda").map_or(payload.clone(), |changes| with(payload, changes));
        Row::of(row).check(&payload, row["campo"].as_str().unwrap());
    });
}

fn words(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .map_or_else(|| vec![value.as_str().unwrap()], |words| words.iter().map(|w| w.as_str().unwrap()).collect())
}

#[test]
fn every_case_of_every_tax_is_answered_or_refused_as_the_contract_says() {
    each("casos", |payload, case| {
        let asked = |changes: &Value| figures().calculate(&with(payload, changes));
        let answer = asked(case.get("muda").unwrap_or(&json!({})));
        let (status, body) = (answer.status, answer.json());
        match case.get("status").and_then(Value::as_u64) {
            Some(class @ 4) => assert_eq!(u64::from(status / 100), class, "{body}"),
            wanted => assert_eq!(u64::from(status), wanted.unwrap_or(200), "{body}"),
        }
        if let Some(valor) = case.get("valor") {
            assert_eq!(body["valor"], *valor, "{body}");
        }
        if let Some(rule_id) = case.get("regra") {
            assert_eq!(body["regra"]["rule_id"], *rule_id, "{body}");
        }
        let detalhes = &body["detalhes"];
        for (name, wanted) in case["detalhes"].as_object().into_iter().flatten() {
            assert_eq!(detalhes[name], *wanted, "{name}: {body}");
        }
        for name in case["entradas"].as_array().into_iter().flatten() {
            assert!(detalhes.as_object().unwrap().contains_key(name.as_str().unwrap()), "{name}: {body}");
        }
        for (name, wanted) in case["contem_em"].as_object().into_iter().flatten() {
            let text = detalhes[name].to_string();
            assert!(words(wanted).iter().all(|word| text.contains(word)), "{name}: {body}");
        }
        let text = body.to_string();
        for word in case.get("contem").map(words).into_iter().flatten() {
            assert!(text.to_lowercase().contains(&word.to_lowercase()), "{word}: {body}");
        }
        // The breakdown of progressive rates: one list, with an amount a bracket.
        if let Some(amounts) = case.get("faixas").map(words) {
            let brackets = detalhes.as_object().unwrap().values().find_map(Value::as_array).unwrap();
            assert_eq!(brackets.len(), amounts.len(), "{body}");
            let has = |(bracket, amount): (&Value, &&str)| bracket.to_string().contains(amount);
            assert!(brackets.iter().zip(&amounts).all(has), "{body}");
        }
        // A refusal of its own, not that of a faulty value.
        if let Some(changes) = case.get("outra_frase") {
            assert_ne!(body["detail"], asked(changes).json()["detail"], "{body}");
        }
    });
}
