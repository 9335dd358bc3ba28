//! Exact intermediates against fractions of big integers.

use std::cmp::Ordering;

use num_traits::{One, Zero};
use proptest::prelude::*;
use taxd_base::value::{Exact, Overflow, parse_decimal};

use crate::property::cases;
use crate::tax::naive::{Q, q, scaled};

/// One number in both worlds.
#[derive(Clone)]
struct Both {
    exact: Exact,
    naive: Q,
}

fn both(text: &str) -> Both {
    Both { exact: Exact::from(parse_decimal(text).unwrap()), naive: q(text) }
}

fn decimal() -> BoxedStrategy<String> {
    prop_oneof![
        3 => "-?[0-9]{1,15}\\.[0-9]{1,10}",
        2 => "-?[0-9]{1,4}\\.[0-9]{1,2}",
        1 => "-?[0-9]{1,3}",
        1 => "-?[0-9]{0,2}[05]\\.[05]{1,6}",
        1 => Just("0".to_owned()),
    ]
    .boxed()
}

fn equal(value: &Both, places: u32) -> Result<(), TestCaseError> {
    let wanted = scaled(&value.naive, places as usize);
    match value.exact.round(places) {
        Ok(rounded) => {
            prop_assert_eq!(rounded.scale(), places);
            prop_assert_eq!(rounded.mantissa().to_string(), wanted.to_string());
        }
        Err(Overflow) => prop_assert!(wanted.magnitude().bits() > 93, "overflow at {wanted}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn a_chain_of_operations_is_exact_to_its_end(
        first in decimal(),
        steps in proptest::collection::vec((0..4u8, decimal()), 1..4),
        places in 0..=6u32,
    ) {
        let mut value = both(&first);
        for (operation, text) in steps {
            let other = both(&text);
            if operation == 3 && other.naive.is_zero() {
                prop_assert_eq!((value.exact / other.exact).round(2), Err(Overflow));
                continue;
            }
            prop_assert_eq!(value.exact.compare(other.exact), Ok(value.naive.cmp(&other.naive)));
            value = match operation {
                0 => Both { exact: value.exact + other.exact, naive: value.naive + other.naive },
                1 => Both { exact: value.exact - other.exact, naive: value.naive - other.naive },
                2 => Both { exact: value.exact * other.exact, naive: value.naive * other.naive },
                _ => Both { exact: value.exact / other.exact, naive: value.naive / other.naive },
            };
            // Up to 75 digits of numerator and denominator together nothing may overflow.
            if value.naive.numer().bits() + value.naive.denom().bits() > 190 {
                break;
            }
            equal(&value, places)?;
        }
    }

    #[test]
    fn smaller_and_larger_agree_with_the_order(left in decimal(), right in decimal()) {
        let (a, b) = (both(&left), both(&right));
        let (low, high) = if a.naive <= b.naive { (&a, &b) } else { (&b, &a) };
        prop_assert_eq!(a.exact.min(b.exact).unwrap().compare(low.exact), Ok(Ordering::Equal));
        prop_assert_eq!(a.exact.max(b.exact).unwrap().compare(high.exact), Ok(Ordering::Equal));
        prop_assert_eq!(a.exact.is_negative(), Ok(a.naive < Q::zero()));
        prop_assert_eq!(a.exact.is_positive(), Ok(a.naive > Q::zero()));
        prop_assert_eq!(a.exact.percent().as_points().compare(a.exact), Ok(Ordering::Equal));
    }

    #[test]
    fn halves_go_away_from_zero(units in -1_000_000_000i64..1_000_000_000, places in 0..=6usize) {
        // An odd number of half units of the last place.
        let half = Q::new((units * 2 + 1).into(), crate::tax::naive::power(places) * 2);
        let exact = Exact::from(parse_decimal(&crate::tax::naive::written(&half, places + 1)).unwrap());
        let wanted = if units >= 0 { units + 1 } else { units };
        let rounded = exact.round(u32::try_from(places).unwrap()).unwrap();
        prop_assert_eq!(rounded.mantissa(), i128::from(wanted));
    }
}

/// 2^63 and 2^64 by their digits: their product is the first number that 128 bits do not hold, and
/// its negative the last one that they do, whose absolute value they do not.
#[test]
fn the_edge_of_128_bits_is_not_seen_in_a_result() {
    for (left, right) in
        [("922337203.6854775808", "1844674407.3709551616"), ("922337203.6854775807", "1844674407.3709551616")]
    {
        for (sign, other) in [("", ""), ("-", ""), ("", "-"), ("-", "-")] {
            let (a, b) = (both(&format!("{sign}{left}")), both(&format!("{other}{right}")));
            let product = Both { exact: a.exact * b.exact, naive: &a.naive * &b.naive };
            for places in [0, 2, 6] {
                equal(&product, places).unwrap();
                equal(&Both { exact: product.exact / b.exact, naive: &product.naive / &b.naive }, places).unwrap();
                equal(&Both { exact: product.exact + product.exact, naive: &product.naive + &product.naive }, places)
                    .unwrap();
                equal(&Both { exact: product.exact / product.exact, naive: Q::one() }, places).unwrap();
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_an_overflow_and_stays_one() {
    let large = Exact::from(parse_decimal("999999999999999.9999999999").unwrap());
    let huge = large * large * large * large;
    assert_eq!(huge.round(2), Err(Overflow));
    assert_eq!((huge - huge).round(2), Err(Overflow));
    assert_eq!((huge * Exact::ZERO).compare(Exact::ZERO), Err(Overflow));
    assert_eq!((large * large).round(2), Err(Overflow), "30 digits before the point are more than can be written");
    assert_eq!((large * large / large).round(10).map(|d| d.to_string()), Ok("999999999999999.9999999999".to_owned()));
}
