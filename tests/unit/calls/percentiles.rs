//! Latency percentiles against a sorted list.

use proptest::prelude::*;
use taxd::core::calls::Meter;

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
