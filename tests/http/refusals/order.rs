//! The order of refusals: faults of form (422), no rule on that day (404), the named refusals of the contract's section 7
//! (422), a negative base (422). A named refusal answered on days on which the tax has no rule.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use taxd::base::problem::{ErrorCode, TipoRecusa};

use crate::support::{DataDir, with};

const GOOD_DAY: &str = "2026-03-10";
const DAY_WITHOUT_RULES: &str = "1950-01-01";

/// A payload that is answered, and what is changed in it.
struct Case {
    payload: Value,
    /// Members that are refused by name, and the name.
    refused: Vec<(Value, &'static str)>,
    /// Members that make the base negative, if the tax subtracts any.
    negative: Option<Value>,
}

fn on_good_day(members: &Value) -> Value {
    with(members, &json!({"data_operacao": GOOD_DAY}))
}

fn icms(destination: &str) -> Case {
    Case {
        payload: on_good_day(
            &json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": destination, "valor_produto": "1000.00"}),
        ),
        refused: vec![
            (json!({"destinatario_contribuinte": false}), "destinatario_nao_contribuinte"),
            (json!({"destinatario_consumidor_final": true}), "destinatario_consumidor_final"),
            (json!({"regime_simples_nacional": true}), "regime_simples_nacional"),
        ],
        negative: None,
    }
}

fn final_consumer(destination: &str) -> Case {
    let sale = json!({"tributo": "icms_consumidor_final", "uf_origem": "SP", "uf_destino": destination,
                      "valor_produto": "1000.00"});
    let refused = vec![(json!({"regime_simples_nacional": true}), "regime_simples_nacional")];
    Case { payload: on_good_day(&sale), refused, negative: None }
}

fn contribution(tributo: &str, regime: &str) -> Case {
    let part = |more: &Value| with(&json!({"ncm": "84811000"}), more);
    Case {
        payload: on_good_day(&json!({"tributo": tributo, "regime_apuracao": regime, "valor_operacao": "1000.00",
                                     "valor_icms_destacado": "0"})),
        refused: vec![
            (json!({"regime_apuracao": "simples"}), "regime_simples"),
            // A part that may be of a self-propelled vehicle (Lei 10.485/2002, Anexo II).
            (part(&json!({})), "destinacao_autopropulsado"),
            (part(&json!({"destinacao_autopropulsado": true})), "destinacao_autopropulsado"),
        ],
        negative: Some(json!({"valor_icms_destacado": "1000.01"})),
    }
}

fn reform(tributo: &str) -> Case {
    Case {
        payload: on_good_day(&json!({
            "tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
            "valor_cofins": "0", "valor_ipi": "0", "optante_simples": false, "cumpre_obrigacoes_acessorias": false
        })),
        refused: vec![
            (json!({"optante_simples": true}), "optante_simples"),
            (json!({"item_lista_servico": "8.01"}), "regime_diferenciado"),
        ],
        negative: Some(json!({"valor_ipi": "1000.01"})),
    }
}

fn cases() -> Vec<Case> {
    let mut cases = vec![icms("SP"), icms("RJ"), final_consumer("SP"), final_consumer("RJ")];
    for tributo in ["pis", "cofins"] {
        cases.extend(["cumulativo", "nao_cumulativo"].map(|regime| contribution(tributo, regime)));
    }
    cases.extend(["cbs", "ibs"].map(reform));
    cases
}

#[test]
fn every_named_refusal_waits_for_a_rule_and_for_a_payload_without_faults() {
    let server = DataDir::served();
    let calculate = |payload: &Value, more: &[&Value]| {
        server.calculate(&more.iter().fold(payload.clone(), |payload, more| with(&payload, more)))
    };
    let without_rules = json!({"data_operacao": DAY_WITHOUT_RULES});
    let mut seen = BTreeSet::new();
    for Case { payload, refused, negative } in cases() {
        let (amount, _) = payload.as_object().unwrap().iter().find(|(name, _)| name.starts_with("valor_")).unwrap();
        let faulty = json!({amount: "mil"});
        assert_eq!(server.calculate(&payload).status, 200, "{payload}");
        calculate(&payload, &[&without_rules]).problem(404, "regra_inexistente");
        calculate(&payload, &[&without_rules, &faulty]).refuses_field("decimal_invalido", amount);
        if let Some(negative) = &negative {
            calculate(&payload, &[negative]).problem(422, "base_negativa");
            calculate(&payload, &[negative, &without_rules]).problem(404, "regra_inexistente");
        }
        for (members, codigo) in &refused {
            calculate(&payload, &[members]).problem(422, codigo);
            calculate(&payload, &[members, &faulty]).refuses_field("decimal_invalido", amount);
            calculate(&payload, &[members, &without_rules]).problem(404, "regra_inexistente");
            if let Some(negative) = &negative {
                calculate(&payload, &[members, negative]).problem(422, codigo);
            }
            seen.insert(*codigo);
        }
    }
    // That of the Simples Nacional depends on the bands of its rule, so it is none of the contract's table.
    let of_the_table = |codigo: &&ErrorCode| **codigo != ErrorCode::SimplesForaDoEscopo;
    let out_of_scope = ErrorCode::ALL.iter().filter(|codigo| codigo.tipo_recusa() == Some(TipoRecusa::ForaDoEscopo));
    let out_of_scope = out_of_scope.filter(of_the_table);
    assert_eq!(seen, out_of_scope.map(|codigo| codigo.as_str()).collect(), "the table has every named refusal");
}

/// Since 2027 the law has ended PIS and COFINS for everyone: no regime is paid "by the unified one".
#[test]
fn a_tax_that_has_ended_is_refused_as_such_whatever_else_the_payload_says() {
    let server = DataDir::served();
    for tributo in ["pis", "cofins"] {
        let Case { payload, refused, negative } = contribution(tributo, "cumulativo");
        for members in refused.into_iter().map(|(members, _)| members).chain(negative) {
            let payload = with(&payload, &with(&members, &json!({"data_operacao": "2027-01-01"})));
            server.calculate(&payload).problem(422, "tributo_extinto");
        }
    }
}
