//! Asking for rule versions: as they answer now.

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata};

use super::keys::{LookupValue, State, StateValue, code_prefix, day_of, end_of, lookup_key, version_of, vigencia};
use super::{StoreError, StoreResult, schema};
use crate::rule::{Chave, Vigencia};
use crate::value::{Data, RuleCode, Versao};

/// A version that a lookup found.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// Its number.
    pub number: u64,
    /// When it answers.
    pub vigencia: Vigencia,
}

/// A version of a code.
#[derive(Debug, Clone, Copy)]
pub struct Version {
    /// Major and minor.
    pub versao: Versao,
    /// Its number.
    pub number: u64,
    /// What has become of it.
    pub state: State,
}

/// What can be asked of the rules: as they are now, inside the transaction that changes
/// them, or as they were known at some instant.
pub trait RuleTables {
    /// The version that answers under this key on that day.
    fn find(&self, chave: &Chave, data: Data) -> StoreResult<Option<Found>>;
    /// All versions that answer under this key with any CEST on that day, in the order of the CEST.
    fn find_any_cest(&self, chave: &Chave, data: Data) -> StoreResult<Vec<Found>>;
    /// Every validity under this key, or under it with any CEST.
    fn validities(&self, chave: &Chave, any_cest: bool) -> StoreResult<Vec<Vigencia>>;
    /// The record of a version.
    fn record(&self, number: u64) -> StoreResult<Vec<u8>>;
}

impl<T: RuleTables> RuleTables for &T {
    fn find(&self, chave: &Chave, data: Data) -> StoreResult<Option<Found>> {
        (**self).find(chave, data)
    }
    fn find_any_cest(&self, chave: &Chave, data: Data) -> StoreResult<Vec<Found>> {
        (**self).find_any_cest(chave, data)
    }
    fn validities(&self, chave: &Chave, any_cest: bool) -> StoreResult<Vec<Vigencia>> {
        (**self).validities(chave, any_cest)
    }
    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        (**self).record(number)
    }
}

pub(super) trait Lookup: ReadableTable<&'static [u8], LookupValue> {}
impl<T: ReadableTable<&'static [u8], LookupValue>> Lookup for T {}

fn found(key: &[u8], (ate, number): LookupValue) -> StoreResult<Found> {
    Ok(Found { number, vigencia: vigencia(day_of(key)?, ate)? })
}

/// The entry with the last first day at or before `data`, whether it still covers it or not.
pub(super) fn at_or_before(table: &impl Lookup, chave: &[u8], data: u32) -> StoreResult<Option<Found>> {
    let (low, high) = (lookup_key(chave, 0), lookup_key(chave, data));
    let last = table.range::<&[u8]>(low.as_slice()..=high.as_slice())?.next_back().transpose()?;
    last.map(|(key, value)| found(key.value(), value.value())).transpose()
}

/// The entry with the first first day after `data`.
pub(super) fn after(table: &impl Lookup, chave: &[u8], data: u32) -> StoreResult<Option<Found>> {
    let (low, high) = (lookup_key(chave, data + 1), lookup_key(chave, u32::MAX));
    let first = table.range::<&[u8]>(low.as_slice()..=high.as_slice())?.next().transpose()?;
    first.map(|(key, value)| found(key.value(), value.value())).transpose()
}

pub(super) fn find(table: &impl Lookup, chave: &Chave, data: Data) -> StoreResult<Option<Found>> {
    Ok(at_or_before(table, &chave.bytes(), data.ordinal())?.filter(|f| f.vigencia.covers(data)))
}

/// Every entry under the key, or under it with any CEST.
fn all(table: &impl Lookup, chave: &Chave, any_cest: bool) -> StoreResult<Vec<Found>> {
    let low = if any_cest { chave.bytes_before_cest() } else { chave.bytes() };
    let high = end_of(&low);
    let mut entries = Vec::new();
    for entry in table.range::<&[u8]>(low.as_slice()..high.as_slice())? {
        let (key, value) = entry?;
        entries.push(found(key.value(), value.value())?);
    }
    Ok(entries)
}

pub(super) fn find_any_cest(table: &impl Lookup, chave: &Chave, data: Data) -> StoreResult<Vec<Found>> {
    let mut covering = all(table, chave, true)?;
    covering.retain(|f| f.vigencia.covers(data));
    Ok(covering)
}

pub(super) fn validities(table: &impl Lookup, chave: &Chave, any_cest: bool) -> StoreResult<Vec<Vigencia>> {
    Ok(all(table, chave, any_cest)?.into_iter().map(|f| f.vigencia).collect())
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
    lookup: ReadOnlyTable<&'static [u8], LookupValue>,
    versions: ReadOnlyTable<u64, &'static [u8]>,
}

impl RuleReader {
    pub(super) fn open(txn: &ReadTransaction) -> StoreResult<RuleReader> {
        Ok(RuleReader { lookup: txn.open_table(schema::LOOKUP)?, versions: txn.open_table(schema::VERSIONS)? })
    }

    /// How many versions there are.
    pub fn count(&self) -> StoreResult<u64> {
        Ok(self.versions.len()?)
    }
}

impl RuleTables for RuleReader {
    fn find(&self, chave: &Chave, data: Data) -> StoreResult<Option<Found>> {
        find(&self.lookup, chave, data)
    }
    fn find_any_cest(&self, chave: &Chave, data: Data) -> StoreResult<Vec<Found>> {
        find_any_cest(&self.lookup, chave, data)
    }
    fn validities(&self, chave: &Chave, any_cest: bool) -> StoreResult<Vec<Vigencia>> {
        validities(&self.lookup, chave, any_cest)
    }
    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        record(&self.versions, number)
    }
}
