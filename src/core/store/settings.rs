//! Settings of the operator, and the public keys that they trust for bundles.

use redb::{ReadTransaction, ReadableTable};

use super::{Store, StoreResult, schema};

/// Result of trusting a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trusting {
    /// The key is trusted under the name.
    Done,
    NameTaken,
    /// The key is trusted under this other name already.
    KeyTakenBy(String),
}

/// Name and public key of every trusted key, by name.
pub fn trusted_keys(txn: &ReadTransaction) -> StoreResult<Vec<(String, String)>> {
    let table = txn.open_table(schema::TRUST)?;
    let mut keys = Vec::new();
    for entry in table.iter()? {
        let (name, key) = entry?;
        keys.push((name.value().to_owned(), key.value().to_owned()));
    }
    Ok(keys)
}

impl Store {
    pub fn setting(&self, name: &str) -> StoreResult<Option<String>> {
        let table = self.begin_read()?.open_table(schema::SETTINGS)?;
        Ok(table.get(name)?.map(|value| value.value().to_owned()))
    }

    /// Writes a setting, or removes it.
    pub fn put_setting(&self, name: &str, value: Option<&str>) -> StoreResult<()> {
        self.small_write(|txn| {
            let mut table = txn.open_table(schema::SETTINGS)?;
            match value {
                Some(value) => table.insert(name, value)?,
                None => table.remove(name)?,
            };
            Ok(())
        })
    }

    /// Name and public key of every trusted key, by name.
    pub fn trusted_keys(&self) -> StoreResult<Vec<(String, String)>> {
        trusted_keys(&self.begin_read()?)
    }

    /// Trusts a key under a name, unless either is in use for another one. Repeating it changes nothing.
    pub fn trust_key(&self, name: &str, public_key: &str) -> StoreResult<Trusting> {
        self.small_write(|txn| {
            let mut table = txn.open_table(schema::TRUST)?;
            for entry in table.iter()? {
                let (known, key) = entry?;
                match (known.value() == name, key.value() == public_key) {
                    (true, false) => return Ok(Trusting::NameTaken),
                    (false, true) => return Ok(Trusting::KeyTakenBy(known.value().to_owned())),
                    _ => {}
                }
            }
            table.insert(name, public_key)?;
            Ok(Trusting::Done)
        })
    }

    /// Stops trusting the key of that name. False if there is none.
    pub fn remove_trusted_key(&self, name: &str) -> StoreResult<bool> {
        self.small_write(|txn| Ok(txn.open_table(schema::TRUST)?.remove(name)?.is_some()))
    }
}
