//! Section 7, row by row over all taxes. The modules of the taxes have the rows of a single tax.

use serde_json::{Value, json};

use crate::service::figures;
use crate::support::with;
use crate::taxes::payloads;

/// Returns the payload with its date moved to this year.
pub fn in_year(payload: &Value, year: u16) -> Value {
    let fields = payload.as_object().unwrap();
    let date = ["data_operacao", "data_fato_gerador", "data", "exercicio"];
    let field = date.into_iter().find(|name| fields.contains_key(*name)).unwrap();
    let value = match payload[field].as_str() {
        Some(day) => json!(format!("{year}{}", &day[4..])),
        None => json!(year),
    };
    with(payload, &json!({ field: value }))
}

// "No version covers the date": 404.
#[test]
fn a_date_before_every_version_is_a_404() {
    for payload in payloads() {
        figures().calculate(&in_year(&payload, 1990)).refused(404);
    }
}

// "No rule exists for the discriminators": 404.
#[test]
fn discriminators_without_a_rule_are_a_404() {
    let elsewhere = json!({"uf": "AC", "uf_destino": "AC", "municipio": "Rio Branco"});
    for payload in payloads() {
        let fields = payload.as_object().unwrap();
        let moved: Value = elsewhere
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| fields.contains_key(*name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into();
        if moved.as_object().unwrap().is_empty() {
            continue;
        }
        figures().calculate(&with(&payload, &moved)).refused(404);
    }
}

// "The payload lacks a material field": 422, and "the response states the reason".
#[test]
fn an_empty_payload_of_each_tax_is_a_422_with_its_reasons() {
    for payload in payloads() {
        let refused = figures().calculate(&json!({"tributo": payload["tributo"]})).refused(422);
        let date = ["data_operacao", "data_fato_gerador", "\"data\"", "exercicio"];
        assert!(date.iter().any(|name| refused.to_string().contains(name)), "{refused}");
    }
}

// Section 1: twelve values of `tributo` are accepted, in this spelling.
#[test]
fn another_tributo_is_refused() {
    for tributo in [json!("xyz"), json!("ICMS"), json!(""), json!(1), Value::Null] {
        let mut payload = payloads()[0].clone();
        payload["tributo"] = tributo;
        let answer = figures().calculate(&payload);
        assert_eq!(answer.status / 100, 4, "{}", answer.json());
    }
}

// Section 2.3: "all payloads are JSON objects".
#[test]
fn a_body_that_is_not_an_object_is_refused() {
    for body in ["{", "[]", "\"icms\"", "1", "null", "tributo=icms", "{\"tributo\": \"ipi\",}"] {
        let answer = figures().post(body);
        assert_eq!(answer.status / 100, 4, "{body}: {}", answer.json());
    }
}

// Section 1, principle 3: "a null rate is never turned silently into zero".
#[test]
fn a_rule_without_a_figure_never_answers() {
    let mut refused = 0;
    for payload in payloads() {
        let changes = match payload["tributo"].as_str().unwrap() {
            "icms" => json!({"uf_origem": "GO", "uf_destino": "GO"}),
            "icms_st" => json!({"uf_origem": "SP", "uf_destino": "GO"}),
            "ipva" => json!({"uf": "GO", "categoria_veiculo": "automovel"}),
            "itcmd" => json!({"uf": "GO", "fato_gerador": "doacao"}),
            "iss" => json!({"item_lista_servico": "1.09"}),
            "iptu" => json!({"uf": "RJ", "municipio": "Rio de Janeiro"}),
            "itbi" => json!({"uf": "MG", "municipio": "Belo Horizonte"}),
            "ipi" | "pis" | "cofins" => json!({"ncm": "22084000"}),
            _ => continue,
        };
        figures().calculate(&with(&payload, &changes)).refused(422);
        refused += 1;
    }
    assert_eq!(refused, 10);
}
