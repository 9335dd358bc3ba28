//! ITCMD: one rate or brackets, in BRL or fiscal units, above an exemption.

use num_traits::{One, Zero};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::brackets;
use super::expect::{Answer, Expected, check, given, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent, q};
use crate::property::cases;
use crate::support::{engine_with, rule, with};

fn naive(c: &Value, p: &Value, unit_of_the_day: Option<&str>) -> Expected {
    let filled;
    let p = match unit_of_the_day {
        Some(unit) if !given(p, "valor_unidade_fiscal") => {
            filled = with(p, &json!({"valor_unidade_fiscal": unit}));
            &filled
        }
        _ => p,
    };
    let counts_units = |part: Option<&Value>| part.is_some_and(|part| word(part, "unidade", "BRL") == "unidade_fiscal");
    let by_brackets = c.get("faixas").is_some();
    let exemption = c.get("isencao");
    let discounts = c.get("descontos").and_then(Value::as_array).into_iter().flatten();
    let by_discount = discounts.filter(|d| d.get("base_ate").is_some()).any(|d| counts_units(Some(d)));
    let needs_unit = counts_units(exemption) || by_brackets && counts_units(Some(c)) || by_discount;
    if needs_unit && !given(p, "valor_unidade_fiscal") {
        return Err("unidade_fiscal_ausente");
    }
    if needs_unit && amount(p, "valor_unidade_fiscal").is_zero() {
        return Err("valor_zero");
    }
    let unit_of = |part: Option<&Value>| if counts_units(part) { amount(p, "valor_unidade_fiscal") } else { Q::one() };
    let total = amount(p, "valor_base");
    let (base, _) = match exemption {
        Some(exemption) => brackets::exempted(exemption, &total, &unit_of(Some(exemption)))?,
        None => (Some(total.clone()), false),
    };
    let mut due = Q::zero();
    let mut answer = match &base {
        None => Answer::due(&due).amount("base", &total).other("isento", &json!(true)),
        Some(base) if by_brackets => {
            let (tax, rate, parts) = brackets::apply(c, base, &unit_of(Some(c)))?;
            due = tax;
            Answer::due(&due).amount("base", base).rate("aliquota_aplicada", &rate).list("faixas", parts)
        }
        Some(base) => {
            let rate = needed(c, "aliquota")?;
            due = base * percent(&rate);
            Answer::due(&due).amount("base", base).rate("aliquota_aplicada", &rate)
        }
    };
    if let Some(exemption) = exemption {
        answer = answer.amount("limite_isencao", &(needed(exemption, "limite")? * unit_of(Some(exemption))));
    }
    if base.is_some() {
        answer = answer.other("isento", &json!(false));
    }
    Ok(brackets::discounted(c, &due, &total, &amount(p, "valor_unidade_fiscal"), answer))
}

fn content() -> BoxedStrategy<Value> {
    let brackets =
        (brackets::brackets(), make::one_of(&["marginal", "integral"]), make::one_of(&["BRL", "unidade_fiscal"]))
            .prop_map(|(list, method, unit)| json!({"faixas": list, "metodo": method, "unidade": unit}));
    let single = make::figure(make::rate()).prop_map(|rate| json!({"aliquota": rate}));
    let exemption = proptest::option::of(brackets::exemption(&["BRL", "unidade_fiscal"]));
    let contents = brackets::some_exempted(prop_oneof![3 => brackets, 1 => single], exemption);
    brackets::some_discounted(contents, &["BRL", "unidade_fiscal"])
        .prop_map(|content| with(&content, &json!({"unidade_nome": "UFESP"})))
        .boxed()
}

fn payload(content: &Value) -> BoxedStrategy<Value> {
    let edges = brackets::edges(content);
    let unit = prop_oneof![
        3 => Just(Some("38.42".to_owned())),
        2 => Just(Some("1".to_owned())),
        2 => make::positive().prop_map(Some),
        1 => Just(Some("0.00".to_owned())),
        1 => Just(None),
    ];
    unit.prop_flat_map(move |unit| {
        let worth = unit.as_deref().map_or_else(Q::one, q);
        // Edges counted in units and edges in BRL.
        let both: Vec<Q> = edges.iter().flat_map(|edge| [edge.clone(), edge * &worth]).collect();
        make::near(&both).prop_map(move |value| {
            json!({"tributo": "itcmd", "uf": "SP", "fato_gerador": "doacao", "valor_base": value,
                "data_fato_gerador": "2026-05-10", "valor_unidade_fiscal": unit})
        })
    })
    .boxed()
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn itcmd_is_the_naive_itcmd(
        (content, payloads) in make::with_payloads(content(), payload),
        unit in proptest::option::of(make::positive()),
    ) {
        let mut rules = vec![rule("itcmd", "itcmd", &json!({"uf": "SP"}), &content)];
        if let Some(unit) = &unit {
            let scope = json!({"uf": "SP", "fato_gerador": "unidade_fiscal"});
            rules.push(rule("unidade", "itcmd", &scope, &json!({"unidade_nome": "UFESP", "valor_unidade": unit})));
        }
        let engine = engine_with(&rules);
        for payload in &payloads {
            check(&engine, payload, naive(&content, payload, unit.as_deref()))?;
        }
    }
}
