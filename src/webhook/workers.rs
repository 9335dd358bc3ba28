//! The threads that deliver, and the state that they share.
//!
//! One thread runs the dispatcher; as many workers as there is work for, up to the scheduler's limit,
//! make attempts. Threads sleep until they are woken, until the next retry is due, or until the stop.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::dispatcher::{Dispatcher, FinishedAttempt};
use super::dispatcher_thread;
use super::payload::Message;
use super::retry::AttemptOutcome;
use super::scheduler::{Job, MAX_IN_FLIGHT, Scheduler};
use super::signature::{message_id, sign};
use super::transport::{Post, Transport};
use crate::defect::caught;
use crate::store::{Store, StoreResult};
use crate::value::Clock;

/// How long a worker without work waits for more before its thread ends.
const IDLE: Duration = Duration::from_secs(30);
/// Pause between two tries to read a version during an outage of the disk.
const OUTAGE_PAUSE: Duration = Duration::from_millis(200);
/// How long the dispatcher waits, once the service stops, for attempts that were cut.
pub(super) const STOP_LIMIT: Duration = Duration::from_secs(2);

/// What all threads share.
pub(super) struct Shared {
    pub(super) store: Arc<Store>,
    pub(super) clock: Clock,
    /// The instant from which the scheduler's times are counted: it must not see the wall clock jump.
    pub(super) began: Instant,
    state: Mutex<WorkerState>,
    /// Locked while the suspended accounts are read and passed on, so that of two concurrent changes the
    /// later one wins. Separate from `state`, so that no worker waits for the disk.
    suspension: Mutex<()>,
    /// Wakes the dispatcher.
    pub(super) dispatcher_wake: Condvar,
    /// Wakes an idle worker.
    worker_wake: Condvar,
}

/// The part that the threads change, under one lock.
#[derive(Default)]
pub(super) struct WorkerState {
    pub(super) scheduler: Scheduler,
    /// Attempts whose outcome the dispatcher has not taken yet.
    pub(super) finished: Vec<FinishedAttempt>,
    /// When the first of `finished` ended: from then on the dispatcher waits only briefly for more.
    pub(super) finished_since: Option<Instant>,
    /// True if the outbox or the subscriptions changed since the dispatcher last read them.
    pub(super) changed: bool,
    pub(super) stopping: bool,
    /// `None` until the deliveries start: without it no worker can make an attempt.
    transport: Option<Arc<dyn Transport>>,
    /// Worker threads, idle ones included. Bounded by [`MAX_IN_FLIGHT`].
    threads: usize,
    /// Workers that wait for `worker_wake`. While there is one, no thread is started.
    idle: usize,
}

/// The deliveries of one process. Nothing is posted until [`start`](Self::start): a command without a
/// server only fills the outbox.
pub struct Deliveries {
    shared: Arc<Shared>,
}

/// The running threads, to be ended by [`stop`](Self::stop).
pub struct Workers {
    shared: Arc<Shared>,
    /// Never receives a message; disconnects when the dispatcher thread ends.
    dispatcher: Receiver<()>,
}

impl Deliveries {
    /// Returns the deliveries of this store. `clock` dates the attempts.
    #[must_use]
    pub fn new(store: Arc<Store>, clock: Clock) -> Deliveries {
        Deliveries {
            shared: Arc::new(Shared {
                store,
                clock,
                began: Instant::now(),
                state: Mutex::default(),
                suspension: Mutex::default(),
                dispatcher_wake: Condvar::new(),
                worker_wake: Condvar::new(),
            }),
        }
    }

    /// Starts to deliver, and deletes deliveries that ended longer than `keep` ago. `random` must be
    /// uniform over all of `u32`; it is the jitter of the retries. Fails if no thread can be started.
    pub fn start(
        &self,
        transport: Arc<dyn Transport>,
        keep: Duration,
        random: Box<dyn FnMut() -> u32 + Send>,
    ) -> std::io::Result<Workers> {
        {
            let mut state = self.shared.lock();
            state.transport = Some(transport);
            state.changed = true;
        }
        let dispatcher = Dispatcher::new(Arc::clone(&self.shared.store), random);
        let shared = Arc::clone(&self.shared);
        let (running, ended) = channel();
        thread::Builder::new().name("outbox".to_owned()).spawn(move || {
            if let Err(defect) = caught(|| dispatcher_thread::run(&shared, dispatcher, keep)) {
                tracing::error!(%defect, "the outbox thread panicked; restart the server to deliver webhooks again");
            }
            drop(running);
        })?;
        Ok(Workers { shared: Arc::clone(&self.shared), dispatcher: ended })
    }

    /// Makes the dispatcher read the outbox and the subscriptions again. To be called after every commit
    /// that changes either.
    pub fn wake(&self) {
        self.shared.lock().changed = true;
        self.shared.dispatcher_wake.notify_one();
    }

    /// Reads which accounts are suspended. After it returns, no attempt to a suspended one starts. Fails
    /// if the store cannot be read; the dispatcher then tries again.
    pub fn accounts_changed(&self) -> StoreResult<()> {
        let read = self.shared.read_suspended();
        self.wake();
        read
    }

