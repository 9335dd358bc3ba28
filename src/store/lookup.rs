//! Lookups of rule versions.

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata};

use super::encoding::{State, StateValue, code_prefix, end_of, version_of};
use super::lookup_row::{LookupEntry, LookupRow};
use super::{StoreError, StoreResult, schema};
use crate::rule::{Dimension, Linha, Place, Vigencia};
use crate::value::{Date, RuleCode, Versao};

/// A version of a code.
#[derive(Debug, Clone, Copy)]
pub struct Version {
    /// Major and minor number.
    pub versao: Versao,
    /// Its number among all versions.
    pub number: u64,
    /// Its state.
    pub state: State,
}

/// Rules that can be looked up: those of a snapshot, of a transaction that changes them, or those known at a past
/// instant.
pub trait RuleTables {
    /// The version that answers under this key ([`Chave::bytes`](crate::rule::Chave::bytes)) on that day.
    fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<LookupEntry>>;
    /// All versions that answer on some day under exactly this key.
    fn entries_at(&self, chave: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        self.entries_under(chave)
    }
    /// All versions that answer on some day under the keys that begin with `prefix`, in the order of the keys. No
    /// key is the beginning of another one.
    fn entries_under(&self, prefix: &[u8]) -> StoreResult<Vec<LookupEntry>>;
    /// Up to `max` keys that begin with `prefix`, from `place` on, with their versions.
    fn rows(&self, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>>;
    /// The record of a version.
    fn record(&self, number: u64) -> StoreResult<Vec<u8>>;
    /// Those of [`entries_under`](Self::entries_under) that answer on that day.
    fn find_under(&self, prefix: &[u8], data: Date) -> StoreResult<Vec<LookupEntry>> {
        let mut entries = self.entries_under(prefix)?;
        entries.retain(|entry| entry.vigencia.covers(data));
        Ok(entries)
    }
    /// Their validities.
    fn validities(&self, prefix: &[u8]) -> StoreResult<Vec<Vigencia>> {
        Ok(self.entries_under(prefix)?.into_iter().map(|entry| entry.vigencia).collect())
    }
}

/// The table of the lookups, inside a transaction that writes or one that reads.
pub(super) trait LookupTable: ReadableTable<&'static [u8], &'static [u8]> {}
impl<T: ReadableTable<&'static [u8], &'static [u8]>> LookupTable for T {}

pub(super) fn find(table: &impl LookupTable, chave: &[u8], data: Date) -> StoreResult<Option<LookupEntry>> {
    match table.get(chave)? {
        Some(value) => LookupRow::read(value.value())?.on(data),
        None => Ok(None),
    }
}

pub(super) fn entries_under(table: &impl LookupTable, prefix: &[u8]) -> StoreResult<Vec<LookupEntry>> {
    let high = end_of(prefix);
    let mut entries = Vec::new();
    for row in table.range::<&[u8]>(prefix..high.as_slice())? {
        for entry in LookupRow::read(row?.1.value())?.entries() {
            entries.push(entry?);
        }
    }
    Ok(entries)
}

pub(super) fn rows(table: &impl LookupTable, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>> {
    let row = |key: &[u8], value: &[u8]| {
        let entries = LookupRow::read(value)?.entries();
        let versoes = entries.map(|entry| entry.map(|entry| (entry.number, entry.vigencia)));
        Ok(Linha { chave: key.to_vec(), versoes: versoes.collect::<StoreResult<_>>()? })
    };
    if Dimension::are_all_in(prefix) {
        // One row, which costs less than a range.
        return table.get(prefix)?.iter().map(|value| row(prefix, value.value())).collect();
    }
    let high = end_of(prefix);
    let range = match place {
        Place::From(key) => table.range::<&[u8]>(key..high.as_slice())?,
        Place::Before(key) => table.range::<&[u8]>(prefix..key)?,
    };
    let row = |found: Result<_, redb::StorageError>| {
        let (key, value): (redb::AccessGuard<'_, &[u8]>, redb::AccessGuard<'_, &[u8]>) = found?;
        row(key.value(), value.value())
    };
    match place {
        Place::From(_) => range.take(max).map(row).collect(),
        Place::Before(_) => range.rev().take(max).map(row).collect(),
    }
}

pub(super) fn record(table: &impl ReadableTable<u64, &'static [u8]>, number: u64) -> StoreResult<Vec<u8>> {
    match table.get(number)? {
        Some(bytes) => Ok(bytes.value().to_vec()),
        None => Err(StoreError::Corrupt(format!("version {number} is missing"))),
    }
}

pub(super) fn state(table: &impl ReadableTable<u64, StateValue>, number: u64) -> StoreResult<State> {
    match table.get(number)? {
        Some(value) => State::read(value.value()),
        None => Err(StoreError::Corrupt(format!("state of version {number} is missing"))),
    }
}

/// All versions of a code, in order.
pub(super) fn versions_of(
    codes: &impl ReadableTable<&'static [u8], u64>,
    states: &impl ReadableTable<u64, StateValue>,
    code: &RuleCode,
) -> StoreResult<Vec<Version>> {
    let low = code_prefix(code);
    let high = end_of(&low);
    let mut versions = Vec::new();
    for entry in codes.range::<&[u8]>(low.as_slice()..high.as_slice())? {
        let (key, number) = entry?;
        let number = number.value();
        versions.push(Version { versao: version_of(key.value())?, number, state: state(states, number)? });
    }
    Ok(versions)
}

/// The rules in one snapshot.
pub struct RuleReader {
    lookup: ReadOnlyTable<&'static [u8], &'static [u8]>,
    versions: ReadOnlyTable<u64, &'static [u8]>,
}

impl RuleReader {
    pub(super) fn open(txn: &ReadTransaction) -> StoreResult<RuleReader> {
        Ok(RuleReader { lookup: txn.open_table(schema::LOOKUP)?, versions: txn.open_table(schema::VERSIONS)? })
    }

    /// Number of versions.
    pub fn count(&self) -> StoreResult<u64> {
        Ok(self.versions.len()?)
    }
}

impl RuleTables for RuleReader {
    fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<LookupEntry>> {
        find(&self.lookup, chave, data)
    }
    fn entries_at(&self, chave: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        // One row, which costs less than a range.
        match self.lookup.get(chave)? {
            Some(value) => LookupRow::read(value.value())?.entries().collect(),
            None => Ok(Vec::new()),
        }
    }
    fn entries_under(&self, prefix: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        entries_under(&self.lookup, prefix)
    }
    fn rows(&self, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>> {
        rows(&self.lookup, prefix, place, max)
    }
    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        record(&self.versions, number)
    }
}
