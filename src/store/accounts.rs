//! Reading and writing accounts and keys.

use redb::{ReadableDatabase, ReadableTable};
use serde::{Deserialize, Serialize};

use super::{Store, StoreError, StoreResult, schema};

/// An account: who calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Identifier, made by taxd.
    pub client_id: String,
    /// Name, as the operator gave it.
    pub nome: String,
    /// Plan name.
    pub plan: String,
    /// When it was made, UTC.
    pub created_at: String,
}

/// An API key, without the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRecord {
    /// Identifier of the key, for people to name it by.
    pub key_id: String,
    /// Account it belongs to.
    pub client_id: String,
    /// `live` or `test`.
    pub kind: String,
    /// When it was made, UTC.
    pub created_at: String,
}

fn decode<T: for<'de> Deserialize<'de>>(what: &str, bytes: &[u8]) -> StoreResult<T> {
    serde_json::from_slice(bytes).map_err(|e| StoreError::Corrupt(format!("{what}: {e}")))
}

fn encode<T: Serialize>(value: &T) -> StoreResult<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| StoreError::Corrupt(e.to_string()))
}

impl Store {
    /// The account of that id.
    pub fn account(&self, client_id: &str) -> StoreResult<Option<Account>> {
        let table = self.db.begin_read()?.open_table(schema::ACCOUNTS)?;
        table.get(client_id)?.map(|bytes| decode("account", bytes.value())).transpose()
    }

    /// Every account, by id.
    pub fn accounts(&self) -> StoreResult<Vec<Account>> {
        let table = self.db.begin_read()?.open_table(schema::ACCOUNTS)?;
        table.iter()?.map(|entry| decode("account", entry?.1.value())).collect()
    }

    /// Writes an account.
    pub fn put_account(&self, account: &Account) -> StoreResult<()> {
        let txn = self.db.begin_write()?;
        txn.open_table(schema::ACCOUNTS)?.insert(account.client_id.as_str(), encode(account)?.as_slice())?;
        Ok(txn.commit()?)
    }

    /// The key whose SHA-256 is `digest`.
    pub fn key(&self, digest: &[u8]) -> StoreResult<Option<KeyRecord>> {
        let table = self.db.begin_read()?.open_table(schema::KEYS)?;
        table.get(digest)?.map(|bytes| decode("key", bytes.value())).transpose()
    }

    /// Writes a key under its SHA-256.
    pub fn put_key(&self, digest: &[u8], key: &KeyRecord) -> StoreResult<()> {
        let txn = self.db.begin_write()?;
        txn.open_table(schema::KEYS)?.insert(digest, encode(key)?.as_slice())?;
        Ok(txn.commit()?)
    }
}
