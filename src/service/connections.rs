//! Connections of callers, counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of connections since the start.
#[derive(Debug, Default)]
pub struct Connections {
    opened: AtomicU64,
    closed: AtomicU64,
    refused: AtomicU64,
}

/// How many connections there are and were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionCounts {
    /// They are served now.
    pub open: u64,
    /// They were accepted to be served, those included.
    pub accepted: u64,
    /// They were one too many, and told so.
    pub refused: u64,
}

/// A connection that is served; it is over when this is dropped.
#[derive(Debug)]
pub struct OpenConnection(Arc<Connections>);

impl Connections {
    /// Counts a connection that is going to be served.
    #[must_use]
    pub fn serve(self: &Arc<Self>) -> OpenConnection {
        self.opened.fetch_add(1, Ordering::Relaxed);
        OpenConnection(Arc::clone(self))
    }

    /// Counts one that is refused.
    pub fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// The counts.
    #[must_use]
    pub fn counts(&self) -> ConnectionCounts {
        // Those that ended first: read the other way round, there could be fewer than none.
        let closed = self.closed.load(Ordering::Acquire);
        let accepted = self.opened.load(Ordering::Acquire);
        ConnectionCounts {
            open: accepted.saturating_sub(closed),
            accepted,
            refused: self.refused.load(Ordering::Relaxed),
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.closed.fetch_add(1, Ordering::Release);
    }
}
