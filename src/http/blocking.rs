//! Answers that take more than a few reads of the store are made aside, so that the threads which
//! serve connections never wait for one.
//!
//! At most one such answer for each core is in the making, at a lower priority than the threads that
//! serve: however many are asked for, calculations go first. Accounts take turns, so that one of them
//! with hundreds of connections does not hold up another's single listing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::memory::AccountMemory;
use super::refusal;
use super::respond::HttpResponse;
use crate::calls::Caller;
use crate::problem::{Problem, guarded};
use crate::service::lower_priority;

/// Answers of one account that may wait or be in the making; one more is refused.
const MAX_OF_ACCOUNT: usize = 512;

/// Where answers are made aside.
pub(super) struct BlockingPool {
    /// One for each core, given out in the order of asking.
    slots: Arc<Semaphore>,
    width: usize,
    /// Every account that has asked since the start; an account costs some hundred bytes.
    accounts: Mutex<HashMap<Arc<str>, Account>>,
}

/// What one account may have here.
#[derive(Clone)]
struct Account {
    /// For each answer that it waits for.
    waiting: Arc<Semaphore>,
    /// For each answer that waits for a place or has one: no account may have more of them
    /// than there are slots, so that another one waits for no more than that many.
    turns: Arc<Semaphore>,
}

impl BlockingPool {
    pub(super) fn new() -> BlockingPool {
        let width = available_parallelism().map_or(1, usize::from);
        BlockingPool { slots: Arc::new(Semaphore::new(width)), width, accounts: Mutex::default() }
    }

    /// Returns what `work` comes to, once it is its turn, on a thread where it may take its time. Work is
    /// dropped if its caller leaves before it begins. Refuses the work of an account that waits for too much.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        caller: &Caller,
        work: impl FnOnce() -> Result<T, Box<Problem>> + Send + 'static,
    ) -> Result<T, Box<Problem>> {
        let (account, waits) = self.wait(&caller.client.client_id)?;
        self.make(account, waits, work).await
    }

    /// The same for a page, which is made once there is memory for it. The page holds that memory until it is read.
    pub(super) async fn page(
        &self,
        memory: AccountMemory<'_>,
        work: impl FnOnce() -> Result<HttpResponse, Box<Problem>> + Send + 'static,
    ) -> Result<HttpResponse, Box<Problem>> {
        let (account, waits) = self.wait(memory.account)?;
        let held = memory.for_page().await?;
        memory.fit(held, self.make(account, waits, work).await?)
    }

    /// The account, and its permit to wait.
    fn wait(&self, client_id: &Arc<str>) -> Result<(Account, OwnedSemaphorePermit), Box<Problem>> {
        let account = self.account(client_id);
        let waits = Arc::clone(&account.waiting).try_acquire_owned();
        let waits = waits.map_err(|_| Box::new(refusal::too_many_waiting(MAX_OF_ACCOUNT)))?;
        Ok((account, waits))
    }

    async fn make<T: Send + 'static>(
        &self,
        account: Account,
        waits: OwnedSemaphorePermit,
        work: impl FnOnce() -> Result<T, Box<Problem>> + Send + 'static,
    ) -> Result<T, Box<Problem>> {
        let held = [waits, turn(account.turns).await?, turn(Arc::clone(&self.slots)).await?];
        let made = tokio::task::spawn_blocking(move || {
            lower_priority();
            let made = guarded(work);
            // Not earlier: the work goes on even if its caller leaves.
            drop(held);
            made
        });
        made.await.unwrap_or_else(|error| {
            tracing::error!(%error, "work aside was given up");
            Err(Box::new(refusal::stopping()))
        })
    }

    fn account(&self, client_id: &Arc<str>) -> Account {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = accounts.get(client_id) {
            return account.clone();
        }
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        let account = Account { waiting: semaphore(MAX_OF_ACCOUNT), turns: semaphore(self.width) };
        accounts.insert(Arc::clone(client_id), account.clone());
        account
    }
}

/// A permit, once it is this caller's turn.
async fn turn(of: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Box<Problem>> {
    of.acquire_owned().await.map_err(|_| Box::new(refusal::stopping()))
}
