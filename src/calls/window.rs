//! The rate limit: no more than so many calls in any 60 seconds.
//!
//! Every call of the last minute is counted, by the millisecond. The limit may be used up at
//! once (a burst) and is never exceeded in any minute, however it lies; each call frees its
//! place exactly 60 seconds later.

use std::collections::VecDeque;

/// How long a call holds its place.
const WINDOW_MS: u64 = 60_000;

/// The calls of the last minute.
#[derive(Debug, Clone, Default)]
pub struct Window {
    /// Milliseconds in which calls passed, in order, and how many.
    passed: VecDeque<(u64, u64)>,
    /// Calls in all of them.
    count: u64,
}

/// What the window says to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    /// Whether it may pass.
    pub admitted: bool,
    /// How many more may pass now.
    pub remaining: u64,
    /// For an admitted call: until a place is freed. For another: until it would be admitted.
    pub wait_ms: u64,
}

impl Window {
    /// Lets a call pass, and counts it, where fewer than `limit` have passed; with `limit` as
    /// large as it is now, whatever it was before. `now_ms` is a clock that only runs forward.
    pub fn take(&mut self, now_ms: u64, limit: u32) -> RateDecision {
        let turn = self.look(now_ms, limit);
        if !turn.admitted {
            return turn;
        }
        match self.passed.back_mut() {
            // Two threads may come in the wrong order: then no time has passed.
            Some((latest, calls)) if *latest >= now_ms => *calls += 1,
            _ => self.passed.push_back((now_ms, 1)),
        }
        self.count += 1;
        RateDecision { admitted: true, remaining: turn.remaining - 1, wait_ms: self.until_freed(now_ms, 1) }
    }

    /// What a call would be told, without counting one.
    pub fn look(&mut self, now_ms: u64, limit: u32) -> RateDecision {
        while let Some((at, calls)) = self.passed.front().copied()
            && now_ms >= at + WINDOW_MS
        {
            self.passed.pop_front();
            self.count -= calls;
        }
        let limit = u64::from(limit);
        let remaining = limit.saturating_sub(self.count);
        // A limit that was lowered may be exceeded by more than the one call.
        let too_many = (self.count + 1).saturating_sub(limit).max(1);
        RateDecision { admitted: remaining > 0, remaining, wait_ms: self.until_freed(now_ms, too_many) }
    }

    /// Milliseconds until that many of the counted calls have left the window; 0 where none is counted.
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
