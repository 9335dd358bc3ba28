//! Version 3: a scope key has one row with all its versions. Before, each version had a row of its own.
//!
//! Declares the tables of version 3 again, because those of [`schema`](super::schema) may be of a later version.

use redb::{ReadableTable, TableDefinition, WriteTransaction};

use crate::store::{StoreError, StoreResult};

/// Scope key and first day as big-endian `u32` → day after the last (0 for open), number of the version.
const BEFORE: TableDefinition<'static, &'static [u8], (u32, u64)> = TableDefinition::new("lookup");
/// Scope key → 16 bytes for each of its versions, in the order of their days: first day, day after the last (0 for
/// open) and number, all big-endian.
const AFTER: TableDefinition<'static, &'static [u8], &'static [u8]> = TableDefinition::new("lookup");
/// The new table while both exist.
const DRAFT: TableDefinition<'static, &'static [u8], &'static [u8]> = TableDefinition::new("lookup_3");

pub(super) fn migrate(txn: &WriteTransaction) -> StoreResult<()> {
    {
        let (before, mut after) = (txn.open_table(BEFORE)?, txn.open_table(DRAFT)?);
        let (mut key, mut versions) = (Vec::new(), Vec::new());
        for entry in before.iter()? {
            let (old, value) = entry?;
            let (ate, number) = value.value();
            let (chave, de) =
                old.value().split_last_chunk::<4>().ok_or_else(|| StoreError::Corrupt("lookup key".to_owned()))?;
            // No scope key is the beginning of another one, so the rows of one are adjacent.
            if key != chave {
                if !versions.is_empty() {
                    after.insert(key.as_slice(), versions.as_slice())?;
                }
                key = chave.to_vec();
                versions.clear();
            }
            versions.extend_from_slice(de);
            versions.extend_from_slice(&ate.to_be_bytes());
            versions.extend_from_slice(&number.to_be_bytes());
        }
        if !versions.is_empty() {
            after.insert(key.as_slice(), versions.as_slice())?;
        }
    }
    txn.delete_table(BEFORE)?;
    Ok(txn.rename_table(DRAFT, AFTER)?)
}
