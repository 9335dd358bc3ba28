//! Exact intermediate results.
//!
//! `rust_decimal` holds 28 digits and rounds silently beyond them; a product of an amount
//! with 25 digits and two rates does not fit. An [`Exact`] is an integer of up to 256 bits over a
//! power of ten and one further divisor (the `1 - internal rate` of an adjusted margin), so
//! that no formula of the design rounds before its end. The widest of them, `icms_st` with
//! every figure at its longest, needs 73 of the 76 digits; beyond that the value is
//! [`Overflow`], never a wrong number. Ordinary amounts fit 128 bits, which are several times
//! faster: an operation is done in 256 only if it overflows these.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

use ethnum::I256;
use rust_decimal::Decimal;

use crate::problem::{ErrorCode, Problem};

/// A result with more digits than the service can write (28) or calculate (76).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow;

impl From<Overflow> for Box<Problem> {
    fn from(_: Overflow) -> Self {
        Box::new(Problem::new(
            ErrorCode::ResultadoForaDoAlcance,
            "O resultado teria mais de 28 dígitos; confira os valores informados.",
        ))
    }
}

/// An exact rational number: `num / (10^scale * divisor)`.
///
/// ```
/// use rust_decimal::Decimal;
/// use taxd::base::value::Exact;
/// let third = Exact::from(Decimal::ONE) / Exact::from(Decimal::new(3, 0));
/// assert_eq!(third.round(2).ok(), Some(Decimal::new(33, 2)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Exact(Result<Number, Overflow>);

/// The same number in the fewest bits that its operations needed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Narrow(Ratio<i128>),
    Wide(Ratio<I256>),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Ratio<N: Integer> {
    pub(super) num: N,
    pub(super) scale: u32,
    /// Always above zero.
    pub(super) divisor: N,
}

/// An integer whose operations return `None` if the result does not fit.
pub(super) trait Integer: Copy + Ord + From<i64> + TryInto<i128> {
    fn power_of_ten(exponent: u32) -> Option<Self>;
    fn plus(self, other: Self) -> Option<Self>;
    fn times(self, other: Self) -> Option<Self>;
    /// Quotient and remainder of a division by a number above zero.
    fn divided(self, by: Self) -> Option<(Self, Self)>;
    fn negated(self) -> Option<Self>;
    fn number(ratio: Ratio<Self>) -> Number;
}

impl Integer for i128 {
    fn power_of_ten(exponent: u32) -> Option<i128> {
        10_i64.checked_pow(exponent).map(i128::from).or_else(|| 10_i128.checked_pow(exponent))
    }
    fn plus(self, other: i128) -> Option<i128> {
        self.checked_add(other)
    }
    fn times(self, other: i128) -> Option<i128> {
        match (i64::try_from(self), i64::try_from(other)) {
            (Ok(left), Ok(right)) => Some(i128::from(left) * i128::from(right)),
            _ => self.checked_mul(other),
        }
    }
    fn divided(self, by: i128) -> Option<(i128, i128)> {
        match (i64::try_from(self), i64::try_from(by)) {
            (Ok(num), Ok(den)) => Some((num.checked_div(den)?.into(), num.checked_rem(den)?.into())),
            _ => Some((self.checked_div(by)?, self.checked_rem(by)?)),
        }
    }
    fn negated(self) -> Option<i128> {
        self.checked_neg()
    }
    fn number(ratio: Ratio<i128>) -> Number {
        Number::Narrow(ratio)
    }
}

impl Integer for I256 {
    fn power_of_ten(exponent: u32) -> Option<I256> {
        I256::new(10).checked_pow(exponent)
    }
    fn plus(self, other: I256) -> Option<I256> {
        self.checked_add(other)
    }
    fn times(self, other: I256) -> Option<I256> {
        self.checked_mul(other)
    }
    fn divided(self, by: I256) -> Option<(I256, I256)> {
        Some((self.checked_div(by)?, self.checked_rem(by)?))
    }
    fn negated(self) -> Option<I256> {
        self.checked_neg()
    }
    fn number(ratio: Ratio<I256>) -> Number {
        Number::Wide(ratio)
    }
}

/// The number times a power of ten.
fn raised<N: Integer>(num: N, exponent: u32) -> Option<N> {
    if exponent == 0 { Some(num) } else { num.times(N::power_of_ten(exponent)?) }
}

impl<N: Integer> Ratio<N> {
    fn mul(self, other: Ratio<N>) -> Option<Number> {
        Some(N::number(Ratio {
            num: self.num.times(other.num)?,
            scale: self.scale.checked_add(other.scale)?,
            divisor: self.divisor.times(other.divisor)?,
        }))
    }

    /// Both over one denominator: (left numerator, right numerator, scale, divisor).
    fn align(self, other: Ratio<N>) -> Option<(N, N, u32, N)> {
        let scale = self.scale.max(other.scale);
        let (mut left, mut right) = (raised(self.num, scale - self.scale)?, raised(other.num, scale - other.scale)?);
        let mut divisor = self.divisor;
        if self.divisor != other.divisor {
            left = left.times(other.divisor)?;
            right = right.times(self.divisor)?;
            divisor = self.divisor.times(other.divisor)?;
        }
        Some((left, right, scale, divisor))
    }

    fn add(self, other: Ratio<N>) -> Option<Number> {
        let (left, right, scale, divisor) = self.align(other)?;
        Some(N::number(Ratio { num: left.plus(right)?, scale, divisor }))
    }

