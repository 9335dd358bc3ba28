//! Asking for rule versions: as they answer now.

use std::ops::Deref;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata};

use super::answering::{Answering, Found};
use super::keys::{State, StateValue, code_prefix, end_of, version_of};
use super::{StoreError, StoreResult, schema};
use crate::rule::Vigencia;
use crate::value::{Date, RuleCode, Versao};

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
    /// The version that answers under this key ([`Chave::bytes`](crate::rule::Chave::bytes)) on that day.
    fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<Found>>;
    /// All versions that answer on that day under the keys that begin with `prefix`, in the order of the keys.
    fn find_under(&self, prefix: &[u8], data: Date) -> StoreResult<Vec<Found>>;
    /// Every validity under the keys that begin with `prefix`. No key is the beginning of another one.
    fn validities(&self, prefix: &[u8]) -> StoreResult<Vec<Vigencia>>;
    /// The record of a version.
    fn record(&self, number: u64) -> StoreResult<Vec<u8>>;
}

impl<P: Deref<Target: RuleTables>> RuleTables for P {
    fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<Found>> {
        (**self).find(chave, data)
    }
    fn find_under(&self, prefix: &[u8], data: Date) -> StoreResult<Vec<Found>> {
        (**self).find_under(prefix, data)
    }
    fn validities(&self, prefix: &[u8]) -> StoreResult<Vec<Vigencia>> {
        (**self).validities(prefix)
    }
    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        (**self).record(number)
    }
}

pub(super) trait Lookup: ReadableTable<&'static [u8], &'static [u8]> {}
impl<T: ReadableTable<&'static [u8], &'static [u8]>> Lookup for T {}

pub(super) fn find(table: &impl Lookup, chave: &[u8], data: Date) -> StoreResult<Option<Found>> {
    match table.get(chave)? {
        Some(value) => Answering::read(value.value())?.on(data),
        None => Ok(None),
    }
}

/// What `of` says of the entries of every key that begins with `prefix`, in the order of the keys.
fn under<T>(
    table: &impl Lookup,
    prefix: &[u8],
    mut of: impl FnMut(Answering<'_>, &mut Vec<T>) -> StoreResult<()>,
) -> StoreResult<Vec<T>> {
    let high = end_of(prefix);
    let mut all = Vec::new();
    for entry in table.range::<&[u8]>(prefix..high.as_slice())? {
        of(Answering::read(entry?.1.value())?, &mut all)?;
    }
    Ok(all)
}

pub(super) fn find_under(table: &impl Lookup, prefix: &[u8], data: Date) -> StoreResult<Vec<Found>> {
    under(table, prefix, |answering, all| {
        all.extend(answering.on(data)?);
        Ok(())
    })
}

pub(super) fn validities(table: &impl Lookup, prefix: &[u8]) -> StoreResult<Vec<Vigencia>> {
    under(table, prefix, |answering, all| {
        for found in answering.all() {
            all.push(found?.vigencia);
        }
        Ok(())
    })
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

    /// How many versions there are.
    pub fn count(&self) -> StoreResult<u64> {
        Ok(self.versions.len()?)
    }
}

impl RuleTables for RuleReader {
    fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<Found>> {
        find(&self.lookup, chave, data)
    }
    fn find_under(&self, prefix: &[u8], data: Date) -> StoreResult<Vec<Found>> {
        find_under(&self.lookup, prefix, data)
    }
    fn validities(&self, prefix: &[u8]) -> StoreResult<Vec<Vigencia>> {
        validities(&self.lookup, prefix)
    }
    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        record(&self.versions, number)
    }
}
