//! The queue of calls for the log, emptied by the [writer](super::writer), and the state of the writing. The queue is
//! bounded: a call that finds it full is lost to the log, and still counted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::meter::Call;

/// Most memory of queued calls, in bytes.
const MAX_QUEUED_BYTES: usize = 32 * 1024 * 1024;
/// Bytes at which the writer is woken early.
const HURRY_BYTES: usize = MAX_QUEUED_BYTES / 4;
/// Memory of a call beside its payload and path.
const CALL_BYTES: usize = 160;

#[derive(Default)]
struct Queue {
    calls: Vec<(Arc<str>, Arc<Call>)>,
    bytes: usize,
    stopping: bool,
}

/// The queue and the state of the writing.
#[derive(Default)]
pub struct CallLog {
    queue: Mutex<Queue>,
    /// Notified when there is much to write, and when the writer must stop.
    wake: Condvar,
    lost: AtomicU64,
    /// Calls that the writer has taken and not written yet.
    staged: AtomicU64,
    failing: AtomicBool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogState {
    /// Calls that are answered and not written yet.
    pub pending: u64,
    /// Calls since the start that are counted and missing from the log.
    pub lost: u64,
    /// True while the log cannot be written.
    pub failing: bool,
}

/// Calls taken from the queue, each with its account, and whether the writer must stop.
pub(super) type Taken = (Vec<(Arc<str>, Arc<Call>)>, bool);

impl CallLog {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a call, or counts it as lost if the queue is full.
    pub(super) fn push(&self, client_id: &Arc<str>, call: &Arc<Call>) {
        let bytes = CALL_BYTES + call.payload.bytes().len() + call.path.len();
        let mut queue = self.lock();
        if queue.bytes + bytes > MAX_QUEUED_BYTES {
            drop(queue);
            self.lose(1);
            return;
        }
        queue.bytes += bytes;
        queue.calls.push((Arc::clone(client_id), Arc::clone(call)));
        if queue.calls.len() == 1 || queue.bytes >= HURRY_BYTES {
            self.wake.notify_one();
        }
    }

    /// Counts calls that will not be written.
    pub(super) fn lose(&self, calls: u64) {
        self.lost.fetch_add(calls, Ordering::Relaxed);
    }

    /// Waits for a call, for `wait` at most. Then lets more come until `round` is over or they are many, and takes all.
    pub(super) fn take(&self, wait: Duration, round: Duration) -> Taken {
        let none = |queue: &mut Queue| !queue.stopping && queue.calls.is_empty();
        let few = |queue: &mut Queue| !queue.stopping && queue.bytes < HURRY_BYTES;
        let (queue, _) = self.wake.wait_timeout_while(self.lock(), wait, none).unwrap_or_else(PoisonError::into_inner);
        let (mut queue, _) = self.wake.wait_timeout_while(queue, round, few).unwrap_or_else(PoisonError::into_inner);
        queue.bytes = 0;
        // While the queue is locked, so that every call is counted in one of both.
        self.staged.fetch_add(queue.calls.len() as u64, Ordering::Relaxed);
        (std::mem::take(&mut queue.calls), queue.stopping)
    }

    /// Asks the writer to write everything that is queued, and to stop.
    pub(super) fn stop(&self) {
        self.lock().stopping = true;
        self.wake.notify_all();
    }

    pub(super) fn note(&self, staged: usize, failing: bool) {
        self.staged.store(staged as u64, Ordering::Relaxed);
        self.failing.store(failing, Ordering::Relaxed);
    }

    pub fn state(&self) -> LogState {
        let queue = self.lock();
        LogState {
            pending: queue.calls.len() as u64 + self.staged.load(Ordering::Relaxed),
            lost: self.lost.load(Ordering::Relaxed),
            failing: self.failing.load(Ordering::Relaxed),
        }
    }
}
