//! Reading and writing rule versions.

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata, Table, WriteTransaction};

use super::{StoreError, StoreResult, schema};
use crate::rule::{Chave, Vigencia};
use crate::value::{Data, RuleCode, RuleId, Versao};

/// A version that a lookup found.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// Its number.
    pub number: u64,
    /// The validity it has now.
    pub vigencia: Vigencia,
}

/// A version of a code and the validity it has now.
#[derive(Debug, Clone, Copy)]
pub struct Estado {
    /// The version.
    pub versao: Versao,
    /// Its number.
    pub number: u64,
    /// The validity it has now.
    pub vigencia: Vigencia,
}

fn vigencia(de: u32, ate: u32) -> StoreResult<Vigencia> {
    let day = |ordinal| Data::from_ordinal(ordinal).ok_or_else(|| StoreError::Corrupt(format!("day {ordinal}")));
    Ok(Vigencia { de: day(de)?, ate: if ate == 0 { None } else { Some(day(ate)?) } })
}

fn end_ordinal(vigencia: Vigencia) -> u32 {
    vigencia.ate.map_or(0, Data::ordinal)
}

fn lookup_key(chave: &[u8], de: u32) -> Vec<u8> {
    let mut key = Vec::with_capacity(chave.len() + 4);
    key.extend_from_slice(chave);
    key.extend_from_slice(&de.to_be_bytes());
    key
}

fn code_key(rule_id: &RuleId) -> Vec<u8> {
    let mut key = code_prefix(&rule_id.code);
    key.extend_from_slice(&rule_id.versao.major.to_be_bytes());
    key.extend_from_slice(&rule_id.versao.minor.to_be_bytes());
    key
}

fn code_prefix(code: &RuleCode) -> Vec<u8> {
    let mut key = code.as_str().as_bytes().to_vec();
    key.push(0);
    key
}

/// The version at the end of a code key.
fn version_of(key: &[u8]) -> Option<Versao> {
    let (rest, minor) = key.split_last_chunk::<4>()?;
    let (_, major) = rest.split_last_chunk::<4>()?;
    Some(Versao { major: u32::from_be_bytes(*major), minor: u32::from_be_bytes(*minor) })
}

/// The first day at the end of a lookup key, and what stands before it.
fn split_day(key: &[u8]) -> StoreResult<(&[u8], u32)> {
    let (chave, day) = key.split_last_chunk::<4>().ok_or_else(|| StoreError::Corrupt("lookup key".to_owned()))?;
    Ok((chave, u32::from_be_bytes(*day)))
}

type LookupEntry = (u32, u64);

/// The entry with the last first day at or before `data`, whether it still covers it or not.
fn at_or_before(
    table: &impl ReadableTable<&'static [u8], LookupEntry>,
    chave: &[u8],
    data: u32,
) -> StoreResult<Option<Found>> {
    let (low, high) = (lookup_key(chave, 0), lookup_key(chave, data));
    match table.range::<&[u8]>(low.as_slice()..=high.as_slice())?.next_back() {
        Some(entry) => {
            let (key, value) = entry?;
            let (_, de) = split_day(key.value())?;
            let (ate, number) = value.value();
            Ok(Some(Found { number, vigencia: vigencia(de, ate)? }))
        }
        None => Ok(None),
    }
}

/// The entry with the first first day after `data`.
fn after(
    table: &impl ReadableTable<&'static [u8], LookupEntry>,
    chave: &[u8],
    data: u32,
) -> StoreResult<Option<Found>> {
    let (low, high) = (lookup_key(chave, data + 1), lookup_key(chave, u32::MAX));
    match table.range::<&[u8]>(low.as_slice()..=high.as_slice())?.next() {
        Some(entry) => {
            let (key, value) = entry?;
            let (_, de) = split_day(key.value())?;
            let (ate, number) = value.value();
            Ok(Some(Found { number, vigencia: vigencia(de, ate)? }))
        }
        None => Ok(None),
    }
}

/// What can be asked of the rules, in a snapshot or inside the transaction that changes them.
pub trait RuleTables {
    /// The version that answers under this key on that day.
    fn find(&self, chave: &Chave, data: Data) -> StoreResult<Option<Found>>;
    /// All versions that answer under this key with any CEST on that day, in the order of the CEST.
    fn find_any_cest(&self, chave: &Chave, data: Data) -> StoreResult<Vec<Found>>;
    /// The validities before and after a day under this key.
    fn around(&self, chave: &Chave, data: Data) -> StoreResult<[Option<Found>; 2]>;
    /// The record of a version.
    fn record(&self, number: u64) -> StoreResult<Vec<u8>>;
}

macro_rules! rule_tables {
    ($($type:tt)*) => {
        impl RuleTables for $($type)* {
            fn find(&self, chave: &Chave, data: Data) -> StoreResult<Option<Found>> {
                let found = at_or_before(&self.lookup, &chave.bytes(), data.ordinal())?;
                Ok(found.filter(|f| f.vigencia.covers(data)))
            }

            fn find_any_cest(&self, chave: &Chave, data: Data) -> StoreResult<Vec<Found>> {
                let low = chave.bytes_before_cest();
                let mut high = low.clone();
                high.push(u8::MAX);
                let mut found = Vec::new();
                for entry in self.lookup.range::<&[u8]>(low.as_slice()..high.as_slice())? {
                    let (key, value) = entry?;
                    let (_, de) = split_day(key.value())?;
                    let (ate, number) = value.value();
                    let vigencia = vigencia(de, ate)?;
                    if vigencia.covers(data) {
                        found.push(Found { number, vigencia });
                    }
                }
                Ok(found)
            }

            fn around(&self, chave: &Chave, data: Data) -> StoreResult<[Option<Found>; 2]> {
                let bytes = chave.bytes();
                Ok([at_or_before(&self.lookup, &bytes, data.ordinal())?, after(&self.lookup, &bytes, data.ordinal())?])
            }

            fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
                match self.versions.get(number)? {
                    Some(bytes) => Ok(bytes.value().to_vec()),
                    None => Err(StoreError::Corrupt(format!("version {number} is missing"))),
                }
            }
        }
    };
}

