//! `POST /v1/calculate`: what surrounds the figures: memory, steps, remarks.

use serde_json::{Value, json};

use crate::support::{DataDir, OwnRules, rule, with};

#[test]
fn an_identical_payload_is_answered_from_memory_and_the_same() {
    let server = DataDir::served();
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
    let server = DataDir::served();
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
        for member in ["nome", "formula", "resultado", "resultado_exato", "fundamento"] {
            assert!(step[member].as_str().is_some_and(|t| !t.is_empty()), "{member}: {step}");
        }
    }
    assert!(steps.iter().any(|s| s["resultado"] == "180.00" && s["formula"] == "1.000,00 × 18,00%"));
    let explicit = server.post("/v1/calculate?memoria=false", payload.to_string()).envelope();
    assert!(explicit["detalhes"].get("memoria").is_none());
}

/// An `ipi` rule for the NCM, with these members.
fn ipi(code: &str, ncm: &str, aliquota: &Value, members: &Value) -> Value {
    let content = json!({"situacao": "tributado", "aliquota": aliquota, "tabela_versao": "TIPI de teste"});
    with(&rule(code, "ipi", &json!({"ncm": [ncm]}), &content), members)
}

#[test]
fn answers_and_refusals_say_how_well_the_figures_of_their_rule_are_established() {
    let unread = json!({"conferencia": "fontes_concordes", "motivo": "Não lida."});
    let own = OwnRules::of(&[
        ipi("t-lida", "10000000", &json!("10.00"), &json!({"conferencia": "texto_legal"})),
        ipi("t-nula", "20000000", &Value::Null, &unread),
        ipi("t-sem-grau", "30000000", &json!("10.00"), &json!({})),
    ]);
    let server = own.serve();
    let ask = |ncm: &str| {
        let payload = json!({"tributo": "ipi", "ncm": ncm, "valor_produto": "100.00", "data_operacao": "2026-03-10"});
        server.calculate(&payload)
    };
    assert_eq!(ask("10000000").envelope()["regra"]["conferencia"], "texto_legal");
    assert_eq!(ask("20000000").problem(422, "regra_sem_conteudo")["regra"]["conferencia"], "fontes_concordes");
    // A rule of an earlier bundle has no grade, and its answers have the members that they had.
    let silent = ask("30000000").envelope();
    assert_eq!((&silent["valor"], silent["regra"].as_object().unwrap().len()), (&json!("10.00"), 4));
    let listed = server.regras("");
    let grades: Vec<_> = listed.iter().map(|rule| rule.get("conferencia").and_then(Value::as_str)).collect();
    assert_eq!(grades, [Some("texto_legal"), Some("fontes_concordes"), None]);
}

#[test]
fn each_sentence_has_a_word_for_what_it_depends_on_or_null() {
    let sentences = json!(["Sem condição.", {"condicao": "regime", "texto": "Do regime."}]);
    let own = OwnRules::of(&[
        ipi("t-avisa", "10000000", &json!("10.00"), &json!({"avisos": sentences})),
        ipi("t-cala", "20000000", &json!("10.00"), &json!({})),
    ]);
    let server = own.serve();
    let payload =
        |ncm: &str| json!({"tributo": "ipi", "ncm": ncm, "valor_produto": "1.00", "data_operacao": "2026-03-10"});
    let answer = server.calculate(&with(&payload("10000000"), &json!({"frte": "1.00"}))).envelope();
    let ignored = "O campo `frte` não pertence a `ipi` e foi ignorado.";
    assert_eq!(answer["avisos"], json!(["Sem condição.", "Do regime.", ignored]));
    assert_eq!(answer["condicoes_dos_avisos"], json!([null, "regime", "campo"]));
    assert!(server.calculate(&payload("20000000")).envelope().get("condicoes_dos_avisos").is_none());
}

#[test]
fn unknown_fields_are_named_where_they_are_not_refused() {
    let server = DataDir::served();
    let payload = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "10.00", "valor_frete": "9.00",
                         "ex": null, "data_operacao": "2026-03-10"});
    let answer = server.calculate(&payload).envelope();
    // 10.00 × 3.9%: the misspelt freight does not count, and the caller hears of it.
    assert_eq!(answer["valor"], "0.39");
    let told = answer["avisos"].as_array().unwrap();
    assert!(told.iter().any(|a| a.as_str().unwrap().contains("valor_frete")), "{answer}");
    assert_eq!(answer["detalhes"]["ex_declarado"], Value::Null, "null for an optional field is absence");
}
