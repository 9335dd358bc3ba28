//! The clock for the age of logged calls.
//!
//! A system clock that is set years ahead would make every call old, and pruning would empty the log. So the age of
//! a call grows by the uptime of the process, and by at most a day while no process runs. The store keeps the time of
//! the last write, since a call that was logged while the clock was ahead has a wrong instant.

use crate::base::value::Clock;

/// Most that ages grow while no process runs. After a longer stop calls are kept that much longer.
const LONGEST_STOP_MS: u64 = 24 * 60 * 60 * 1_000;

/// The start of the process.
pub(super) struct AgeClock {
    start_ms: u64,
    start_uptime_ms: u64,
}

impl AgeClock {
    /// Starts at the system clock, but not before the time of the last write and at most a day after it.
    pub(super) fn start(clock: &Clock, last_write_ms: Option<u64>) -> AgeClock {
        let now_ms = clock.now().millis();
        let start_ms =
            last_write_ms.map_or(now_ms, |last_ms| now_ms.clamp(last_ms, last_ms.saturating_add(LONGEST_STOP_MS)));
        AgeClock { start_ms, start_uptime_ms: clock.uptime_ms() }
    }

    /// The time that ages refer to, in milliseconds since 1970: the system clock, unless that ran ahead of the uptime.
    pub(super) fn now_ms(&self, clock: &Clock) -> u64 {
        let ran_ms = clock.uptime_ms().saturating_sub(self.start_uptime_ms);
        clock.now().millis().min(self.start_ms.saturating_add(ran_ms))
    }
}