    /// The transport of the attempts; `None` if this process does not deliver.
    #[must_use]
    pub fn transport(&self) -> Option<Arc<dyn Transport>> {
        self.shared.lock().transport.clone()
    }
}

impl Workers {
    /// Stops: cuts the attempts under way, which then count as not made, and waits until the outcomes so
    /// far are written.
    pub fn stop(self) {
        let transport = {
            let mut state = self.shared.lock();
            state.stopping = true;
            state.transport.clone()
        };
        self.shared.worker_wake.notify_all();
        self.shared.dispatcher_wake.notify_one();
        if let Some(transport) = transport {
            transport.shut_down();
        }
        // A running import may lock the store for longer; a delivery whose outcome is not written is repeated.
        if self.dispatcher.recv_timeout(2 * STOP_LIMIT) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!(
                "the stop did not wait for some webhook outcomes; those deliveries are repeated after the next start"
            );
        }
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, WorkerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// If a delivery may go out now, wakes an idle worker or starts one.
    pub(super) fn ensure_worker(self: &Arc<Shared>, state: &mut WorkerState) {
        if state.stopping || !state.scheduler.is_ready(self.began.elapsed()) {
            return;
        }
        if state.idle > 0 {
            self.worker_wake.notify_one();
        } else if state.threads < MAX_IN_FLIGHT {
            let shared = Arc::clone(self);
            match thread::Builder::new().name("webhook".to_owned()).spawn(move || worker_loop(&shared)) {
                Ok(_) => state.threads += 1,
                // The other workers go on, and each tries this again after its attempt.
                Err(error) => tracing::warn!(%error, "a thread for webhooks could not be started"),
            }
        }
    }

    /// Passes the suspended accounts to the scheduler.
    pub(super) fn read_suspended(&self) -> StoreResult<()> {
        let _one_at_a_time = self.suspension.lock().unwrap_or_else(PoisonError::into_inner);
        let suspended = self.store.suspended_accounts()?;
        self.lock().scheduler.set_suspended(suspended);
        Ok(())
    }

    /// Reads the version and returns its message. Waits for the end of an outage of the disk, which must
    /// not count as a failure of the endpoint.
    fn message(&self, version: u64) -> StoreResult<Message> {
        loop {
            let record = self.store.read_journal().and_then(|journal| journal.record(version));
            match record {
                Err(error) if error.is_outage() && !self.lock().stopping => thread::sleep(OUTAGE_PAUSE),
                record => return Message::of_record(&record?),
            }
        }
    }

    fn attempt(&self, transport: &dyn Transport, job: &Job) -> AttemptOutcome {
        match self.message(job.version) {
            Ok(message) => {
                let id = message_id(&job.subscription.id(), &message.rule_id);
                let headers = sign(&job.subscription, &id, &message.body, self.clock.now());
                transport.post(&Post { url: &job.subscription.url, headers: &headers, body: &message.body })
            }
            Err(error) => {
                tracing::error!(%error, version = job.version, "a rule version could not be read; its webhook is not sent");
                AttemptOutcome::Unsendable(error.to_string())
            }
        }
    }

    /// Reports the end of an attempt to the scheduler and to the dispatcher.
    fn finish(self: &Arc<Shared>, state: &mut WorkerState, job: &Job, outcome: AttemptOutcome, took: Duration) {
        let subscription = job.subscription.number;
        state.scheduler.done(subscription, self.began.elapsed(), took, outcome.is_delivered());
        // An attempt that the stop cut counts as not made: it is due again after the restart.
        if !state.stopping || matches!(outcome, AttemptOutcome::Answered(_)) {
            let (version, attempts) = (job.version, job.attempts + 1);
            state.finished.push(FinishedAttempt { subscription, version, attempts, outcome, at: self.clock.now() });
            state.finished_since.get_or_insert_with(Instant::now);
        }
        self.ensure_worker(state);
        self.dispatcher_wake.notify_one();
    }
}

/// Makes the attempts that the scheduler gives out, until there has been none for [`IDLE`].
fn worker_loop(shared: &Arc<Shared>) {
    let mut state = shared.lock();
    while !state.stopping {
        let (Some(transport), Some(job)) = (state.transport.clone(), state.scheduler.take(shared.began.elapsed()))
        else {
            state.idle += 1;
            let waited = shared.worker_wake.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            state.idle -= 1;
            if waited.1.timed_out() && !state.scheduler.is_ready(shared.began.elapsed()) {
                break;
            }
            continue;
        };
        shared.ensure_worker(&mut state);
        drop(state);
        let began = Instant::now();
        // A panic of the transport must cost neither the delivery nor the thread.
        let outcome = caught(|| shared.attempt(transport.as_ref(), &job)).unwrap_or_else(|defect| {
            tracing::error!(subscription = job.subscription.id(), %defect, "an attempt to post a webhook panicked");
            AttemptOutcome::not_connected("the transport failed")
        });
        state = shared.lock();
        shared.finish(&mut state, &job, outcome, began.elapsed());
    }
    state.threads -= 1;
    shared.dispatcher_wake.notify_one();
}
