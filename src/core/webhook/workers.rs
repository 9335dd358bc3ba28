//! The workers, and the state that they share with the dispatcher: as many threads as there is work for, up to the
//! scheduler's limit, make attempts.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::dispatcher::FinishedAttempt;
use super::payload::Message;
use super::retry::AttemptOutcome;
use super::scheduler::{Job, MAX_IN_FLIGHT, Scheduler};
use super::signature::{message_id, sign};
use super::transport::{Post, Transport};
use crate::base::defect::caught;
use crate::base::value::Clock;
use crate::store::{Store, StoreResult};

/// How long a worker without work waits for more before its thread ends.
const IDLE: Duration = Duration::from_secs(30);
/// Pause between two tries to read a version during an outage of the disk.
const OUTAGE_PAUSE: Duration = Duration::from_millis(200);
/// How long the dispatcher waits, once the service stops, for attempts that were cut.
pub(super) const STOP_LIMIT: Duration = Duration::from_secs(2);

/// What the dispatcher and the workers share.
pub(super) struct WorkerPool {
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

impl WorkerPool {
    /// A pool without a worker. `clock` dates the attempts.
    pub(super) fn new(store: Arc<Store>, clock: Clock) -> WorkerPool {
        WorkerPool {
            store,
            clock,
            began: Instant::now(),
            state: Mutex::default(),
            suspension: Mutex::default(),
            dispatcher_wake: Condvar::new(),
            worker_wake: Condvar::new(),
        }
    }

    /// Lets the attempts be made with this transport.
    pub(super) fn start(&self, transport: Arc<dyn Transport>) {
        let mut state = self.lock();
        state.transport = Some(transport);
        state.changed = true;
    }

    /// Ends the workers, and cuts the attempts under way.
    pub(super) fn stop(&self) {
        let transport = {
            let mut state = self.lock();
            state.stopping = true;
            state.transport.clone()
        };
        self.worker_wake.notify_all();
        self.dispatcher_wake.notify_one();
        if let Some(transport) = transport {
            transport.shut_down();
        }
    }

    /// The transport of the attempts; `None` before the start.
    pub(super) fn transport(&self) -> Option<Arc<dyn Transport>> {
        self.lock().transport.clone()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, WorkerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// If a delivery may go out now, wakes an idle worker or starts one.
    pub(super) fn ensure_worker(self: &Arc<WorkerPool>, state: &mut WorkerState) {
        if state.stopping || !state.scheduler.is_ready(self.began.elapsed()) {
            return;
        }
        if state.idle > 0 {
            self.worker_wake.notify_one();
        } else if state.threads < MAX_IN_FLIGHT {
            let pool = Arc::clone(self);
            match thread::Builder::new().name("webhook".to_owned()).spawn(move || worker_loop(&pool)) {
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

    /// Reads the version, or the notice, and returns its message. Waits for the end of an outage of the disk, which must
    /// not count as a failure of the endpoint.
    fn message(&self, version: u64) -> StoreResult<Message> {
        loop {
            match Message::of(&self.store, version) {
                Err(error) if error.is_outage() && !self.lock().stopping => thread::sleep(OUTAGE_PAUSE),
                message => return message,
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
                tracing::error!(%error, version = job.version, "a rule version or notice could not be read; its webhook is not sent");
                AttemptOutcome::Unsendable(error.to_string())
            }
        }
    }

    /// Reports the end of an attempt to the scheduler and to the dispatcher.
    fn finish(self: &Arc<WorkerPool>, state: &mut WorkerState, job: &Job, outcome: AttemptOutcome, took: Duration) {
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
fn worker_loop(pool: &Arc<WorkerPool>) {
    let mut state = pool.lock();
    while !state.stopping {
        let (Some(transport), Some(job)) = (state.transport.clone(), state.scheduler.take(pool.began.elapsed())) else {
            state.idle += 1;
            let waited = pool.worker_wake.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            state.idle -= 1;
            if waited.1.timed_out() && !state.scheduler.is_ready(pool.began.elapsed()) {
                break;
            }
            continue;
        };
        pool.ensure_worker(&mut state);
        drop(state);
        let began = Instant::now();
        // A panic of the transport must cost neither the delivery nor the thread.
        let outcome = caught(|| pool.attempt(transport.as_ref(), &job)).unwrap_or_else(|defect| {
            tracing::error!(subscription = job.subscription.id(), %defect, "an attempt to post a webhook panicked");
            AttemptOutcome::not_connected("the transport failed")
        });
        state = pool.lock();
        pool.finish(&mut state, &job, outcome, began.elapsed());
    }
    state.threads -= 1;
    pool.dispatcher_wake.notify_one();
}
