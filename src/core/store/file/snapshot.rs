//! The whole file at one instant, row by row, for a copy.
//!
//! Rows are sent as they are stored, in parts of bounded size: the reader needs little memory, and the writer may be
//! another process.

use redb::{
    Key, ReadTransaction, ReadableTable, ReadableTableMetadata, TableDefinition, TableHandle, Value, WriteTransaction,
};
use serde::{Deserialize, Serialize};

use super::{Store, StoreError, StoreResult};
use crate::base::value::Timestamp;
use crate::core::store::schema::{self, EachTable};

/// A part is sent once it has this many bytes; a larger row is a part by itself.
const PART_BYTES: usize = 256 * 1024;
/// Bytes of the length before each key and value, big-endian.
const LENGTH_BYTES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

#[derive(Debug, Clone, Copy)]
pub struct TableRows<'a> {
    pub table: &'a str,
    pub count: u64,
    /// Key and value of each row, each after its length.
    pub bytes: &'a [u8],
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

    /// Calls `take` with every row, in parts. Fails if that fails.
    pub fn send<E: From<StoreError>>(&self, take: &mut dyn FnMut(TableRows<'_>) -> Result<(), E>) -> Result<(), E> {
        schema::walk(&mut Sending { txn: &self.txn, take, bytes: Vec::new() })
    }
}

/// Counts the rows of every table. Fails if there is a table that this taxd does not know: a copy would lack it.
pub(crate) fn contents(txn: &ReadTransaction, taken_at: Timestamp) -> StoreResult<Contents> {
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

struct Sending<'s, E> {
    txn: &'s ReadTransaction,
    take: &'s mut dyn FnMut(TableRows<'_>) -> Result<(), E>,
    /// Rows that were not sent yet.
    bytes: Vec<u8>,
}

impl<E: From<StoreError>> EachTable for Sending<'_, E> {
    type Error = E;

    fn table<K: Key + 'static, V: Value + 'static>(&mut self, table: TableDefinition<'static, K, V>) -> Result<(), E> {
        let name = table.name().to_owned();
        let rows = self.txn.open_table(table).map_err(StoreError::from)?;
        let mut count = 0;
        for entry in rows.iter().map_err(StoreError::from)? {
            let (key, value) = entry.map_err(StoreError::from)?;
            put(&mut self.bytes, K::as_bytes(&key.value()).as_ref())?;
            put(&mut self.bytes, V::as_bytes(&value.value()).as_ref())?;
            count += 1;
            if self.bytes.len() >= PART_BYTES {
                (self.take)(TableRows { table: &name, count, bytes: &self.bytes })?;
                (count, self.bytes) = (0, Vec::with_capacity(PART_BYTES));
            }
        }
        if count > 0 {
            (self.take)(TableRows { table: &name, count, bytes: &self.bytes })?;
            self.bytes.clear();
        }
        Ok(())
    }
}

fn put(bytes: &mut Vec<u8>, part: &[u8]) -> StoreResult<()> {
    let length = u32::try_from(part.len()).map_err(|_| StoreError::Corrupt("a row of 4 GiB or more".to_owned()))?;
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(part);
    Ok(())
}

/// Removes the next key or value, written by [`put`], from the bytes.
fn take<'b>(bytes: &mut &'b [u8]) -> StoreResult<&'b [u8]> {
    let short = || StoreError::Corrupt("rows that end in the middle of a row".to_owned());
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>().ok_or_else(short)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| short())?;
    let (part, rest) = rest.split_at_checked(length).ok_or_else(short)?;
    *bytes = rest;
    Ok(part)
}

/// Writes rows of a snapshot into the tables of another file of the same schema version.
pub(super) fn insert(txn: &WriteTransaction, rows: TableRows<'_>) -> StoreResult<()> {
    if !schema::NAMES.contains(&rows.table) {
        return Err(StoreError::Corrupt(format!("unknown table \"{}\"", rows.table)));
    }
    schema::walk(&mut Inserting { txn, rows })
}

struct Inserting<'t> {
    txn: &'t WriteTransaction,
    rows: TableRows<'t>,
}

impl EachTable for Inserting<'_> {
    type Error = StoreError;

    fn table<K: Key + 'static, V: Value + 'static>(
        &mut self,
        table: TableDefinition<'static, K, V>,
    ) -> StoreResult<()> {
        if table.name() != self.rows.table {
            return Ok(());
        }
        let mut table = self.txn.open_table(table)?;
        let mut bytes = self.rows.bytes;
        while !bytes.is_empty() {
            let (key, value) = (take(&mut bytes)?, take(&mut bytes)?);
            table.insert(K::from_bytes(key), V::from_bytes(value))?;
        }
        Ok(())
    }
}
