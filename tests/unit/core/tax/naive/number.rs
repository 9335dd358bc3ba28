//! Fractions, and how they are written.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use serde_json::Value;

pub type Q = BigRational;

/// The number that a decimal text writes.
pub fn q(text: &str) -> Q {
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: BigInt = format!("{integer}{fraction}").parse().unwrap();
    Q::new(digits, power(fraction.len()))
}

pub fn int(value: i64) -> Q {
    Q::from_integer(BigInt::from(value))
}

pub fn power(exponent: usize) -> BigInt {
    BigInt::from(10).pow(u32::try_from(exponent).unwrap())
}

/// A percentage as a fraction of one.
pub fn percent(points: &Q) -> Q {
    points / int(100)
}

/// The integer number of units of the last place, halves away from zero.
pub fn scaled(value: &Q, places: usize) -> BigInt {
    let twice = (value.abs() * Q::from_integer(power(places) * 2)).floor().to_integer();
    let magnitude: BigInt = (twice + 1) / 2;
    if value.is_negative() { -magnitude } else { magnitude }
}

pub fn rounded(value: &Q, places: usize) -> Q {
    Q::new(scaled(value, places), power(places))
}

/// A decimal text with exactly that many places.
pub fn written(value: &Q, places: usize) -> String {
    let units = scaled(value, places);
    let digits = format!("{:0>width$}", units.abs().to_string(), width = places + 1);
    let (integer, fraction) = digits.split_at(digits.len() - places);
    let sign = if units.is_negative() { "-" } else { "" };
    if places == 0 { format!("{sign}{integer}") } else { format!("{sign}{integer}.{fraction}") }
}

/// A rate as it is answered: two places at least, and no zeros after them. A share of a rate of six places has eight.
pub fn rate_written(points: &Q) -> String {
    let mut text = written(points, 8);
    while text.ends_with('0') && text.len() - text.find('.').unwrap() > 3 {
        text.pop();
    }
    text
}

/// The amount of a payload or content member; absent is nothing.
pub fn amount(object: &Value, name: &str) -> Q {
    object.get(name).and_then(Value::as_str).map_or_else(Q::zero, q)
}

pub fn sum(object: &Value, names: &[&str]) -> Q {
    names.iter().fold(Q::zero(), |total, name| total + amount(object, name))
}

#[test]
fn halves_are_rounded_away_from_zero() {
    for (text, places, wanted) in
        [("0.005", 2, "0.01"), ("-0.005", 2, "-0.01"), ("0.0049999", 2, "0.00"), ("1.5", 0, "2"), ("-2.5", 0, "-3")]
    {
        assert_eq!(written(&q(text), places), wanted, "{text}");
    }
    assert_eq!(rate_written(&q("18")), "18.00");
    assert_eq!(rate_written(&q("0.165")), "0.165");
}
