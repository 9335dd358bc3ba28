//! The thread that follows publications: it answers the kept lists again ([`crate::core::watch`]), and finds the answers of
//! the log that a publication corrects ([`super::corrections`]).
//!
//! It works at a lower priority than calculations: when rules are published, when a list is kept, and once a minute, for a
//! day may have begun. The lists go first, also between the steps of a long comparison. Both works write how far they got
//! in the data file with what they found, so a kill loses nothing and writes nothing twice.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::AdminError;
use super::corrections::work_off;
use crate::base::defect::caught;
use crate::core::service::{Service, lower_priority};
use crate::core::watch::{BATCH_LINES, catch_up};

/// Pause before the first work: after a start, callers are served first.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Pause between two works, and after a failure.
const PAUSE: Duration = Duration::from_mins(1);

/// The thread. It stops when this is dropped.
pub struct Follower {
    service: Arc<Service>,
    thread: Option<JoinHandle<()>>,
}

impl Follower {
    pub fn start(service: &Arc<Service>) -> std::io::Result<Follower> {
        let (heard, followed) = (service.begin_following(), Arc::clone(service));
        let thread = std::thread::Builder::new().name("publications".to_owned()).spawn(move || {
            lower_priority();
            run(&followed, &heard);
        })?;
        Ok(Follower { service: Arc::clone(service), thread: Some(thread) })
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.service.stop_follower();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that follows publications panicked");
        }
    }
}

fn run(service: &Service, heard: &Receiver<()>) {
    let mut goes_on = pause(heard, FIRST_PAUSE, &mut || true);
    while goes_on {
        let mut is_well = bring_lists(service, heard);
        is_well &= attempt(service, "comparing the log with a publication", || {
            work_off(service, &mut |time| {
                pause(heard, time, &mut || {
                    // A failure is tried again in a minute, and not at each list that is kept.
                    let _ = !service.lists_fail() && bring_lists(service, heard);
                    false
                })
            })
        });
        goes_on = pause(heard, PAUSE, &mut || is_well);
    }
}

/// Waits that long, or until `woken` returns true. False if the thread is to stop.
fn pause(heard: &Receiver<()>, time: Duration, woken: &mut dyn FnMut() -> bool) -> bool {
    let began = Instant::now();
    loop {
        match heard.recv_timeout(time.saturating_sub(began.elapsed())) {
            Ok(()) if woken() => return true,
            Ok(()) => {}
            Err(error) => return error == RecvTimeoutError::Timeout,
        }
    }
}

/// Answers the kept lists again, as far as they need it. False if that failed.
fn bring_lists(service: &Service, heard: &Receiver<()>) -> bool {
    let is_done = attempt(service, "answering the kept lists again", || {
        let mut began = Instant::now();
        let done = catch_up(service.engine(), BATCH_LINES, &mut || {
            // As much time for others as the batch took. What it is woken for meanwhile is looked at before the work ends.
            let paused = heard.recv_timeout(began.elapsed());
            began = Instant::now();
            paused == Err(RecvTimeoutError::Disconnected)
        })?;
        if done.sends {
            service.deliveries().wake();
        }
        if done.lines > 0 {
            tracing::info!(lines = done.lines, changes = done.changes, "kept lists were answered again");
        }
        Ok(())
    });
    service.set_lists_fail(!is_done);
    is_done
}

/// Does a work, and logs its failure. False if it failed.
fn attempt(service: &Service, what: &str, work: impl FnOnce() -> Result<(), AdminError>) -> bool {
    let error = match caught(work) {
        Ok(Ok(())) => return true,
        // An outage is logged elsewhere, once.
        Ok(Err(_)) if service.store().read_journal().is_err_and(|error| error.is_outage()) => return false,
        Ok(Err(error)) => error.to_string(),
        Err(defect) => defect.to_string(),
    };
    tracing::error!(error, "{what} failed; it is tried again in a minute");
    false
}
