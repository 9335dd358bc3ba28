//! The thread of the dispatcher: when it reads the outbox, when it writes outcomes, how long it sleeps.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::dispatcher::{Dispatcher, FinishedAttempt};
use super::workers::{STOP_LIMIT, WorkerPool, WorkerState};
use crate::store::StoreResult;

/// Outcomes that are written without waiting for more.
const BATCH: usize = 256;
/// How long an outcome waits for others, so that they share a transaction.
const LINGER: Duration = Duration::from_millis(100);
/// Longest sleep. After it the wall clock is read again: it may have been set.
const LONGEST_SLEEP: Duration = Duration::from_mins(1);
/// Pause after an error of the store.
const STORE_PAUSE: Duration = Duration::from_secs(5);
/// How often old ended deliveries are deleted.
const FORGET_EVERY: Duration = Duration::from_hours(1);

/// Writes outcomes and queues what is due, until the stop.
pub(super) fn run(pool: &Arc<WorkerPool>, mut dispatcher: Dispatcher, keep: Duration) {
    let mut unwritten: Vec<FinishedAttempt> = Vec::new();
    let mut forget_at = Instant::now();
    let mut failing = false;
    // True once the stop was asked for and waited for: the outcomes that are taken then are the last ones.
    let mut stopped = false;
    loop {
        let changed = {
            let mut state = pool.lock();
            unwritten.append(&mut state.finished);
            state.finished_since = None;
            std::mem::take(&mut state.changed)
        };
        let result = dispatcher.record(&unwritten).and_then(|()| {
            unwritten.clear();
            if stopped { Ok(()) } else { refill(pool, &mut dispatcher, changed, keep, &mut forget_at) }
        });
        let mut pause = Duration::ZERO;
        if let Err(error) = &result {
            // `unwritten` is kept, and written when the store works again. An outage is logged elsewhere.
            if !failing && !error.is_outage() {
                tracing::error!(%error, "the outbox cannot be read or written; webhooks wait, and it is tried again every few seconds");
            }
            pool.lock().changed |= changed;
            pause = STORE_PAUSE;
        }
        failing = result.is_err();
        if stopped {
            return;
        }
        stopped = wait(pool, &dispatcher, forget_at, pause);
    }
}

/// Queues what is due, and deletes old ended deliveries if it is time.
fn refill(
    pool: &Arc<WorkerPool>,
    dispatcher: &mut Dispatcher,
    changed: bool,
    keep: Duration,
    forget_at: &mut Instant,
) -> StoreResult<()> {
    let now = pool.clock.now();
    if changed {
        pool.read_suspended()?;
    }
    let low = dispatcher.needing_refill(&pool.lock().scheduler);
    let update = dispatcher.load(now, &low, changed)?;
    let mut state = pool.lock();
    update.apply(&mut state.scheduler);
    pool.ensure_worker(&mut state);
    drop(state);
    if *forget_at <= Instant::now() {
        let keep_ms = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
        let more = dispatcher.forget_ended(now.millis().saturating_sub(keep_ms))?;
        *forget_at = Instant::now() + if more { Duration::ZERO } else { FORGET_EVERY };
    }
    Ok(())
}

/// Sleeps until the dispatcher has work, at least for `pause`. After a stop, waits for the attempts under way and
/// returns true.
fn wait(pool: &Arc<WorkerPool>, dispatcher: &Dispatcher, forget_at: Instant, pause: Duration) -> bool {
    let earliest = Instant::now() + pause;
    let mut stop_by: Option<Instant> = None;
    let mut state = pool.lock();
    loop {
        let at = Instant::now();
        let until = if state.stopping {
            let by = *stop_by.get_or_insert(at + STOP_LIMIT);
            if state.scheduler.in_flight() == 0 { at } else { by }
        } else {
            // An endpoint whose pause is over: nothing else would wake a worker for it.
            pool.ensure_worker(&mut state);
            next_wake(pool, &state, dispatcher, at).min(forget_at).max(earliest)
        };
        if until <= at {
            return state.stopping;
        }
        let waited = pool.dispatcher_wake.wait_timeout(state, until - at);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Returns when the dispatcher has work; `at` if it has some now.
fn next_wake(pool: &WorkerPool, state: &WorkerState, dispatcher: &Dispatcher, at: Instant) -> Instant {
    let now = pool.clock.now();
    if state.changed || state.finished.len() >= BATCH || dispatcher.has_work(&state.scheduler, now) {
        return at;
    }
    let written = state.finished_since.map(|since| since + LINGER);
    let due = dispatcher.next_due_ms(&state.scheduler);
    let due = due.map(|due| at + Duration::from_millis(due.saturating_sub(now.millis()).max(1)));
    let resumed = state.scheduler.next_resume(pool.began.elapsed()).map(|resume| pool.began + resume);
    [written, due, resumed].into_iter().flatten().fold(at + LONGEST_SLEEP, Instant::min)
}
