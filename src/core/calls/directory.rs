//! Plans, accounts and keys in memory.
//!
//! A call finds its key here and never waits for the file. A command that changes an account, a plan or a key writes
//! the store and then reads the directory again, so the next call already meets the change.

use std::collections::HashMap;
use std::sync::Arc;

use super::meter::Meter;
use crate::base::value::KeyDigest;
use crate::core::store::{Account, AccountLimits, Clients, KeyRecord, Store, StoreError, StoreResult};

/// An account in memory.
pub struct Client {
    /// Its id, shared by the calls that name it.
    pub client_id: Arc<str>,
    pub account: Account,
    /// The limits in force: those of the plan, or the account's own.
    pub limits: AccountLimits,
    /// The names of its keys that have one, by `key_id`.
    pub key_names: HashMap<String, String>,
    /// Its counts, which go on when the directory is read again.
    pub meter: Arc<Meter>,
}

/// A key in memory.
pub struct Caller {
    pub key: KeyRecord,
    /// Its `key_id`, shared by the calls that name it.
    pub key_id: Arc<str>,
    pub client: Arc<Client>,
}

#[derive(Default)]
pub struct Directory {
    /// By id.
    pub(super) clients: HashMap<String, Arc<Client>>,
    pub(super) callers: HashMap<KeyDigest, Arc<Caller>>,
}

impl Directory {
    /// Reads the store. Accounts keep the meters that they have in `before`; other meters are read from the store.
    /// Fails if an account has no plan or a key no account.
    pub fn read(store: &Store, before: &Directory) -> StoreResult<Directory> {
        let Clients { plans, accounts, keys } = store.clients()?;
        let mut kept: HashMap<String, Vec<u8>> =
            if before.clients.is_empty() { store.meters()?.into_iter().collect() } else { HashMap::new() };
        let mut names: HashMap<&str, HashMap<String, String>> = HashMap::new();
        for (_, key) in &keys {
            if let Some(name) = &key.name {
                names.entry(&key.client_id).or_default().insert(key.key_id.clone(), name.clone());
            }
        }
        let mut clients = HashMap::with_capacity(accounts.len());
        for account in accounts {
            let plan = plans.iter().find(|plan| plan.plan == account.plan).ok_or_else(|| {
                StoreError::Corrupt(format!(
                    "account {} has plan \"{}\", which does not exist",
                    account.client_id, account.plan
                ))
            })?;
            let limits = account.overrides.over(plan.limits);
            let meter = match before.clients.get(&account.client_id) {
                Some(known) => Arc::clone(&known.meter),
                None => Arc::new(Meter::new(kept.remove(&account.client_id).as_deref())?),
            };
            let client_id = Arc::from(account.client_id.as_str());
            let key_names = names.remove(account.client_id.as_str()).unwrap_or_default();
            clients
                .insert(account.client_id.clone(), Arc::new(Client { client_id, account, limits, key_names, meter }));
        }
        let mut callers = HashMap::with_capacity(keys.len());
        for (digest, key) in keys {
            let client = clients.get(&key.client_id).ok_or_else(|| {
                StoreError::Corrupt(format!("key {} belongs to an account that does not exist", key.key_id))
            })?;
            let key_id = Arc::from(key.key_id.as_str());
            callers.insert(digest, Arc::new(Caller { key, key_id, client: Arc::clone(client) }));
        }
        Ok(Directory { clients, callers })
    }
}