    fn sub(self, other: Ratio<N>) -> Option<Number> {
        self.add(Ratio { num: other.num.negated()?, ..other })
    }

    /// `None` by zero.
    fn div(self, other: Ratio<N>) -> Option<Number> {
        let sign = match other.num.cmp(&N::from(0)) {
            Ordering::Less => N::from(-1),
            Ordering::Equal => return None,
            Ordering::Greater => N::from(1),
        };
        let common = self.scale.min(other.scale);
        let (mine, theirs) = (self.scale - common, other.scale - common);
        Some(N::number(Ratio {
            num: raised(self.num.times(other.divisor)?, theirs)?.times(sign)?,
            scale: mine,
            divisor: self.divisor.times(other.num)?.times(sign)?,
        }))
    }

    fn compare(self, other: Ratio<N>) -> Option<Ordering> {
        let (left, right, ..) = self.align(other)?;
        Some(left.cmp(&right))
    }

    /// Half away from zero.
    fn round(self, places: u32) -> Option<Decimal> {
        let (raise, lower) = (places.saturating_sub(self.scale), self.scale.saturating_sub(places));
        let num = raised(self.num, raise)?;
        let den = raised(self.divisor, lower)?;
        let (quotient, rest) = num.divided(den)?;
        let (away, rest) = if num < N::from(0) { (-1, rest.negated()?) } else { (1, rest) };
        let is_half = rest >= den.plus(rest.negated()?)?;
        let rounded = if is_half { quotient.plus(N::from(away))? } else { quotient };
        Decimal::try_from_i128_with_scale(rounded.try_into().ok()?, places).ok()
    }
}

impl Ratio<i128> {
    fn widened(self) -> Ratio<I256> {
        Ratio { num: self.num.into(), scale: self.scale, divisor: self.divisor.into() }
    }
}

impl Exact {
    pub const ZERO: Exact = Exact(Ok(Number::Narrow(Ratio { num: 0, scale: 0, divisor: 1 })));
    pub const ONE: Exact = Exact(Ok(Number::Narrow(Ratio { num: 1, scale: 0, divisor: 1 })));

    /// The number in 256 bits.
    pub(super) fn wide(self) -> Result<Ratio<I256>, Overflow> {
        Ok(match self.0? {
            Number::Narrow(ratio) => ratio.widened(),
            Number::Wide(ratio) => ratio,
        })
    }

    /// A hundredth of it.
    pub fn percent(self) -> Exact {
        Exact(self.0.map(|number| match number {
            Number::Narrow(r) => Number::Narrow(Ratio { scale: r.scale + 2, ..r }),
            Number::Wide(r) => Number::Wide(Ratio { scale: r.scale + 2, ..r }),
        }))
    }

    /// A hundred times it: a fraction as percent points.
    pub fn as_points(self) -> Exact {
        self * Exact::from(Decimal::ONE_HUNDRED)
    }

    /// Rounded half away from zero.
    pub fn round(self, places: u32) -> Result<Decimal, Overflow> {
        if let Number::Narrow(ratio) = self.0?
            && let Some(rounded) = ratio.round(places)
        {
            return Ok(rounded);
        }
        self.wide()?.round(places).ok_or(Overflow)
    }

    /// Rounded half away from zero, and exact again.
    pub fn rounded(self, places: u32) -> Exact {
        match self.round(places) {
            Ok(value) => Exact::from(value),
            Err(overflow) => Exact(Err(overflow)),
        }
    }

    /// How it compares with `other`. An overflowed value compares with nothing.
    pub fn compare(self, other: Exact) -> Result<Ordering, Overflow> {
        self.join(other, Ratio::compare, Ratio::compare)
    }

    pub fn is_positive(self) -> Result<bool, Overflow> {
        Ok(self.wide()?.num > 0)
    }

    pub fn is_negative(self) -> Result<bool, Overflow> {
        Ok(self.wide()?.num < 0)
    }

    pub fn min(self, other: Exact) -> Result<Exact, Overflow> {
        Ok(if self.compare(other)? == Ordering::Greater { other } else { self })
    }

    pub fn max(self, other: Exact) -> Result<Exact, Overflow> {
        Ok(if self.compare(other)? == Ordering::Less { other } else { self })
    }

    /// An operation in 128 bits, or in 256 if one of the numbers or the result needs them.
    fn join<R>(
        self,
        other: Exact,
        narrow: fn(Ratio<i128>, Ratio<i128>) -> Option<R>,
        wide: fn(Ratio<I256>, Ratio<I256>) -> Option<R>,
    ) -> Result<R, Overflow> {
        if let (Number::Narrow(left), Number::Narrow(right)) = (self.0?, other.0?)
            && let Some(result) = narrow(left, right)
        {
            return Ok(result);
        }
        wide(self.wide()?, other.wide()?).ok_or(Overflow)
    }
}

impl From<Decimal> for Exact {
    fn from(value: Decimal) -> Self {
        Exact(Ok(Number::Narrow(Ratio { num: value.mantissa(), scale: value.scale(), divisor: 1 })))
    }
}

impl From<u32> for Exact {
    fn from(value: u32) -> Self {
        Exact::from(Decimal::from(value))
    }
}

macro_rules! operators {
    ($($trait:ident, $name:ident;)*) => { $(
        impl $trait for Exact {
            type Output = Exact;
            fn $name(self, other: Exact) -> Exact {
                Exact(self.join(other, Ratio::$name, Ratio::$name))
            }
        }
    )* };
}

// Division by zero overflows.
operators! {
    Add, add;
    Sub, sub;
    Mul, mul;
    Div, div;
}
