//! What follows from an attempt: three at most, and only after failures that may be temporary.

use std::time::Duration;

use taxd_core::webhook::{AttemptOutcome, MAX_ATTEMPTS, Next, decide};

const ANY: [u32; 4] = [0, 1, u32::MAX / 2, u32::MAX];

fn transient() -> Vec<AttemptOutcome> {
    let statuses = [500, 502, 503, 504, 599].map(AttemptOutcome::Answered);
    [statuses.to_vec(), vec![AttemptOutcome::TimedOut, AttemptOutcome::not_connected("refused")]].concat()
}

#[test]
fn any_2xx_is_a_delivery_whichever_attempt_it_was() {
    for attempt in 1..=MAX_ATTEMPTS {
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(decide(attempt, &AttemptOutcome::Answered(status), 7), Next::Delivered);
        }
    }
}

#[test]
fn a_fault_that_a_retry_cannot_cure_is_final_at_once() {
    let finals = [300, 301, 302, 307, 308, 400, 401, 403, 404, 408, 410, 422, 429, 499, 100, 199, 600];
    for status in finals {
        assert_eq!(decide(1, &AttemptOutcome::Answered(status), 7), Next::Failed, "{status}");
    }
    assert_eq!(decide(1, &AttemptOutcome::Unsendable("record".to_owned()), 7), Next::Failed);
}

#[test]
fn there_are_three_attempts_with_growing_waits_between_them() {
    assert_eq!(MAX_ATTEMPTS, 3);
    for outcome in transient() {
        for random in ANY {
            let Next::Retry(first) = decide(1, &outcome, random) else { panic!("{outcome:?}: no second attempt") };
            let Next::Retry(second) = decide(2, &outcome, random) else { panic!("{outcome:?}: no third attempt") };
            assert!((Duration::from_millis(2_500)..Duration::from_millis(7_500)).contains(&first), "{first:?}");
            assert!((Duration::from_secs(15)..Duration::from_secs(45)).contains(&second), "{second:?}");
            for attempt in [3, 4, u8::MAX] {
                assert_eq!(decide(attempt, &outcome, random), Next::Failed, "{outcome:?} after {attempt}");
            }
        }
    }
}

#[test]
fn the_waits_are_spread_evenly() {
    let wait = |random| match decide(1, &AttemptOutcome::TimedOut, random) {
        Next::Retry(wait) => wait,
        other => panic!("{other:?}"),
    };
    assert_eq!(wait(0), Duration::from_millis(2_500));
    assert_eq!(wait(1 << 31), Duration::from_secs(5), "the nominal wait lies in the middle");
    assert_eq!(wait(u32::MAX), Duration::from_millis(7_499));
    let spread: Vec<Duration> = (0..100u32).map(|i| wait(i << 25)).collect();
    assert!(spread.windows(2).all(|pair| pair[0] < pair[1]), "{spread:?}");
}

#[test]
fn an_outcome_is_shown_in_a_few_words() {
    assert_eq!(AttemptOutcome::Answered(503).to_string(), "HTTP 503");
    assert_eq!(AttemptOutcome::TimedOut.to_string(), "no answer in time");
    let long = AttemptOutcome::not_connected(&"é".repeat(10_000)).to_string();
    assert!(long.starts_with("no connection: éé") && long.chars().count() < 200, "{}", long.len());
}
