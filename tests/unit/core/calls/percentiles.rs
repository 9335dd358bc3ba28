//! Latency percentiles against a sorted list.

use hdrhistogram::Histogram;
use proptest::prelude::*;
use taxd_core::calls::{Counted, LatencySteps, Meter};

use super::call;

const QUANTILES: [f64; 5] = [0.01, 0.50, 0.90, 0.95, 1.0];

/// The smallest latency that at least this share of the calls did not exceed.
fn exact_us(sorted: &[u32], quantile: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a few hundred calls"
    )]
    let rank = ((sorted.len() as f64 * quantile).ceil() as usize).max(1);
    sorted[rank - 1]
}

/// Within 1 ms or 1 % of the exact figure, whichever is more.
fn check(meter: &Meter, latencies: &[u32]) -> Result<(), TestCaseError> {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let counted = meter.lock();
    for quantile in QUANTILES {
        let exact_us = u64::from(exact_us(&sorted, quantile));
        let told_us = counted.totals.latency_ms(quantile) * 1_000;
        let tolerance_us = (exact_us / 100).max(1_000);
        prop_assert!(told_us.abs_diff(exact_us) <= tolerance_us, "{quantile}: {told_us} us for {exact_us} us");
    }
    Ok(())
}

/// From the microseconds of a cached answer to the hour of a call that nobody should make.
fn latency_us() -> impl Strategy<Value = u32> {
    prop_oneof![0..300_u32, 300..5_000_u32, 5_000..500_000_u32, 500_000..60_000_000_u32, 60_000_000..=u32::MAX]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn they_are_within_a_millisecond_or_a_percent_also_after_a_restart(
        latencies in prop::collection::vec(latency_us(), 1..400), again in prop::collection::vec(latency_us(), 0..50),
    ) {
        let meter = Meter::new(None).unwrap();
        for latency in &latencies {
            meter.lock().add(call(0, 200, *latency));
        }
        check(&meter, &latencies)?;
        let restored = Meter::new(Some(&meter.kept().unwrap())).unwrap();
        check(&restored, &latencies)?;
        for latency in &again {
            restored.lock().add(call(0, 200, *latency));
        }
        check(&restored, &[latencies, again].concat())?;
    }
}

proptest! {
    /// Data files and answers of before had that histogram, with a count for every step.
    #[test]
    fn they_are_those_of_a_histogram_with_two_digits(latencies in prop::collection::vec(latency_us(), 0..400)) {
        let mut all = Histogram::<u64>::new_with_bounds(1, u64::from(u32::MAX), 2).unwrap();
        let mut steps = LatencySteps::default();
        for latency in latencies {
            all.saturating_record(u64::from(latency));
            steps.add(latency, 1);
        }
        for quantile in QUANTILES {
            prop_assert_eq!(steps.at(quantile), all.median_equivalent(all.value_at_quantile(quantile)), "{}", quantile);
        }
        let kept: Vec<(u64, u64)> = all.iter_recorded().map(|s| (s.value_iterated_to(), s.count_at_value())).collect();
        prop_assert_eq!(steps.kept().collect::<Vec<_>>(), kept);
    }
}

/// Every account once had a count for every step from its first day, 30 KiB.
#[test]
fn an_account_without_calls_takes_little_and_one_with_calls_what_they_differ_in() {
    assert!(size_of::<Counted>() <= 512, "{} bytes", size_of::<Counted>());
    let meter = Meter::new(None).unwrap();
    assert_eq!(meter.lock().totals.latency.steps(), 0);
    for latency in (0..100_000).map(|call| 1_000 + call % 300) {
        meter.lock().add(call(0, 200, latency));
    }
    assert_eq!(meter.lock().totals.latency.steps(), 24 / 4 + 276_usize.div_ceil(8));
}

/// The ends of the histogram's steps, rounded to milliseconds, were up to 1.5 ms off here.
#[test]
fn every_latency_up_to_a_second_is_exact_within_a_millisecond_or_a_percent() {
    for latency in (0..1_000_000_u32).step_by(97) {
        let meter = Meter::new(None).unwrap();
        meter.lock().add(call(0, 200, latency));
        check(&meter, &[latency]).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn what_is_kept_is_restored_to_the_last_count() {
    let meter = Meter::new(None).unwrap();
    for (i, status) in [200, 200, 304, 404, 422, 429, 499, 500, 503].into_iter().enumerate() {
        meter.lock().add(call(1_000 + i as u64, status, 1_000));
    }
    let kept = meter.kept().unwrap();
    let restored = Meter::new(Some(&kept)).unwrap();
    assert_eq!(restored.kept().unwrap(), kept);
    let counted = restored.lock();
    assert_eq!([2, 3, 4, 5].map(|class| counted.totals.of_class(class)), [2, 1, 4, 2]);
    assert_eq!((counted.totals.calls, counted.last_call_ms()), (9, 1_008));
}

#[test]
fn a_damaged_record_of_totals_is_an_error_and_not_a_fresh_start() {
    let meter = Meter::new(None).unwrap();
    meter.lock().add(call(1_000, 200, 1_000));
    let kept = meter.kept().unwrap();
    for cut in 0..kept.len() {
        assert!(Meter::new(Some(&kept[..cut])).is_err(), "cut to {cut} bytes");
    }
}
