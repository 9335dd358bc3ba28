//! Brackets and exemptions by value, as `rulesets/README.md` words them.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::expect::{Answer, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent, q, rounded};

/// The brackets that the value touches: index, where they begin, where they end, and the
/// part of the value within. A bracket ends with its limit; the value zero lies in the first.
pub fn slices(list: &Value, value: &Q, unit: &Q) -> Vec<(usize, Q, Option<Q>, Q)> {
    let mut found = Vec::new();
    let mut floor = Q::zero();
    for (i, bracket) in list.as_array().unwrap().iter().enumerate() {
        if i > 0 && *value <= floor {
            break;
        }
        let end = bracket["ate"].as_str().map(|ate| q(ate) * unit);
        let top = match &end {
            Some(end) if end < value => end.clone(),
            _ => value.clone(),
        };
        found.push((i, floor.clone(), end.clone(), &top - &floor));
        floor = top;
        if end.is_none() {
            break;
        }
    }
    found
}

/// The tax, the rate of the bracket reached, and the parts.
pub fn apply(content: &Value, base: &Q, unit: &Q) -> Result<(Q, Q, Vec<Answer>), &'static str> {
    apply_by(content, base, base, unit)
}

/// The same, where a measure other than the base chooses among brackets of the whole.
pub fn apply_by(content: &Value, base: &Q, measure: &Q, unit: &Q) -> Result<(Q, Q, Vec<Answer>), &'static str> {
    let whole = word(content, "metodo", "") == "integral";
    let list = &content["faixas"];
    let mut touched = slices(list, if whole { measure } else { base }, unit);
    if whole {
        touched.drain(..touched.len() - 1);
    }
    let (mut tax, mut reached, mut parts) = (Q::zero(), Q::zero(), Vec::new());
    for (i, from, to, slice) in touched {
        let rate = needed(&list[i], "aliquota")?;
        let taxed = if whole { base.clone() } else { slice };
        let part = &taxed * percent(&rate);
        let mut shown = Answer::default()
            .other("faixa", &json!(i + 1))
            .amount("de", &from)
            .amount("base", &taxed)
            .rate("aliquota", &rate)
            .amount("imposto", &part);
        shown = match to {
            Some(to) => shown.amount("ate", &to),
            None => shown.other("ate", &Value::Null),
        };
        parts.push(shown);
        // The parts are shown, so what is due is the sum of what is shown.
        tax += rounded(&part, 2);
        reached = rate;
    }
    Ok((tax, reached, parts))
}

/// What an exemption leaves: `None` is nothing at all. Also whether it took something away.
pub fn exempted(exemption: &Value, base: &Q, unit: &Q) -> Result<(Option<Q>, bool), &'static str> {
    let limit = needed(exemption, "limite")? * unit;
    if *base <= limit {
        return Ok((None, true));
    }
    let beyond = exemption.get("teto").is_some() && *base > amount(exemption, "teto") * unit;
    if word(exemption, "modo", "") == "excedente" && !beyond {
        return Ok((Some(base - limit), true));
    }
    Ok((Some(base.clone()), false))
}

/// The answer with the discounts of the content: of what is due, rounded first, where the base is within the limit.
pub fn discounted(c: &Value, due: &Q, base: &Q, unit: &Q, answer: Answer) -> Answer {
    let due = rounded(due, 2);
    let mut shown = Vec::new();
    for discount in c.get("descontos").and_then(Value::as_array).into_iter().flatten() {
        let unit = if word(discount, "unidade", "BRL") == "BRL" { q("1") } else { unit.clone() };
        let beyond = discount.get("base_ate").is_some() && *base > amount(discount, "base_ate") * unit;
        if due > Q::zero() && !beyond {
            let Ok(rate) = needed(discount, "percentual") else { continue };
            let cut = rounded(&(&due * percent(&rate)), 2);
            let left = &due - &cut;
            shown.push(Answer::default().rate("percentual", &rate).amount("desconto", &cut).amount("valor", &left));
        }
    }
    if shown.is_empty() { answer.other("descontos", &Value::Null) } else { answer.list("descontos", shown) }
}

/// Contents, some of them with discounts.
pub fn some_discounted(contents: BoxedStrategy<Value>, units: &'static [&'static str]) -> BoxedStrategy<Value> {
    let rate = make::rate().prop_map(|rate| if q(&rate) > Q::zero() { rate } else { "3.00".to_owned() });
    let discount = (make::figure(rate.boxed()), proptest::option::of(make::limit()), make::one_of(units)).prop_map(
        |(rate, limit, unit)| {
            let mut discount =
                json!({"percentual": rate, "condicao": "em cota única", "unidade": unit, "base_legal": "Art. 2º"});
            if let Some(limit) = limit {
                discount["base_ate"] = json!(limit);
            }
            discount
        },
    );
    (contents, proptest::option::weighted(0.3, proptest::collection::vec(discount, 1..3)))
        .prop_map(|(mut content, discounts)| {
            if let Some(discounts) = discounts {
                content["descontos"] = json!(discounts);
            }
            content
        })
        .boxed()
}

pub fn brackets() -> BoxedStrategy<Value> {
    brackets_of(make::limits())
}

/// Brackets with these limits.
pub fn brackets_of(limits: BoxedStrategy<Vec<Value>>) -> BoxedStrategy<Value> {
    limits
        .prop_flat_map(|limits| {
            let rates = proptest::collection::vec(make::figure(make::rate()), limits.len());
            rates.prop_map(move |rates| {
                let list = limits.iter().zip(rates).map(|(ate, rate)| json!({"ate": ate, "aliquota": rate}));
                Value::Array(list.collect())
            })
        })
        .boxed()
}

pub fn exemption(units: &'static [&'static str]) -> BoxedStrategy<Value> {
    let ceiling = prop_oneof![2 => Just(None), 1 => make::limit().prop_map(Some)];
    (make::figure(make::limit()), ceiling, make::one_of(&["total", "excedente"]), make::one_of(units))
        .prop_map(|(limite, teto, modo, unidade)| {
            let mut exemption = json!({"limite": limite, "modo": modo, "unidade": unidade, "base_legal": "Art. 1º"});
            if let Some(teto) = teto {
                exemption["teto"] = json!(teto);
            }
            exemption
        })
        .boxed()
}

/// Contents, some of them with an exemption.
pub fn some_exempted(
    contents: impl Strategy<Value = Value> + 'static,
    exemption: impl Strategy<Value = Option<Value>> + 'static,
) -> BoxedStrategy<Value> {
    (contents, exemption)
        .prop_map(|(mut content, exemption)| {
            if let Some(exemption) = exemption {
                content["isencao"] = exemption;
            }
            content
        })
        .boxed()
}

/// The limits of an exemption, and the bracket limits moved by what it takes away.
pub fn edges(content: &Value) -> Vec<Q> {
    let mut edges = make::edges_of(&content["faixas"]);
    if let Some(exemption) = content.get("isencao") {
        let limit = amount(exemption, "limite");
        edges.extend(edges.clone().iter().map(|edge| edge + &limit));
        edges.push(limit);
        edges.push(amount(exemption, "teto"));
    }
    edges
}

#[test]
fn a_limit_belongs_to_the_bracket_that_it_ends() {
    let list = json!([{"ate": "10"}, {"ate": "20"}, {"ate": null}]);
    let count = |value: &str| slices(&list, &q(value), &q("1")).len();
    assert_eq!(["0", "10", "10.01", "20", "20.01"].map(count), [1, 1, 2, 2, 3]);
}
