//! Amounts of money and rates, as exact decimals.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Serialize, Serializer};

use super::exact::Exact;
use super::text::shorten;
use crate::document::{Faults, FromNode, Node, Object, Path, Shape, wrong_type};
use crate::problem::ErrorCode;

/// Most digits before the decimal point (design, section 2).
const MAX_INTEGER_DIGITS: usize = 15;
/// Most digits after the decimal point.
const MAX_FRACTION_DIGITS: usize = 10;
/// Highest rate, in percent points: above every rate of Brazilian law (the TIPI reaches 300).
const MAX_RATE: Decimal = Decimal::from_parts(1_000, 0, 0, false, 0);
/// Most decimal places of a rate, so that a product of rates stays exact (see [`Exact`]).
const MAX_RATE_DIGITS: usize = 6;

/// Why a text is not a decimal of the contract.
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

fn read_decimal(node: &Node<'_>, shape: &Shape, signed: bool, at: &Path<'_>, faults: &mut Faults) -> Option<Decimal> {
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

/// An amount in BRL (or a quantity, or a number of fiscal units), not below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(Decimal);

impl Amount {
    /// Nothing.
    pub const ZERO: Amount = Amount(Decimal::ZERO);

    /// The exact value.
    #[must_use]
    pub fn exact(self) -> Exact {
        Exact::from(self.0)
    }

    /// The decimal as it was written.
    #[must_use]
    pub fn decimal(self) -> Decimal {
        self.0
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromNode for Amount {
    const SHAPE: Shape = Shape::Amount;

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_decimal(node, &Self::SHAPE, false, at, faults).map(Amount)
    }
}

/// An amount above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PositiveAmount(Amount);

impl PositiveAmount {
    /// The amount, no longer known to be above zero.
    #[must_use]
    pub fn amount(self) -> Amount {
        self.0
    }

    /// The exact value.
    #[must_use]
    pub fn exact(self) -> Exact {
        self.0.exact()
    }
}

impl FromNode for PositiveAmount {
    const SHAPE: Shape = Shape::PositiveAmount;

    fn from_node(node: &Node<'_>, within: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        let amount = Amount::from_node(node, within, at, faults)?;
        if amount.decimal().is_zero() {
            faults.add(at, ErrorCode::ValorZero, "O valor precisa ser maior que zero.");
            return None;
        }
        Some(PositiveAmount(amount))
    }
}

/// A rate in percent points, from 0 to 1000 with at most six places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(Decimal);

impl Rate {
    /// Nothing.
    pub const ZERO: Rate = Rate(Decimal::ZERO);

    /// The rate in percent points, exact.
    #[must_use]
    pub fn points(self) -> Exact {
        Exact::from(self.0)
    }

    /// The rate as a fraction of one, exact: 18 percent is 0.18.
    #[must_use]
    pub fn fraction(self) -> Exact {
        Exact::from(self.0).percent()
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_rate(self.0))
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&format_rate(self.0))
    }
}

impl FromNode for Rate {
    const SHAPE: Shape = Shape::Rate;

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        let value = read_decimal(node, &Self::SHAPE, false, at, faults)?;
        in_rate_bounds(value, at, faults).map(Rate)
    }
}

/// A difference in percent points, with a sign (the surcharge or discount of a bracket).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SignedRate(Decimal);

impl SignedRate {
    /// The difference as a fraction of one, exact.
    #[must_use]
    pub fn fraction(self) -> Exact {
        Exact::from(self.0).percent()
    }

    /// The difference in percent points, exact.
    #[must_use]
    pub fn points(self) -> Exact {
        Exact::from(self.0)
    }
}

impl FromNode for SignedRate {
    const SHAPE: Shape = Shape::SignedRate;

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        let value = read_decimal(node, &Self::SHAPE, true, at, faults)?;
        in_rate_bounds(value, at, faults).map(SignedRate)
    }
}

fn in_rate_bounds(value: Decimal, at: &Path<'_>, faults: &mut Faults) -> Option<Decimal> {
    if value.abs() > MAX_RATE || value.normalize().scale() as usize > MAX_RATE_DIGITS {
        let detail = format!(
            "Uma alíquota vai de 0 a {MAX_RATE} pontos percentuais, com até {MAX_RATE_DIGITS} casas; veio {value}."
        );
        faults.add(at, ErrorCode::ForaDoIntervalo, detail);
        return None;
    }
    Some(value)
}

/// A rate in percent points as it is answered: two places at least, and no more zeros.
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

/// A decimal with the places that it has, as its `Display` writes it, in a fraction of the time:
/// every answer has several.
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

/// A figure of a rule, or null: "the rule exists, its figure is not established".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figura<T>(Option<T>);

impl<T: Copy> Figura<T> {
    /// The figure, where it is established.
    #[must_use]
    pub fn established(self) -> Option<T> {
        self.0
    }
}

impl<T: FromNode> FromNode for Figura<T> {
    const SHAPE: Shape = T::SHAPE;

    fn from_node(node: &Node<'_>, within: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        T::from_node(node, within, at, faults).map(|v| Figura(Some(v)))
    }
    fn null() -> Option<Self> {
        Some(Figura(None))
    }
}
