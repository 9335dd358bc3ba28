//! What was published: events, publications, and versions with their states.

use std::ops::ControlFlow;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};

use super::encoding::{State, StateValue, code_key};
use super::lookup::{self, Version};
use super::{Store, StoreResult, schema};
use crate::base::value::{RuleCode, RuleId};

#[derive(Debug, Clone)]
pub struct EventRecord {
    /// Its number: later events have higher ones.
    pub number: u64,
    /// Its JSON record.
    pub record: Vec<u8>,
}

/// The journal in one snapshot.
pub struct Journal {
    events: ReadOnlyTable<u64, &'static [u8]>,
    publications: ReadOnlyTable<u64, &'static [u8]>,
    versions: ReadOnlyTable<u64, &'static [u8]>,
    states: ReadOnlyTable<u64, StateValue>,
    codes: ReadOnlyTable<&'static [u8], u64>,
}

impl Store {
    /// When rules were last published, in milliseconds since 1970.
    pub fn last_publication_ms(&self) -> StoreResult<Option<u64>> {
        let instants = self.begin_read()?.open_table(schema::INSTANTS)?;
        Ok(instants.last()?.map(|(instant, _)| instant.value()))
    }
}

impl Journal {
    pub fn open(txn: &ReadTransaction) -> StoreResult<Journal> {
        Ok(Journal {
            events: txn.open_table(schema::EVENTS)?,
            publications: txn.open_table(schema::PUBLICATIONS)?,
            versions: txn.open_table(schema::VERSIONS)?,
            states: txn.open_table(schema::STATES)?,
            codes: txn.open_table(schema::CODES)?,
        })
    }

    /// Number of the last publication; 0 before the first. It identifies the state of all rules.
    pub fn last_publication(&self) -> StoreResult<u64> {
        Ok(self.publications.last()?.map_or(0, |(number, _)| number.value()))
    }

    pub fn publication(&self, number: u64) -> StoreResult<Option<Vec<u8>>> {
        Ok(self.publications.get(number)?.map(|bytes| bytes.value().to_vec()))
    }

    /// Events before the one of that number, the latest first, of which `wanted` is true, until it breaks.
    pub fn events_before(
        &self,
        number: u64,
        mut wanted: impl FnMut(&EventRecord) -> StoreResult<ControlFlow<(), bool>>,
    ) -> StoreResult<Vec<EventRecord>> {
        let mut events = Vec::new();
        for entry in self.events.range(..number)?.rev() {
            let (number, record) = entry?;
            let event = EventRecord { number: number.value(), record: record.value().to_vec() };
            match wanted(&event)? {
                ControlFlow::Break(()) => break,
                ControlFlow::Continue(true) => events.push(event),
                ControlFlow::Continue(false) => {}
            }
        }
        Ok(events)
    }

    /// Calls `each` with the number and state of every version.
    pub fn each_state(&self, mut each: impl FnMut(u64, State)) -> StoreResult<()> {
        for entry in self.states.iter()? {
            let (number, state) = entry?;
            each(number.value(), State::read(state.value())?);
        }
        Ok(())
    }

    /// Calls `each` with the number, record and state of every version from `first` on.
    pub fn each_version(&self, first: u64, mut each: impl FnMut(u64, &[u8], State)) -> StoreResult<()> {
        for (version, state) in self.versions.range(first..)?.zip(self.states.range(first..)?) {
            let ((number, record), (_, state)) = (version?, state?);
            each(number.value(), record.value(), State::read(state.value())?);
        }
        Ok(())
    }

    pub fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        lookup::record(&self.versions, number)
    }

    pub fn state(&self, number: u64) -> StoreResult<State> {
        lookup::state(&self.states, number)
    }

    /// The number of a version; `None` if it is not published.
    pub fn number_of(&self, rule_id: &RuleId) -> StoreResult<Option<u64>> {
        Ok(self.codes.get(code_key(rule_id).as_slice())?.map(|n| n.value()))
    }

    /// All versions of a code, in order.
    pub fn versions_of(&self, code: &RuleCode) -> StoreResult<Vec<Version>> {
        lookup::versions_of(&self.codes, &self.states, code)
    }
}
