//! Decimals of the contract: parsing and writing them.

use rust_decimal::Decimal;

use super::text::shorten;
use crate::document::{Faults, Node, Path, Shape, wrong_type};
use crate::problem::ErrorCode;

/// Most digits before the decimal point (design, section 2).
const MAX_INTEGER_DIGITS: usize = 15;
/// Most digits after the decimal point.
const MAX_FRACTION_DIGITS: usize = 10;

/// The reason why a text is not a decimal of the contract.
enum DecimalFault {
    Form,
    TooLong,
    Negative,
}

/// A decimal of the form `-?digits[.digits]`, at most 15 and 10 digits.
///
/// ```
/// use taxd::value::parse_decimal;
/// assert!(parse_decimal("1234.50").is_ok());
/// assert!(parse_decimal("1e3").is_err());
/// assert!(parse_decimal("1,00").is_err());
/// ```
pub fn parse_decimal(text: &str) -> Result<Decimal, String> {
    parse(text, true).map_err(|fault| explain(text, &fault))
}

fn parse(text: &str, signed: bool) -> Result<Decimal, DecimalFault> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (integer, fraction) = match digits.split_once('.') {
        Some((_, "")) => return Err(DecimalFault::Form),
        Some(parts) => parts,
        None => (digits, ""),
    };
    let is_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if integer.is_empty() || !is_digits(integer) || !is_digits(fraction) {
        return Err(DecimalFault::Form);
    }
    if integer.len() > MAX_INTEGER_DIGITS || fraction.len() > MAX_FRACTION_DIGITS {
        return Err(DecimalFault::TooLong);
    }
    if negative && !signed {
        return Err(DecimalFault::Negative);
    }
    let mantissa =
        integer.bytes().chain(fraction.bytes()).fold(0i128, |sum, digit| sum * 10 + i128::from(digit - b'0'));
    let scale = u32::try_from(fraction.len()).unwrap_or(u32::MAX);
    Decimal::try_from_i128_with_scale(if negative { -mantissa } else { mantissa }, scale)
        .map_err(|_| DecimalFault::TooLong)
}

fn explain(text: &str, fault: &DecimalFault) -> String {
    match fault {
        DecimalFault::Form if text.contains(',') => format!(
            "\"{}\" não é um decimal: use ponto como separador decimal e nenhum separador de milhar, como \"1234.50\".",
            shorten(text)
        ),
        DecimalFault::Form => {
            format!("\"{}\" não é um decimal: escreva só dígitos e um ponto, como \"1234.50\".", shorten(text))
        }
        DecimalFault::TooLong => format!(
            "\"{}\" passa do limite de {MAX_INTEGER_DIGITS} dígitos inteiros e {MAX_FRACTION_DIGITS} decimais.",
            shorten(text)
        ),
        DecimalFault::Negative => {
            format!("\"{}\" não pode levar sinal: informe um valor maior ou igual a zero.", shorten(text))
        }
    }
}

/// Parses a decimal of a document. Reports a text that is not one, and a sign if it may not have one.
pub(super) fn read_decimal(
    node: &Node<'_>,
    shape: &Shape,
    signed: bool,
    at: &Path<'_>,
    faults: &mut Faults,
) -> Option<Decimal> {
    let Node::Text(text) = node else {
        wrong_type(shape, node, at, faults);
        return None;
    };
    let fault = match parse(text, signed) {
        Ok(value) => return Some(value),
        Err(fault) => fault,
    };
    let codigo = match fault {
        DecimalFault::Negative => ErrorCode::ValorNegativo,
        DecimalFault::Form | DecimalFault::TooLong => ErrorCode::DecimalInvalido,
    };
    faults.add(at, codigo, explain(text, &fault));
    None
}

/// A rate in percent points as answers show it: at least two places, and no zeros after those.
///
/// ```
/// use rust_decimal::Decimal;
/// use taxd::value::format_rate;
/// assert_eq!(format_rate(Decimal::new(18, 0)), "18.00");
/// assert_eq!(format_rate(Decimal::new(1650, 4)), "0.165");
/// ```
#[must_use]
pub fn format_rate(points: Decimal) -> String {
    let mut shown = points.normalize();
    if shown.scale() < 2 {
        shown.rescale(2);
    }
    format_decimal(shown)
}

/// The same text as `Display` writes, in a fraction of the time: every answer has several.
#[must_use]
pub fn format_decimal(value: Decimal) -> String {
    let mantissa = value.mantissa().unsigned_abs();
    let digits = u64::try_from(mantissa).map_or_else(|_| mantissa.to_string(), |small| small.to_string());
    let places = usize::try_from(value.scale()).unwrap_or_default();
    let mut text = String::with_capacity(digits.len() + places + 3);
    if value.is_sign_negative() && mantissa > 0 {
        text.push('-');
    }
    let (integer, fraction) = digits.split_at_checked(digits.len().saturating_sub(places)).unwrap_or_default();
    text.push_str(if integer.is_empty() { "0" } else { integer });
    if places > 0 {
        text.push('.');
        text.extend(std::iter::repeat_n('0', places - fraction.len()));
        text.push_str(fraction);
    }
    text
}
