//! The thread that writes the call log.
//!
//! It takes the answered calls in short rounds and [stages](super::staged) them. Every half second it writes what is
//! staged, with the totals of the accounts, in one transaction. While a publication is being written, or the disk
//! refuses, calls stay in memory up to a bound. Beyond it they are lost to the log; totals stay exact.

use std::thread;
use std::time::{Duration, Instant};

use super::Calls;
use super::staged::Staged;
use crate::store::{Store, StoreError, StoreResult};

/// Time between two writes: a killed process loses the calls of this time and of one write.
const INTERVAL: Duration = Duration::from_millis(500);
/// Time in which calls are gathered. It is short: the processor's cache still has them when they are staged, and no
/// round takes a processor from the calls for long.
const ROUND: Duration = Duration::from_millis(50);
/// Time of staging after which the processor is given up for a moment: a call that is ready would wait for the whole slice
/// of this thread, some 3 ms.
const TURN: Duration = Duration::from_micros(100);
/// Calls that are staged between two looks at the clock.
const CALLS_A_LOOK: usize = 32;
/// Longest pause after a refused write. Each refused write closes the data file to readers for a moment; a longer pause
/// would delay the log after the disk works again.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// Time between two rounds of pruning.
const PRUNE_INTERVAL: Duration = Duration::from_mins(10);
/// Most blocks removed in one transaction.
const PRUNE_BLOCKS: usize = 2_000;

impl Calls {
    /// Writes the log on this thread until [`stop_log`](Self::stop_log) and until everything is written. Calls older than
    /// `keep` are removed; their totals stay. The thread is best one of lower priority than those that answer.
    pub fn run_log(&self, store: &Store, keep: Duration) {
        let mut staged = Staged::default();
        let mut health = Health::default();
        let mut pruned: Option<Instant> = None;
        let mut tried = Instant::now();
        loop {
            let (taken, stopping) = self.log.take(INTERVAL.saturating_sub(tried.elapsed()), ROUND);
            let mut turn = Instant::now();
            for calls in taken.chunks(CALLS_A_LOOK) {
                staged.add(self, calls);
                if turn.elapsed() >= TURN {
                    thread::yield_now();
                    turn = Instant::now();
                }
            }
            drop(taken);
            if !stopping && tried.elapsed() < INTERVAL {
                continue;
            }
            let now = Instant::now();
            let wrote = if staged.is_empty() {
                Ok(Some(()))
            } else if stopping {
                write_last(self, store, &mut staged)
            } else if health.is_paused() {
                Ok(None)
            } else {
                write(self, store, &staged, false)
            };
            match &wrote {
                Ok(Some(())) => staged = Staged::default(),
                Ok(None) => {}
                Err(_) => staged.note_failure(),
            }
            // What gives way to a publication or an outage is tried again in the next round: were it half a second later,
            // publications that follow one another could keep the calls of many from being written.
            let gave_way = matches!(wrote, Ok(None));
            if !gave_way {
                tried = now;
            }
            health.note(wrote);
            self.log.note(staged.calls(), health.failing);
            if stopping {
                if staged.calls() > 0 {
                    tracing::error!(calls = staged.calls(), "calls were answered that could not be logged");
                }
                return;
            }
            if pruned.is_none_or(|at| at.elapsed() >= PRUNE_INTERVAL) && !health.failing && !gave_way {
                pruned = prune_round(self, store, keep);
            }
        }
    }

    /// Removes a bounded number of logged calls that are older than `keep`. True if there may be more.
    pub fn prune_log(&self, store: &Store, keep: Duration) -> StoreResult<bool> {
        let keep_ms = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
        let before_ms = self.age_now_ms().saturating_sub(keep_ms);
        let clients = self.clients();
        let removed = store.write_calls(false, |writer| {
            let mut room = PRUNE_BLOCKS;
            for client in &clients {
                let (blocks, last_seq) = writer.prune(&client.client_id, before_ms, room)?;
                room -= blocks;
                if let Some(last_seq) = last_seq {
                    client.meter.lock().pruned = last_seq;
                    writer.put_meter(&client.client_id, &client.meter.kept()?)?;
                }
            }
            Ok(PRUNE_BLOCKS - room)
        })?;
        if let Some(blocks) = removed.filter(|blocks| *blocks > 0) {
            tracing::info!(blocks, "old calls were removed from the call log");
        }
        Ok(removed.is_none_or(|blocks| blocks == PRUNE_BLOCKS))
    }
}

struct Health {
    failing: bool,
    /// True if the failure was logged. An outage is not logged here: it is logged once for all that it stops.
    logged: bool,
    pause: Duration,
    paused_until: Option<Instant>,
}

impl Default for Health {
    fn default() -> Health {
        Health { failing: false, logged: false, pause: INTERVAL, paused_until: None }
    }
}

impl Health {
    fn is_paused(&self) -> bool {
        self.paused_until.is_some_and(|until| Instant::now() < until)
    }

    /// Notes what came of a write: `None` if there was none.
    fn note(&mut self, wrote: StoreResult<Option<()>>) {
        match wrote {
            Ok(Some(())) => {
                if self.logged {
                    tracing::info!("the call log can be written again");
                }
                *self = Health::default();
            }
            Ok(None) => {}
            Err(error) => {
                self.failing = true;
                if !error.is_outage() && !self.logged {
                    self.logged = true;
                    tracing::error!(%error, "the call log cannot be written; calls are still answered and counted");
                }
                // This write began the outage. One that is refused because of it costs nothing, and is tried again.
                if error.is_outage() && !matches!(error, StoreError::Outage(_)) {
                    self.paused_until = Some(Instant::now() + self.pause);
                    self.pause = (2 * self.pause).min(LONGEST_PAUSE);
                }
            }
        }
    }
}

/// Writes what is left before the stop. There is no later try, so after an outage the file is opened again first.
fn write_last(calls: &Calls, store: &Store, staged: &mut Staged) -> StoreResult<Option<()>> {
    let wrote = write(calls, store, staged, true);
    if !wrote.as_ref().is_err_and(StoreError::is_outage) {
        return wrote;
    }
    staged.note_failure();
    store.reopen(|| ()).and_then(|()| write(calls, store, staged, true))
}

/// One round of pruning. Returns when it was done; `None` if another one should follow at once, so that calls wait
/// for a short transaction only.
fn prune_round(calls: &Calls, store: &Store, keep: Duration) -> Option<Instant> {
    match calls.prune_log(store, keep) {
        Ok(true) => None,
        Ok(false) => Some(Instant::now()),
        Err(error) if error.is_outage() => None,
        Err(error) => {
            tracing::warn!(%error, "old calls could not be removed from the call log");
            Some(Instant::now())
        }
    }
}

/// Writes the staged calls. `None`, and nothing is written, while a publication is being written.
fn write(calls: &Calls, store: &Store, staged: &Staged, wait: bool) -> StoreResult<Option<()>> {
    store.write_calls(wait, |writer| staged.write(calls, writer))
}
