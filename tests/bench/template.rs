//! Payloads with a replaceable amount, sent by both benchmarks.

use serde_json::Value;

use crate::amounts::AMOUNTS;

/// Number of different amounts.
pub const AMOUNTS_IN_ALL: u64 = 900_000_000;
/// Bytes of an amount, with its dot.
pub const AMOUNT_BYTES: usize = 10;

/// A payload whose amount can be replaced in place.
#[derive(Clone)]
pub struct Template {
    pub tributo: &'static str,
    pub json: String,
    /// Byte offset of the amount: seven digits, a dot, two digits.
    pub amount_at: usize,
}

impl Template {
    /// Returns the payload with a replaceable amount, or `None` if it names no known tax.
    pub fn of(payload: &Value) -> Option<Template> {
        let (tributo, amount) = AMOUNTS.iter().find(|(name, _)| payload["tributo"] == *name)?;
        let mut payload = payload.clone();
        payload[*amount] = "1000000.00".into();
        let json = payload.to_string();
        let amount_at = json.find(&format!("\"{amount}\":\""))? + amount.len() + 4;
        Some(Template { tributo, json, amount_at })
    }

    /// Returns the payload with the amount of that number. Different numbers give different payloads.
    pub fn fresh(&self, number: u64) -> Vec<u8> {
        let mut bytes = self.json.clone().into_bytes();
        write_amount(&mut bytes[self.amount_at..self.amount_at + AMOUNT_BYTES], number);
        bytes
    }
}

/// Writes 1,000,000.00 plus `number` cents. Starts over after [`AMOUNTS_IN_ALL`].
pub fn write_amount(digits: &mut [u8], number: u64) {
    let cents = 100_000_000 + number % AMOUNTS_IN_ALL;
    for (place, digit) in [9, 8, 6, 5, 4, 3, 2, 1, 0].into_iter().zip(decimals(cents)) {
        digits[place] = digit;
    }
}

/// Returns the digits of a number, last digit first.
fn decimals(number: u64) -> impl Iterator<Item = u8> {
    std::iter::successors(Some(number), |n| Some(n / 10)).map(|n| b'0' + (n % 10).to_le_bytes()[0])
}
