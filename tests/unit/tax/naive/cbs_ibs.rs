//! CBS and IBS: the operation less the taxes inside it, at one rate or at those of the State and the municipality.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::expect::{Answer, Expected, cases, check, figure, flag, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent, rounded, sum};
use crate::support::{engine_with, rule};

const DEDUCTIONS: [&str; 5] = ["valor_icms", "valor_iss", "valor_pis", "valor_cofins", "valor_ipi"];

fn naive(c: &Value, p: &Value) -> Expected {
    let base = amount(p, "valor_operacao") - sum(p, &DEDUCTIONS);
    if base < Q::zero() {
        return Err("base_negativa");
    }
    if flag(p, "optante_simples", false) {
        return Err("optante_simples");
    }
    // 2203 is on the list but for 22030100; so is the service 8.01.
    let listed_ncm = word(p, "ncm", "") == "22030000";
    if listed_ncm || word(p, "item_lista_servico", "") == "8.01" {
        return Err("regime_diferenciado");
    }
    let rate = needed(c, "aliquota")?;
    let municipal = figure(c, "aliquota_municipal")?;
    let part = |rate: &Q| rounded(&(&base * percent(rate)), 2);
    let shown = part(&rate) + municipal.as_ref().map_or(Q::zero(), &part);
    let waived = flag(p, "cumpre_obrigacoes_acessorias", false) && c.get("dispensa_base_legal").is_some();
    let due = if waived { Q::zero() } else { shown.clone() };
    let mut answer = Answer::due(&due);
    if let Some(municipal) = &municipal {
        for (name, rate) in [("parcela_estadual", &rate), ("parcela_municipal", municipal)] {
            answer = answer.object(name, Answer::default().amount("valor", &part(rate)).rate("aliquota", rate));
        }
    }
    Ok(answer
        .amount("base_calculo", &base)
        .amount("valor_destaque", &shown)
        .amount("valor_devido", &due)
        .rate("aliquota_aplicada", &(rate + municipal.unwrap_or_default()))
        .other("dispensado", &json!(waived))
        .other("dispensa_presumida", &json!(waived)))
}

fn payload(tributo: &'static str) -> BoxedStrategy<Value> {
    let part = || {
        let small = prop_oneof![3 => Just("0".to_owned()), 3 => (0u32..2000).prop_map(|v| format!("0.{v:04}")), 1 => make::amount()];
        make::always(make::text(small.boxed()))
    };
    let mut members = vec![
        ("tributo", make::fixed(json!(tributo))),
        ("valor_operacao", make::always(make::text(make::amount()))),
        ("cumpre_obrigacoes_acessorias", make::always(make::flags())),
        ("optante_simples", make::always(proptest::bool::weighted(0.05).prop_map(|b| json!(b)).boxed())),
        ("ncm", make::perhaps(make::one_of(&["22030000", "22030100", "10063021", "10063021"]))),
        ("item_lista_servico", make::perhaps(make::one_of(&["8.01", "1.05", "1.05"]))),
        ("data_operacao", make::fixed(json!("2026-03-10"))),
    ];
    members.extend(DEDUCTIONS.map(|name| (name, part())));
    make::object(members)
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn cbs_and_ibs_are_the_naive_ones(
        rate in make::figure(make::rate_to(30)),
        municipal in proptest::option::of(make::figure(make::rate_to(30))),
        waiver in any::<bool>(),
        (tributo, payloads) in proptest::sample::select(vec!["cbs", "ibs"])
            .prop_flat_map(|t| (Just(t), proptest::collection::vec(payload(t), 16..24))),
    ) {
        let mut content = json!({"aliquota": rate});
        if let Some(municipal) = municipal {
            content["aliquota_municipal"] = municipal;
        }
        if waiver {
            content["dispensa_base_legal"] = json!("Art. 348");
        }
        let refusal = json!({"recusa": {"hipoteses": [{"reducao": "60.00", "anexo": "I", "descricao": "Lista"}]}});
        let engine = engine_with(&[
            rule("nacional", tributo, &json!({}), &content),
            rule("lista", tributo, &json!({"ncm": "2203", "ncm_exceto": "220301"}), &refusal),
            rule("servico", tributo, &json!({"item_lista_servico": "8.01"}), &refusal),
        ]);
        for payload in &payloads {
            check(&engine, payload, naive(&content, payload))?;
        }
    }
}
