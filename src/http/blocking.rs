//! Long answers, such as listings, are made on blocking threads, so that the threads which serve connections
//! never wait for one.
//!
//! At most one long answer for each core is made at a time, at a lower priority than calculations. Each account
//! has a limit of its own, so that an account with hundreds of connections does not delay another's listing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::memory::AccountMemory;
use super::refusal;
use super::respond::HttpResponse;
use crate::base::problem::{Problem, guarded};
use crate::core::calls::Caller;
use crate::core::service::lower_priority;

/// Long answers of one account that may wait or be in the making. Further ones are refused.
const MAX_OF_ACCOUNT: usize = 512;

/// Makes long answers.
pub(crate) struct BlockingPool {
    /// One permit for each core, given out first come, first served.
    slots: Arc<Semaphore>,
    cores: usize,
    /// Every account with a long answer since the start. Never shrinks: an account takes some hundred bytes.
    accounts: Mutex<HashMap<Arc<str>, Account>>,
}

/// The limits of one account.
#[derive(Clone)]
struct Account {
    /// A permit for each long answer that its callers wait for.
    waiting: Arc<Semaphore>,
    /// A permit for each long answer that waits for a slot or has one. There are as many as slots, so that
    /// another account waits for no more answers of this one than that.
    turns: Arc<Semaphore>,
}

impl BlockingPool {
    pub(super) fn new() -> BlockingPool {
        let cores = available_parallelism().map_or(1, usize::from);
        BlockingPool { slots: Arc::new(Semaphore::new(cores)), cores, accounts: Mutex::default() }
    }

    /// Runs `work` on a blocking thread when it is its turn, and returns its result. Drops `work` if the caller
    /// disconnects before it starts. Fails if the account already waits for too many answers.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        caller: &Caller,
        work: impl FnOnce() -> Result<T, Box<Problem>> + Send + 'static,
    ) -> Result<T, Box<Problem>> {
        let (account, waits) = self.wait(&caller.client.client_id)?;
        self.make(account, waits, work).await
    }

    /// The same for an answer of up to a page, which is made when there is memory for it. The answer keeps that
    /// memory until it is read.
    pub(crate) async fn page(
        &self,
        memory: AccountMemory<'_>,
        work: impl FnOnce() -> Result<HttpResponse, Box<Problem>> + Send + 'static,
    ) -> Result<HttpResponse, Box<Problem>> {
        let (account, waits) = self.wait(memory.account)?;
        let permit = memory.for_page().await?;
        memory.fit(permit, self.make(account, waits, work).await?)
    }

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
        let permits = [waits, turn(account.turns).await?, turn(Arc::clone(&self.slots)).await?];
        let made = tokio::task::spawn_blocking(move || {
            lower_priority();
            let made = guarded(work);
            // Not earlier: the work continues even if its caller disconnects.
            drop(permits);
            made
        });
        made.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a blocking task was cancelled; its caller is answered 503");
            Err(Box::new(refusal::stopping()))
        })
    }

    fn account(&self, client_id: &Arc<str>) -> Account {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = accounts.get(client_id) {
            return account.clone();
        }
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        let account = Account { waiting: semaphore(MAX_OF_ACCOUNT), turns: semaphore(self.cores) };
        accounts.insert(Arc::clone(client_id), account.clone());
        account
    }
}

async fn turn(of: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Box<Problem>> {
    of.acquire_owned().await.map_err(|_| Box::new(refusal::stopping()))
}
