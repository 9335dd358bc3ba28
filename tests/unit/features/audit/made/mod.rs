//! Documents made from the answers to operations: every figure is the one that the engine gave, or a sum of those.

mod goods;
mod groups;
mod service;

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde_json::{Value, json};

pub use self::goods::{Goods, Sale};
pub use self::service::Service;
use crate::operation_rules::text_by;
use crate::support::built_in_engine;

fn cents(amount: i64) -> String {
    Decimal::new(amount, 2).to_string()
}

/// The answers to the operation by tax; `None` if one was not calculated. From 2027 on a document has rates of CBS and IBS
/// that no rule knows yet: those of the made ones.
fn answers(facts: &Value) -> Option<BTreeMap<String, Value>> {
    let answered = text_by(built_in_engine(), facts).unwrap_or_else(|problem| panic!("{facts}: {problem:?}"));
    let apuracao: Value = serde_json::from_str(&answered).unwrap();
    let later = text(facts, "data_operacao") >= "2027";
    let mut details = BTreeMap::new();
    for tax in apuracao["tributos"].as_array().unwrap() {
        let name = text(tax, "tributo");
        match text(tax, "situacao") {
            "recusado" if later && matches!(name, "cbs" | "ibs") => details.insert(name.to_owned(), unknown(tax)?),
            "recusado" => return None,
            _ if tax["resposta"].is_null() => None,
            _ => details.insert(name.to_owned(), tax["resposta"]["detalhes"].clone()),
        };
    }
    Some(details)
}

/// CBS or IBS by a rate that no rule knows; `None` of a classification with a treatment of its own.
fn unknown(tax: &Value) -> Option<Value> {
    let asked = &tax["pedido"];
    let amount = |name: &str| asked[name].as_str().map_or(Decimal::ZERO, |figure| figure.parse().unwrap());
    let inside =
        ["valor_icms", "valor_iss", "valor_pis", "valor_cofins", "valor_ipi"].map(amount).into_iter().sum::<Decimal>();
    let base = (amount("valor_operacao") - inside).to_string();
    let rate = if tax["tributo"] == "cbs" { "8.70" } else { "2.00" };
    (asked["classificacao_tributaria"] == "000001").then(|| {
        json!({"base_calculo": base, "aliquota_aplicada": rate, "aliquota_efetiva": rate, "percentual_reducao": "0.00",
            "valor_destaque": share(&base, rate), "cst": "000", "classificacao_tributaria": "000001"})
    })
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
