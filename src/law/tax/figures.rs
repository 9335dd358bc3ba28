//! Amounts and computed rates as an answer shows them: rounded once, at the end of the formula.

use std::borrow::Cow;
use std::fmt;

use rust_decimal::Decimal;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::document::{Node, Shape, Shown, WriteResult, write_plain};
use crate::base::value::{DecimalText, Exact, Overflow, format_decimal, format_rate, rate_as_shown, read_written};

/// An amount in BRL with two places. A deduction may be below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Money(Decimal);

impl Money {
    /// Zero, with its two places.
    pub const ZERO: Money = Money(Decimal::from_parts(0, 0, 0, false, 2));

    /// The amount rounded half away from zero. Fails if it has more digits than the service writes.
    pub fn rounded(exact: Exact) -> Result<Money, Overflow> {
        exact.round(2).map(Money)
    }

    /// The sum. Fails if it has more digits than the service writes.
    pub fn plus(self, other: Money) -> Result<Money, Overflow> {
        Money::rounded(Exact::from(self.0) + Exact::from(other.0))
    }

    /// Fails as [`plus`](Self::plus) does.
    pub fn minus(self, other: Money) -> Result<Money, Overflow> {
        Money::rounded(Exact::from(self.0) - Exact::from(other.0))
    }

    pub fn decimal(self) -> Decimal {
        self.0
    }
}

impl Default for Money {
    fn default() -> Money {
        Money::ZERO
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_decimal(self.0))
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&format_decimal(self.0))
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(d)?;
        read_written(&text).map(Money).ok_or_else(|| D::Error::custom("not an amount"))
    }
}

impl Shown for Money {
    const SHAPE: Shape = Shape::Amount;

    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        write_plain(out, DecimalText::of(self.0).as_bytes());
        Ok(())
    }

    fn node(&self) -> Node<'_> {
        Node::Figure(self.0)
    }
}

/// A rate in percent points that is computed, not stated by a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percent(Decimal);

impl Percent {
    /// The points rounded half away from zero. Fails if they have more digits than the service writes.
    pub fn rounded(points: Exact, places: u32) -> Result<Percent, Overflow> {
        points.round(places).map(Percent)
    }

    pub fn points(self) -> Exact {
        Exact::from(self.0)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_rate(self.0))
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&format_rate(self.0))
    }
}

impl Shown for Percent {
    const SHAPE: Shape = Shape::Rate;

    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        write_plain(out, DecimalText::of_rate(self.0).as_bytes());
        Ok(())
    }

    fn node(&self) -> Node<'_> {
        Node::Figure(rate_as_shown(self.0))
    }
}
