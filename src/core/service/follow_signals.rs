//! The signals to the thread that follows publications, which features start, and what its last work came to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::Service;
use crate::store::StoreResult;
use crate::watch::KeptListsState;

#[derive(Default)]
pub(super) struct Following {
    /// Wakes the thread, and ends it when it is dropped; `None` in a command.
    wakes: Mutex<Option<Sender<()>>>,
    /// True if the last work on the kept lists failed.
    lists_fail: AtomicBool,
}

impl Service {
    /// Makes the thread look at once. To be called after a publication, and after a list was kept.
    pub fn wake_follower(&self) {
        if let Some(wakes) = &*self.following.wakes.lock().unwrap_or_else(PoisonError::into_inner) {
            // The thread has ended if nobody hears it.
            let _ = wakes.send(());
        }
    }

    /// What wakes the thread, until [`stop_follower`](Self::stop_follower).
    pub fn begin_following(&self) -> Receiver<()> {
        let (wakes, heard) = channel();
        *self.following.wakes.lock().unwrap_or_else(PoisonError::into_inner) = Some(wakes);
        heard
    }

    pub fn stop_follower(&self) {
        self.following.wakes.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Records whether the last work on the kept lists failed.
    pub fn set_lists_fail(&self, fail: bool) {
        self.following.lists_fail.store(fail, Ordering::Relaxed);
    }

    /// True if the last work on the kept lists failed.
    pub fn lists_fail(&self) -> bool {
        self.following.lists_fail.load(Ordering::Relaxed)
    }

    /// The kept lists of all accounts, and how far the work on them is behind.
    pub fn kept_lists(&self) -> StoreResult<KeptListsState> {
        Ok(KeptListsState { failing: self.lists_fail(), ..KeptListsState::read(&self.engine)? })
    }
}
