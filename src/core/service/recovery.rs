//! The thread that reopens the data file after an I/O error.
//!
//! Meanwhile cached answers are given from memory, other calls are refused, and calls wait to be logged.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::Service;
use crate::base::defect::caught;
use crate::store::StoreResult;

/// Pause after a failed try; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// An outage that returns within this time, with the same cause, is not logged again.
const SAME_OUTAGE: Duration = Duration::from_mins(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    Outage,
    Stop,
}

/// The last outage that was logged.
#[derive(Default)]
struct Logged {
    cause: String,
    ended: Option<Instant>,
}

/// Waits for outages and recovers from them, until the stop.
pub(super) fn run(service: &Service, signals: &Receiver<Signal>) {
    let mut logged = Logged::default();
    while let Ok(Signal::Outage) = signals.recv() {
        if !end_outage(service, signals, &mut logged) {
            return;
        }
    }
}

/// Tries until the data file is open again. Returns false if the service stops before that.
fn end_outage(service: &Service, signals: &Receiver<Signal>, logged: &mut Logged) -> bool {
    let Some(outage) = service.store().outage() else { return true };
    let is_news = logged.cause != outage.cause || logged.ended.is_none_or(|ended| ended.elapsed() > SAME_OUTAGE);
    if is_news {
        tracing::error!(
            cause = outage.cause,
            "the data file cannot be read or written; cached answers are still given, other calls are refused with 503 or fail, and calls wait to be logged. The file is reopened as soon as the disk works: check the disk, its free space and its quota"
        );
    }
    let mut pause = FIRST_PAUSE;
    let mut refused = String::new();
    while let Err(reason) = reopened(service) {
        if let Some(reason) = reason.filter(|reason| *reason != refused) {
            tracing::warn!(reason, "the data file cannot be reopened; it is tried again every few seconds");
            refused = reason;
        }
        match signals.recv_timeout(pause) {
            Ok(Signal::Outage) | Err(RecvTimeoutError::Timeout) => {}
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
        }
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
    if is_news {
        let after_ms = u64::try_from(outage.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(after_ms, "the data file is open again, with everything that was confirmed");
    }
    *logged = Logged { cause: outage.cause, ended: Some(Instant::now()) };
    true
}

/// Tries once. Fails with the reason, or without one if the outage lasts, which is logged already. A panic, as of
/// the database on a damaged file, is a failed try too.
fn reopened(service: &Service) -> Result<(), Option<String>> {
    match caught(|| service.reopen()) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(Some(error).filter(|error| !error.is_outage()).map(|error| error.to_string())),
        Err(defect) => Err(Some(defect.to_string())),
    }
}

impl Service {
    /// Reopens the data file after an outage, and reloads what is cached of it: a commit that failed may be in the
    /// file all the same.
    pub fn reopen(&self) -> StoreResult<()> {
        self.engine.reopen()?;
        self.calls.reload(self.store())?;
        self.deliveries.wake();
        Ok(())
    }

    /// True unless the data file has been unreadable for longer than `patience`. Reads the file itself, so it
    /// blocks if the disk does.
    pub fn reads_its_data(&self, patience: Duration) -> bool {
        match self.store().probe() {
            Ok(()) => true,
            Err(_) => self.store().outage().is_none_or(|outage| outage.since.elapsed() < patience),
        }
    }
}
