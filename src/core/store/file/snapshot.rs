//! The whole file at one instant, for a copy.

use redb::{
    Key, ReadTransaction, ReadableTable, ReadableTableMetadata, TableDefinition, TableHandle, Value, WriteTransaction,
};

use super::{Store, StoreError, StoreResult};
use crate::base::value::Timestamp;
use crate::store::schema::{self, EachTable};

/// Bytes of rows that are copied between two reports.
const PART_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    pub schema_version: u64,
    pub taken_at: Timestamp,
    /// Name and number of rows of every table.
    pub rows: Vec<(String, u64)>,
}

impl Contents {
    pub fn rows_of(&self, table: &str) -> u64 {
        self.rows.iter().find(|(name, _)| name == table).map_or(0, |(_, rows)| *rows)
    }

    pub fn total(&self) -> u64 {
        self.rows.iter().map(|(_, rows)| rows).sum()
    }
}

/// The file at one instant.
pub struct Snapshot {
    txn: ReadTransaction,
    contents: Contents,
}

impl Store {
    pub fn snapshot(&self) -> StoreResult<Snapshot> {
        let txn = self.begin_read()?;
        let contents = contents(&txn, Timestamp::now())?;
        Ok(Snapshot { txn, contents })
    }
}

impl Snapshot {
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Writes every row into the tables of another file of the same schema version. `each` learns from time to time how many
    /// rows are written; if it fails, so does the copy.
    pub(super) fn copy(&self, to: &WriteTransaction, each: CopiedRows<'_>) -> StoreResult<()> {
        schema::walk(&mut Copying { from: &self.txn, to, rows: 0, each })
    }
}

/// Receives the number of rows so far.
pub(super) type CopiedRows<'a> = &'a mut dyn FnMut(u64) -> StoreResult<()>;

/// Counts the rows of every table. Fails if there is a table that this taxd does not know: a copy would lack it.
pub fn contents(txn: &ReadTransaction, taken_at: Timestamp) -> StoreResult<Contents> {
    let meta = txn.open_table(schema::META)?;
    let schema_version = meta.get(schema::META_SCHEMA)?.map_or(0, |version| version.value());
    let mut rows = Vec::new();
    for table in txn.list_tables()? {
        let name = table.name().to_owned();
        if !schema::NAMES.contains(&name.as_str()) {
            return Err(StoreError::Corrupt(format!("unknown table \"{name}\"")));
        }
        rows.push((name, txn.open_untyped_table(table)?.len()?));
    }
    Ok(Contents { schema_version, taken_at, rows })
}

struct Copying<'c> {
    from: &'c ReadTransaction,
    to: &'c WriteTransaction,
    rows: u64,
    each: CopiedRows<'c>,
}

impl EachTable for Copying<'_> {
    fn table<K: Key + 'static, V: Value + 'static>(
        &mut self,
        table: TableDefinition<'static, K, V>,
    ) -> StoreResult<()> {
        let (from, mut to) = (self.from.open_table(table)?, self.to.open_table(table)?);
        let mut bytes = 0;
        for row in from.iter()? {
            let (key, value) = row?;
            to.insert(key.value(), value.value())?;
            self.rows += 1;
            bytes += K::as_bytes(&key.value()).as_ref().len() + V::as_bytes(&value.value()).as_ref().len();
            if bytes >= PART_BYTES {
                (self.each)(self.rows)?;
                bytes = 0;
            }
        }
        Ok(())
    }
}
