//! ISS: the price at the rate of the item, or an amount for each professional.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_base::problem::ErrorCode;

use super::expect::{Answer, Expected, check, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent};
use super::transicao;
use crate::property::cases;
use crate::support::{engine_with, rule};

/// The rule of item 1.05, that of its subdivision 1.05.02, the general one, and that of the societies.
struct Rules {
    item: Value,
    desdobro: Value,
    general: Value,
    fixed: Value,
}

fn naive(rules: &Rules, p: &Value) -> Expected {
    let code = word(p, "codigo_tributacao_nacional", "");
    if !code.is_empty() && code.starts_with("17") != (p["item_lista_servico"] == "17.01") {
        let fixed = word(p, "regime", "normal") == "sociedade_uniprofissional";
        let second_fault = fixed && p["numero_profissionais"].as_u64().is_none_or(|people| people == 0);
        return Err(if second_fault { "payload_invalido" } else { "item_servico_invalido" });
    }
    let answer = |due: &Q| Answer::due(due).amount("preco_servico", &amount(p, "preco_servico"));
    let share = || transicao::share(p, "data");
    if word(p, "regime", "normal") == "sociedade_uniprofissional" {
        let people = match p["numero_profissionais"].as_u64() {
            Some(0) => return Err("fora_do_intervalo"),
            Some(people) => people,
            None => return Err("numero_profissionais_ausente"),
        };
        transicao::refused_beside(&share()?, true)?;
        return Ok(answer(&society(&rules.fixed["fixo"], people)?)
            .other("numero_profissionais", &json!(people))
            .other("periodicidade", &json!("mensal")));
    }
    let content = match (word(p, "item_lista_servico", ""), word(p, "codigo_tributacao_nacional", "")) {
        ("1.05", "010502" | "01.05.02") => &rules.desdobro,
        ("1.05", _) => &rules.item,
        _ => &rules.general,
    };
    let rate = share()? * needed(content, "aliquota")?;
    Ok(answer(&(amount(p, "preco_servico") * percent(&rate)))
        .rate("aliquota_aplicada", &rate)
        .others(transicao::code(p, "data").as_slice())
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
        ("codigo_tributacao_nacional", make::perhaps(make::one_of(&["010501", "010502", "01.05.02", "170101"]))),
        ("preco_servico", make::always(make::text(make::amount()))),
        ("data", make::always(transicao::day())),
        ("regime", make::perhaps(make::one_of(&["normal", "sociedade_uniprofissional", "sociedade_uniprofissional"]))),
        ("numero_profissionais", make::perhaps((0u32..70).prop_map(|n| json!(n)).boxed())),
    ])
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn iss_is_the_naive_iss(
        contents in (normal(), normal(), normal(), fixed()),
        payloads in proptest::collection::vec(payload(), 12..20),
    ) {
        let rules = Rules { item: contents.0, desdobro: contents.1, general: contents.2, fixed: contents.3 };
        let scope = |more: Value| crate::support::with(&json!({"uf": "SP", "municipio": "São Paulo"}), &more);
        let published = [
            rule("item", "iss", &scope(json!({"item_lista_servico": "1.05"})), &rules.item),
            rule("desdobro", "iss", &scope(json!({"item_lista_servico": "1.05.02"})), &rules.desdobro),
            rule("geral", "iss", &scope(json!({})), &rules.general),
            rule("fixa", "iss", &scope(json!({"regime": "sociedade_uniprofissional"})), &rules.fixed),
        ];
        let engine = engine_with(&[&published[..], &transicao::rules("iss")[..]].concat());
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

#[test]
fn a_table_of_rates_belongs_to_the_general_rule_of_a_municipality_and_names_each_service_once() {
    let scope = json!({"uf": "SP", "municipio": "3550308"});
    let of_item = crate::support::with(&scope, &json!({"item_lista_servico": "1.05"}));
    let group = |itens: Value| json!({"aliquotas": [{"aliquota": "5", "itens": itens}]});
    for (scope, content, fault) in [
        (&of_item, group(json!(["1.05"])), "regras[0].escopo.item_lista_servico"),
        (&scope, group(json!(["1.05", "1.05"])), "regras[0].conteudo.aliquotas[0].itens[1]"),
        (&scope, group(json!([])), "regras[0].conteudo.aliquotas[0].itens"),
        (&scope, json!({"aliquotas": []}), "regras[0].conteudo.aliquotas"),
        (&scope, json!({"aliquota": "5", "aliquotas": []}), "regras[0].conteudo.aliquota"),
    ] {
        let engine = crate::support::engine(0);
        let faults = crate::support::publish(&engine, &[rule("tabela", "iss", scope, &content)]).unwrap_err();
        assert_eq!(faults[0].path, fault, "{content}: {faults:?}");
    }
}
