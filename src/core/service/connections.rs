//! Counts of the callers' connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of connections since the start.
#[derive(Debug, Default)]
pub struct Connections {
    opened: AtomicU64,
    closed: AtomicU64,
    refused: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionCounts {
    /// Connections that are served now.
    pub open: u64,
    /// Connections that were accepted since the start, open ones included.
    pub accepted: u64,
    /// Connections over the limit, which were answered 503 or closed.
    pub refused: u64,
}

/// A served connection; its drop counts it as closed.
#[derive(Debug)]
pub struct OpenConnection(Arc<Connections>);

impl Connections {
    /// Counts a connection that will be served.
    #[must_use]
    pub fn serve(self: &Arc<Self>) -> OpenConnection {
        self.opened.fetch_add(1, Ordering::Relaxed);
        OpenConnection(Arc::clone(self))
    }

    /// Counts a connection that is refused.
    pub fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub fn counts(&self) -> ConnectionCounts {
        // `closed` first: read after `opened`, it could be the larger one.
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
