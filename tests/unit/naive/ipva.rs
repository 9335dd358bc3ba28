//! IPVA: the value at the rate of the category, or of the fuel where the rule tells fuels apart.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::brackets;
use super::expect::{Answer, Expected, NO_FIGURE, cases, check, figure, flag, given};
use super::generate as make;
use super::number::{Q, amount, percent};
use crate::support::{engine_with, rule};

/// The member of `combustiveis` that names the fuel, or the content itself.
fn treatment<'a>(c: &'a Value, p: &Value) -> Result<&'a Value, &'static str> {
    let Some(list) = c.get("combustiveis").and_then(Value::as_array) else { return Ok(c) };
    if !given(p, "combustivel") {
        return Err("combustivel_ausente");
    }
    let named = list.iter().find(|item| item["combustivel"].as_array().unwrap().contains(&p["combustivel"]));
    Ok(named.unwrap_or(c))
}

fn naive(c: &Value, p: &Value) -> Expected {
    let value = amount(p, "valor_venal");
    let own = treatment(c, p)?;
    let exempt = || {
        Answer::due(&Q::zero())
            .amount("valor_venal", &value)
            .amount("base_calculo", &value)
            .other("aliquota_aplicada", &Value::Null)
            .other("isento", &json!(true))
    };
    if flag(own, "isento", false) {
        return Ok(exempt().other("motivo_isencao", &own["motivo_isencao"]));
    }
    let Some(rate) = figure(own, "aliquota")? else { return Err(NO_FIGURE) };
    let (base, reason) = match c.get("isencao") {
        None => (Some(value.clone()), Value::Null),
        Some(exemption) => match brackets::exempted(exemption, &value, &super::number::int(1))? {
            (rest, true) => (rest, exemption["base_legal"].clone()),
            (rest, false) => (rest, Value::Null),
        },
    };
    Ok(match base {
        None => exempt(),
        Some(base) => Answer::due(&(&base * percent(&rate)))
            .amount("valor_venal", &value)
            .amount("base_calculo", &base)
            .rate("aliquota_aplicada", &rate)
            .other("isento", &json!(false)),
    }
    .other("motivo_isencao", &reason))
}

fn taxed_or_exempt(rate: &Value, exempt: bool) -> Value {
    if exempt { json!({"isento": true, "motivo_isencao": "Lei"}) } else { json!({"aliquota": rate}) }
}

fn content() -> BoxedStrategy<Value> {
    let one = || (make::figure(make::rate_to(30)), proptest::bool::weighted(0.15));
    let fuels = (one(), one(), proptest::option::weighted(0.5, one())).prop_map(|(first, second, rest)| {
        let mut content = rest.map_or(json!({}), |(rate, exempt)| taxed_or_exempt(&rate, exempt));
        let mut list = [taxed_or_exempt(&first.0, first.1), taxed_or_exempt(&second.0, second.1)];
        list[0]["combustivel"] = json!(["gasolina", "flex"]);
        list[1]["combustivel"] = json!(["eletrico"]);
        content["combustiveis"] = json!(list);
        content
    });
    let plain = one().prop_map(|(rate, exempt)| taxed_or_exempt(&rate, exempt));
    let exemption = proptest::option::weighted(0.4, brackets::exemption(&["BRL"]));
    (prop_oneof![plain, fuels], exemption)
        .prop_map(|(mut content, exemption)| {
            if let Some(exemption) = exemption {
                content["isencao"] = exemption;
            }
            content
        })
        .boxed()
}

fn payload(content: &Value) -> BoxedStrategy<Value> {
    make::object(vec![
        ("tributo", make::fixed(json!("ipva"))),
        ("uf", make::fixed(json!("SP"))),
        ("categoria_veiculo", make::fixed(json!("automovel"))),
        ("valor_venal", make::always(make::text(make::near(&brackets::edges(content))))),
        ("data_fato_gerador", make::fixed(json!("2026-01-01"))),
        ("combustivel", make::perhaps(make::one_of(&["gasolina", "flex", "eletrico", "diesel"]))),
    ])
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn ipva_is_the_naive_ipva((content, payloads) in make::with_payloads(content(), payload)) {
        let engine = engine_with(&[rule("ipva", "ipva", &json!({"uf": "SP"}), &content)]);
        for payload in &payloads {
            check(&engine, payload, naive(&content, payload))?;
        }
    }
}
