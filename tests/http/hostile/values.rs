//! Values of single fields: each is refused by name, in every tax that has such a field.

use serde_json::{Value, json};

use super::{good, still_well};
use crate::support::{DataDir, declared_taxes, with};

/// What each kind of field refuses, by code. A field whose name ends in `*` is any that begins so.
#[test]
fn no_field_of_any_tax_takes_a_value_of_another_form() {
    let server = DataDir::served();
    let taxes = declared_taxes(&server);
    let kinds: Vec<Value> = serde_json::from_str(include_str!("values.json")).unwrap();
    for kind in kinds {
        let chosen = |name: &str| {
            let is = |wanted: &Value| match wanted.as_str().unwrap().split_once('*') {
                Some((start, _)) => name.starts_with(start),
                None => wanted == name,
            };
            kind["campos"].as_array().unwrap().iter().any(is)
        };
        let mut tried = 0;
        for tax in &taxes {
            let names = tax["campos"].as_array().unwrap().iter().map(|f| f["nome"].as_str().unwrap());
            // A rule of substitution without a price list ignores the quantity, whatever it is.
            let is_ignored = |name: &str| name == "quantidade" && tax["tributo"] == "icms_st";
            for name in names.filter(|name| chosen(name) && !is_ignored(name)) {
                for (codigo, values) in kind["recusas"].as_object().unwrap() {
                    for value in values.as_array().unwrap() {
                        let mut payload = tax["exemplo"].clone();
                        payload[name] = value.clone();
                        let reply = server.calculate(&payload);
                        let asked = format!("{}: {} {name}={value}", kind["caso"], tax["tributo"]);
                        assert_eq!(reply.json()["codigo"], codigo.as_str(), "{asked}: {}", reply.text());
                        reply.refuses_field(codigo, name);
                        tried += 1;
                    }
                }
            }
        }
        assert!(tried > 0, "no tax has a field of {}", kind["caso"]);
    }
    still_well(&server);
}

#[test]
fn decimals_at_the_edge_are_read_exactly() {
    let server = DataDir::served();
    // 18% by hand; half a cent goes away from zero.
    let cases = [
        ("0", "0.00"),
        ("0.0000000000", "0.00"),
        ("1", "0.18"),
        ("1.0", "0.18"),
        ("0.0277777778", "0.01"),
        ("0.0277777777", "0.00"),
        ("0.025", "0.00"),
        ("00000001.50", "0.27"),
        ("0.25", "0.05"),
        ("0.75", "0.14"),
        ("123456789012345.67", "22222222022222.22"),
        ("999999999999999.9999999999", "180000000000000.00"),
        ("0.3611111111", "0.06"),
        ("0.3611111112", "0.07"),
    ];
    for (value, due) in cases {
        let answer = server.calculate(&with(&good(), &json!({"valor_produto": value}))).envelope();
        assert_eq!(answer["valor"], due, "18% of {value}");
    }
}

#[test]
fn a_leap_day_is_a_date() {
    let dir = DataDir::ready();
    let leap = with(&good(), &json!({"data_operacao": "2024-02-29"}));
    assert_eq!(dir.serve(&[]).calculate(&leap).status, 200);
}

#[test]
fn every_faulty_field_is_named_at_once() {
    let server = DataDir::served();
    let payload = json!({"tributo": "icms", "uf_origem": "sp", "uf_destino": 1, "valor_produto": "1e3", "frete": "-1",
                         "data_operacao": "2026-02-30", "destinatario_contribuinte": "sim"});
    let problem = server.calculate(&payload).problem(422, "payload_invalido");
    let named: Vec<(&str, &str)> = problem["erros"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["campo"].as_str().unwrap(), e["codigo"].as_str().unwrap()))
        .collect();
    assert_eq!(
        named,
        [
            ("uf_origem", "uf_invalida"),
            ("uf_destino", "tipo_invalido"),
            ("valor_produto", "decimal_invalido"),
            ("frete", "valor_negativo"),
            ("data_operacao", "data_invalida"),
            ("destinatario_contribuinte", "tipo_invalido")
        ]
    );
    assert!(problem.get("campo").is_none(), "no single field is at fault");
    let detail = problem["detail"].as_str().unwrap();
    assert!(named.iter().all(|(campo, _)| detail.contains(campo)), "{detail}");
}

#[test]
fn the_tax_itself() {
    let server = DataDir::served();
    let cases = [
        (json!(null), "campo_obrigatorio"),
        (json!("iof"), "valor_invalido"),
        (json!("ICMS"), "valor_invalido"),
        (json!(""), "valor_invalido"),
        (json!("icms "), "valor_invalido"),
        (json!(7), "tipo_invalido"),
        (json!(["icms"]), "tipo_invalido"),
    ];
    for (tributo, codigo) in cases {
        let mut payload = good();
        payload["tributo"] = tributo;
        let problem = server.calculate(&payload).refuses_field(codigo, "tributo");
        assert!(problem["detail"].as_str().unwrap().contains("icms_st"), "the taxes are listed: {problem}");
    }
    server.calculate(&json!({})).refuses_field("campo_obrigatorio", "tributo");
    server.calculate(&json!({"Tributo": "icms"})).refuses_field("campo_obrigatorio", "tributo");
}
