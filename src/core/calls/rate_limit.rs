//! The rate limit: a sliding window of 60 seconds.
//!
//! Calls are counted by the millisecond. All calls of the limit may come at once, and no 60 seconds have more calls
//! than the limit. A call leaves the window exactly 60 seconds later.

use std::collections::VecDeque;

const WINDOW_MS: u64 = 60_000;

/// The calls of the last minute.
#[derive(Debug, Clone, Default)]
pub struct Window {
    /// Milliseconds in which calls were admitted, in order, and how many.
    passed: VecDeque<(u64, u64)>,
    /// Calls in all of them.
    count: u64,
}

/// Whether a call is admitted, and what is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    pub admitted: bool,
    /// Calls that would be admitted now.
    pub remaining: u64,
    /// Until a counted call leaves the window; for a refused call, until it would be admitted.
    pub wait_ms: u64,
}

impl Window {
    /// Admits and counts a call if fewer than `limit` are in the window. The limit may change between calls. `now_ms`
    /// is a monotonic clock.
    pub fn take(&mut self, now_ms: u64, limit: u32) -> RateDecision {
        let turn = self.peek(now_ms, limit);
        if !turn.admitted {
            return turn;
        }
        match self.passed.back_mut() {
            // Two threads may come in the wrong order: both count in the later millisecond.
            Some((latest, calls)) if *latest >= now_ms => *calls += 1,
            _ => self.passed.push_back((now_ms, 1)),
        }
        self.count += 1;
        RateDecision { admitted: true, remaining: turn.remaining - 1, wait_ms: self.until_freed(now_ms, 1) }
    }

    /// The decision on a call, without counting it.
    pub fn peek(&mut self, now_ms: u64, limit: u32) -> RateDecision {
        while let Some((at, calls)) = self.passed.front().copied()
            && now_ms >= at + WINDOW_MS
        {
            self.passed.pop_front();
            self.count -= calls;
        }
        let limit = u64::from(limit);
        let remaining = limit.saturating_sub(self.count);
        // After the limit was lowered more calls than one may have to leave.
        let too_many = (self.count + 1).saturating_sub(limit).max(1);
        RateDecision { admitted: remaining > 0, remaining, wait_ms: self.until_freed(now_ms, too_many) }
    }

    /// Milliseconds until that many of the counted calls have left the window; 0 if it is empty.
    fn until_freed(&self, now_ms: u64, calls: u64) -> u64 {
        let mut freed = 0;
        for (at, passed) in &self.passed {
            freed += passed;
            if freed >= calls {
                return (at + WINDOW_MS).saturating_sub(now_ms);
            }
        }
        self.passed.back().map_or(0, |(at, _)| (at + WINDOW_MS).saturating_sub(now_ms))
    }
}
