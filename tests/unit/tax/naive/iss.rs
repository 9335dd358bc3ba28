//! ISS: the price at the rate of the item, or an amount for each professional.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};
use taxd::problem::ErrorCode;

use super::expect::{Answer, Expected, cases, check, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent};
use crate::support::{engine_with, rule};

/// The rule of item 1.05, the general one, and that of the societies.
struct Rules {
    item: Value,
    general: Value,
    fixed: Value,
}

fn naive(rules: &Rules, p: &Value) -> Expected {
    let answer = |due: &Q| Answer::due(due).amount("preco_servico", &amount(p, "preco_servico"));
    if word(p, "regime", "normal") == "sociedade_uniprofissional" {
        let people = match p["numero_profissionais"].as_u64() {
            Some(0) => return Err("fora_do_intervalo"),
            Some(people) => people,
            None => return Err("numero_profissionais_ausente"),
        };
        return Ok(answer(&society(&rules.fixed["fixo"], people)?)
            .other("numero_profissionais", &json!(people))
            .other("periodicidade", &json!("mensal")));
    }
    let content = if p["item_lista_servico"] == "1.05" { &rules.item } else { &rules.general };
    let rate = needed(content, "aliquota")?;
    Ok(answer(&(amount(p, "preco_servico") * percent(&rate)))
        .rate("aliquota_aplicada", &rate)
        .other("retido_na_fonte", content.get("retido_na_fonte").unwrap_or(&Value::Null)))
}

/// One professional after the other, each at the amount of the bracket of its number, or all
/// at that of the last one's.
fn society(fixed: &Value, people: u64) -> Result<Q, &'static str> {
    let list = fixed["faixas"].as_array().unwrap();
    let bracket_of = |n: u64| list.iter().find(|b| b["ate"].as_u64().is_none_or(|ate| n <= ate)).unwrap();
    let whole = word(fixed, "metodo", "") == "integral";
    let mut total = Q::zero();
    for n in 1..=people {
        let bracket = bracket_of(if whole { people } else { n });
        total += match bracket.get("valor_por_profissional") {
            Some(_) => needed(bracket, "valor_por_profissional")?,
            None => needed(bracket, "base_presumida")? * percent(&needed(fixed, "aliquota")?),
        };
    }
    Ok(total)
}

fn normal() -> BoxedStrategy<Value> {
    make::object(vec![
        ("aliquota", make::always(make::figure(make::rate_to(10)))),
        ("retido_na_fonte", make::perhaps(make::flags())),
    ])
}

fn fixed() -> BoxedStrategy<Value> {
    let bracket = (make::figure(make::amount()), any::<bool>());
    (
        proptest::collection::btree_set(1u32..60, 0..4),
        proptest::collection::vec(bracket, 4),
        make::figure(make::rate_to(10)),
        make::one_of(&["marginal", "integral"]),
    )
        .prop_map(|(limits, figures, rate, method)| {
            let ends = limits.into_iter().map(|l| json!(l)).chain([Value::Null]);
            let list: Vec<Value> = ends
                .zip(figures)
                .map(|(ate, (value, presumed))| {
                    let name = if presumed { "base_presumida" } else { "valor_por_profissional" };
                    json!({"ate": ate, name: value})
                })
                .collect();
            json!({"fixo": {"periodicidade": "mensal", "metodo": method, "aliquota": rate, "faixas": list}})
        })
        .boxed()
}

fn payload() -> BoxedStrategy<Value> {
    make::object(vec![
        ("tributo", make::fixed(json!("iss"))),
        ("uf", make::fixed(json!("SP"))),
        ("municipio", make::fixed(json!("São Paulo"))),
        ("item_lista_servico", make::always(make::one_of(&["1.05", "17.01"]))),
        ("preco_servico", make::always(make::text(make::amount()))),
        ("data", make::fixed(json!("2026-03-10"))),
        ("regime", make::perhaps(make::one_of(&["normal", "sociedade_uniprofissional", "sociedade_uniprofissional"]))),
        ("numero_profissionais", make::perhaps((0u32..70).prop_map(|n| json!(n)).boxed())),
    ])
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn iss_is_the_naive_iss(
        contents in (normal(), normal(), fixed()),
        payloads in proptest::collection::vec(payload(), 12..20),
    ) {
        let rules = Rules { item: contents.0, general: contents.1, fixed: contents.2 };
        let scope = |more: Value| crate::support::with(&json!({"uf": "SP", "municipio": "São Paulo"}), &more);
        let engine = engine_with(&[
            rule("item", "iss", &scope(json!({"item_lista_servico": "1.05"})), &rules.item),
            rule("geral", "iss", &scope(json!({})), &rules.general),
            rule("fixa", "iss", &scope(json!({"regime": "sociedade_uniprofissional"})), &rules.fixed),
        ]);
        for payload in &payloads {
            check(&engine, payload, naive(&rules, payload))?;
        }
    }
}

/// In the normal regime no payload states a number of professionals.
#[test]
fn a_fixed_rule_without_its_regime_is_refused_at_import() {
    let engine = crate::support::engine(0);
    let content = json!({"fixo": {"periodicidade": "mensal", "metodo": "marginal",
        "faixas": [{"ate": null, "valor_por_profissional": "100.00"}]}});
    let general = rule("geral", "iss", &json!({"uf": "SP", "municipio": "São Paulo"}), &content);
    let faults = crate::support::publish(&engine, &[general]).unwrap_err();
    let found: Vec<_> = faults.iter().map(|fault| (fault.path.as_str(), fault.codigo)).collect();
    assert_eq!(found, [("regras[0].escopo.regime", ErrorCode::ValorInvalido)]);
}
