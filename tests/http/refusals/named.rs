//! 422 by name: cases that the contract leaves out of scope.

use serde_json::{Value, json};

use crate::support::{DataDir, assert_rule, code_of, with};

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
        // 3003, medicines.
        let payload = with(&reform(tributo), &json!({"ncm": "30039099"}));
        let problem = server.calculate(&payload).refuses_field("regime_diferenciado", "ncm");
        assert_rule(&problem["regra"]);
        let plain = with(&reform(tributo), &json!({"ncm": "22030000", "item_lista_servico": "1.01"}));
        assert_eq!(server.calculate(&plain).status, 200, "a code that is on no list");
    }
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
