//! IPVA: the value at the rate of the category, or of the fuel if the rule distinguishes fuels;
//! one rate, or brackets of the value, the power or the displacement; less what is exempt.

use num_traits::{One, Zero};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::brackets;
use super::expect::{Answer, Expected, NO_FIGURE, check, figure, flag, given, needed, word};
use super::generate as make;
use super::number::{Q, amount, int, percent};
use crate::property::cases;
use crate::support::{engine_with, rule, with};

/// The member of `combustiveis` that names the fuel, or the content itself; none where the rule
/// distinguishes fuels and the payload does not say which.
fn treatment<'a>(c: &'a Value, p: &Value) -> Option<&'a Value> {
    let Some(list) = c.get("combustiveis").and_then(Value::as_array) else { return Some(c) };
    if !given(p, "combustivel") {
        return None;
    }
    let named = list.iter().find(|item| item["combustivel"].as_array().unwrap().contains(&p["combustivel"]));
    Some(named.unwrap_or(c))
}

/// The tax, the rate, and the brackets if there are any.
fn taxed(own: &Value, p: &Value, value: &Q, base: &Q) -> Result<(Q, Q, Option<Vec<Answer>>), &'static str> {
    if own.get("faixas").is_none() {
        let rate = needed(own, "aliquota")?;
        return Ok((base * percent(&rate), rate, None));
    }
    let by = word(own, "faixas_por", "");
    let measure = match by {
        "valor_venal" => value.clone(),
        "cilindrada_cm3" if p.get("combustivel") == Some(&json!("eletrico")) => return Err(NO_FIGURE),
        _ if !given(p, by) => return Err("campo_obrigatorio"),
        _ if p[by] == 0 => return Err("fora_do_intervalo"),
        _ => int(p[by].as_i64().unwrap()),
    };
    brackets::apply_by(own, base, &measure, &Q::one()).map(|(tax, rate, parts)| (tax, rate, Some(parts)))
}

fn naive(c: &Value, p: &Value) -> Expected {
    let value = amount(p, "valor_venal");
    let own = treatment(c, p);
    let exempt = |why: &Value| {
        Answer::due(&Q::zero())
            .amount("valor_venal", &value)
            .amount("base_calculo", &value)
            .other("aliquota_aplicada", &Value::Null)
            .other("isento", &json!(true))
            .other("motivo_isencao", why)
    };
    if let Some(own) = own.filter(|own| flag(own, "isento", false)) {
        return Ok(exempt(&own["motivo_isencao"]));
    }
    let mut partly = None;
    for exemption in [own, Some(c)].into_iter().flatten().filter_map(|part| part.get("isencao")) {
        match brackets::exempted(exemption, &value, &Q::one())? {
            (None, _) => return Ok(exempt(&exemption["base_legal"])),
            (Some(rest), true) if partly.is_none() => partly = Some((rest, exemption["base_legal"].clone())),
            (Some(_), _) => {}
        }
    }
    let (mut base, reason) = partly.unwrap_or((value.clone(), Value::Null));
    let Some(own) = own else { return Err("combustivel_ausente") };
    if own.get("aliquota").is_none() && own.get("faixas").is_none() {
        return Err(NO_FIGURE);
    }
    let cut = figure(own, "reducao_base")?;
    if let Some(cut) = &cut {
        base *= Q::one() - percent(cut);
    }
    let (tax, rate, parts) = taxed(own, p, &value, &base)?;
    let answer = Answer::due(&tax)
        .amount("valor_venal", &value)
        .amount("base_calculo", &base)
        .rate("aliquota_aplicada", &rate)
        .other("isento", &json!(false))
        .other("motivo_isencao", &reason);
    let answer = match &cut {
        Some(cut) => answer.rate("reducao_base", cut),
        None => answer.other("reducao_base", &Value::Null),
    };
    let answer = brackets::discounted(c, &tax, &value, &Q::one(), answer);
    Ok(match parts {
        Some(parts) => answer.list("faixas", parts).other("faixas_por", &own["faixas_por"]),
        None => answer,
    })
}

