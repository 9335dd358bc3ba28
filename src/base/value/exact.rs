//! Exact intermediate results.
//!
//! `rust_decimal` holds 28 digits and rounds silently beyond them; a product of an amount
//! with 25 digits and two rates does not fit. An [`Exact`] is an integer of 256 bits over a
//! power of ten and one further divisor (the `1 - internal rate` of an adjusted margin), so
//! that no formula of the design rounds before its end. The widest of them, `icms_st` with
//! every figure at its longest, needs 73 of the 76 digits; beyond that the value is
//! [`Overflow`], never a wrong number.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use ethnum::I256;
use rust_decimal::Decimal;

use super::decimal::shortest;

/// A result with more digits than the service can write (28) or calculate (76).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow;

/// An exact rational number: `num / (10^scale * divisor)`.
///
/// ```
/// use rust_decimal::Decimal;
/// use taxd::base::value::Exact;
/// let third = Exact::from(Decimal::ONE) / Exact::from(Decimal::new(3, 0));
/// assert_eq!(third.round(2).ok(), Some(Decimal::new(33, 2)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Exact(pub(super) Result<Ratio, Overflow>);

#[derive(Debug, Clone, Copy)]
pub(super) struct Ratio {
    pub(super) num: I256,
    pub(super) scale: u32,
    /// Always above zero.
    pub(super) divisor: I256,
}

pub(super) fn power_of_ten(exponent: u32) -> Option<I256> {
    let small = 10_i64.checked_pow(exponent).map(I256::from);
    small.or_else(|| I256::new(10).checked_pow(exponent))
}

/// The number times a power of ten.
fn raised(num: I256, exponent: u32) -> Option<I256> {
    if exponent == 0 { Some(num) } else { times(num, power_of_ten(exponent)?) }
}

/// The number in 128 bits, if it fits: ordinary amounts do, and arithmetic on them is several times faster.
fn narrow(value: I256) -> Option<i128> {
    let (high, low) = value.into_words();
    (high == low >> 127).then_some(low)
}

/// The product; `None` if it does not fit.
fn times(left: I256, right: I256) -> Option<I256> {
    let small = || narrow(left)?.checked_mul(narrow(right)?);
    small().map(I256::from).or_else(|| left.checked_mul(right))
}

/// Quotient and remainder of a division by a number above zero.
fn divide(num: I256, den: I256) -> Option<(I256, I256)> {
    match (narrow(num), narrow(den)) {
        (Some(num), Some(den)) if let (Ok(num), Ok(den)) = (i64::try_from(num), i64::try_from(den)) => {
            Some((I256::from(num.checked_div(den)?), I256::from(num.checked_rem(den)?)))
        }
        (Some(num), Some(den)) => Some((I256::from(num.checked_div(den)?), I256::from(num.checked_rem(den)?))),
        _ => Some((num.checked_div(den)?, num.checked_rem(den)?)),
    }
}

impl Ratio {
    fn mul(self, other: Ratio) -> Option<Ratio> {
        Some(Ratio {
            num: times(self.num, other.num)?,
            scale: self.scale.checked_add(other.scale)?,
            divisor: times(self.divisor, other.divisor)?,
        })
    }

    /// Both over one denominator: (left numerator, right numerator, scale, divisor).
    fn align(self, other: Ratio) -> Option<(I256, I256, u32, I256)> {
        let scale = self.scale.max(other.scale);
        let (mut left, mut right) = (raised(self.num, scale - self.scale)?, raised(other.num, scale - other.scale)?);
        let mut divisor = self.divisor;
        if self.divisor != other.divisor {
            left = times(left, other.divisor)?;
            right = times(right, self.divisor)?;
            divisor = times(self.divisor, other.divisor)?;
        }
        Some((left, right, scale, divisor))
    }

    fn add(self, other: Ratio) -> Option<Ratio> {
        let (left, right, scale, divisor) = self.align(other)?;
        Some(Ratio { num: left.checked_add(right)?, scale, divisor })
    }

    fn div(self, other: Ratio) -> Option<Ratio> {
        let sign = if other.num < 0 { I256::MINUS_ONE } else { I256::ONE };
        let common = self.scale.min(other.scale);
        let (mine, theirs) = (self.scale - common, other.scale - common);
        Some(Ratio {
            num: times(raised(times(self.num, other.divisor)?, theirs)?, sign)?,
            scale: mine,
            divisor: times(times(self.divisor, other.num)?, sign)?,
        })
    }

