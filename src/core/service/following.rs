//! The thread that follows kept lists: it works when rules are published, when a list is kept, and once a minute, for a
//! day may have begun.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::{Service, lower_priority};
use crate::base::defect::caught;
use crate::core::watch::{BATCH_LINES, catch_up};

/// Pause before the first work: after a start, callers are served first.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Pause between two works.
const PAUSE: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListSignal {
    Wake,
    Stop,
}

impl Service {
    /// Makes the thread of the kept lists look at once. To be called after a publication, and after a list was kept.
    pub fn wake_lists(&self) {
        self.signal_lists(ListSignal::Wake);
    }

    pub(super) fn stop_lists(&self) {
        self.signal_lists(ListSignal::Stop);
    }

    fn signal_lists(&self, signal: ListSignal) {
        let sender = self.following.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = &*sender {
            // The thread has ended if nobody hears it.
            let _ = sender.send(signal);
        }
    }

    /// Starts the thread, at a lower priority than calculations.
    pub(super) fn follow_lists(self: &Arc<Self>) -> std::io::Result<JoinHandle<()>> {
        let (sender, heard) = channel();
        *self.following.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        let service = Arc::clone(self);
        std::thread::Builder::new().name("kept-lists".to_owned()).spawn(move || {
            lower_priority();
            let mut pause = FIRST_PAUSE;
            while let Err(defect) = caught(|| run(&service, &heard, pause)) {
                pause = PAUSE;
                tracing::error!(%defect, "following the kept lists panicked; it is tried again in a minute");
            }
        })
    }
}

/// Works after the first pause and each time that it is woken, until the stop.
fn run(service: &Service, heard: &Receiver<ListSignal>, mut pause: Duration) {
    loop {
        match heard.recv_timeout(pause) {
            Ok(ListSignal::Wake) | Err(RecvTimeoutError::Timeout) => {}
            Ok(ListSignal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
        pause = PAUSE;
        let mut stopped = false;
        let worked = catch_up(service.engine(), BATCH_LINES, &mut || {
            loop {
                match heard.try_recv() {
                    // What it asks for is looked at before the work ends.
                    Ok(ListSignal::Wake) => {}
                    Ok(ListSignal::Stop) | Err(TryRecvError::Disconnected) => stopped = true,
                    Err(TryRecvError::Empty) => return stopped,
                }
                if stopped {
                    return true;
                }
            }
        });
        match worked {
            Ok(done) => {
                if done.sends {
                    service.deliveries().wake();
                }
                if done.lines > 0 {
                    tracing::info!(lines = done.lines, changes = done.changes, "kept lists were answered again");
                }
            }
            Err(error) if !error.is_outage() => {
                tracing::error!(%error, "kept lists could not be answered again; it is tried again in a minute");
            }
            Err(_) => {}
        }
        if stopped {
            return;
        }
    }
}
