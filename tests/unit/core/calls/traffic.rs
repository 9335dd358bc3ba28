//! Calls since the start: by tax, status and step of latency.

use std::thread;

use taxd_base::problem::ErrorCode;
use taxd_core::calls::{STATUSES, STEPS_US, TaxTraffic, Traffic};
use taxd_law::tax;

fn of_none(traffic: &Traffic) -> TaxTraffic {
    traffic.by_tax().pop().unwrap()
}

#[test]
fn every_status_of_a_refusal_is_counted_apart_and_any_other_with_the_others() {
    for codigo in ErrorCode::ALL {
        assert!(STATUSES.contains(&codigo.status()), "{}", codigo.as_str());
    }
    let traffic = Traffic::default();
    for status in STATUSES.into_iter().chain([418, 302]) {
        traffic.count(None, status, 1, false);
    }
    let counted: Vec<(Option<u16>, u64)> = of_none(&traffic).statuses().collect();
    let wanted: Vec<(Option<u16>, u64)> =
        STATUSES.map(|status| (Some(status), 1)).into_iter().chain([(None, 2)]).collect();
    assert_eq!(counted, wanted);
    assert_eq!(traffic.calls(), STATUSES.len() as u64 + 2);
}

#[test]
fn a_step_ends_with_its_end_and_the_last_has_what_is_above() {
    let traffic = Traffic::default();
    for (i, end) in STEPS_US.iter().enumerate() {
        traffic.count(None, 200, *end, false);
        traffic.count(None, 200, end + 1, false);
        let counts = of_none(&traffic).calculated.counts;
        assert_eq!((counts[i], counts[i + 1]), (if i == 0 { 1 } else { 2 }, 1), "{end}: {counts:?}");
    }
    traffic.count(None, 200, u32::MAX, true);
    let told = of_none(&traffic);
    assert_eq!((told.cached.counts[STEPS_US.len()], told.cached.sum_us), (1, u64::from(u32::MAX)));
    assert!(STEPS_US.contains(&5_000) && STEPS_US.contains(&200_000), "the contract's targets, section 8");
}

#[test]
fn no_call_of_many_threads_is_lost_or_taken_for_another_tax() {
    let traffic = Traffic::default();
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                for entry in tax::REGISTRY {
                    traffic.count(Some(entry.tributo), 200, 70, false);
                    traffic.count(Some(entry.tributo), 422, 30, false);
                }
            });
        }
    });
    let by_tax = traffic.by_tax();
    assert_eq!(by_tax.len(), tax::REGISTRY.len() + 1);
    for (entry, told) in tax::REGISTRY.iter().zip(&by_tax) {
        assert_eq!(told.tributo, Some(entry.tributo));
        // Every possible status of a tax is exported from the start.
        let wanted = [(Some(200), 20), (Some(404), 0), (Some(422), 20), (Some(500), 0)];
        assert_eq!(told.statuses().collect::<Vec<_>>(), wanted);
        assert_eq!((told.calculated.calls(), told.calculated.sum_us), (40, 2_000));
    }
}
