//! Amounts of money and rates, as exact decimals.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Serialize, Serializer};

use super::decimal::{DecimalText, format_rate, read_decimal, shortest};
use super::exact::Exact;
use crate::document::{Faults, FromNode, Node, Object, Path, Shape};
use crate::problem::ErrorCode;

/// Highest rate, in percent points: above every rate of Brazilian law (the TIPI reaches 300).
const MAX_RATE: Decimal = Decimal::from_parts(1_000, 0, 0, false, 0);
/// Most decimal places of a rate, so that a product of rates stays exact (see [`Exact`]).
const MAX_RATE_DIGITS: usize = 6;

/// An amount in BRL (or a quantity, or a number of fiscal units), not below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(Decimal);

impl Amount {
    pub const ZERO: Amount = Amount(Decimal::ZERO);

    pub fn exact(self) -> Exact {
        Exact::from(self.0)
    }

    /// The amount as an answer shows it.
    pub(crate) fn text(self) -> DecimalText {
        DecimalText::of(self.0)
    }

    /// The decimal as it was written.
    pub fn decimal(self) -> Decimal {
        self.0
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().as_str())
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.text().as_str())
    }
}

impl FromNode for Amount {
    const SHAPE: Shape = Shape::Amount;

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_decimal(node, &Self::SHAPE, false, at, faults).map(Amount)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PositiveAmount(Amount);

impl PositiveAmount {
    pub fn amount(self) -> Amount {
        self.0
    }

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
    pub const ZERO: Rate = Rate(Decimal::ZERO);
    pub const WHOLE: Rate = Rate(Decimal::ONE_HUNDRED);

    /// A rate of whole points.
    pub const fn of_points(points: u8) -> Rate {
        Rate(Decimal::from_parts(points as u32, 0, 0, false, 0))
    }

    /// That share of the rate, exact. It can have more places than a rate that a rule states.
    pub fn share(self, share: Rate) -> Rate {
        let ((points, places), (part, part_places)) = (shortest(self.0), shortest(share.0));
        Rate(Decimal::from_i128_with_scale(points * part, places + part_places + 2).normalize())
    }

    /// The points as a number.
    pub fn decimal(self) -> Decimal {
        self.0
    }

    /// The rate as an answer shows it.
    pub(crate) fn text(self) -> DecimalText {
        DecimalText::of_rate(self.0)
    }

    /// The rate in percent points, exact.
    pub fn points(self) -> Exact {
        Exact::from(self.0)
    }

    /// The rate as a fraction of one, exact: 18 percent is 0.18.
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
        s.serialize_str(self.text().as_str())
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
    pub fn fraction(self) -> Exact {
        Exact::from(self.0).percent()
    }

    /// The difference in percent points, exact.
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
    if value.abs() > MAX_RATE || shortest(value).1 as usize > MAX_RATE_DIGITS {
        let detail = format!(
            "Uma alíquota vai de 0 a {MAX_RATE} pontos percentuais, com até {MAX_RATE_DIGITS} casas; veio {value}."
        );
        faults.add(at, ErrorCode::ForaDoIntervalo, detail);
        return None;
    }
    Some(value)
}

/// A figure of a rule, or null if the rule exists and its figure is not established.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figura<T>(Option<T>);

impl<T: Copy> Figura<T> {
    /// The figure, if it is established.
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