/// Limits of power or displacement: whole numbers.
fn sizes() -> BoxedStrategy<Vec<Value>> {
    proptest::collection::btree_set(1u32..400, 0..4)
        .prop_map(|sizes| sizes.into_iter().map(|size| json!(size.to_string())).chain([Value::Null]).collect())
        .boxed()
}

fn taxing() -> BoxedStrategy<Value> {
    let one = make::figure(make::rate_to(30)).prop_map(|rate| json!({"aliquota": rate}));
    let by_value = (brackets::brackets(), make::one_of(&["marginal", "integral"]))
        .prop_map(|(list, method)| json!({"faixas": list, "faixas_por": "valor_venal", "metodo": method}));
    let by_size = (brackets::brackets_of(sizes()), make::one_of(&["potencia_cv", "cilindrada_cm3"]))
        .prop_map(|(list, by)| json!({"faixas": list, "faixas_por": by, "metodo": "integral"}));
    let cut = proptest::option::weighted(0.2, make::figure(make::rate()));
    (prop_oneof![3 => one, 2 => by_value, 2 => by_size], cut)
        .prop_map(|(content, cut)| cut.map_or(content.clone(), |cut| with(&content, &json!({"reducao_base": cut}))))
        .boxed()
}

/// What is said of a category or a fuel: exempt, or taxed above an exemption by value.
fn one() -> BoxedStrategy<Value> {
    let exempt = Just(json!({"isento": true, "motivo_isencao": "Lei"}));
    let exemption = proptest::option::weighted(0.4, brackets::exemption(&["BRL"]));
    let taxed = (taxing(), exemption).prop_map(|(content, exemption)| match exemption {
        Some(exemption) => with(&content, &json!({"isencao": exemption})),
        None => content,
    });
    prop_oneof![1 => exempt, 6 => taxed].boxed()
}

fn content() -> BoxedStrategy<Value> {
    let general = proptest::option::weighted(0.7, one());
    let fuels = (one(), one(), general).prop_map(|(first, second, general)| {
        let first = with(&first, &json!({"combustivel": ["gasolina", "flex"]}));
        let second = with(&second, &json!({"combustivel": ["eletrico"]}));
        with(&general.unwrap_or(json!({})), &json!({"combustiveis": [first, second]}))
    });
    brackets::some_discounted(prop_oneof![one(), fuels].boxed(), &["BRL"])
}

/// Every limit of value that the content or one of its fuels states.
fn edges(content: &Value) -> Vec<Q> {
    let fuels = content["combustiveis"].as_array().cloned().unwrap_or_default();
    [content].into_iter().chain(&fuels).flat_map(brackets::edges).collect()
}

fn payload(content: &Value) -> BoxedStrategy<Value> {
    let size = || make::perhaps((0u32..400).prop_map(|size| json!(size)).boxed());
    make::object(vec![
        ("tributo", make::fixed(json!("ipva"))),
        ("uf", make::fixed(json!("SP"))),
        ("categoria_veiculo", make::fixed(json!("automovel"))),
        ("valor_venal", make::always(make::text(make::near(&edges(content))))),
        ("data_fato_gerador", make::fixed(json!("2026-01-01"))),
        ("combustivel", make::perhaps(make::one_of(&["gasolina", "flex", "eletrico", "diesel"]))),
        ("potencia_cv", size()),
        ("cilindrada_cm3", size()),
    ])
}

proptest! {
    #![proptest_config(cases(384))]
    #[test]
    fn ipva_is_the_naive_ipva((content, payloads) in make::with_payloads(content(), payload)) {
        let engine = engine_with(&[rule("ipva", "ipva", &json!({"uf": "SP"}), &content)]);
        for payload in &payloads {
            check(&engine, payload, naive(&content, payload))?;
        }
    }
}
