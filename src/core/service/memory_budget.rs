//! A budget of memory for the requests that callers send slowly and the answers that they do not read: limited in
//! total and for each account.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The memory that requests and answers in flight may take. Small ones are not counted: the number of connections
/// limits them.
#[derive(Debug)]
pub struct MemoryBudget {
    /// A permit for each KiB.
    all: Arc<Semaphore>,
    /// Most KiB of one account.
    share_kib: u32,
    /// A permit for each KiB of an account.
    accounts: AccountSemaphores,
}

/// Memory of the budget, given back on drop.
#[derive(Debug)]
pub struct MemoryPermit {
    own: OwnedSemaphorePermit,
    all: OwnedSemaphorePermit,
}

impl MemoryBudget {
    /// An account gets at most one in so many bytes of the budget.
    pub const SHARES: usize = 4;

    /// Returns a budget of so many bytes.
    pub fn new(bytes: usize) -> MemoryBudget {
        let kib = bytes / 1024;
        let share_kib = u32::try_from(kib / MemoryBudget::SHARES).unwrap_or(u32::MAX);
        MemoryBudget {
            all: Arc::new(Semaphore::new(kib)),
            share_kib,
            accounts: AccountSemaphores::new(share_kib as usize),
        }
    }

    /// Waits for memory for an account. `None` if it is not free within `patience`. More than the share of an account
    /// counts as its share.
    pub async fn acquire(&self, account: &Arc<str>, bytes: usize, patience: Duration) -> Option<MemoryPermit> {
        let count = self.count(bytes);
        let own = self.accounts.of(account);
        let wait = async {
            // The account's share first: waiting for it takes nothing from other accounts.
            let own = own.acquire_many_owned(count).await.ok()?;
            let all = Arc::clone(&self.all).acquire_many_owned(count).await.ok()?;
            Some(MemoryPermit { own, all })
        };
        timeout(patience, wait).await.ok().flatten()
    }

    /// Takes memory for an account without waiting. `None` if it is not free.
    #[must_use]
    pub fn try_acquire(&self, account: &Arc<str>, bytes: usize) -> Option<MemoryPermit> {
        let count = self.count(bytes);
        let own = self.accounts.of(account).try_acquire_many_owned(count).ok()?;
        let all = Arc::clone(&self.all).try_acquire_many_owned(count).ok()?;
        Some(MemoryPermit { own, all })
    }

    /// Resizes the permit to so many bytes. Returns false if it would have to grow and the memory is not free.
    #[must_use]
    pub fn resize(&self, permit: &mut MemoryPermit, bytes: usize) -> bool {
        let (count, now) = (self.count(bytes) as usize, permit.own.num_permits());
        if count <= now {
            drop(permit.split_kib(now - count));
            return true;
        }
        let more = u32::try_from(count - now).unwrap_or(u32::MAX);
        let own = Arc::clone(permit.own.semaphore()).try_acquire_many_owned(more);
        let all = Arc::clone(permit.all.semaphore()).try_acquire_many_owned(more);
        let (Ok(own), Ok(all)) = (own, all) else { return false };
        permit.own.merge(own);
        permit.all.merge(all);
        true
    }

    fn count(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX).min(self.share_kib)
    }
}

impl MemoryPermit {
    /// Splits so many bytes off, to be given back separately. `None` if the permit has fewer.
    #[must_use]
    pub fn split(&mut self, bytes: usize) -> Option<MemoryPermit> {
        self.split_kib(bytes.div_ceil(1024))
    }

    fn split_kib(&mut self, count: usize) -> Option<MemoryPermit> {
        let (own, all) = (self.own.split(count)?, self.all.split(count)?);
        Some(MemoryPermit { own, all })
    }
}

/// Semaphores of equal size, one for each account.
#[derive(Debug)]
pub struct AccountSemaphores {
    permits: usize,
    /// Accounts that have a permit or wait for one. Entries of others are removed.
    accounts: Mutex<HashMap<Arc<str>, Weak<Semaphore>>>,
}

impl AccountSemaphores {
    /// Returns semaphores of so many permits each.
    pub fn new(permits: usize) -> AccountSemaphores {
        AccountSemaphores { permits, accounts: Mutex::default() }
    }

    pub fn of(&self, account: &Arc<str>) -> Arc<Semaphore> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = accounts.get(account).and_then(Weak::upgrade) {
            return known;
        }
        accounts.retain(|_, semaphore| semaphore.strong_count() > 0);
        let new = Arc::new(Semaphore::new(self.permits));
        accounts.insert(Arc::clone(account), Arc::downgrade(&new));
        new
    }
}
