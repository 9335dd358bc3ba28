//! 422 by name: cases that the contract leaves out of scope.

use serde_json::{Value, json};

use crate::support::{DataDir, assert_rule, code_of, ids, with};

fn icms() -> Value {
    json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "RJ", "valor_produto": "1000.00",
           "data_operacao": "2026-03-10"})
}

fn contribution(tributo: &str) -> Value {
    json!({"tributo": tributo, "regime_apuracao": "cumulativo", "valor_operacao": "1000.00",
           "valor_icms_destacado": "0", "data_operacao": "2026-03-10"})
}

fn reform(tributo: &str) -> Value {
    json!({"tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
           "valor_cofins": "0", "valor_ipi": "0", "optante_simples": false, "cumpre_obrigacoes_acessorias": false,
           "data_operacao": "2026-03-10"})
}

#[test]
fn icms_outside_its_scope() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let cases = [
        ("destinatario_contribuinte", false, "destinatario_nao_contribuinte"),
        ("destinatario_consumidor_final", true, "destinatario_consumidor_final"),
        ("regime_simples_nacional", true, "regime_simples_nacional"),
    ];
    for (field, refused, codigo) in cases {
        for destination in ["SP", "RJ"] {
            let payload = with(&icms(), &json!({field: refused, "uf_destino": destination}));
            server.calculate(&payload).refuses_field(codigo, field);
            assert_eq!(server.calculate(&with(&payload, &json!({field: !refused}))).status, 200);
        }
    }
}

#[test]
fn the_simples_of_pis_and_cofins() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for tributo in ["pis", "cofins"] {
        assert_eq!(server.calculate(&contribution(tributo)).status, 200);
        let payload = with(&contribution(tributo), &json!({"regime_apuracao": "simples"}));
        server.calculate(&payload).refuses_field("regime_simples", "regime_apuracao");
    }
}

#[test]
fn a_marked_part_of_a_self_propelled_vehicle() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for tributo in ["pis", "cofins"] {
        // 8481.10.00, Lei 10.485/2002, Anexo II.
        let absent = with(&contribution(tributo), &json!({"ncm": "84811000"}));
        for payload in [absent.clone(), with(&absent, &json!({"destinacao_autopropulsado": true}))] {
            let problem =
                server.calculate(&payload).refuses_field("destinacao_autopropulsado", "destinacao_autopropulsado");
            assert_rule(&problem["regra"]);
            assert_eq!(code_of(&problem), format!("{tributo}-autopropulsado-84811000"));
        }
    }
}

#[test]
fn the_simples_of_cbs_and_ibs() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for tributo in ["cbs", "ibs"] {
        let payload = with(&reform(tributo), &json!({"optante_simples": true}));
        server.calculate(&payload).refuses_field("optante_simples", "optante_simples");
    }
}

#[test]
fn a_differentiated_regime_of_the_reform() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for tributo in ["cbs", "ibs"] {
        // Education, item 8.01: LC 214/2025, art. 129.
        let payload = with(&reform(tributo), &json!({"item_lista_servico": "8.01"}));
        let problem = server.calculate(&payload).refuses_field("regime_diferenciado", "item_lista_servico");
        assert_rule(&problem["regra"]);
        assert!(problem["detail"].as_str().unwrap().contains("60.00%"), "{problem}");
        let candidates: Vec<&str> = problem["candidatos"].as_array().unwrap().iter().map(candidate).collect();
        assert_eq!(candidates, ["200028", "200025"]);
        // 3003, medicines.
        let payload = with(&reform(tributo), &json!({"ncm": "30039099"}));
        let problem = server.calculate(&payload).refuses_field("regime_diferenciado", "ncm");
        assert_rule(&problem["regra"]);
        let plain = with(&reform(tributo), &json!({"ncm": "22030000", "item_lista_servico": "1.01"}));
        assert_eq!(server.calculate(&plain).status, 200, "a code that is on no list");
    }
}

fn candidate(candidate: &serde_json::Value) -> &str {
    assert!(!candidate["descricao"].as_str().unwrap().is_empty());
    candidate["classificacao_tributaria"].as_str().unwrap()
}

