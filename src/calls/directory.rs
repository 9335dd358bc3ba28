//! Who may call: plans, accounts and keys in memory, as the store has them.
//!
//! A call looks its key up here and never waits for the file. Whatever changes an account, a
//! plan or a key writes it to the store and then has the directory read anew, so the next
//! call already meets the change.

use std::collections::HashMap;
use std::sync::Arc;

use super::meter::Meter;
use crate::store::{Account, AccountLimits, Clients, KeyRecord, Store, StoreError, StoreResult};
use crate::value::KeyDigest;

/// An account as a call meets it.
pub struct Client {
    /// Its id, shared by the calls that name it.
    pub client_id: Arc<str>,
    /// The account.
    pub account: Account,
    /// The limits in force: the plan's, with the account's own in their place.
    pub limits: AccountLimits,
    /// What is counted of it.
    pub meter: Arc<Meter>,
}

/// A key as a call meets it.
pub struct Caller {
    /// The key.
    pub key: KeyRecord,
    /// Its `key_id`, shared by the calls that name it.
    pub key_id: Arc<str>,
    /// Its account.
    pub client: Arc<Client>,
}

/// Everybody who may call.
#[derive(Default)]
pub struct Directory {
    clients: HashMap<String, Arc<Client>>,
    callers: HashMap<KeyDigest, Arc<Caller>>,
}

impl Directory {
    /// Reads the store. The meters of `before` go on counting; those that it does not have
    /// begin with what the store kept.
    pub fn read(store: &Store, before: &Directory) -> StoreResult<Directory> {
        let Clients { plans, accounts, keys } = store.clients()?;
        let mut kept: HashMap<String, Vec<u8>> =
            if before.clients.is_empty() { store.meters()?.into_iter().collect() } else { HashMap::new() };
        let mut clients = HashMap::with_capacity(accounts.len());
        for account in accounts {
            let plan = plans.iter().find(|plan| plan.plan == account.plan).ok_or_else(|| {
                StoreError::Corrupt(format!(
                    "account {}: its plan \"{}\" is not there",
                    account.client_id, account.plan
                ))
            })?;
            let limits = account.overrides.over(plan.limits);
            let meter = match before.clients.get(&account.client_id) {
                Some(known) => Arc::clone(&known.meter),
                None => Arc::new(Meter::new(kept.remove(&account.client_id).as_deref())?),
            };
            clients.insert(
                account.client_id.clone(),
                Arc::new(Client { client_id: Arc::from(account.client_id.as_str()), account, limits, meter }),
            );
        }
        let mut callers = HashMap::with_capacity(keys.len());
        for (digest, key) in keys {
            let client = clients
                .get(&key.client_id)
                .ok_or_else(|| StoreError::Corrupt(format!("key {}: its account is not there", key.key_id)))?;
            let key_id = Arc::from(key.key_id.as_str());
            callers.insert(digest, Arc::new(Caller { key, key_id, client: Arc::clone(client) }));
        }
        Ok(Directory { clients, callers })
    }

    /// The key of that digest.
    #[must_use]
    pub fn caller(&self, digest: &KeyDigest) -> Option<&Arc<Caller>> {
        self.callers.get(digest)
    }

    /// The account of that id.
    #[must_use]
    pub fn client(&self, client_id: &str) -> Option<&Arc<Client>> {
        self.clients.get(client_id)
    }

    /// Every account, in no order.
    pub fn clients(&self) -> impl Iterator<Item = &Arc<Client>> {
        self.clients.values()
    }
}
