//! What all requests share.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::blocking::BlockingPool;
use super::memory::AccountMemory;
use super::upload::Files;
use crate::core::calls::Caller;
use crate::core::service::{MemoryBudget, Service};

/// The state of the public surface. The router answers requests with it.
pub(crate) struct App {
    pub(crate) service: Arc<Service>,
    pub(crate) body_timeout: Duration,
    /// Makes long answers.
    pub(crate) blocking: BlockingPool,
    /// Places for the files of the page.
    pub(crate) files: Files,
    /// Memory for large requests and answers.
    pub(super) memory_budget: MemoryBudget,
    /// Random, so that request ids differ between runs of the service.
    pub(super) id_prefix: String,
    /// Number of the next request id, so that they differ within a run.
    pub(super) id_count: AtomicU64,
}

impl App {
    /// Returns the memory for large requests and answers of the caller's account.
    pub(crate) fn memory<'a>(&'a self, caller: &'a Caller) -> AccountMemory<'a> {
        AccountMemory { budget: &self.memory_budget, account: &caller.client.client_id }
    }

    pub(super) fn new_request_id(&self) -> String {
        let number = self.id_count.fetch_add(1, Ordering::Relaxed);
        // A bar and up to sixteen digits. With its length known, as each call has one: `format!` takes a thousand instructions.
        let mut id = String::with_capacity(self.id_prefix.len() + 17);
        id.push_str(&self.id_prefix);
        // Writing to a string does not fail.
        let _ = write!(id, "-{number:x}");
        id
    }
}
