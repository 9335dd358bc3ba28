//! An exact number as text: a decimal if it has an end, else a fraction.

use ethnum::I256;

use super::exact::{Exact, Integer, Ratio};

fn greatest_divisor(mut a: I256, mut b: I256) -> I256 {
    while b != I256::ZERO {
        (a, b) = (b, a % b);
    }
    a
}

impl Ratio<I256> {
    /// The same number with the least divisor and scale.
    fn reduced(self) -> Option<Ratio<I256>> {
        let Ratio { mut num, mut scale, mut divisor } = self;
        let common = greatest_divisor(num.checked_abs()?, divisor);
        if common > 1 {
            (num, divisor) = (num / common, divisor / common);
        }
        for (factor, other) in [(I256::new(2), I256::new(5)), (I256::new(5), I256::new(2))] {
            while divisor % factor == 0 {
                (num, divisor, scale) = (num.checked_mul(other)?, divisor / factor, scale + 1);
            }
        }
        while scale > 0 && num % I256::new(10) == 0 {
            (num, scale) = (num / 10, scale - 1);
        }
        Some(Ratio { num, scale, divisor })
    }

    /// The number as a fraction: in lowest terms, unless its denominator has more than 76 digits.
    fn fraction(self) -> Option<String> {
        let Ratio { num, scale, divisor } = self.reduced().unwrap_or(self);
        let Some(den) = I256::power_of_ten(scale).and_then(|power| divisor.checked_mul(power)) else {
            let zeros = usize::try_from(scale).ok()?;
            return Some(format!("{num}/{divisor}{:0<zeros$}", ""));
        };
        let common = greatest_divisor(num.checked_abs()?, den);
        Some(format!("{}/{}", num / common, den / common))
    }
}

impl Exact {
    /// All digits of the number, with a point and at least `places` of them after it. `None` if it has no end.
    pub fn digits(self, places: usize) -> Option<String> {
        let Ratio { num, scale, divisor } = self.wide().ok()?.reduced()?;
        if divisor != 1 {
            return None;
        }
        let scale = usize::try_from(scale).ok()?;
        let digits = format!("{:0>width$}", num.checked_abs()?.to_string(), width = scale + 1);
        let (integer, fraction) = digits.split_at_checked(digits.len() - scale)?;
        let sign = if num < 0 { "-" } else { "" };
        let places = places.max(scale);
        Some(if places == 0 { format!("{sign}{integer}") } else { format!("{sign}{integer}.{fraction:0<places$}") })
    }

    /// The number as text: all its digits, or a fraction of integers, as in `73137/1025`.
    pub fn written(self) -> String {
        self.digits(2).or_else(|| self.wide().ok()?.fraction()).unwrap_or_default()
    }
}
