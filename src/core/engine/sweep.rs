//! When a cached answer may be used.
//!
//! A publication becomes visible during its commit, and the answers that it makes stale are removed from the
//! cache only after that. The order is:
//!
//! 1. [`Sweep::begin`], when everything is written and only the commit is left;
//! 2. the commit; at some moment during it the publication becomes visible to readers;
//! 3. every answer that looked up a touched key is removed;
//! 4. [`Unswept::done`].
//!
//! Between 1 and 4 the cache is neither read nor written. So a caller who has seen a publication, in the
//! changelog or elsewhere, never gets an answer from before it: a call that begins after step 2 either finds
//! the sweep open and calculates on its own snapshot, or begins after step 4 and finds a clean cache. An
//! answer is cached only if no sweep was open before its snapshot was opened and none has begun since; a
//! sweep that begins later finds the answer and removes it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of the sweeps that began and that ended; several may be open at once.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// A moment without an open sweep: the number of sweeps that had begun by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Swept(u64);

/// An open sweep. If it is dropped, for example by a panic, it stays open: the cache is not used any more.
#[derive(Debug)]
#[must_use]
pub(super) struct Unswept<'s>(&'s Sweep);

impl Sweep {
    /// `None` while a sweep is open.
    pub(super) fn closed(&self) -> Option<Swept> {
        // In this order: every sweep that had ended at the first load had begun, so equal counts mean that none
        // was open at that moment.
        let ended = self.ended.load(Ordering::SeqCst);
        (self.begun.load(Ordering::SeqCst) == ended).then_some(Swept(ended))
    }

    /// True while no sweep has begun since that moment.
    pub(super) fn is_still(&self, swept: Swept) -> bool {
        self.begun.load(Ordering::SeqCst) == swept.0
    }

    pub(super) fn begin(&self) -> Unswept<'_> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        Unswept(self)
    }
}

impl Unswept<'_> {
    /// Closes the sweep. Call it after the stale answers were removed.
    pub(super) fn done(self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}
