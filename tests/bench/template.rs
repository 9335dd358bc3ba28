//! Payloads whose amount can be written over: what both benches send.

use serde_json::Value;

/// Where a payload says its amount, by tax.
pub const AMOUNTS: &[(&str, &str)] = &[
    ("icms_st", "valor_produto"),
    ("icms", "valor_produto"),
    ("ipva", "valor_venal"),
    ("itcmd", "valor_base"),
    ("iss", "preco_servico"),
    ("iptu", "valor_venal"),
    ("itbi", "valor_transacao"),
    ("ipi", "valor_produto"),
    ("pis", "valor_operacao"),
    ("cofins", "valor_operacao"),
    ("cbs", "valor_operacao"),
    ("ibs", "valor_operacao"),
];
/// How many amounts there are.
pub const AMOUNTS_IN_ALL: u64 = 900_000_000;
/// Digits of an amount, with its dot.
pub const AMOUNT_BYTES: usize = 10;

/// A payload whose amount can be written over in place.
#[derive(Clone)]
pub struct Template {
    pub tributo: &'static str,
    pub json: String,
    /// Where the digits of the amount begin: seven, a dot, and two.
    pub amount_at: usize,
}

impl Template {
    /// The payload with an amount from 1,000,000.00 to 9,999,999.99 in its place.
    pub fn of(payload: &Value) -> Option<Template> {
        let (tributo, amount) = AMOUNTS.iter().find(|(name, _)| payload["tributo"] == *name)?;
        let mut payload = payload.clone();
        payload[*amount] = "1000000.00".into();
        let json = payload.to_string();
        let amount_at = json.find(&format!("\"{amount}\":\""))? + amount.len() + 4;
        Some(Template { tributo, json, amount_at })
    }

    /// The payload with the amount of that number; equal numbers apart, no two are the same.
    pub fn fresh(&self, number: u64) -> Vec<u8> {
        let mut bytes = self.json.clone().into_bytes();
        write_amount(&mut bytes[self.amount_at..self.amount_at + AMOUNT_BYTES], number);
        bytes
    }
}

/// Writes 1,000,000.00 and so many cents; after nine hundred million it begins anew.
pub fn write_amount(digits: &mut [u8], number: u64) {
    let cents = 100_000_000 + number % AMOUNTS_IN_ALL;
    for (place, digit) in [9, 8, 6, 5, 4, 3, 2, 1, 0].into_iter().zip(decimals(cents)) {
        digits[place] = digit;
    }
}

/// The digits of a number, the last first.
fn decimals(number: u64) -> impl Iterator<Item = u8> {
    std::iter::successors(Some(number), |n| Some(n / 10)).map(|n| b'0' + (n % 10).to_le_bytes()[0])
}
