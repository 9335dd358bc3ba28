//! The rules as they were known at a past instant.
//!
//! Nothing published is ever rewritten, so the versions of then are still there; only their ends have moved. The ends
//! of then are found by publishing the versions of a code again, in their order, up to the instant.

use std::cell::RefCell;
use std::collections::HashMap;

use redb::{ReadOnlyTable, ReadTransaction};

use super::encoding::{StateValue, end_of, number_of};
use super::layers::{OFFICE, key_in, merged, with_place};
use super::lookup::{self, RuleTables};
use super::lookup_row::LookupEntry;
use super::{StoreError, StoreResult, schema};
use crate::base::value::{Date, RuleCode, Timestamp};
use crate::law::rule::record::VersionRecord;
use crate::law::rule::{Linha, Place, RuleLayer, Timeline, Vigencia};

/// The rules of one snapshot, up to one publication.
pub struct AsOfReader {
    history: ReadOnlyTable<&'static [u8], ()>,
    versions: ReadOnlyTable<u64, &'static [u8]>,
    codes: ReadOnlyTable<&'static [u8], u64>,
    states: ReadOnlyTable<u64, StateValue>,
    /// Number of the last publication at the instant; 0 before the first.
    publication: u64,
    /// The first publication, if it came after the instant.
    first_later: Option<Timestamp>,
    /// False if the office never had rules, or they are not wanted.
    with_office: bool,
    /// Validities of then, of every code that was replayed: once, however many of its versions a lookup meets.
    replayed: RefCell<HashMap<u64, Vigencia>>,
}

impl AsOfReader {
    pub fn open(txn: &ReadTransaction, instant_ms: u64) -> StoreResult<AsOfReader> {
        let instants = txn.open_table(schema::INSTANTS)?;
        let last = instants.range(..=instant_ms)?.next_back().transpose()?;
        let first = if last.is_none() { instants.range(instant_ms..)?.next().transpose()? } else { None };
        let history = txn.open_table(schema::HISTORY)?;
        let with_office = history.range::<&[u8]>([OFFICE].as_slice()..)?.next().transpose()?.is_some();
        Ok(AsOfReader {
            history,
            with_office,
            versions: txn.open_table(schema::VERSIONS)?,
            codes: txn.open_table(schema::CODES)?,
            states: txn.open_table(schema::STATES)?,
            publication: last.map_or(0, |(_, number)| number.value()),
            first_later: first.and_then(|(at, _)| Timestamp::from_millis(at.value())),
            replayed: RefCell::default(),
        })
    }

    /// The same without the rules of the office.
    pub fn without_office(mut self) -> AsOfReader {
        self.with_office = false;
        self
    }

    /// Number of the last publication that was known then; 0 before the first.
    pub fn publication(&self) -> u64 {
        self.publication
    }

    /// The first publication, if there was none yet at the instant.
    pub fn first_later(&self) -> Option<Timestamp> {
        self.first_later
    }

    /// The validity of a version then; `None` if it was not published yet.
    fn vigencia_then(&self, number: u64) -> StoreResult<Option<Vigencia>> {
        if let Some(vigencia) = self.replayed.borrow().get(&number) {
            return Ok(Some(*vigencia));
        }
        if lookup::state(&self.states, number)?.publication > self.publication {
            return Ok(None);
        }
        let mut versions = lookup::versions_of(&self.codes, &self.states, &self.code_of(number)?)?;
        versions.retain(|v| v.state.publication <= self.publication);
        // Numbers are given in the order of publication.
        versions.sort_by_key(|v| v.number);
        let mut timeline = Timeline::default();
        for version in versions {
            timeline.publish(version.number, version.state.declared());
        }
        self.replayed.borrow_mut().extend(timeline.versions());
        match timeline.vigencia(number) {
            Some(vigencia) => Ok(Some(vigencia)),
            None => Err(StoreError::Corrupt(format!("version {number} is not among the versions of its code"))),
        }
    }

    fn rows_of(&self, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>> {
        let high = end_of(prefix);
        let mut keys: Box<dyn Iterator<Item = _>> = match place {
            Place::From(key) => Box::new(self.history.range::<&[u8]>(key..high.as_slice())?),
            Place::Before(key) => Box::new(self.history.range::<&[u8]>(prefix..key)?.rev()),
        };
        let mut rows: Vec<Linha> = Vec::new();
        while let Some(row) = keys.next().transpose()? {
            let key = row.0.value();
            let number = number_of(key)?;
            let Some(vigencia) = self.vigencia_then(number)?.filter(|vigencia| !vigencia.is_empty()) else { continue };
            let chave = key.get(..key.len() - size_of::<u64>()).unwrap_or_default();
            let count = rows.len();
            match rows.last_mut().filter(|last| last.chave == chave) {
                Some(last) => last.versoes.push((number, vigencia)),
                None if count == max => break,
                None => rows.push(Linha { chave: chave.to_vec(), versoes: vec![(number, vigencia)] }),
            }
        }
        for row in &mut rows {
            row.versoes.sort_unstable_by_key(|(_, vigencia)| vigencia.de);
        }
        Ok(rows)
    }

    fn code_of(&self, number: u64) -> StoreResult<RuleCode> {
        let bytes = lookup::record(&self.versions, number)?;
        let record = VersionRecord::read(&bytes).map_err(|e| StoreError::Corrupt(e.to_string()))?;
        RuleCode::parse(&record.rule_code).map_err(StoreError::Corrupt)
    }
}

impl RuleTables for AsOfReader {
    fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<LookupEntry>> {
        Ok(self.find_under(chave, data)?.into_iter().next())
    }

    fn entries_under(&self, prefix: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        if self.with_office {
            let rows = self.rows(prefix, Place::From(prefix), usize::MAX)?;
            let entries = rows.into_iter().flat_map(|row| row.versoes);
            return Ok(entries.map(|(number, vigencia)| LookupEntry { number, vigencia }).collect());
        }
        let high = end_of(prefix);
        let mut entries = Vec::new();
        for row in self.history.range::<&[u8]>(prefix..high.as_slice())? {
            let number = number_of(row?.0.value())?;
            let vigencia = self.vigencia_then(number)?.filter(|vigencia| !vigencia.is_empty());
            entries.extend(vigencia.map(|vigencia| LookupEntry { number, vigencia }));
        }
        Ok(entries)
    }

    fn rows(&self, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>> {
        let common = self.rows_of(prefix, place, max)?;
        if !self.with_office {
            return Ok(common);
        }
        let under = key_in(RuleLayer::Office, prefix);
        let office = with_place(RuleLayer::Office, place, |place| self.rows_of(&under, place, max))?;
        Ok(merged(common, office, place, max))
    }

    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        lookup::record(&self.versions, number)
    }
}
