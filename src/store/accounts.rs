//! Accounts and their keys.

use std::collections::BTreeSet;

use redb::{ReadTransaction, ReadableTable, TableDefinition, WriteTransaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::json::{decode, encode};
use super::plans::{LimitOverrides, Plan};
use super::{Store, StoreError, StoreResult, plans, schema};
use crate::value::{KeyDigest, KeyKind, Timestamp};

/// An account: who calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Identifier, made by taxd.
    pub client_id: String,
    /// Name, as the operator gave it.
    pub nome: String,
    /// Plan name.
    pub plan: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when its calls are refused; absent while they are answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended_at: Option<Timestamp>,
    /// Its exceptions from the plan.
    #[serde(default)]
    pub overrides: LimitOverrides,
}

/// An API key, without the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRecord {
    /// Identifier of the key, for people to name it by.
    pub key_id: String,
    /// Account it belongs to.
    pub client_id: String,
    /// What it is for.
    pub kind: KeyKind,
    /// When it was made.
    pub created_at: Timestamp,
    /// `key_id` of the first key of its rotations, its own where it is the first: they share
    /// one monthly allowance.
    #[serde(rename = "line")]
    pub lineage: String,
    /// `key_id` of the key that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotated_to: Option<String>,
    /// When it ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

impl KeyRecord {
    /// True where the key opens the door at that instant.
    #[must_use]
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Everything that says who may call, in one snapshot.
#[derive(Debug, Clone, Default)]
pub struct Clients {
    /// Every plan.
    pub plans: Vec<Plan>,
    /// Every account, by id.
    pub accounts: Vec<Account>,
    /// Every key with its digest.
    pub keys: Vec<(KeyDigest, KeyRecord)>,
}

fn digest_of(bytes: &[u8]) -> StoreResult<KeyDigest> {
    bytes.try_into().map_err(|_| StoreError::Corrupt("key digest".to_owned()))
}

fn accounts(txn: &ReadTransaction) -> StoreResult<Vec<Account>> {
    let table = txn.open_table(schema::ACCOUNTS)?;
    table.iter()?.map(|entry| decode("account", entry?.1.value())).collect()
}

fn keys(txn: &ReadTransaction) -> StoreResult<Vec<(KeyDigest, KeyRecord)>> {
    let table = txn.open_table(schema::KEYS)?;
    let mut keys = Vec::new();
    for entry in table.iter()? {
        let (digest, record) = entry?;
        keys.push((digest_of(digest.value())?, decode("key", record.value())?));
    }
    Ok(keys)
}

fn put_key(txn: &WriteTransaction, digest: &KeyDigest, key: &KeyRecord) -> StoreResult<()> {
    txn.open_table(schema::KEYS)?.insert(digest.as_slice(), encode(key)?.as_slice())?;
    Ok(())
}

/// Reads a record, lets `change` change it or refuse, and writes it; `None` where there is none.
fn update<K: redb::Key + 'static, T: Serialize + DeserializeOwned, E: From<StoreError>>(
    txn: &WriteTransaction,
    table: TableDefinition<'static, K, &'static [u8]>,
    key: &K::SelfType<'_>,
    change: impl FnOnce(&mut T) -> Result<(), E>,
) -> Result<Option<T>, E> {
    let mut table = txn.open_table(table).map_err(StoreError::from)?;
    let found = table.get(key).map_err(StoreError::from)?;
    let Some(mut record) = found.map(|bytes| decode::<T>("account or key", bytes.value())).transpose()? else {
        return Ok(None);
    };
    change(&mut record)?;
    table.insert(key, encode(&record)?.as_slice()).map_err(StoreError::from)?;
    Ok(Some(record))
}

/// A change that refuses nothing.
fn always<T>(change: impl FnOnce(&mut T)) -> impl FnOnce(&mut T) -> StoreResult<()> {
    |record| {
        change(record);
        Ok(())
    }
}

impl Store {
    /// Plans, accounts and keys.
    pub fn clients(&self) -> StoreResult<Clients> {
        let txn = self.begin_read()?;
        Ok(Clients { plans: plans::all(&txn)?, accounts: accounts(&txn)?, keys: keys(&txn)? })
    }

    /// The account of that id.
    pub fn account(&self, client_id: &str) -> StoreResult<Option<Account>> {
        let table = self.begin_read()?.open_table(schema::ACCOUNTS)?;
        table.get(client_id)?.map(|bytes| decode("account", bytes.value())).transpose()
    }

    /// Every account, by id.
    pub fn accounts(&self) -> StoreResult<Vec<Account>> {
        accounts(&self.begin_read()?)
    }

    /// The ids of the accounts that are suspended.
    pub fn suspended_accounts(&self) -> StoreResult<BTreeSet<String>> {
        let suspended = self.accounts()?.into_iter().filter(|account| account.suspended_at.is_some());
        Ok(suspended.map(|account| account.client_id).collect())
    }

    /// Writes an account.
    pub fn put_account(&self, account: &Account) -> StoreResult<()> {
        let txn = self.begin_small_write()?;
        txn.open_table(schema::ACCOUNTS)?.insert(account.client_id.as_str(), encode(account)?.as_slice())?;
        self.commit(txn)
    }

    /// Changes an account; what it is then, or `None` where there is none.
    pub fn update_account(&self, client_id: &str, change: impl FnOnce(&mut Account)) -> StoreResult<Option<Account>> {
        let txn = self.begin_small_write()?;
        let changed = update(&txn, schema::ACCOUNTS, &client_id, always(change))?;
        self.commit(txn)?;
        Ok(changed)
    }

    /// Every key with its digest.
    pub fn keys(&self) -> StoreResult<Vec<(KeyDigest, KeyRecord)>> {
        keys(&self.begin_read()?)
    }

    /// Writes a key under its SHA-256.
    pub fn put_key(&self, digest: &KeyDigest, key: &KeyRecord) -> StoreResult<()> {
        let txn = self.begin_small_write()?;
        put_key(&txn, digest, key)?;
        self.commit(txn)
    }

    /// Writes a key in the place of another, which `change` changes or refuses to, both or
    /// neither; what the other is then, or `None`, and nothing written, where there is none.
    pub fn replace_key<E: From<StoreError>>(
        &self,
        other: &KeyDigest,
        digest: &KeyDigest,
        key: &KeyRecord,
        change: impl FnOnce(&mut KeyRecord) -> Result<(), E>,
    ) -> Result<Option<KeyRecord>, E> {
        let txn = self.begin_small_write()?;
        let changed = update(&txn, schema::KEYS, &other.as_slice(), change)?;
        if changed.is_some() {
            put_key(&txn, digest, key)?;
            self.commit(txn)?;
        }
        Ok(changed)
    }

    /// Changes a key; what it is then, or `None` where there is none.
    pub fn update_key(
        &self,
        digest: &KeyDigest,
        change: impl FnOnce(&mut KeyRecord),
    ) -> StoreResult<Option<KeyRecord>> {
        let txn = self.begin_small_write()?;
        let changed = update(&txn, schema::KEYS, &digest.as_slice(), always(change))?;
        self.commit(txn)?;
        Ok(changed)
    }
}
