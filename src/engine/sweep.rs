//! When an answer from memory counts.
//!
//! A publication becomes visible in the middle of its commit, and the cache is swept of what it
//! touched only after that. The order is:
//!
//! 1. [`Sweep::begin`], when all is written and only the commit is left;
//! 2. the commit; at some moment in it the publication becomes visible to readers;
//! 3. every answer that asked for a touched key is forgotten;
//! 4. [`Unswept::done`].
//!
//! Between 1 and 4 no answer comes from memory and none is kept there. So nobody who has seen a
//! publication, in the changelog or elsewhere, then gets an answer from before it: a call that begins
//! after step 2 either meets the open sweep and calculates on a snapshot of its own, or comes after
//! step 4 and finds a swept cache. An answer is kept only if the sweep was closed before its
//! snapshot was opened and none has begun since; one that begins later finds the answer and forgets it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the sweeps that began and those that ended; several may be open at once.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// A moment at which no sweep was open: how many had begun until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Swept(u64);

/// An open sweep. One that is dropped, as by a panic, stays open: from then on all is calculated.
#[derive(Debug)]
#[must_use]
pub(super) struct Unswept<'s>(&'s Sweep);

impl Sweep {
    /// `None` while a sweep is open.
    pub(super) fn closed(&self) -> Option<Swept> {
        // In this order: what ended by the first look had begun, so equal counts mean that nothing
        // was open at that look.
        let ended = self.ended.load(Ordering::SeqCst);
        (self.begun.load(Ordering::SeqCst) == ended).then_some(Swept(ended))
    }

    /// True while no sweep has begun since that moment.
    pub(super) fn is_still(&self, swept: Swept) -> bool {
        self.begun.load(Ordering::SeqCst) == swept.0
    }

    /// Opens a sweep.
    pub(super) fn begin(&self) -> Unswept<'_> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        Unswept(self)
    }
}

impl Unswept<'_> {
    /// Closes the sweep, once the cache is swept.
    pub(super) fn done(self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}
