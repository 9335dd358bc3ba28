//! Memory for a large request or answer, held for the account of its caller.

use std::sync::Arc;
use std::time::Duration;

use super::refusal;
use super::respond::HttpResponse;
use crate::problem::Problem;
use crate::service::{MemoryBudget, MemoryPermit};

/// Bodies up to this size are not counted: the number of connections bounds them.
pub(super) const UNCOUNTED_BYTES: usize = 8 * 1024;
/// What is held for a page before it is made: 500 of the built-in rules have 752 KiB at most.
const PAGE_BYTES: usize = 1024 * 1024;
/// How long a page waits until earlier ones are read. One that is not read is given up much earlier.
const PATIENCE: Duration = Duration::from_mins(1);

/// The memory of one account.
#[derive(Clone, Copy)]
pub(super) struct AccountMemory<'a> {
    pub(super) memory_budget: &'a MemoryBudget,
    pub(super) account: &'a Arc<str>,
}

impl AccountMemory<'_> {
    /// Waits for memory for so many bytes.
    pub(super) async fn acquire(self, bytes: usize, patience: Duration) -> Result<MemoryPermit, Box<Problem>> {
        let held = self.memory_budget.acquire(self.account, bytes, patience).await;
        held.ok_or_else(|| Box::new(refusal::too_much_in_flight()))
    }

    /// Memory for so many bytes, if it is free.
    pub(super) fn try_acquire(self, bytes: usize) -> Result<MemoryPermit, Box<Problem>> {
        self.memory_budget.try_acquire(self.account, bytes).ok_or_else(|| Box::new(refusal::too_much_in_flight()))
    }

    /// Waits for memory for a page that has yet to be made.
    pub(super) async fn for_page(self) -> Result<MemoryPermit, Box<Problem>> {
        self.acquire(PAGE_BYTES, PATIENCE).await
    }

    /// The page, with as much of what was held for it as it needs.
    pub(super) fn fit(self, mut held: MemoryPermit, mut page: HttpResponse) -> Result<HttpResponse, Box<Problem>> {
        if !self.memory_budget.resize(&mut held, page.body().len()) {
            return Err(Box::new(refusal::too_much_in_flight()));
        }
        page.body_mut().acquire(held);
        Ok(page)
    }

    /// An answer that was made already.
    pub(super) fn keep(self, mut answer: HttpResponse) -> Result<HttpResponse, Box<Problem>> {
        let size = answer.body().len();
        if size > UNCOUNTED_BYTES {
            answer.body_mut().acquire(self.try_acquire(size)?);
        }
        Ok(answer)
    }
}
