//! What one process shares between the public surface and administration.

mod connection_slots;
mod connections;
mod health;
mod memory_budget;
mod metrics;
mod priority;
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
pub use health::{FAILING, Health, Trouble};
pub use memory_budget::{MemoryBudget, MemoryPermit};
pub use metrics::{TextFormat, metrics};
pub use priority::lower_priority;
pub use process::{ConnectionCapacity, Process};
pub use sd_notify::{ServiceManager, is_the_journal};
pub use statistics::{CLASSES, Statistics};

use crate::calls::{Calls, LogState};
use crate::defect::caught;
use crate::engine::Engine;
use crate::store::{Store, StoreResult};
use crate::value::{Timestamp, random_u32};
use crate::webhook::{self, Deliveries, Transport, Workers};
use recovery::Signal;

/// The parts of a running taxd, or of a command that works on the file itself.
pub struct Service {
    engine: Engine,
    calls: Calls,
    deliveries: Deliveries,
    /// When it was opened.
    started_at: Timestamp,
    connections: Arc<Connections>,
    /// True once its threads run: in a server, not in a command.
    running: AtomicBool,
    /// Set once the service is asked to stop: what is under way is finished, nothing new begun.
    stopping: AtomicBool,
    /// Until when the listener's certificate is good, in milliseconds since 1970; 0 without TLS.
    tls_not_after_ms: AtomicU64,
    /// Held by the check of the data that is under way.
    checking: Mutex<()>,
}

impl Service {
    /// A service of the engine's rules, by the engine's clock.
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
        })
    }

    /// To be held while the data are checked: one check at a time is work enough beside calls.
    #[must_use]
    pub fn checking(&self) -> &Mutex<()> {
        &self.checking
    }

    /// The rules, and calculating with them.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Who calls.
    #[must_use]
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Telling subscribers of publications.
    #[must_use]
    pub fn deliveries(&self) -> &Deliveries {
        &self.deliveries
    }

    /// Connections of callers, counted.
    #[must_use]
    pub fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Has nothing new begun from now on.
    pub fn begin_stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// True once the service is asked to stop.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// How the outbox stands.
    pub fn outbox_summary(&self) -> StoreResult<webhook::OutboxSummary> {
        webhook::summary(self.store(), self.engine.now())
    }

    /// The store beneath them.
    #[must_use]
    pub fn store(&self) -> &Store {
        self.engine.store()
    }

    /// When it was opened.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// For how long the server has been running, in seconds; none in a command.
    #[must_use]
    pub fn uptime_s(&self) -> Option<u64> {
        self.is_running().then(|| self.engine.now().millis().saturating_sub(self.started_at.millis()) / 1_000)
    }

    /// True in a server, false in a command that works on the file itself.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Relaxed)
    }

    /// Tells until when the listener's certificate is good.
    pub fn set_tls_not_after(&self, end: Timestamp) {
        self.tls_not_after_ms.store(end.millis(), Ordering::Relaxed);
    }

    /// Until when the listener's certificate is good; none without TLS.
    #[must_use]
    pub fn tls_not_after(&self) -> Option<Timestamp> {
        Timestamp::from_millis(self.tls_not_after_ms.load(Ordering::Relaxed)).filter(|end| end.millis() > 0)
    }

    /// Starts the threads of a server. Logged calls are kept for `keep_calls`, ended deliveries
    /// for `keep_ended`; `transport` makes the deliveries.
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
                tracing::error!(%defect, "opening the data file again panicked");
            }
        })?;
        let service = Arc::clone(self);
        let log = std::thread::Builder::new().name("call-log".to_owned()).spawn(move || {
            // A panic would be a defect; it costs the calls of one round, not the log.
            while let Err(defect) = caught(|| service.calls.run_log(service.store(), keep_calls)) {
                tracing::error!(%defect, "writing the call log panicked; it goes on with the next calls");
            }
        })?;
        let workers = self.deliveries.start(transport, keep_ended, Box::new(random_u32))?;
        self.running.store(true, Ordering::Relaxed);
        Ok(Running {
            service: Arc::clone(self),
            log: Some(log),
            workers: Some(workers),
            recovery: Some((signals, recovery)),
        })
    }
}

/// The threads of a server; they end their work and stop when it is dropped.
pub struct Running {
    service: Arc<Service>,
    log: Option<JoinHandle<()>>,
    workers: Option<Workers>,
    recovery: Option<(Sender<Signal>, JoinHandle<()>)>,
}

impl Running {
    /// Ends the threads; returns what the call log came to.
    #[must_use]
    pub fn stop(mut self) -> LogState {
        self.end();
        self.service.calls.log_state()
    }

    fn end(&mut self) {
        if let Some(workers) = self.workers.take() {
            workers.stop();
        }
        self.service.calls.stop_log();
        if self.log.take().is_some_and(|log| log.join().is_err()) {
            tracing::error!("the thread of the call log panicked");
        }
        if let Some((signals, recovery)) = self.recovery.take() {
            let _ = signals.send(Signal::Stop);
            if recovery.join().is_err() {
                tracing::error!("the thread that opens the data file again panicked");
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
