//! Migration from an older schema version.
//!
//! A data file is never migrated in place: [`migrate`](super::file::migrate) migrates a copy of it.

mod to_3;
mod to_4;

use redb::{Database, ReadTransaction, ReadableDatabase, TableError, WriteTransaction};

use super::{OLDEST_SCHEMA_VERSION, SCHEMA_VERSION, StoreError, StoreResult, schema};

/// The migrations of each version to the next, from [`OLDEST_SCHEMA_VERSION`] on.
const STEPS: [fn(&WriteTransaction) -> StoreResult<()>; 2] = [to_3::migrate, to_4::migrate];

/// The schema version of a file; `None` if it is empty or not a data file.
pub(super) fn version(txn: &ReadTransaction) -> StoreResult<Option<u64>> {
    match txn.open_table(schema::META) {
        Ok(meta) => Ok(meta.get(schema::META_SCHEMA)?.map(|version| version.value())),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Fails if a file of that version can be neither read nor migrated.
pub(super) fn check(version: u64) -> StoreResult<()> {
    match version {
        SCHEMA_VERSION => Ok(()),
        newer if newer > SCHEMA_VERSION => Err(StoreError::Newer(newer)),
        older if older < OLDEST_SCHEMA_VERSION => Err(StoreError::Older(older)),
        _ => Ok(()),
    }
}

/// The version that a file is to be migrated from; `None` if it has this version or is empty.
pub(super) fn from(txn: &ReadTransaction) -> StoreResult<Option<u64>> {
    let found = version(txn)?;
    found.map_or(Ok(()), check)?;
    Ok(found.filter(|version| *version < SCHEMA_VERSION))
}

/// Migrates an open file in one transaction. Does nothing if it has this version.
pub(super) fn up(db: &Database) -> StoreResult<()> {
    let Some(found) = from(&db.begin_read()?)? else { return Ok(()) };
    let txn = db.begin_write()?;
    for (version, step) in (OLDEST_SCHEMA_VERSION..).zip(STEPS) {
        if version >= found {
            step(&txn)?;
        }
    }
    txn.open_table(schema::META)?.insert(schema::META_SCHEMA, SCHEMA_VERSION)?;
    Ok(txn.commit()?)
}
