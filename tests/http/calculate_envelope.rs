//! `POST /v1/calculate`: what surrounds the figures: memory, steps, remarks.

use serde_json::{Value, json};

use crate::support::{DataDir, with};

#[test]
fn an_identical_payload_is_answered_from_memory_and_the_same() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "10.00", "data_operacao": "2026-03-10"});
    let mut first = server.calculate(&payload).envelope();
    let mut second = server.calculate(&payload).envelope();
    assert_eq!((first["cached"].take(), second["cached"].take()), (json!(false), json!(true)));
    assert_eq!(first, second);
    let other = with(&payload, &json!({"valor_produto": "10.01"}));
    assert_eq!(server.calculate(&other).envelope()["cached"], false);
    let forgetful = DataDir::ready();
    let forgetful = forgetful.serve(&["--cache-entries", "0"]);
    for _ in 0..2 {
        assert_eq!(forgetful.calculate(&payload).envelope()["cached"], false);
    }
}

#[test]
fn memoria_adds_the_steps_and_nothing_else() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00",
                         "data_operacao": "2026-03-10"});
    let plain = server.calculate(&payload).envelope();
    let mut told = server.post("/v1/calculate?memoria=true", payload.to_string()).envelope();
    assert_eq!(told["cached"], false, "an answer without steps does not stand in for one with them");
    let steps = told["detalhes"].as_object_mut().unwrap().remove("memoria").unwrap();
    assert_eq!(told, plain);
    let steps = steps.as_array().unwrap();
    assert!(!steps.is_empty());
    for step in steps {
        for member in ["nome", "formula", "resultado", "fundamento"] {
            assert!(step[member].as_str().is_some_and(|t| !t.is_empty()), "{member}: {step}");
        }
    }
    assert!(steps.iter().any(|s| s["resultado"] == "180.00" && s["formula"].as_str().unwrap().contains("18.00%")));
    let explicit = server.post("/v1/calculate?memoria=false", payload.to_string()).envelope();
    assert!(explicit["detalhes"].get("memoria").is_none());
}

#[test]
fn unknown_fields_are_named_where_they_are_not_refused() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "10.00", "valor_frete": "9.00",
                         "ex": null, "data_operacao": "2026-03-10"});
    let answer = server.calculate(&payload).envelope();
    // 10.00 × 3.9%: the misspelt freight does not count, and the caller hears of it.
    assert_eq!(answer["valor"], "0.39");
    let told = answer["avisos"].as_array().unwrap();
    assert!(told.iter().any(|a| a.as_str().unwrap().contains("valor_frete")), "{answer}");
    assert_eq!(answer["detalhes"]["ex_declarado"], Value::Null, "null for an optional field is absence");
}
