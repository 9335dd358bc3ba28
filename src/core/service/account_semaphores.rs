//! A semaphore for each account.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Semaphore;

/// Semaphores of equal size, one for each account.
#[derive(Debug)]
pub struct AccountSemaphores {
    permits: usize,
    /// Accounts that have a permit or wait for one. Entries of others are removed.
    accounts: Mutex<HashMap<Arc<str>, Weak<Semaphore>>>,
}

impl AccountSemaphores {
    /// Returns semaphores of so many permits each.
    #[must_use]
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