/// The rules in one snapshot.
pub struct RuleReader {
    lookup: ReadOnlyTable<&'static [u8], LookupEntry>,
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

/// The rules inside a write transaction.
pub struct RuleWriter<'t> {
    lookup: Table<'t, &'static [u8], LookupEntry>,
    versions: Table<'t, u64, &'static [u8]>,
    codes: Table<'t, &'static [u8], u64>,
    states: Table<'t, u64, (u32, u32)>,
    events: Table<'t, u64, &'static [u8]>,
    publications: Table<'t, u64, &'static [u8]>,
}

impl<T: RuleTables> RuleTables for &T {
    fn find(&self, chave: &Chave, data: Data) -> StoreResult<Option<Found>> {
        (**self).find(chave, data)
    }
    fn find_any_cest(&self, chave: &Chave, data: Data) -> StoreResult<Vec<Found>> {
        (**self).find_any_cest(chave, data)
    }
    fn around(&self, chave: &Chave, data: Data) -> StoreResult<[Option<Found>; 2]> {
        (**self).around(chave, data)
    }
    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        (**self).record(number)
    }
}

rule_tables!(RuleReader);
rule_tables!(RuleWriter<'_>);

fn next_number(table: &impl ReadableTable<u64, &'static [u8]>) -> StoreResult<u64> {
    Ok(table.last()?.map_or(0, |(number, _)| number.value()) + 1)
}

impl<'t> RuleWriter<'t> {
    pub(super) fn open(txn: &'t WriteTransaction) -> StoreResult<RuleWriter<'t>> {
        Ok(RuleWriter {
            lookup: txn.open_table(schema::LOOKUP)?,
            versions: txn.open_table(schema::VERSIONS)?,
            codes: txn.open_table(schema::CODES)?,
            states: txn.open_table(schema::STATES)?,
            events: txn.open_table(schema::EVENTS)?,
            publications: txn.open_table(schema::PUBLICATIONS)?,
        })
    }

    /// The number of a version, where it is published.
    pub fn number_of(&self, rule_id: &RuleId) -> StoreResult<Option<u64>> {
        Ok(self.codes.get(code_key(rule_id).as_slice())?.map(|n| n.value()))
    }

    /// All versions of a code, in order, with the validity they have now.
    pub fn versions_of(&self, code: &RuleCode) -> StoreResult<Vec<Estado>> {
        let low = code_prefix(code);
        let mut high = low.clone();
        high.extend_from_slice(&[u8::MAX; 9]);
        let mut found = Vec::new();
        for entry in self.codes.range::<&[u8]>(low.as_slice()..high.as_slice())? {
            let (key, number) = entry?;
            let versao = version_of(key.value()).ok_or_else(|| StoreError::Corrupt("code key".to_owned()))?;
            let number = number.value();
            let state = self.states.get(number)?.ok_or_else(|| StoreError::Corrupt(format!("state of {number}")))?;
            let (de, ate) = state.value();
            found.push(Estado { versao, number, vigencia: vigencia(de, ate)? });
        }
        Ok(found)
    }

    /// Adds a version; it does not answer before it is given a [`set_vigencia`](Self::set_vigencia).
    pub fn insert_version(&mut self, rule_id: &RuleId, record: &[u8]) -> StoreResult<u64> {
        let number = next_number(&self.versions)?;
        self.versions.insert(number, record)?;
        self.codes.insert(code_key(rule_id).as_slice(), number)?;
        Ok(number)
    }

    /// Notes the validity that a version has from now on.
    pub fn set_vigencia(&mut self, number: u64, vigencia: Vigencia) -> StoreResult<()> {
        self.states.insert(number, (vigencia.de.ordinal(), end_ordinal(vigencia)))?;
        Ok(())
    }

    /// Lets the version stop answering under the key.
    pub fn remove_lookup(&mut self, chave: &Chave, de: Data) -> StoreResult<()> {
        self.lookup.remove(lookup_key(&chave.bytes(), de.ordinal()).as_slice())?;
        Ok(())
    }

    /// Lets the version answer under the key. Where another version answers there on some of
    /// the same days nothing is written, and its number comes back.
    pub fn insert_lookup(&mut self, chave: &Chave, number: u64, vigencia: Vigencia) -> StoreResult<Option<u64>> {
        let bytes = chave.bytes();
        let de = vigencia.de.ordinal();
        let neighbours = [at_or_before(&self.lookup, &bytes, de)?, after(&self.lookup, &bytes, de)?];
        let other = neighbours.into_iter().flatten().find(|n| n.number != number && n.vigencia.overlaps(vigencia));
        if let Some(other) = other {
            return Ok(Some(other.number));
        }
        self.lookup.insert(lookup_key(&bytes, de).as_slice(), (end_ordinal(vigencia), number))?;
        Ok(None)
    }

    /// Adds a changelog event.
    pub fn insert_event(&mut self, record: &[u8]) -> StoreResult<()> {
        let number = next_number(&self.events)?;
        self.events.insert(number, record)?;
        Ok(())
    }

    /// Adds a publication.
    pub fn insert_publication(&mut self, record: &[u8]) -> StoreResult<()> {
        let number = next_number(&self.publications)?;
        self.publications.insert(number, record)?;
        Ok(())
    }
}
