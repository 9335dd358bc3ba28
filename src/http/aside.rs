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

use super::refusal;
use crate::calls::Caller;
use crate::problem::{Problem, guarded};
use crate::service::lower_priority;

/// Answers of one account that may wait or be in the making; one more is refused.
const MAX_OF_ACCOUNT: usize = 512;

/// Where answers are made aside.
pub(super) struct Aside {
    /// One for each core, given out in the order of asking.
    places: Arc<Semaphore>,
    width: usize,
    /// Every account that has asked since the start; an account costs some hundred bytes.
    accounts: Mutex<HashMap<Arc<str>, Account>>,
}

/// What one account may have here.
#[derive(Clone)]
struct Account {
    /// For each answer that it waits for.
    room: Arc<Semaphore>,
    /// For each answer that waits for a place or has one: no account may have more of them
    /// than there are places, so that another one waits for no more than that many.
    turns: Arc<Semaphore>,
}

impl Aside {
    pub(super) fn new() -> Aside {
        let width = available_parallelism().map_or(1, usize::from);
        Aside { places: Arc::new(Semaphore::new(width)), width, accounts: Mutex::default() }
    }

    /// Returns what `work` comes to, once it is its turn, on a thread where it may take its time. Work is
    /// dropped if its caller leaves before it begins. Refuses the work of an account that waits for too much.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        caller: &Caller,
        work: impl FnOnce() -> Result<T, Box<Problem>> + Send + 'static,
    ) -> Result<T, Box<Problem>> {
        let Account { room, turns } = self.account(&caller.client.client_id);
        let room = room.try_acquire_owned().map_err(|_| Box::new(refusal::too_many_waiting(MAX_OF_ACCOUNT)))?;
        let held = [room, turn(turns).await?, turn(Arc::clone(&self.places)).await?];
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
        let account = Account { room: semaphore(MAX_OF_ACCOUNT), turns: semaphore(self.width) };
        accounts.insert(Arc::clone(client_id), account.clone());
        account
    }
}

/// A permit, once it is this caller's turn.
async fn turn(of: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Box<Problem>> {
    of.acquire_owned().await.map_err(|_| Box::new(refusal::stopping()))
}
