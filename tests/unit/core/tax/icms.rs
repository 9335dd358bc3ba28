//! Own ICMS by the built-in rules: products that a national benefit names.

use serde_json::{Value, json};
use taxd_base::problem::{ErrorCode, Problem};

use crate::support::{built_in_engine, calculate, with};

fn operation(origem: &str, destino: &str, ncm: &str) -> Value {
    json!({"tributo": "icms", "uf_origem": origem, "uf_destino": destino, "ncm": ncm, "valor_produto": "1000.00",
        "data_operacao": "2026-03-10"})
}

fn answered(payload: &Value) -> (String, String) {
    let answer = calculate(built_in_engine(), payload).unwrap_or_else(|problem| panic!("{payload}: {problem:?}"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&answer["valor"]), text(&answer["detalhes"]["regra_casada"]))
}

fn refused(payload: &Value) -> Box<Problem> {
    let problem = calculate(built_in_engine(), payload).unwrap_err();
    assert_eq!(problem.codigo, ErrorCode::RegraSemConteudo, "{payload}");
    problem
}

/// Rice in Minas Gerais was answered with the general 18 %, while the law taxes it at 12 % and the regulation reduces
/// that again to 7 %. Before the day from which the reduction was read, a basket product is refused by name; its
/// neighbour on the shelf is not.
#[test]
fn rice_in_minas_gerais_does_not_pay_the_general_rate() {
    let before = |ncm| with(&operation("MG", "MG", ncm), &json!({"data_operacao": "2023-09-11"}));
    assert_eq!(answered(&operation("MG", "MG", "10063021")), ("70.01".to_owned(), "produto".to_owned()));
    let rice = refused(&before("10063021"));
    assert!(rice.detail.contains("Convênio ICMS 128/94"), "{}", rice.detail);
    assert_eq!(answered(&operation("MG", "MG", "17019900")), ("70.00".to_owned(), "produto".to_owned()));
    let sugar = refused(&before("17019900"));
    let rule = sugar.regra.as_ref().map(|regra| regra.rule_id.to_string());
    assert_eq!(rule.as_deref(), Some("icms-nacional-cesta-basica-v1.0"), "{}", sugar.detail);
    assert!(sugar.detail.contains("Convênio ICMS 128/94"), "{}", sugar.detail);
    assert_eq!(answered(&operation("MG", "MG", "61091000")), ("180.00".to_owned(), "geral".to_owned()));
}

/// Convênio ICMS 128/94 is about operations inside a UF: between UFs rice pays the rate of the Senate.
#[test]
fn rice_between_ufs_pays_the_rate_of_the_senate() {
    let between = |destino| answered(&operation("MG", destino, "10063021"));
    assert_eq!(between("SP"), ("120.00".to_owned(), "interestadual".to_owned()));
    assert_eq!(between("BA"), ("70.00".to_owned(), "interestadual".to_owned()));
}

/// A treatment that was read comes before the refusal.
#[test]
fn rice_is_answered_where_its_treatment_was_read() {
    let inside = |uf| answered(&operation(uf, uf, "10063021"));
    assert_eq!(inside("MA"), ("80.00".to_owned(), "produto".to_owned()));
    assert_eq!(inside("RN"), ("70.00".to_owned(), "produto".to_owned()));
    assert_eq!(inside("BA"), ("0.00".to_owned(), "produto".to_owned()));
}

/// Convênio ICMS 52/91 also reduces the base between UFs, to a burden above the 4 % of imported goods, which stays
/// (Convênio ICMS 123/2012).
#[test]
fn a_harvester_is_refused_between_ufs_unless_it_is_imported() {
    let between = operation("MG", "SP", "84335100");
    for payload in [&between, &operation("MG", "MG", "84335100")] {
        let problem = refused(payload);
        assert!(problem.detail.contains("Convênio ICMS 52/91"), "{}", problem.detail);
    }
    let imported = with(&between, &json!({"origem_mercadoria": "importada"}));
    assert_eq!(answered(&imported), ("40.00".to_owned(), "interestadual_importada".to_owned()));
    assert_eq!(answered(&operation("TO", "TO", "84335100")), ("56.00".to_owned(), "produto".to_owned()));
}
