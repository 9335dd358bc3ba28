//! The service of one process: rules, callers and deliveries, shared by the public surface and administration.
//!
//! It opens the parts, starts their threads and stops them in order. It must never know HTTP or the command line.

mod connection_slots;
mod connections;
mod ending_rules;
mod follow_signals;
mod health;
mod memory_budget;
mod metrics;
mod process;
mod recovery;
mod sd_notify;
mod statistics;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

pub use connection_slots::{ConnectionActivity, ConnectionSlot, ConnectionSlots, Origin, RequestInFlight};
pub use connections::{ConnectionCounts, Connections, OpenConnection};
pub use ending_rules::{EndWarning, EndingRules, WINDOWS_DAYS, WarnedEnds, due, pauses};
pub use health::{Health, HealthState, Trouble};
pub use memory_budget::{AccountSemaphores, MemoryBudget, MemoryPermit};
pub use metrics::{TextFormat, metrics};
pub use process::{ConnectionCapacity, Process, lower_priority};
pub use sd_notify::{ServiceManager, is_the_journal};
pub use statistics::{CLASSES, Statistics};

use crate::base::defect::caught;
use crate::base::value::{Timestamp, random_u32};
use crate::calls::{Calls, LogState};
use crate::engine::Engine;
use crate::store::{Store, StoreResult};
use crate::webhook::{Deliveries, Transport, Workers};
use recovery::Signal;

/// The parts of a running taxd, or of a command that works on the file itself.
pub struct Service {
    engine: Engine,
    calls: Calls,
    deliveries: Deliveries,
    started_at: Timestamp,
    connections: Arc<Connections>,
    /// True after its threads were started: in a server, not in a command.
    running: AtomicBool,
    /// True after the stop was asked for: requests in flight are finished, new ones are refused.
    stopping: AtomicBool,
    /// End of the TLS certificate, in milliseconds since 1970; 0 without TLS.
    tls_not_after_ms: AtomicU64,
    /// Locked while the data are checked.
    checking: Mutex<()>,
    ends_ahead: ending_rules::EndsAhead,
    following: follow_signals::Following,
}

impl Service {
    /// Opens a service with this engine. Fails if the accounts cannot be read.
    pub fn open(engine: Engine) -> StoreResult<Service> {
        let calls = Calls::open(engine.store(), engine.clock().clone())?;
        let deliveries = Deliveries::new(Arc::clone(engine.store()), engine.clock().clone());
        let started_at = engine.now();
        Ok(Service {
            engine,
            calls,
            deliveries,
            started_at,
            connections: Arc::default(),
            running: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            tls_not_after_ms: AtomicU64::new(0),
            checking: Mutex::default(),
            ends_ahead: ending_rules::EndsAhead::default(),
            following: follow_signals::Following::default(),
        })
    }

    /// Returns the lock for a check of the data: two checks at a time would slow calls down.
    pub fn checking(&self) -> &Mutex<()> {
        &self.checking
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the accounts, their keys and limits, and the call log.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Returns the webhook deliveries.
    pub fn deliveries(&self) -> &Deliveries {
        &self.deliveries
    }

    /// Returns the counts of connections.
    pub fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Refuses new requests from now on.
    pub fn begin_stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// True after the stop was asked for.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    pub fn store(&self) -> &Store {
        self.engine.store()
    }

    /// Returns when the service was opened.
    pub fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// Returns for how long the server has been running, in seconds; `None` in a command.
    pub fn uptime_s(&self) -> Option<u64> {
        self.is_running().then(|| self.engine.now().millis().saturating_sub(self.started_at.millis()) / 1_000)
    }

    /// True in a server, false in a command that works on the file itself.
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Relaxed)
    }

    /// Records the end of the TLS certificate.
    pub fn set_tls_not_after(&self, end: Timestamp) {
        self.tls_not_after_ms.store(end.millis(), Ordering::Relaxed);
    }

    /// Returns the end of the TLS certificate; `None` without TLS.
    pub fn tls_not_after(&self) -> Option<Timestamp> {
        Timestamp::from_millis(self.tls_not_after_ms.load(Ordering::Relaxed)).filter(|end| end.millis() > 0)
    }

    /// Starts the threads of a server. Logged calls are kept for `keep_calls`, ended deliveries for `keep_ended`;
    /// `transport` makes the attempts. Fails if a thread cannot be started.
    pub fn start(
        self: &Arc<Self>,
        keep_calls: Duration,
        transport: Arc<dyn Transport>,
        keep_ended: Duration,
    ) -> std::io::Result<Running> {
        let (signals, heard) = channel();
        let outages = signals.clone();
        self.store().on_outage(move || _ = outages.send(Signal::Outage));
        let service = Arc::clone(self);
        let recovery = std::thread::Builder::new().name("store".to_owned()).spawn(move || {
            while let Err(defect) = caught(|| recovery::run(&service, &heard)) {
                tracing::error!(%defect, "reopening the data file panicked; it is tried again at the next outage");
            }
        })?;
        let service = Arc::clone(self);
        let log = std::thread::Builder::new().name("call-log".to_owned()).spawn(move || {
            // Else some calls wait for a write of thousands of others.
            lower_priority();
            // A panic loses the calls of one round, not the log.
            while let Err(defect) = caught(|| service.calls.run_log(service.store(), keep_calls)) {
                tracing::error!(%defect, "writing the call log panicked; some calls were not logged, later ones are");
            }
        })?;
        let (stop_ends_ahead, stopped) = channel();
        let service = Arc::clone(self);
        let ends_ahead = std::thread::Builder::new().name("ends-ahead".to_owned()).spawn(move || {
            let mut pauses = ending_rules::pauses();
            while let Err(defect) = caught(|| ending_rules::run(&service, &stopped, pauses.next().unwrap_or_default())) {
                tracing::error!(%defect, "looking ahead in the rules panicked; it is tried again, later each time, up to once an hour");
            }
        })?;
        let workers = self.deliveries.start(transport, keep_ended, Box::new(random_u32))?;
        self.running.store(true, Ordering::Relaxed);
        Ok(Running {
            service: Arc::clone(self),
            log: Some(log),
            workers: Some(workers),
            recovery: Some((signals, recovery)),
            ends_ahead: Some((stop_ends_ahead, ends_ahead)),
        })
    }
}

/// The running threads of a server. On drop they finish their work and stop.
pub struct Running {
    service: Arc<Service>,
    log: Option<JoinHandle<()>>,
    workers: Option<Workers>,
    recovery: Option<(Sender<Signal>, JoinHandle<()>)>,
    ends_ahead: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Running {
    /// Stops the threads. Returns the state of the call log.
    pub fn stop(self) -> LogState {
        let service = Arc::clone(&self.service);
        drop(self);
        service.calls.log_state()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(workers) = self.workers.take() {
            workers.stop();
        }
        self.service.calls.stop_log();
        if self.log.take().is_some_and(|log| log.join().is_err()) {
            tracing::error!("the thread of the call log panicked");
        }
        if let Some((stop, ends_ahead)) = self.ends_ahead.take() {
            drop(stop);
            if ends_ahead.join().is_err() {
                tracing::error!("the thread that looks ahead in the rules panicked");
            }
        }
        if let Some((signals, recovery)) = self.recovery.take() {
            let _ = signals.send(Signal::Stop);
            if recovery.join().is_err() {
                tracing::error!("the thread that reopens the data file panicked");
            }
        }
    }
}