    /// Half away from zero.
    fn round(self, places: u32) -> Option<Decimal> {
        let (raise, lower) = (places.saturating_sub(self.scale), self.scale.saturating_sub(places));
        let num = raised(self.num, raise)?;
        let den = raised(self.divisor, lower)?;
        let (quotient, rest) = divide(num, den)?;
        let away = if num < 0 { I256::MINUS_ONE } else { I256::ONE };
        let rounded = if rest.checked_abs()? >= den.checked_sub(rest.checked_abs()?)? {
            quotient.checked_add(away)?
        } else {
            quotient
        };
        Decimal::try_from_i128_with_scale(i128::try_from(rounded).ok()?, places).ok()
    }
}

impl Exact {
    pub const ZERO: Exact = Exact(Ok(Ratio { num: I256::ZERO, scale: 0, divisor: I256::ONE }));
    pub const ONE: Exact = Exact(Ok(Ratio { num: I256::ONE, scale: 0, divisor: I256::ONE }));

    /// A hundredth of it.
    #[must_use]
    pub fn percent(self) -> Exact {
        Exact(self.0.map(|r| Ratio { scale: r.scale + 2, ..r }))
    }

    /// A hundred times it: a fraction as percent points.
    #[must_use]
    pub fn as_points(self) -> Exact {
        self * Exact::from(Decimal::ONE_HUNDRED)
    }

    /// Rounded half away from zero.
    pub fn round(self, places: u32) -> Result<Decimal, Overflow> {
        self.0?.round(places).ok_or(Overflow)
    }

    /// Rounded half away from zero, and exact again.
    #[must_use]
    pub fn rounded(self, places: u32) -> Exact {
        match self.round(places) {
            Ok(value) => Exact::from(value),
            Err(overflow) => Exact(Err(overflow)),
        }
    }

    /// How it compares with `other`. An overflowed value compares with nothing.
    pub fn compare(self, other: Exact) -> Result<Ordering, Overflow> {
        let (left, right, _, _) = self.0?.align(other.0?).ok_or(Overflow)?;
        Ok(left.cmp(&right))
    }

    pub fn is_positive(self) -> Result<bool, Overflow> {
        Ok(self.0?.num > 0)
    }

    pub fn is_negative(self) -> Result<bool, Overflow> {
        Ok(self.0?.num < 0)
    }

    pub fn min(self, other: Exact) -> Result<Exact, Overflow> {
        Ok(if self.compare(other)? == Ordering::Greater { other } else { self })
    }

    pub fn max(self, other: Exact) -> Result<Exact, Overflow> {
        Ok(if self.compare(other)? == Ordering::Less { other } else { self })
    }

    fn join(self, other: Exact, op: impl FnOnce(Ratio, Ratio) -> Option<Ratio>) -> Exact {
        match (self.0, other.0) {
            (Ok(a), Ok(b)) => Exact(op(a, b).ok_or(Overflow)),
            _ => Exact(Err(Overflow)),
        }
    }
}

impl From<Decimal> for Exact {
    fn from(value: Decimal) -> Self {
        let (mantissa, scale) = shortest(value);
        Exact(Ok(Ratio { num: I256::from(mantissa), scale, divisor: I256::ONE }))
    }
}

impl From<u32> for Exact {
    fn from(value: u32) -> Self {
        Exact::from(Decimal::from(value))
    }
}

impl Add for Exact {
    type Output = Exact;
    fn add(self, other: Exact) -> Exact {
        self.join(other, Ratio::add)
    }
}

impl Sub for Exact {
    type Output = Exact;
    fn sub(self, other: Exact) -> Exact {
        let minus = Exact(other.0.map(|r| Ratio { num: -r.num, ..r }));
        self.join(minus, Ratio::add)
    }
}

impl Mul for Exact {
    type Output = Exact;
    fn mul(self, other: Exact) -> Exact {
        self.join(other, Ratio::mul)
    }
}

impl std::ops::Div for Exact {
    type Output = Exact;
    /// Division by zero overflows.
    fn div(self, other: Exact) -> Exact {
        self.join(other, |a, b| if b.num == 0 { None } else { a.div(b) })
    }
}
