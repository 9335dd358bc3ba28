//! What the taker of a service withholds, and the net to pay, by the built-in rules; and the regime of the seller in one
//! word.

use serde_json::{Value, json};

use super::rules::{self, text_by};
use crate::support::{built_in_engine, with};

fn apuracao(facts: &Value) -> Value {
    let text = text_by(built_in_engine(), facts).unwrap_or_else(|problem| panic!("{facts}: {problem:?}"));
    serde_json::from_str(&text).unwrap()
}

/// Cleaning in São Paulo, paid by a legal entity: the case in which all six withhold.
fn cleaning() -> Value {
    json!({
        "data_operacao": "2026-04-15", "preco_servico": "10000.00", "uf": "SP", "municipio": "São Paulo",
        "item_lista_servico": "7.10", "cumpre_obrigacoes_acessorias": true, "regime_vendedor": "lucro_presumido",
        "tomador": "pessoa_juridica", "natureza_servico": "limpeza", "servico_cedido": "limpeza",
        "forma_contratacao": "cessao_mao_de_obra", "aliquota_nota": "5.00"
    })
}

fn amounts(apuracao: &Value) -> Vec<String> {
    let lines = apuracao["retencoes"].as_array().unwrap();
    lines.iter().map(|line| line["valor"].as_str().or(line["situacao"].as_str()).unwrap().to_owned()).collect()
}

#[track_caller]
fn check(facts: &Value, wanted: [&str; 6], withheld: &str, net: &str) -> Value {
    let apuracao = apuracao(facts);
    assert_eq!(amounts(&apuracao), wanted, "{apuracao:#}");
    let totals = &apuracao["totais"];
    assert_eq!(totals["retencoes"]["valor"], withheld);
    assert_eq!(totals["liquido_a_pagar"]["valor"], net);
    apuracao
}

#[test]
fn six_withholdings_leave_the_net_to_pay() {
    // 1% and 1%, 0.65% and 3% of 10,000.00, 11% and 5%: 100 + 100 + 65 + 300 + 1100 + 500.
    let wanted = ["100.00", "100.00", "65.00", "300.00", "1100.00", "500.00"];
    let apuracao = check(&cleaning(), wanted, "2165.00", "7835.00");
    for line in apuracao["retencoes"].as_array().unwrap() {
        assert!(line["resposta"]["regra"]["citacao_legal"].is_string(), "{line}");
    }
    assert_eq!(apuracao["totais"]["liquido_a_pagar"]["completo"], apuracao["totais"]["valor_documento"]["completo"]);
    // The unconditional discount leaves the base: of 9,000.00.
    let wanted = ["90.00", "90.00", "58.50", "270.00", "990.00", "450.00"];
    check(&with(&cleaning(), &json!({"desconto": "1000.00"})), wanted, "1948.50", "7051.50");
}

#[test]
fn the_day_of_payment_says_which_law_withholds() {
    // Served in 2026 and paid in 2027: of the three contributions CSLL alone.
    let facts = with(&cleaning(), &json!({"data_pagamento": "2027-01-01"}));
    check(&facts, ["100.00", "100.00", "0.00", "0.00", "1100.00", "500.00"], "1800.00", "8200.00");
}

#[test]
fn nothing_federal_is_withheld_from_the_simples_nacional_but_social_security_in_its_annex_four() {
    let simples = json!({"regime_vendedor": "simples_nacional", "aliquota_nota": "2.01"});
    let facts = with(&with(&cleaning(), &simples), &json!({"anexo_iv": true}));
    let apuracao = check(&facts, ["0.00", "0.00", "0.00", "0.00", "1100.00", "201.00"], "1301.00", "8699.00");
    let ground = apuracao["retencoes"][0]["resposta"]["detalhes"]["motivo_dispensa"].as_str().unwrap();
    assert!(ground.contains("IN RFB nº 765/2007"), "{ground}");
    let facts = with(&facts, &json!({"anexo_iv": false}));
    check(&facts, ["0.00", "0.00", "0.00", "0.00", "0.00", "201.00"], "201.00", "9799.00");
}

/// A total never passes for whole if a withholding is not known.
#[test]
fn a_withholding_that_is_refused_leaves_the_net_incomplete() {
    let facts = with(&cleaning(), &json!({"natureza_servico": null}));
    let apuracao = apuracao(&facts);
    assert_eq!(amounts(&apuracao)[..4], ["recusado"; 4]);
    let net = &apuracao["totais"]["liquido_a_pagar"];
    assert_eq!((&net["completo"], apuracao["completo"].as_bool()), (&json!(false), Some(false)));
    for tributo in ["irrf_servicos", "csll_retida", "pis_retido", "cofins_retida"] {
        assert!(net["faltam"].as_array().unwrap().contains(&json!(tributo)), "{net}");
    }
}

#[test]
fn without_labour_the_service_of_social_security_need_not_be_named() {
    let accounting = json!({"item_lista_servico": "17.19", "natureza_servico": "servicos_contabeis", "servico_cedido": null,
        "forma_contratacao": "sem_cessao", "lei_municipal_retem": false});
    let facts = with(&cleaning(), &accounting);
    check(&facts, ["150.00", "100.00", "65.00", "300.00", "0.00", "0.00"], "615.00", "9385.00");
}

#[test]
fn an_operation_that_does_not_say_who_pays_has_no_withholdings() {
    let apuracao = rules::apuracao(&rules::service());
    assert!(apuracao.get("retencoes").is_none() && apuracao["totais"].get("liquido_a_pagar").is_none());
}

#[test]
fn one_word_of_the_seller_says_what_three_facts_say() {
    let of = |facts: Value| text_by(rules::engine(), &facts).unwrap();
    let service = rules::service();
    let without = with(&service, &json!({"regime_apuracao": null}));
    let sale = with(&rules::sale(), &json!({"regime_apuracao": null}));
    for (base, word, three) in [
        (&without, "lucro_presumido", json!({"regime_apuracao": "cumulativo"})),
        (&without, "lucro_real", json!({"regime_apuracao": "nao_cumulativo"})),
        (&without, "simples_nacional", json!({"regime_simples_nacional": true})),
        (&sale, "lucro_real", json!({"regime_apuracao": "nao_cumulativo"})),
        (&sale, "simples_regime_regular", json!({"regime_simples_nacional": true, "optante_simples": false})),
    ] {
        assert_eq!(of(with(base, &json!({"regime_vendedor": word}))), of(with(base, &three)), "{word}");
    }
    // A fact that is stated stays: a service of the real profit may pay cumulatively.
    let stated = with(&service, &json!({"regime_vendedor": "lucro_real"}));
    assert_eq!(of(stated), of(service));
}

#[test]
fn a_regime_that_another_fact_denies_is_refused_and_a_taker_needs_one() {
    let refused = |more: Value| {
        let facts = with(&with(&rules::service(), &json!({"regime_apuracao": null})), &more);
        let problem = text_by(rules::engine(), &facts).unwrap_err();
        let named = problem.campo.into_iter().chain(problem.erros.into_iter().map(|erro| erro.campo));
        named.collect::<Vec<_>>().contains(&"regime_vendedor".to_owned())
    };
    assert!(refused(json!({"regime_vendedor": "lucro_real", "regime_simples_nacional": true})));
    assert!(refused(json!({"tomador": "pessoa_juridica"})));
}
