//! What a refusal and an answer say of rules near by, over HTTP and on the command line.

use serde_json::{Value, json};

use crate::support::{OwnRules, rule, taxd_with_input, with};

fn beer() -> Value {
    json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "2026-03-10"})
}

fn line(code: &str, scope: &Value) -> Value {
    rule(code, "ipi", scope, &json!({"situacao": "tributado", "aliquota": "10.00", "tabela_versao": "de teste"}))
}

/// The document without the id of its request.
fn alike(mut problem: Value) -> Value {
    problem.as_object_mut().unwrap().remove("request_id");
    problem
}

#[test]
fn a_404_names_the_same_rules_over_http_and_on_the_command_line() {
    let own = OwnRules::of(&[
        line("t-vinho", &json!({"ncm": "22042100"})),
        line("t-chope", &json!({"ncm": "22030001"})),
        line("t-cerveja", &json!({"ncm": "22030000", "ex": "01"})),
        line("t-capitulo", &json!({"ncm": "22", "ncm_exceto": "2203"})),
    ]);
    let server = own.serve();
    let problem = alike(server.calculate(&beer()).problem(404, "regra_inexistente"));
    let ruled_out: Vec<(&Value, &Value)> = problem["candidatos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (&c["regra"]["rule_id"], &c["excluida_por"]))
        .collect();
    let wanted = [
        (&json!("t-capitulo-v1.0"), &json!(["ncm_exceto"])),
        (&json!("t-cerveja-v1.0"), &json!(["ex"])),
        // Wine is of another heading.
        (&json!("t-chope-v1.0"), &json!(["ncm"])),
    ];
    assert_eq!(ruled_out, wanted);
    assert_eq!((&problem["candidatos"][1]["ex"], problem.get("tipo_recusa")), (&json!("01"), None));
    let by_calc = taxd_with_input(&own.dir, ["calc"], beer().to_string().as_bytes());
    assert_eq!((by_calc.code, by_calc.json()), (1, problem));
}

#[test]
fn the_longest_codes_are_refused_briefly() {
    let own = OwnRules::of(&[line("t-cerveja", &json!({"ncm": "22030000"}))]);
    let server = own.serve();
    let st = json!({"tributo": "icms_st", "ncm": "99999999", "cest": "9999999", "uf_origem": "RS", "uf_destino": "MS",
        "valor_produto": "1.00", "data_operacao": "2200-12-31"});
    let service = json!({"tributo": "iss", "uf": "RO", "municipio": "Espigão D'Oeste", "item_lista_servico": "99.99",
        "codigo_tributacao_nacional": "999999", "preco_servico": "1.00", "data": "2200-12-31"});
    let ipi = json!({"tributo": "ipi", "ncm": "99999999", "ex": "999", "valor_produto": "1.00",
        "data_operacao": "1900-01-01"});
    for payload in [st, service, ipi] {
        let problem = server.calculate(&payload).problem(404, "regra_inexistente");
        assert_eq!(problem.get("candidatos"), None, "{problem}");
    }
}

#[test]
fn an_answer_says_that_an_exception_leads_to_another_rule_from_its_publication_to_its_end() {
    let own = OwnRules::of(&[line("t-cerveja", &json!({"ncm": "22030000"}))]);
    let server = own.serve();
    let said = || server.calculate(&beer()).envelope().get("avisos").cloned();
    assert_eq!((said(), said()), (None, None));
    own.publish(&[line("t-chope", &json!({"ncm": "22030000", "ex": "01"}))]);
    let sentence =
        json!(["Há regra mais específica para o NCM 22030000 com Ex 01: informe `ex`, se couber à operação."]);
    assert_eq!((said(), said()), (Some(sentence.clone()), Some(sentence)));
    let moved = line("t-chope", &json!({"ncm": "22030010", "ex": "01"}));
    own.publish(&[with(&moved, &json!({"versao": "1.1"}))]);
    assert_eq!(said(), None);
}
