//! The rate limit against a list of all the instants at which a call passed.

use proptest::prelude::*;
use taxd_core::calls::{RateDecision, Window};

const MINUTE_MS: u64 = 60_000;

/// The naive second implementation: it forgets nothing.
#[derive(Default)]
struct Passed(Vec<u64>);

impl Passed {
    /// Calls that hold a place at that instant, the oldest first.
    fn holding(&self, now_ms: u64) -> Vec<u64> {
        self.0.iter().copied().filter(|at| at + MINUTE_MS > now_ms).collect()
    }

    fn peek(&self, now_ms: u64, limit: u32) -> RateDecision {
        let (holding, limit) = (self.holding(now_ms), limit as usize);
        let remaining = limit.saturating_sub(holding.len());
        // The call that must leave before another one may pass.
        let leaves = (holding.len() + 1).saturating_sub(limit).max(1);
        let wait_ms = holding.get(leaves - 1).map_or(0, |at| at + MINUTE_MS - now_ms);
        RateDecision { admitted: remaining > 0, remaining: remaining as u64, wait_ms }
    }

    fn take(&mut self, now_ms: u64, limit: u32) -> RateDecision {
        let before = self.peek(now_ms, limit);
        if !before.admitted {
            return before;
        }
        self.0.push(now_ms);
        RateDecision { admitted: true, ..self.peek(now_ms, limit) }
    }
}

/// Time until the next call: bursts, a steady stream, the edges of the minute, idle hours.
fn gap_ms() -> impl Strategy<Value = u64> {
    prop_oneof![
        6 => Just(0_u64),
        4 => 1..50_u64,
        3 => 50..20_000_u64,
        2 => prop::sample::select(vec![MINUTE_MS - 1, MINUTE_MS, MINUTE_MS + 1]),
        1 => MINUTE_MS..7_200_000,
    ]
}

/// Calls with the limit in force at each: it holds for a while, then it is another.
fn calls() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let stretch = (1_u32..12, prop::collection::vec(gap_ms(), 1..40));
    prop::collection::vec(stretch, 1..8).prop_map(|stretches| {
        stretches.into_iter().flat_map(|(limit, gaps)| gaps.into_iter().map(move |gap| (gap, limit))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn it_says_what_a_list_of_all_instants_says(calls in calls()) {
        let (mut window, mut list, mut now) = (Window::default(), Passed::default(), 0);
        for (gap, limit) in calls {
            now += gap;
            prop_assert_eq!(window.peek(now, limit), list.peek(now, limit), "looked at {} under {}", now, limit);
            prop_assert_eq!(window.take(now, limit), list.take(now, limit), "at {} under {}", now, limit);
        }
    }

    #[test]
    fn a_caller_that_waits_as_long_as_it_says_is_admitted_and_a_millisecond_sooner_is_not(calls in calls()) {
        let (mut window, mut now, mut refused) = (Window::default(), 0, 0);
        for (gap, limit) in calls {
            now += gap;
            let turn = window.take(now, limit);
            if turn.admitted {
                continue;
            }
            refused += 1;
            prop_assert!(turn.wait_ms > 0 && turn.remaining == 0, "{:?}", turn);
            let later = |wait: u64| window.clone().take(now + wait, limit).admitted;
            prop_assert!(!later(turn.wait_ms - 1), "{:?} at {}: too late a time is told", turn, now);
            prop_assert!(later(turn.wait_ms), "{:?} at {}: too soon a time is told", turn, now);
        }
        prop_assume!(refused > 0);
    }

    #[test]
    fn in_no_minute_do_more_pass_than_the_limit(
        limit in 1_u32..12, gaps in prop::collection::vec(gap_ms(), 1..300),
    ) {
        let (mut window, mut now, mut passed) = (Window::default(), 0, Vec::new());
        for gap in gaps {
            now += gap;
            if window.take(now, limit).admitted {
                passed.push(now);
            }
        }
        for from in &passed {
            let in_minute = passed.iter().filter(|at| (*from..from + MINUTE_MS).contains(*at)).count();
            prop_assert!(in_minute <= limit as usize, "{} calls from {} on", in_minute, from);
        }
    }
}

#[test]
fn the_limit_may_be_used_up_at_once_and_comes_back_at_once() {
    let mut window = Window::default();
    for left in (0..1_000).rev() {
        assert_eq!(window.take(5, 1_000), RateDecision { admitted: true, remaining: left, wait_ms: MINUTE_MS });
    }
    assert_eq!(window.take(5 + MINUTE_MS - 1, 1_000), RateDecision { admitted: false, remaining: 0, wait_ms: 1 });
    assert_eq!(window.take(5 + MINUTE_MS, 1_000), RateDecision { admitted: true, remaining: 999, wait_ms: MINUTE_MS });
}

#[test]
fn two_threads_in_the_wrong_order_do_not_open_the_door_sooner() {
    let mut window = Window::default();
    assert!(window.take(1_000, 2).admitted);
    assert!(window.take(998, 2).admitted, "its clock was read before the other's");
    assert!(!window.take(998 + MINUTE_MS, 2).admitted, "no place is free before the later of the two instants");
    assert_eq!(window.take(1_000 + MINUTE_MS, 2).remaining, 1);
}
