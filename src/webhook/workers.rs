//! The threads that deliver: one between outbox and lanes, and as many that post as there is
//! work for.
//!
//! Nobody polls: threads sleep until there is work, until the next retry is due, or until they
//! are told to stop.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::dispatcher::{Dispatcher, FinishedAttempt};
use super::payload::Message;
use super::retry::AttemptOutcome;
use super::scheduler::{Job, MAX_IN_FLIGHT, Scheduler};
use super::signature::{message_id, sign};
use super::transport::{Post, Transport};
use crate::defect::caught;
use crate::store::{Store, StoreResult};
use crate::value::Clock;

/// Outcomes that are written without waiting for more.
const BATCH: usize = 256;
/// How long an outcome waits for others to be written with it.
const LINGER: Duration = Duration::from_millis(100);
/// How long a posting thread without work waits for more before it ends.
const IDLE: Duration = Duration::from_secs(30);
/// Longest sleep of the desk's thread: by then it looks at the clock, which may have been set.
const LONGEST_SLEEP: Duration = Duration::from_mins(1);
/// Pause after the store refused.
const STORE_PAUSE: Duration = Duration::from_secs(5);
/// Time between two tries to read what is to be posted while the disk refuses it.
const OUTAGE_PAUSE: Duration = Duration::from_millis(200);
/// How often ended deliveries are looked through for old ones.
const FORGET_EVERY: Duration = Duration::from_hours(1);
/// How long a stop waits for attempts that it has cut.
const STOP_LIMIT: Duration = Duration::from_secs(2);

/// What the threads share.
struct Shared {
    store: Arc<Store>,
    clock: Clock,
    /// What the lanes count their time from.
    began: Instant,
    board: Mutex<WorkerState>,
    /// Wakes the desk's thread.
    dispatcher_wake: Condvar,
    /// Wakes posting threads.
    worker_wake: Condvar,
}

#[derive(Default)]
struct WorkerState {
    scheduler: Scheduler,
    finished: Vec<FinishedAttempt>,
    /// When the first of `finished` was over.
    finished_since: Option<Instant>,
    /// The outbox or the subscriptions changed.
    changed: bool,
    stopping: bool,
    transport: Option<Arc<dyn Transport>>,
    threads: usize,
    idle: usize,
}

/// The deliveries of one process. Until [`start`](Self::start) nothing is posted: a command
/// without a server only fills the outbox.
pub struct Deliveries {
    shared: Arc<Shared>,
}

/// The running threads; [`stop`](Self::stop) ends them.
pub struct Workers {
    shared: Arc<Shared>,
    /// Says nothing, and ends with the desk's thread.
    dispatcher: Receiver<()>,
}

impl Deliveries {
    /// The deliveries of this store, dated by this clock.
    #[must_use]
    pub fn new(store: Arc<Store>, clock: Clock) -> Deliveries {
        let board = Mutex::default();
        let (began, dispatcher_wake, worker_wake) = (Instant::now(), Condvar::new(), Condvar::new());
        Deliveries { shared: Arc::new(Shared { store, clock, began, board, dispatcher_wake, worker_wake }) }
    }

    /// Begins to deliver, and forgets what ended longer than `keep` ago. `random`, uniform over
    /// all of `u32`, spreads the retries.
    pub fn start(
        &self,
        transport: Arc<dyn Transport>,
        keep: Duration,
        random: Box<dyn FnMut() -> u32 + Send>,
    ) -> std::io::Result<Workers> {
        {
            let mut board = self.shared.lock();
            board.transport = Some(transport);
            board.changed = true;
        }
        let dispatcher = Dispatcher::new(Arc::clone(&self.shared.store), random);
        let shared = Arc::clone(&self.shared);
        let (running, ended) = channel();
        thread::Builder::new().name("outbox".to_owned()).spawn(move || {
            if let Err(defect) = caught(|| dispatcher_loop(&shared, dispatcher, keep)) {
                tracing::error!(%defect, "the outbox thread panicked; webhooks go on after a restart of the server");
            }
            drop(running);
        })?;
        Ok(Workers { shared: Arc::clone(&self.shared), dispatcher: ended })
    }

    /// Says that the outbox or the subscriptions changed: after a publication has been
    /// committed, and after a command that touched either.
    pub fn wake(&self) {
        self.shared.lock().changed = true;
        self.shared.dispatcher_wake.notify_one();
    }

