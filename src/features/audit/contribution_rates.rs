//! The basic rates of PIS and COFINS, and the regime of each.

use rust_decimal::Decimal;

/// The basic rates in percent: of the non-cumulative regime, and of the cumulative one (Lei 10.637/2002, art. 2º; Lei
/// 10.833/2003, art. 2º; Lei 9.715/1998, art. 8º, I; Lei 9.718/1998, art. 8º).
pub(super) const BASIC_RATES: [(&str, [Decimal; 2]); 2] = [
    ("pis", [Decimal::from_parts(165, 0, 0, false, 2), Decimal::from_parts(65, 0, 0, false, 2)]),
    ("cofins", [Decimal::from_parts(760, 0, 0, false, 2), Decimal::from_parts(300, 0, 0, false, 2)]),
];

/// The regime whose basic rate of PIS or COFINS it is.
pub(super) fn regime_of_rate(rate: Decimal) -> Option<&'static str> {
    let is_it = |at: usize| BASIC_RATES.iter().any(|(_, rates)| rates.get(at) == Some(&rate));
    ["não cumulativo", "cumulativo"].into_iter().enumerate().find(|(at, _)| is_it(*at)).map(|(_, name)| name)
}
