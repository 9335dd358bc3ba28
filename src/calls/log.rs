//! Calls on their way to the log: a bounded queue, filled by calls and emptied by the
//! [writer](super::writer), and what is known of how the writing goes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::meter::Call;

/// Most that calls may hold while they wait for the writer, in bytes.
const MAX_QUEUED_BYTES: usize = 32 * 1024 * 1024;
/// Bytes at which the writer does not wait for its time.
const HURRY_BYTES: usize = MAX_QUEUED_BYTES / 4;
/// What a call holds beside its payload and path.
const CALL_BYTES: usize = 160;

#[derive(Default)]
struct Queue {
    calls: Vec<(Arc<str>, Arc<Call>)>,
    bytes: usize,
    stopping: bool,
}

/// The queue and its state.
#[derive(Default)]
pub struct CallLog {
    queue: Mutex<Queue>,
    /// Told when there is much to write, and when the writer is to stop.
    wake: Condvar,
    lost: AtomicU64,
    /// Calls that the writer has taken and not yet written.
    staged: AtomicU64,
    failing: AtomicBool,
}

/// How the log does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogState {
    /// Calls that are answered and not yet written.
    pub pending: u64,
    /// Calls that could not be written and are only counted, since the start.
    pub lost: u64,
    /// True while the file refuses what is to be written.
    pub failing: bool,
}

/// Calls taken from the queue, each with its account, and whether the writer is to stop.
pub(super) type Taken = (Vec<(Arc<str>, Arc<Call>)>, bool);

impl CallLog {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a call into the queue; where the queue is full the call is lost to the log, and
    /// counted as lost.
    pub(super) fn push(&self, client_id: &Arc<str>, call: &Arc<Call>) {
        let bytes = CALL_BYTES + call.payload.len() + call.path.len();
        let mut queue = self.lock();
        if queue.bytes + bytes > MAX_QUEUED_BYTES {
            drop(queue);
            self.lose(1);
            return;
        }
        queue.bytes += bytes;
        queue.calls.push((Arc::clone(client_id), Arc::clone(call)));
        if queue.bytes >= HURRY_BYTES {
            self.wake.notify_one();
        }
    }

    /// Counts calls that will not be written.
    pub(super) fn lose(&self, calls: u64) {
        self.lost.fetch_add(calls, Ordering::Relaxed);
    }

    /// Waits until it is time to write, then takes what there is.
    pub(super) fn take(&self, wait: Duration) -> Taken {
        let waiting = |queue: &mut Queue| !queue.stopping && queue.bytes < HURRY_BYTES;
        let (mut queue, _) =
            self.wake.wait_timeout_while(self.lock(), wait, waiting).unwrap_or_else(PoisonError::into_inner);
        queue.bytes = 0;
        // While the queue is held, so that no call is ever in neither of the two.
        self.staged.fetch_add(queue.calls.len() as u64, Ordering::Relaxed);
        (std::mem::take(&mut queue.calls), queue.stopping)
    }

    /// Asks the writer to write what there is and to stop.
    pub(super) fn stop(&self) {
        self.lock().stopping = true;
        self.wake.notify_all();
    }

    /// Notes how far the writer has come.
    pub(super) fn note(&self, staged: usize, failing: bool) {
        self.staged.store(staged as u64, Ordering::Relaxed);
        self.failing.store(failing, Ordering::Relaxed);
    }

    /// How the log does.
    #[must_use]
    pub fn state(&self) -> LogState {
        let queue = self.lock();
        LogState {
            pending: queue.calls.len() as u64 + self.staged.load(Ordering::Relaxed),
            lost: self.lost.load(Ordering::Relaxed),
            failing: self.failing.load(Ordering::Relaxed),
        }
    }
}
