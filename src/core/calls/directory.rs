//! Plans, accounts and keys in memory.
//!
//! A call finds its key here and never waits for the file. A command that changes an account or a key writes the store
//! and then reads that account and its keys again, so the next call already meets the change. A plan changes the limits
//! of many accounts: after its change everything is read again.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::meter::Meter;
use crate::base::value::KeyDigest;
use crate::store::{Account, AccountLimits, Clients, KeyRecord, Store, StoreError, StoreResult};

/// An account in memory.
pub struct Client {
    /// Its id, shared by the calls that name it.
    pub client_id: Arc<str>,
    pub account: Account,
    /// The limits in force: those of the plan, or the account's own.
    pub limits: AccountLimits,
    /// The names of its keys that have one, by `key_id`.
    pub key_names: HashMap<String, String>,
    /// What its keys are found by in [`Directory::callers`].
    pub(super) keys: Vec<KeyDigest>,
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

/// Accounts and their keys: all of them, or those of one account.
#[derive(Default)]
pub struct Directory {
    /// By id.
    pub(super) clients: HashMap<Arc<str>, Arc<Client>>,
    pub(super) callers: HashMap<KeyDigest, Arc<Caller>>,
    /// The name of each account, in lower case, and its id.
    names: BTreeSet<(String, Arc<str>)>,
}

/// The key of an account in [`Directory::names`].
fn name_of(client: &Client) -> (String, Arc<str>) {
    (client.account.nome.to_lowercase(), Arc::clone(&client.client_id))
}

impl Directory {
    /// The directory of these accounts and keys, each account with its meter. Fails if an account has no plan or a key no
    /// account.
    pub(super) fn new(
        clients: Clients,
        mut meter: impl FnMut(&str) -> StoreResult<Arc<Meter>>,
    ) -> StoreResult<Directory> {
        let Clients { plans, accounts, keys } = clients;
        let mut of_client: HashMap<&str, Vec<&(KeyDigest, KeyRecord)>> = HashMap::new();
        for key in &keys {
            of_client.entry(&key.1.client_id).or_default().push(key);
        }
        let mut directory = Directory::default();
        for account in accounts {
            let plan = plans.iter().find(|plan| plan.plan == account.plan).ok_or_else(|| {
                StoreError::Corrupt(format!(
                    "account {} has plan \"{}\", which does not exist",
                    account.client_id, account.plan
                ))
            })?;
            let own = of_client.remove(account.client_id.as_str()).unwrap_or_default();
            let named = own.iter().filter_map(|(_, key)| Some((key.key_id.clone(), key.name.clone()?)));
            let client = Arc::new(Client {
                client_id: Arc::from(account.client_id.as_str()),
                limits: account.overrides.over(plan.limits),
                key_names: named.collect(),
                keys: own.iter().map(|(digest, _)| *digest).collect(),
                meter: meter(&account.client_id)?,
                account,
            });
            for (digest, key) in own {
                let key_id = Arc::from(key.key_id.as_str());
                let caller = Caller { key: key.clone(), key_id, client: Arc::clone(&client) };
                directory.callers.insert(*digest, Arc::new(caller));
            }
            directory.names.insert(name_of(&client));
            directory.clients.insert(Arc::clone(&client.client_id), client);
        }
        match of_client.into_values().flatten().next() {
            Some((_, key)) => {
                Err(StoreError::Corrupt(format!("key {} belongs to an account that does not exist", key.key_id)))
            }
            None => Ok(directory),
        }
    }

    /// Reads the whole store. Accounts keep the meters that they have in `before`; other meters are read from the store.
    pub(super) fn read(store: &Store, before: &HashMap<Arc<str>, Arc<Meter>>) -> StoreResult<Directory> {
        let mut kept: HashMap<String, Vec<u8>> =
            if before.is_empty() { store.meters()?.into_iter().collect() } else { HashMap::new() };
        Directory::new(store.clients()?, |client_id| match before.get(client_id) {
            Some(known) => Ok(Arc::clone(known)),
            None => Ok(Arc::new(Meter::new(kept.remove(client_id).as_deref())?)),
        })
    }

    /// Takes the accounts and keys of `changed` in place of what is known of them.
    pub(super) fn put(&mut self, changed: Directory) {
        for client_id in changed.clients.keys() {
            if let Some(known) = self.clients.get(client_id) {
                self.names.remove(&name_of(known));
            }
        }
        self.names.extend(changed.names);
        self.clients.extend(changed.clients);
        self.callers.extend(changed.callers);
    }

    /// The ids of the accounts with that name, in either case, in order.
    pub(super) fn named(&self, nome: &str) -> Vec<Arc<str>> {
        let first = (nome.to_lowercase(), Arc::from(""));
        let same = self.names.range(&first..).take_while(|(name, _)| *name == first.0);
        same.map(|(_, client_id)| Arc::clone(client_id)).collect()
    }
}
