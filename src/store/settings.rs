//! Settings of the operator, and the keys whose bundles they trust.

use redb::{ReadableDatabase, ReadableTable};

use super::{Store, StoreResult, schema};

impl Store {
    /// The value of a setting.
    pub fn setting(&self, name: &str) -> StoreResult<Option<String>> {
        let table = self.db.begin_read()?.open_table(schema::SETTINGS)?;
        Ok(table.get(name)?.map(|value| value.value().to_owned()))
    }

    /// Writes a setting, or takes it back.
    pub fn put_setting(&self, name: &str, value: Option<&str>) -> StoreResult<()> {
        let txn = self.begin_write()?;
        {
            let mut table = txn.open_table(schema::SETTINGS)?;
            match value {
                Some(value) => table.insert(name, value)?,
                None => table.remove(name)?,
            };
        }
        Ok(txn.commit()?)
    }

    /// Name and public key of every trusted key, by name.
    pub fn trusted_keys(&self) -> StoreResult<Vec<(String, String)>> {
        let table = self.db.begin_read()?.open_table(schema::TRUST)?;
        let mut keys = Vec::new();
        for entry in table.iter()? {
            let (name, key) = entry?;
            keys.push((name.value().to_owned(), key.value().to_owned()));
        }
        Ok(keys)
    }

    /// Trusts a key under a name.
    pub fn put_trusted_key(&self, name: &str, public_key: &str) -> StoreResult<()> {
        let txn = self.begin_write()?;
        txn.open_table(schema::TRUST)?.insert(name, public_key)?;
        Ok(txn.commit()?)
    }

    /// Trusts the key of that name no longer; false where there is none.
    pub fn remove_trusted_key(&self, name: &str) -> StoreResult<bool> {
        let txn = self.begin_write()?;
        let removed = txn.open_table(schema::TRUST)?.remove(name)?.is_some();
        txn.commit()?;
        Ok(removed)
    }
}
