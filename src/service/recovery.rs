//! The thread of a server that opens the data file again after the disk refused something.
//!
//! Meanwhile callers are answered from memory as far as that goes, and calls wait to be logged.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::Service;
use crate::defect::caught;
use crate::store::StoreResult;

/// Time from a failed try to the next; doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// An outage that comes back within this time, for the same cause, is not logged again.
const SAME_OUTAGE: Duration = Duration::from_mins(5);

/// What the thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// An outage began.
    Outage,
    /// The service stops.
    Stop,
}

/// The outage that was logged last.
#[derive(Default)]
struct Logged {
    cause: String,
    ended: Option<Instant>,
}

/// Waits for outages and ends them, until the stop.
pub(super) fn run(service: &Service, signals: &Receiver<Signal>) {
    let mut logged = Logged::default();
    while let Ok(Signal::Outage) = signals.recv() {
        if !end_outage(service, signals, &mut logged) {
            return;
        }
    }
}

/// Tries until the data file is open again; false when the service stops before that.
fn end_outage(service: &Service, signals: &Receiver<Signal>, logged: &mut Logged) -> bool {
    let Some(outage) = service.store().outage() else { return true };
    let is_news = logged.cause != outage.cause || logged.ended.is_none_or(|ended| ended.elapsed() > SAME_OUTAGE);
    if is_news {
        tracing::error!(
            cause = outage.cause,
            "the disk does not let the data file be read or written; what is in memory is answered, the rest is refused with 503 or fails, and calls wait to be logged. The file is opened again as soon as the disk works: look at the disk, its free room and its quota"
        );
    }
    let mut pause = FIRST_PAUSE;
    let mut refused = String::new();
    while let Err(reason) = reopened(service) {
        if let Some(reason) = reason.filter(|reason| *reason != refused) {
            tracing::warn!(reason, "the data file cannot be opened again");
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
        tracing::info!(after_ms, "the data file is open again, with all that was confirmed");
    }
    *logged = Logged { cause: outage.cause, ended: Some(Instant::now()) };
    true
}

/// One try. The reason of a failure, unless it is that the disk still refuses: that was logged. A panic, as the
/// database may have on a damaged file, is a failed try too; the next one comes after a pause.
fn reopened(service: &Service) -> Result<(), Option<String>> {
    match caught(|| service.reopen()) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(Some(error).filter(|error| !error.is_outage()).map(|error| error.to_string())),
        Err(defect) => Err(Some(defect.to_string())),
    }
}

impl Service {
    /// Opens the data file again after an outage, and reads again what is kept in memory of it: a
    /// commit that failed may be in the file all the same.
    pub fn reopen(&self) -> StoreResult<()> {
        self.engine.reopen()?;
        self.calls.reload(self.store())?;
        self.deliveries.wake();
        Ok(())
    }

    /// True unless the data file has been out of reach for longer than `patience`. Reads from the file
    /// itself, so it hangs with the disk.
    #[must_use]
    pub fn reads_its_data(&self, patience: Duration) -> bool {
        match self.store().probe() {
            Ok(()) => true,
            Err(_) => self.store().outage().is_none_or(|outage| outage.since.elapsed() < patience),
        }
    }
}
