//! Memory for a large request or answer, held for the account of its caller.

use std::sync::Arc;
use std::time::Duration;

use super::refusal;
use super::respond::Answer;
use crate::problem::Problem;
use crate::service::{Budget, Held};

/// Bodies up to this size are not counted: the number of connections bounds them.
pub(super) const LEAN_BYTES: usize = 8 * 1024;
/// What is held for a page before it is made: 500 of the built-in rules have 752 KiB at most.
const PAGE_BYTES: usize = 1024 * 1024;
/// How long a page waits until earlier ones are read. One that is not read is given up much earlier.
const PATIENCE: Duration = Duration::from_mins(1);

/// The memory of one account.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    pub(super) budget: &'a Budget,
    pub(super) account: &'a Arc<str>,
}

impl Room<'_> {
    /// Waits for memory for so many bytes.
    pub(super) async fn hold(self, bytes: usize, patience: Duration) -> Result<Held, Box<Problem>> {
        let held = self.budget.hold(self.account, bytes, patience).await;
        held.ok_or_else(|| Box::new(refusal::too_much_in_flight()))
    }

    /// Memory for so many bytes, if it is free.
    pub(super) fn hold_now(self, bytes: usize) -> Result<Held, Box<Problem>> {
        self.budget.try_hold(self.account, bytes).ok_or_else(|| Box::new(refusal::too_much_in_flight()))
    }

    /// Waits for memory for a page that has yet to be made.
    pub(super) async fn for_page(self) -> Result<Held, Box<Problem>> {
        self.hold(PAGE_BYTES, PATIENCE).await
    }

    /// The page, with as much of what was held for it as it needs.
    pub(super) fn fit(self, mut held: Held, mut page: Answer) -> Result<Answer, Box<Problem>> {
        if !self.budget.resize(&mut held, page.body().len()) {
            return Err(Box::new(refusal::too_much_in_flight()));
        }
        page.body_mut().hold(held);
        Ok(page)
    }

    /// An answer that was made already.
    pub(super) fn keep(self, mut answer: Answer) -> Result<Answer, Box<Problem>> {
        let size = answer.body().len();
        if size > LEAN_BYTES {
            answer.body_mut().hold(self.hold_now(size)?);
        }
        Ok(answer)
    }
}
