//! Readings of the contract that a review settled: what has no rule, and what is ignored.

use serde_json::json;

use crate::service::figures;
use crate::support::with;
use crate::taxes::payload_of;

#[test]
fn a_municipality_that_the_uf_does_not_have_has_no_rule() {
    for payload in [payload_of("iss"), payload_of("iptu"), payload_of("itbi")] {
        for municipio in ["Rio de Janeiro", "Cidade Que Não Existe"] {
            figures().calculate(&with(&payload, &json!({"municipio": municipio}))).refused(404);
        }
    }
}

#[test]
fn a_service_item_outside_the_list_has_no_rule() {
    figures().calculate(&with(&payload_of("iss"), &json!({"item_lista_servico": "99.99"}))).refused(404);
}

#[test]
fn a_margin_rule_ignores_quantidade_whatever_it_is() {
    let valor = figures().envelope(&payload_of("icms_st"))["valor"].clone();
    for quantidade in [json!("abc"), json!("-1"), json!(10), json!(""), json!(true)] {
        let payload = with(&payload_of("icms_st"), &json!({"quantidade": quantidade}));
        assert_eq!(figures().envelope(&payload)["valor"], valor, "{quantidade}");
    }
}

// 200,000 × 1.2% is less than the deduction: nothing is due, and the bracket shows what the law deducts.
#[test]
fn iptu_shows_the_deduction_of_the_law() {
    let land = with(&payload_of("iptu"), &json!({"uso_imovel": "territorial", "valor_venal": "200000.00"}));
    let envelope = figures().shows(&land, "0.00", &json!({}));
    assert_eq!(envelope["detalhes"]["faixa_aplicada"]["parcela_deduzir"], "5000.00", "{envelope}");
}

#[test]
fn an_ex_of_zeros_is_not_an_exception() {
    for ex in ["0", "00", "000"] {
        let none = figures().envelope(&with(&payload_of("ipi"), &json!({"ex": null})));
        let zero = figures().envelope(&with(&payload_of("ipi"), &json!({"ex": ex})));
        assert_eq!(
            (&zero["valor"], &zero["regra"], &zero["detalhes"]),
            (&none["valor"], &none["regra"], &none["detalhes"])
        );
        for tax in ["pis", "cofins"] {
            let drink = with(&payload_of(tax), &json!({"ncm": "22021000"}));
            let none = figures().envelope(&drink);
            let zero = figures().envelope(&with(&drink, &json!({"ex": ex})));
            assert_eq!((&zero["valor"], &zero["detalhes"]), (&none["valor"], &none["detalhes"]));
        }
    }
}