#[test]
fn a_tax_classification_that_does_not_fit() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for tributo in ["cbs", "ibs"] {
        let refused = |members: serde_json::Value, codigo: &str, rule: &str| {
            let payload = with(&reform(tributo), &members);
            let problem = server.calculate(&payload).refuses_field(codigo, "classificacao_tributaria");
            assert_rule(&problem["regra"]);
            assert_eq!(code_of(&problem), format!("{tributo}-{rule}"), "{members}");
            problem
        };
        let contradicted = |members, rule| refused(members, "classificacao_tributaria_incompativel", rule);
        // Rice is on Annex I (art. 125): neither full taxation nor the 60 % of Annex VII.
        for code in ["000001", "200034"] {
            let problem =
                contradicted(json!({"ncm": "10063021", "classificacao_tributaria": code}), "diferenciado-100630");
            assert!(problem["detail"].as_str().unwrap().contains("art. 125"), "{problem}");
            assert_eq!(candidate(&problem["candidatos"][0]), "200003");
        }
        // Beer is neither on Annex I nor a service.
        let beer = |code| json!({"ncm": "22030000", "classificacao_tributaria": code});
        for (code, article) in [("200003", "art. 125"), ("200028", "art. 129")] {
            let rule = format!("classificacao-{code}");
            let problem = refused(beer(code), "classificacao_tributaria_incompativel", &rule);
            assert!(problem["detail"].as_str().unwrap().contains(article), "{problem}");
            assert_eq!(candidate(&problem["candidatos"][0]), "000001");
        }
        // A medical service (art. 130) is not one of education.
        contradicted(
            json!({"item_lista_servico": "4.01", "classificacao_tributaria": "200028"}),
            "diferenciado-servico-4.01",
        );
        // Another calculation, by name: single-phase (art. 172).
        let problem = refused(beer("620001"), "regime_diferenciado", "classificacao-620001");
        assert!(problem["detail"].as_str().unwrap().contains("art. 172"), "{problem}");
    }
}

#[test]
fn a_tax_classification_without_a_rule_on_the_date() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let refused = |members: serde_json::Value, codigo: &str, word: &str| {
        let payload = with(&reform("cbs"), &members);
        let problem = server.calculate(&payload).refuses_field(codigo, "classificacao_tributaria");
        assert!(problem["detail"].as_str().unwrap().contains(word), "{problem}");
    };
    for text in ["20003", "2000034", "200.003", ""] {
        refused(json!({"classificacao_tributaria": text}), "classificacao_tributaria_invalida", "6 dígitos");
    }
    refused(json!({"classificacao_tributaria": "777777"}), "classificacao_tributaria_desconhecida", "cClassTrib");
    // The table ended this one on its first day.
    refused(json!({"classificacao_tributaria": "220001"}), "classificacao_tributaria_desconhecida", "2026-01-01");
    let listed = server.regras("tributo=cbs&classificacao_tributaria=200003");
    assert_eq!(ids(&listed), ["cbs-classificacao-200003-v1.0"]);
}

#[test]
fn an_unknown_field_of_cbs_and_ibs() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for tributo in ["cbs", "ibs"] {
        let payload = with(&reform(tributo), &json!({"valor_icm": "180.00"}));
        let problem = server.calculate(&payload).refuses_field("campo_desconhecido", "valor_icm");
        assert!(problem["detail"].as_str().unwrap().contains("valor_icms"), "the nearest is suggested: {problem}");
        for field in ["uf", "municipio"] {
            let payload = with(&reform(tributo), &json!({field: "SP"}));
            server.calculate(&payload).refuses_field("campo_desconhecido", field);
        }
    }
}

#[test]
fn a_rule_without_its_figure() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    // Vinegar: the two laws differ, so the shipped rule holds null, which is never zero.
    let payload = with(&icms(), &json!({"uf_destino": "SP", "ncm": "22090000"}));
    let problem = server.calculate(&payload).problem(422, "regra_sem_conteudo");
    assert_rule(&problem["regra"]);
    assert_eq!(code_of(&problem), "icms-sp-vinagres");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("aliquota") && detail.contains("Vinagre"), "the figure and its reason: {detail}");
    for _ in 0..2 {
        assert_eq!(server.calculate(&payload).status, 422, "a refusal is never remembered as a result");
    }
}