    /// Says that an account was suspended or resumed: when this returns, no attempt begins to a
    /// suspended one.
    pub fn accounts_changed(&self) -> StoreResult<()> {
        let known = self.shared.read_suspended(&mut self.shared.lock());
        // Also where that failed: the desk tries again.
        self.wake();
        known
    }

    /// What makes the attempts of this process, where it delivers.
    #[must_use]
    pub fn transport(&self) -> Option<Arc<dyn Transport>> {
        self.shared.lock().transport.clone()
    }
}

impl Workers {
    /// Stops: what is under way is cut and counts as not tried, what is known is written.
    pub fn stop(self) {
        let transport = {
            let mut board = self.shared.lock();
            board.stopping = true;
            board.transport.clone()
        };
        self.shared.worker_wake.notify_all();
        self.shared.dispatcher_wake.notify_one();
        if let Some(transport) = transport {
            transport.shut_down();
        }
        // An import that is being written holds the store; what is not written is sent again.
        if self.dispatcher.recv_timeout(2 * STOP_LIMIT) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("some outcomes of deliveries could not be written before the stop");
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WorkerState> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees to it that a thread looks at the lanes, where one has something ready.
    fn ensure_worker(self: &Arc<Shared>, board: &mut WorkerState) {
        if board.stopping || !board.scheduler.is_ready(self.began.elapsed()) {
            return;
        }
        if board.idle > 0 {
            self.worker_wake.notify_one();
        } else if board.threads < MAX_IN_FLIGHT {
            let shared = Arc::clone(self);
            match thread::Builder::new().name("webhook".to_owned()).spawn(move || worker_loop(&shared)) {
                Ok(_) => board.threads += 1,
                // Those that there are go on; the next one that is done tries again.
                Err(error) => tracing::warn!(%error, "a thread that posts webhooks could not be started"),
            }
        }
    }

    /// What is to be posted of a version. Waits for the end of an outage: it is no failure of the endpoint.
    fn message(&self, version: u64) -> StoreResult<Message> {
        loop {
            let record = self.store.read_journal().and_then(|journal| journal.record(version));
            match record {
                Err(error) if error.is_outage() && !self.lock().stopping => thread::sleep(OUTAGE_PAUSE),
                record => return Message::of_record(&record?),
            }
        }
    }

    /// Tells the lanes which accounts are suspended. Read while the board is locked, so that of two changes
    /// at once the later one counts.
    fn read_suspended(&self, board: &mut WorkerState) -> StoreResult<()> {
        board.scheduler.set_suspended(self.store.suspended_accounts()?);
        Ok(())
    }

    fn attempt(&self, transport: &dyn Transport, job: &Job) -> AttemptOutcome {
        match self.message(job.version) {
            Ok(message) => {
                let id = message_id(&job.subscription.id(), &message.rule_id);
                let headers = sign(&job.subscription, &id, &message.body, self.clock.now());
                transport.post(&Post { url: &job.subscription.url, headers: &headers, body: &message.body })
            }
            Err(error) => {
                tracing::error!(%error, version = job.version, "a version could not be read to tell of it");
                AttemptOutcome::Unsendable(error.to_string())
            }
        }
    }
}

/// Posts what the lanes give out, until there is nothing for a while.
fn worker_loop(shared: &Arc<Shared>) {
    let mut board = shared.lock();
    while !board.stopping {
        let (Some(transport), Some(job)) = (board.transport.clone(), board.scheduler.take(shared.began.elapsed()))
        else {
            board.idle += 1;
            let waited = shared.worker_wake.wait_timeout(board, IDLE).unwrap_or_else(PoisonError::into_inner);
            board = waited.0;
            board.idle -= 1;
            if waited.1.timed_out() && !board.scheduler.is_ready(shared.began.elapsed()) {
                break;
            }
            continue;
        };
        shared.ensure_worker(&mut board);
        drop(board);
        let began = Instant::now();
        // A fault of the transport must not take the delivery, or the thread, with it.
        let outcome = caught(|| shared.attempt(transport.as_ref(), &job)).unwrap_or_else(|defect| {
            tracing::error!(subscription = job.subscription.id(), %defect, "posting a webhook panicked");
            AttemptOutcome::not_connected("the transport failed")
        });
        board = shared.lock();
        finish_attempt(shared, &mut board, &job, outcome, began.elapsed());
    }
    board.threads -= 1;
    shared.dispatcher_wake.notify_one();
}

/// Notes what an attempt came to, and wakes the desk where it has something to do.
fn finish_attempt(shared: &Arc<Shared>, board: &mut WorkerState, job: &Job, outcome: AttemptOutcome, took: Duration) {
    let subscription = job.subscription.number;
    board.scheduler.done(subscription, shared.began.elapsed(), took, outcome.is_delivered());
    // What a stop has cut was not tried: it is due again after the restart.
    if !board.stopping || matches!(outcome, AttemptOutcome::Answered(_)) {
        let (version, attempts) = (job.version, job.attempts + 1);
        board.finished.push(FinishedAttempt { subscription, version, attempts, outcome, at: shared.clock.now() });
        board.finished_since.get_or_insert_with(Instant::now);
    }
    shared.ensure_worker(board);
    shared.dispatcher_wake.notify_one();
}

/// Brings what is due to the lanes and writes down what came of it, until the stop.
fn dispatcher_loop(shared: &Arc<Shared>, mut dispatcher: Dispatcher, keep: Duration) {
    let mut unwritten: Vec<FinishedAttempt> = Vec::new();
    let mut forget_at = Instant::now();
    let mut refused = false;
    loop {
        let (news, low, stopping) = {
            let mut board = shared.lock();
            unwritten.append(&mut board.finished);
            board.finished_since = None;
            (std::mem::take(&mut board.changed), dispatcher.needing_refill(&board.scheduler), board.stopping)
        };
        let now = shared.clock.now();
        let result = dispatcher.record(&unwritten).and_then(|()| {
            unwritten.clear();
            if stopping {
                return Ok(());
            }
            if news {
                shared.read_suspended(&mut shared.lock())?;
            }
            let update = dispatcher.load(now, &low, news)?;
            let mut board = shared.lock();
            update.apply(&mut board.scheduler);
            shared.ensure_worker(&mut board);
            drop(board);
            if forget_at <= Instant::now() {
                let keep_ms = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
                let more = dispatcher.forget_ended(now.millis().saturating_sub(keep_ms))?;
                forget_at = Instant::now() + if more { Duration::ZERO } else { FORGET_EVERY };
            }
            Ok(())
        });
        let pause = match result {
            Ok(()) => Duration::ZERO,
            Err(error) => {
                // What is not written is kept, and written when the store takes it again.
                if !refused && !error.is_outage() {
                    tracing::error!(%error, "the outbox cannot be read or written; trying again");
                }
                shared.lock().changed |= news;
                STORE_PAUSE
            }
        };
        refused = pause > Duration::ZERO;
        if stopping {
            return;
        }
        wait_for_work(shared, &dispatcher, forget_at, pause);
    }
}

/// Sleeps until the desk has something to do, at least for `pause`.
fn wait_for_work(shared: &Arc<Shared>, dispatcher: &Dispatcher, forget_at: Instant, pause: Duration) {
    let earliest = Instant::now() + pause;
    let mut stop_by: Option<Instant> = None;
    let mut board = shared.lock();
    loop {
        let at = Instant::now();
        let until = if board.stopping {
            let by = *stop_by.get_or_insert(at + STOP_LIMIT);
            if board.scheduler.in_flight() == 0 { at } else { by }
        } else {
            // A lane whose pause is over has nobody else to wake a thread for it.
            shared.ensure_worker(&mut board);
            next_wake(shared, &board, dispatcher, at).min(forget_at).max(earliest)
        };
        if until <= at {
            return;
        }
        let waited = shared.dispatcher_wake.wait_timeout(board, until - at);
        board = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// When the desk has something to do; `at` where that is now.
fn next_wake(shared: &Shared, board: &WorkerState, dispatcher: &Dispatcher, at: Instant) -> Instant {
    let now = shared.clock.now();
    if board.changed || board.finished.len() >= BATCH || dispatcher.has_work(&board.scheduler, now) {
        return at;
    }
    let written = board.finished_since.map(|since| since + LINGER);
    let due = dispatcher.next_due_ms(&board.scheduler);
    let due = due.map(|due| at + Duration::from_millis(due.saturating_sub(now.millis()).max(1)));
    let resumed = board.scheduler.next_resume(shared.began.elapsed()).map(|resume| shared.began + resume);
    [written, due, resumed].into_iter().flatten().fold(at + LONGEST_SLEEP, Instant::min)
}
