//! The thread of the dispatcher: when it reads the outbox, when it writes outcomes, how long it sleeps.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::dispatcher::{Dispatcher, FinishedAttempt};
use super::workers::{STOP_LIMIT, Shared, WorkerState};
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
pub(super) fn run(shared: &Arc<Shared>, mut dispatcher: Dispatcher, keep: Duration) {
    let mut unwritten: Vec<FinishedAttempt> = Vec::new();
    let mut forget_at = Instant::now();
    let mut failing = false;
    loop {
        let (changed, stopping) = {
            let mut state = shared.lock();
            unwritten.append(&mut state.finished);
            state.finished_since = None;
            (std::mem::take(&mut state.changed), state.stopping)
        };
        let result = dispatcher.record(&unwritten).and_then(|()| {
            unwritten.clear();
            if stopping { Ok(()) } else { refill(shared, &mut dispatcher, changed, keep, &mut forget_at) }
        });
        let mut pause = Duration::ZERO;
        if let Err(error) = &result {
            // `unwritten` is kept, and written when the store works again. An outage is logged elsewhere.
            if !failing && !error.is_outage() {
                tracing::error!(%error, "the outbox cannot be read or written; webhooks wait, and it is tried again every few seconds");
            }
            shared.lock().changed |= changed;
            pause = STORE_PAUSE;
        }
        failing = result.is_err();
        if stopping {
            return;
        }
        wait(shared, &dispatcher, forget_at, pause);
    }
}

/// Queues what is due, and deletes old ended deliveries if it is time.
fn refill(
    shared: &Arc<Shared>,
    dispatcher: &mut Dispatcher,
    changed: bool,
    keep: Duration,
    forget_at: &mut Instant,
) -> StoreResult<()> {
    let now = shared.clock.now();
    if changed {
        shared.read_suspended()?;
    }
    let low = dispatcher.needing_refill(&shared.lock().scheduler);
    let update = dispatcher.load(now, &low, changed)?;
    let mut state = shared.lock();
    update.apply(&mut state.scheduler);
    shared.ensure_worker(&mut state);
    drop(state);
    if *forget_at <= Instant::now() {
        let keep_ms = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
        let more = dispatcher.forget_ended(now.millis().saturating_sub(keep_ms))?;
        *forget_at = Instant::now() + if more { Duration::ZERO } else { FORGET_EVERY };
    }
    Ok(())
}

/// Sleeps until the dispatcher has work, at least for `pause`.
fn wait(shared: &Arc<Shared>, dispatcher: &Dispatcher, forget_at: Instant, pause: Duration) {
    let earliest = Instant::now() + pause;
    let mut stop_by: Option<Instant> = None;
    let mut state = shared.lock();
    loop {
        let at = Instant::now();
        let until = if state.stopping {
            let by = *stop_by.get_or_insert(at + STOP_LIMIT);
            if state.scheduler.in_flight() == 0 { at } else { by }
        } else {
            // An endpoint whose pause is over: nothing else would wake a worker for it.
            shared.ensure_worker(&mut state);
            next_wake(shared, &state, dispatcher, at).min(forget_at).max(earliest)
        };
        if until <= at {
            return;
        }
        let waited = shared.dispatcher_wake.wait_timeout(state, until - at);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Returns when the dispatcher has work; `at` if it has some now.
fn next_wake(shared: &Shared, state: &WorkerState, dispatcher: &Dispatcher, at: Instant) -> Instant {
    let now = shared.clock.now();
    if state.changed || state.finished.len() >= BATCH || dispatcher.has_work(&state.scheduler, now) {
        return at;
    }
    let written = state.finished_since.map(|since| since + LINGER);
    let due = dispatcher.next_due_ms(&state.scheduler);
    let due = due.map(|due| at + Duration::from_millis(due.saturating_sub(now.millis()).max(1)));
    let resumed = state.scheduler.next_resume(shared.began.elapsed()).map(|resume| shared.began + resume);
    [written, due, resumed].into_iter().flatten().fold(at + LONGEST_SLEEP, Instant::min)
}
