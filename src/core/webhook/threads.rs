//! The deliveries of a process: the thread of the dispatcher and the workers, from start to stop. Threads sleep until
//! they are woken, until the next retry is due, or until the stop.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::dispatcher::Dispatcher;
use super::dispatcher_thread;
use super::transport::Transport;
use super::workers::{STOP_LIMIT, WorkerPool};
use crate::base::defect::caught;
use crate::base::value::Clock;
use crate::store::{Store, StoreResult};

/// The deliveries of one process. Nothing is posted until [`start`](Self::start): a command without a
/// server only fills the outbox.
pub struct Deliveries {
    pool: Arc<WorkerPool>,
}

/// The running threads, to be ended by [`stop`](Self::stop).
pub struct Workers {
    pool: Arc<WorkerPool>,
    /// Never receives a message; disconnects when the dispatcher thread ends.
    dispatcher: Receiver<()>,
}

impl Deliveries {
    /// Returns the deliveries of this store. `clock` dates the attempts.
    pub fn new(store: Arc<Store>, clock: Clock) -> Deliveries {
        Deliveries { pool: Arc::new(WorkerPool::new(store, clock)) }
    }

    /// Starts to deliver, and deletes deliveries that ended longer than `keep` ago. `random` must be
    /// uniform over all of `u32`; it is the jitter of the retries. Fails if no thread can be started.
    pub fn start(
        &self,
        transport: Arc<dyn Transport>,
        keep: Duration,
        random: Box<dyn FnMut() -> u32 + Send>,
    ) -> std::io::Result<Workers> {
        self.pool.start(transport);
        let dispatcher = Dispatcher::new(Arc::clone(&self.pool.store), random);
        let pool = Arc::clone(&self.pool);
        let (running, ended) = channel();
        thread::Builder::new().name("outbox".to_owned()).spawn(move || {
            if let Err(defect) = caught(|| dispatcher_thread::run(&pool, dispatcher, keep)) {
                tracing::error!(%defect, "the outbox thread panicked; restart the server to deliver webhooks again");
            }
            drop(running);
        })?;
        Ok(Workers { pool: Arc::clone(&self.pool), dispatcher: ended })
    }

    /// Makes the dispatcher read the outbox and the subscriptions again. To be called after every commit
    /// that changes either.
    pub fn wake(&self) {
        self.pool.lock().changed = true;
        self.pool.dispatcher_wake.notify_one();
    }

    /// Reads which accounts are suspended. After it returns, no attempt to a suspended one starts. Fails
    /// if the store cannot be read; the dispatcher then tries again.
    pub fn accounts_changed(&self) -> StoreResult<()> {
        let read = self.pool.read_suspended();
        self.wake();
        read
    }

    /// The transport of the attempts; `None` if this process does not deliver.
    pub fn transport(&self) -> Option<Arc<dyn Transport>> {
        self.pool.transport()
    }
}

impl Workers {
    /// Stops: cuts the attempts under way, which then count as not made, and waits until the outcomes so
    /// far are written.
    pub fn stop(self) {
        self.pool.stop();
        // A running import may lock the store for longer; a delivery whose outcome is not written is repeated.
        if self.dispatcher.recv_timeout(2 * STOP_LIMIT) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!(
                "the stop did not wait for some webhook outcomes; those deliveries are repeated after the next start"
            );
        }
    }
}
