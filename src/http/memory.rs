//! Memory for the large requests and answers of one account.

use std::sync::Arc;
use std::time::Duration;

use super::refusal;
use super::respond::HttpResponse;
use crate::base::problem::Problem;
use crate::core::service::{MemoryBudget, MemoryPermit};

/// Bodies up to this size need no memory of the budget: the number of connections limits them.
pub(super) const UNCOUNTED_BYTES: usize = 8 * 1024;
/// Memory reserved for a page before it is made: 500 of the built-in rules have 752 KiB at most.
const PAGE_BYTES: usize = 1024 * 1024;
/// How long a page waits until the caller has read earlier ones. Unread ones are given up much earlier.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Clone, Copy)]
pub(crate) struct AccountMemory<'a> {
    pub(super) budget: &'a MemoryBudget,
    pub(super) account: &'a Arc<str>,
}

impl AccountMemory<'_> {
    /// Waits for so many bytes. Fails if they are not free within `patience`.
    pub(super) async fn acquire(self, bytes: usize, patience: Duration) -> Result<MemoryPermit, Box<Problem>> {
        let permit = self.budget.acquire(self.account, bytes, patience).await;
        permit.ok_or_else(|| Box::new(refusal::too_much_in_flight()))
    }

    /// Returns so many bytes. Fails if they are not free.
    pub(super) fn try_acquire(self, bytes: usize) -> Result<MemoryPermit, Box<Problem>> {
        self.budget.try_acquire(self.account, bytes).ok_or_else(|| Box::new(refusal::too_much_in_flight()))
    }

    /// Waits for the memory of a page that is not made yet.
    pub(super) async fn for_page(self) -> Result<MemoryPermit, Box<Problem>> {
        self.acquire(PAGE_BYTES, PATIENCE).await
    }

    /// Charges the page to the permit, reduced to what the page needs. Fails if the page needs more and that is
    /// not free.
    pub(super) fn fit(self, mut permit: MemoryPermit, mut page: HttpResponse) -> Result<HttpResponse, Box<Problem>> {
        if !self.budget.resize(&mut permit, page.body().len()) {
            return Err(Box::new(refusal::too_much_in_flight()));
        }
        page.body_mut().charge(permit);
        Ok(page)
    }

    /// Charges an answer that is made already. Fails if its memory is not free: waiting would keep the bytes
    /// without counting them.
    pub(crate) fn keep(self, mut answer: HttpResponse) -> Result<HttpResponse, Box<Problem>> {
        let size = answer.body().len();
        if size > UNCOUNTED_BYTES {
            answer.body_mut().charge(self.try_acquire(size)?);
        }
        Ok(answer)
    }
}
