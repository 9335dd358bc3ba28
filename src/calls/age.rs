//! The clock by which logged calls grow old.
//!
//! A system clock that is set years ahead makes every call look older than is kept. So the log is not pruned by
//! the system clock alone: while the process runs its calls grow old by the uptime, and before that by a day at most.

use crate::value::Clock;

/// Most that calls grow old while no process runs, as far as pruning is concerned. Those of a longer stop are
/// kept that much longer.
const LONGEST_STOP_MS: u64 = 24 * 60 * 60 * 1_000;

/// What was true when the process began.
pub(super) struct AgeClock {
    start_ms: u64,
    start_uptime_ms: u64,
}

impl AgeClock {
    /// Begins at the time of day, but not before the last logged call and at most a day after it.
    pub(super) fn start(clock: &Clock, last_call_ms: Option<u64>) -> AgeClock {
        let now_ms = clock.now().millis();
        let start_ms = match last_call_ms {
            None | Some(0) => now_ms,
            Some(last_ms) => now_ms.clamp(last_ms, last_ms.saturating_add(LONGEST_STOP_MS)),
        };
        AgeClock { start_ms, start_uptime_ms: clock.uptime_ms() }
    }

    /// The instant from which ages count back, in milliseconds since 1970: the time of day, unless it ran ahead of
    /// the uptime.
    pub(super) fn now_ms(&self, clock: &Clock) -> u64 {
        let ran_ms = clock.uptime_ms().saturating_sub(self.start_uptime_ms);
        clock.now().millis().min(self.start_ms.saturating_add(ran_ms))
    }
}
