//! When publications are dated, so that what was answered of a past instant stays true for ever.
//!
//! A publication counts from its instant on, and that is taken just before its commit. So it is
//! dated after every instant that was answered for before, and whoever asks for its instant or a
//! later one while it is being committed waits for that. A query of the changelog asks for now: it
//! shows every event dated up to then, and every later event is dated later, so that a poller which
//! goes on from the date of its last query misses none. What was answered for is kept in memory:
//! a clock that is set back across a restart can date a publication before it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::value::{Date, Timestamp};

/// How far ahead of the clock a publication may be dated to come after the last one: as much as a
/// clock is set back in good faith.
const MAX_AHEAD_MS: u64 = DAY_MS;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Days after the last publication from which an import warns that the clock may be ahead: thirteen months, so that a
/// firm that imports once a year is not warned.
const WARN_AFTER_DAYS: u64 = 396;
/// Days after the last publication from which an import is refused: ten years.
const REFUSE_AFTER_DAYS: u64 = 3_653;

/// The instants of one data file, in milliseconds since 1970.
#[derive(Debug, Default)]
pub(super) struct Instants {
    state: Mutex<State>,
    /// Wakes threads that wait for the commit under way.
    committed: Condvar,
    /// Wakes tasks that do.
    committed_for_tasks: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The latest that was answered for.
    answered_ms: Option<u64>,
    /// That of the publication that is being committed.
    committing_ms: Option<u64>,
}

impl State {
    /// True while a publication is being committed that counts at that instant.
    fn is_committing(&self, asked_ms: u64) -> bool {
        self.committing_ms.is_some_and(|at| at <= asked_ms)
    }

    fn answer_for(&mut self, asked_ms: u64) {
        self.answered_ms = self.answered_ms.max(Some(asked_ms));
    }
}

/// A publication that has its instant and is not committed yet, or was not; ends with the value.
#[derive(Debug)]
pub(super) struct Committing<'i>(&'i Instants);

/// Why the clock is not trusted to date a publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockFault {
    /// The first instant that a publication may have lies too far ahead of the clock.
    Behind {
        /// The latest instant that was published at, or answered for.
        reached: Timestamp,
        /// The instant it is, by the clock.
        now: Timestamp,
    },
    /// The clock lies too far ahead of the last publication, or beyond the days of rules.
    Ahead {
        /// The last publication.
        last: Option<Timestamp>,
        /// The instant it is, by the clock.
        now: Timestamp,
    },
}

impl std::fmt::Display for ClockFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ClockFault::Behind { reached, now } => write!(
                f,
                "a publication is dated after the last one and after all that was answered for, and that reaches to {reached}, more than a day ahead of this machine's clock ({now}); nothing was imported. If the clock is behind, set it right and import again; if it was ahead then, wait, or import with --accept-future-date: dated right after that"
            ),
            ClockFault::Ahead { last, now } => {
                let last = last.map_or(String::new(), |last| format!(", and the last publication is of {last}"));
                write!(
                    f,
                    "this machine's clock says {now}{last}: it is probably far ahead, and a publication keeps its date for ever; nothing was imported. Set the clock right and import again; if it is right, import with --accept-future-date"
                )
            }
        }
    }
}

/// Whether the clock is so far ahead that a publication should not be dated by it: an error, or a warning for the
/// operator. Only the last publication tells: calls are logged by the same clock.
pub(super) fn check_ahead(now: Timestamp, last_ms: Option<u64>) -> Result<Option<String>, ClockFault> {
    let days = last_ms.map_or(0, |last_ms| now.millis().saturating_sub(last_ms) / DAY_MS);
    let last = last_ms.and_then(Timestamp::from_millis);
    let beyond_rules = now.millis() >= Timestamp::start_of(Date::LAST_OF_RULES).millis() + DAY_MS;
    match last {
        _ if beyond_rules || days >= REFUSE_AFTER_DAYS => Err(ClockFault::Ahead { last, now }),
        Some(last) if days >= WARN_AFTER_DAYS => Ok(Some(format!(
            "this machine's clock says {now}, {days} days after the last publication ({last}). If the clock is ahead, this publication is dated in the future, and later ones will be refused until then: set the clock right and restore the last backup"
        ))),
        _ => Ok(None),
    }
}

impl Instants {
    fn state(&self) -> MutexGuard<'_, State> {
        // Two numbers, each whole by itself, so a panicking thread leaves them sound.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be called before the snapshot that answers for `instant` is opened: no publication that
    /// is not in it will ever be dated at that instant or before.
    pub(super) fn answer_for(&self, instant: Timestamp, now: Timestamp) {
        let asked_ms = instant.millis();
        let committing = |state: &mut State| state.is_committing(asked_ms);
        let mut state = self.committed.wait_while(self.state(), committing).unwrap_or_else(PoisonError::into_inner);
        // The future has no answer that could be kept true.
        state.answer_for(asked_ms.min(now.millis()));
    }

    /// The same for an instant that is not in the future, once no publication dated up to it is being
    /// committed. It keeps no thread waiting: a large publication takes seconds to commit.
    pub(super) async fn answer_for_by_task(&self, asked: impl Fn() -> Timestamp) {
        loop {
            // Made before the look, so that a commit that ends after it wakes this task.
            let committed = self.committed_for_tasks.notified();
            {
                let mut state = self.state();
                // Not before the wait: where now is asked for, the answer shows what is there when it ends.
                let asked_ms = asked().millis();
                if !state.is_committing(asked_ms) {
                    state.answer_for(asked_ms);
                    return;
                }
            }
            committed.await;
        }
    }

    /// Whether a publication after `last_ms` may be dated by the clock, or nearly.
    pub(super) fn check_behind(&self, now: Timestamp, last_ms: Option<u64>) -> Result<(), ClockFault> {
        let reached = last_ms.max(self.state().answered_ms).and_then(Timestamp::from_millis);
        match reached.filter(|reached| reached.millis() > now.millis().saturating_add(MAX_AHEAD_MS)) {
            Some(reached) => Err(ClockFault::Behind { reached, now }),
            None => Ok(()),
        }
    }

    /// The instant of a publication that is about to be committed: now, or the first one after the
    /// last publication and after all that was answered for.
    pub(super) fn date(&self, now: Timestamp, last_ms: Option<u64>) -> (Timestamp, Committing<'_>) {
        let mut state = self.state();
        let after = last_ms.max(state.answered_ms).map_or(0, |reached| reached + 1);
        let at = Timestamp::from_millis(now.millis().max(after)).unwrap_or(now);
        state.committing_ms = Some(at.millis());
        (at, Committing(self))
    }
}

impl Drop for Committing<'_> {
    fn drop(&mut self) {
        self.0.state().committing_ms = None;
        self.0.committed.notify_all();
        self.0.committed_for_tasks.notify_waiters();
    }
}
