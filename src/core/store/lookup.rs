//! Lookups of rule versions.

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata};

use super::encoding::{State, StateValue, code_prefix, end_of, version_of};
use super::layers::{Layers, LookupTable, OFFICE, has_office};
use super::lookup_row::LookupEntry;
use super::{StoreError, StoreResult, schema};
use crate::base::value::{Date, RuleCode, Versao};
use crate::law::rule::{Linha, Place, RuleLayer, Vigencia};

#[derive(Debug, Clone, Copy)]
pub struct Version {
    pub versao: Versao,
    /// Its number among all versions.
    pub number: u64,
    pub state: State,
}

/// Rules that can be looked up: those of a snapshot, of a transaction that changes them, or those known at a past
/// instant.
pub trait RuleTables {
    /// The version that answers under this key ([`Chave::bytes`](crate::law::rule::Chave::bytes)) on that day.
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
    fn record(&self, number: u64) -> StoreResult<Vec<u8>>;
    /// Those of [`entries_under`](Self::entries_under) that answer on that day.
    fn find_under(&self, prefix: &[u8], data: Date) -> StoreResult<Vec<LookupEntry>> {
        let mut entries = self.entries_under(prefix)?;
        entries.retain(|entry| entry.vigencia.covers(data));
        Ok(entries)
    }
    fn validities(&self, prefix: &[u8]) -> StoreResult<Vec<Vigencia>> {
        Ok(self.entries_under(prefix)?.into_iter().map(|entry| entry.vigencia).collect())
    }
}

/// Rules whose lookups are one table with both layers.
pub(super) trait Layered {
    type Table: LookupTable;
    fn layers(&self) -> Layers<'_, Self::Table>;
    fn record_of(&self, number: u64) -> StoreResult<Vec<u8>>;
}

impl<L: Layered> RuleTables for L {
    fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<LookupEntry>> {
        self.layers().find(chave, data)
    }
    fn entries_at(&self, chave: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        // One row, which costs less than a range.
        self.layers().entries_at(chave)
    }
    fn entries_under(&self, prefix: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        self.layers().entries_under(prefix)
    }
    fn rows(&self, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>> {
        self.layers().rows(prefix, place, max)
    }
    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        self.record_of(number)
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
    with_office: bool,
}

impl RuleReader {
    pub fn open(txn: &ReadTransaction) -> StoreResult<RuleReader> {
        let lookup = txn.open_table(schema::LOOKUP)?;
        let with_office = has_office(&lookup)?;
        Ok(RuleReader { lookup, versions: txn.open_table(schema::VERSIONS)?, with_office })
    }

    /// The same without the rules of the office: what the others answer among themselves.
    pub fn without_office(mut self) -> RuleReader {
        self.with_office = false;
        self
    }

    /// The versions of a layer under exactly this key.
    pub fn entries_in(&self, layer: RuleLayer, chave: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        self.layers().entries_in(layer, chave)
    }

    /// Each scope key of a rule of the office.
    pub fn office_keys(&self) -> StoreResult<Vec<Vec<u8>>> {
        let rows = self.lookup.range::<&[u8]>([OFFICE].as_slice()..)?;
        rows.map(|row| Ok(row?.0.value().get(1..).unwrap_or_default().to_vec())).collect()
    }

    pub fn count(&self) -> StoreResult<u64> {
        Ok(self.versions.len()?)
    }
}

impl Layered for RuleReader {
    type Table = ReadOnlyTable<&'static [u8], &'static [u8]>;

    fn layers(&self) -> Layers<'_, Self::Table> {
        Layers { table: &self.lookup, with_office: self.with_office }
    }
    fn record_of(&self, number: u64) -> StoreResult<Vec<u8>> {
        record(&self.versions, number)
    }
}
