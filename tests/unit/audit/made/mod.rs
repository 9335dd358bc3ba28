//! Documents made from the answers to operations: every figure is the one that the engine gave, or a sum of those.

mod goods;
mod groups;
mod service;

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde_json::Value;

pub use self::goods::{Goods, Sale};
pub use self::service::Service;
use crate::operation::rules::text_by;
use crate::support::built_in_engine;

fn cents(amount: i64) -> String {
    Decimal::new(amount, 2).to_string()
}

/// The answers to the operation by tax; `None` if one was not calculated.
fn answers(facts: &Value) -> Option<BTreeMap<String, Value>> {
    let text = text_by(built_in_engine(), facts).unwrap_or_else(|problem| panic!("{facts}: {problem:?}"));
    let apuracao: Value = serde_json::from_str(&text).unwrap();
    if apuracao["completo"] != true {
        return None;
    }
    let line = |tax: &Value| (tax["tributo"].as_str().unwrap().to_owned(), tax["resposta"]["detalhes"].clone());
    Some(apuracao["tributos"].as_array().unwrap().iter().map(line).filter(|(_, details)| !details.is_null()).collect())
}

/// The company that issues the documents.
pub fn company(regime: &str) -> String {
    format!("[[empresa]]\nregime_pis_cofins = \"{regime}\"\ncontribuinte_ipi = true\n")
}

fn text<'v>(details: &'v Value, name: &str) -> &'v str {
    details[name].as_str().unwrap_or_else(|| panic!("{details} has no {name}"))
}

fn is_zero(details: &Value, name: &str) -> bool {
    details[name].as_str().is_none_or(|figure| figure.parse::<Decimal>().unwrap().is_zero())
}

/// A percentage, rounded as the engine rounds: half away from zero.
fn share(base: &str, rate: &str) -> String {
    let exact = base.parse::<Decimal>().unwrap() * rate.parse::<Decimal>().unwrap() / Decimal::ONE_HUNDRED;
    let mut rounded = exact.round_dp_with_strategy(2, rust_decimal::RoundingStrategy::MidpointAwayFromZero);
    rounded.rescale(2);
    rounded.to_string()
}

fn ipi_amount(ipi: &Value) -> Decimal {
    if ipi["aliquota_aplicada"].is_null() {
        return Decimal::ZERO;
    }
    share(text(ipi, "base_calculo"), text(ipi, "aliquota_aplicada")).parse().unwrap()
}
