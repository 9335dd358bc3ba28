//! The transition to the IBS, written from the law: from 2029 to 2032 nine, eight, seven and six tenths of each rate are
//! due, and from 2033 nothing.

use num_traits::One;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::expect::{NO_FIGURE, word};
use super::generate as make;
use super::number::{Q, q};
use crate::support::{rule, with};

/// The national rules of a tax, each of a code of its own.
pub fn rules(tributo: &str) -> Vec<Value> {
    let of_year = |year: u32, content: Value, ate: Value| {
        let transition = rule(&format!("transicao-{year}"), tributo, &json!({}), &json!({"transicao": content}));
        with(&transition, &json!({"vigente_de": format!("{year}-01-01"), "vigente_ate": ate}))
    };
    let shares = [(2029, "90.00"), (2030, "80.00"), (2031, "70.00"), (2032, "60.00")];
    let shares =
        shares.map(|(year, share)| of_year(year, json!({"proporcao": share}), json!(format!("{}-01-01", year + 1))));
    let extinct = of_year(2033, json!({"motivo_extincao": "Extinto."}), Value::Null);
    shares.into_iter().chain([extinct]).collect()
}

/// Days of every year of the transition, and as many before it.
pub fn day() -> BoxedStrategy<Value> {
    make::one_of(&[
        "2026-03-10",
        "2026-03-10",
        "2026-03-10",
        "2028-12-31",
        "2029-01-01",
        "2029-12-31",
        "2030-06-15",
        "2031-06-15",
        "2032-12-31",
        "2033-01-01",
    ])
}

/// The share of a rate that is due on the day of the payload, or the refusal of an extinct tax.
pub fn share(p: &Value, field: &str) -> Result<Q, &'static str> {
    match &word(p, field, "")[..4] {
        "2029" => Ok(q("0.9")),
        "2030" => Ok(q("0.8")),
        "2031" => Ok(q("0.7")),
        "2032" => Ok(q("0.6")),
        "2033" => Err("tributo_extinto"),
        _ => Ok(Q::one()),
    }
}

/// The refusal of what the law reduces in a way that was not read.
pub fn refused_beside(share: &Q, beside: bool) -> Result<(), &'static str> {
    if beside && *share < Q::one() { Err(NO_FIGURE) } else { Ok(()) }
}

/// True if the content of a rule of `icms` has more than a rate.
pub fn has_more(content: &Value) -> bool {
    ["fcp", "reducao_base", "carga_efetiva", "isento"].iter().any(|name| content.get(name).is_some())
}

/// The code of the national rule that the answer names.
pub fn code(p: &Value, field: &str) -> Option<&'static str> {
    match &word(p, field, "")[..4] {
        "2029" => Some("transicao-2029"),
        "2030" => Some("transicao-2030"),
        "2031" => Some("transicao-2031"),
        "2032" => Some("transicao-2032"),
        _ => None,
    }
}
