//! Changes of the rules: everything that one publication writes, in one transaction.

use redb::{ReadableTable, Table, WriteTransaction};

use super::encoding::{State, StateValue, code_key, history_key};
use super::layers::{Layers, has_office, key_in};
use super::lookup::{self, Layered, Version};
use super::lookup_row::{LookupEntry, LookupRow};
use super::outbox::OutboxWriter;
use super::{Store, StoreResult, schema};
use crate::base::value::{Date, RuleCode, RuleId};
use crate::law::rule::{Chave, RuleLayer, Vigencia};

/// Versions written between two checks of the free space.
const VERSIONS_BETWEEN_CHECKS: u64 = 1_024;

/// The rules inside a write transaction.
pub struct RuleWriter<'t> {
    lookup: Table<'t, &'static [u8], &'static [u8]>,
    history: Table<'t, &'static [u8], ()>,
    versions: Table<'t, u64, &'static [u8]>,
    codes: Table<'t, &'static [u8], u64>,
    states: Table<'t, u64, StateValue>,
    events: Table<'t, u64, &'static [u8]>,
    publications: Table<'t, u64, &'static [u8]>,
    instants: Table<'t, u64, u64>,
    store: &'t Store,
    outbox: OutboxWriter<'t>,
    /// Numbers of the next version and of the next event.
    next_version: u64,
    next_event: u64,
    /// True if the office has rules.
    with_office: bool,
}

fn next_number(table: &impl ReadableTable<u64, &'static [u8]>) -> StoreResult<u64> {
    Ok(table.last()?.map_or(0, |(number, _)| number.value()) + 1)
}

impl<'t> RuleWriter<'t> {
    pub(super) fn open(txn: &'t WriteTransaction, store: &'t Store) -> StoreResult<RuleWriter<'t>> {
        let versions = txn.open_table(schema::VERSIONS)?;
        let events = txn.open_table(schema::EVENTS)?;
        let lookup = txn.open_table(schema::LOOKUP)?;
        Ok(RuleWriter {
            with_office: has_office(&lookup)?,
            next_version: next_number(&versions)?,
            next_event: next_number(&events)?,
            lookup,
            history: txn.open_table(schema::HISTORY)?,
            versions,
            codes: txn.open_table(schema::CODES)?,
            states: txn.open_table(schema::STATES)?,
            events,
            publications: txn.open_table(schema::PUBLICATIONS)?,
            instants: txn.open_table(schema::INSTANTS)?,
            store,
            outbox: OutboxWriter::open(txn)?,
        })
    }

    pub(super) fn finish(&mut self) -> StoreResult<()> {
        self.outbox.finish()
    }

    /// The outbox, for the deliveries of what is published.
    pub fn outbox(&mut self) -> &mut OutboxWriter<'t> {
        &mut self.outbox
    }

    /// The number of a version; `None` if it is not published.
    pub fn number_of(&self, rule_id: &RuleId) -> StoreResult<Option<u64>> {
        Ok(self.codes.get(code_key(rule_id).as_slice())?.map(|n| n.value()))
    }

    pub fn state(&self, number: u64) -> StoreResult<State> {
        lookup::state(&self.states, number)
    }

    /// All versions of a code, in order.
    pub fn versions_of(&self, code: &RuleCode) -> StoreResult<Vec<Version>> {
        lookup::versions_of(&self.codes, &self.states, code)
    }

    /// The instant of the last publication, in milliseconds since 1970.
    pub fn last_instant_ms(&self) -> StoreResult<Option<u64>> {
        Ok(self.instants.last()?.map(|(instant, _)| instant.value()))
    }

    /// The number that the current publication gets.
    pub fn next_publication(&self) -> StoreResult<u64> {
        next_number(&self.publications)
    }

    /// The number that the next version gets; those after it get the following ones.
    pub fn next_version(&self) -> u64 {
        self.next_version
    }

    /// Adds a version with its scope keys. It answers only after [`insert_lookup`](Self::insert_lookup). Fails once the
    /// disk gets full.
    pub fn insert_version(
        &mut self,
        rule_id: &RuleId,
        record: &[u8],
        state: State,
        (layer, chaves): (RuleLayer, &[Chave]),
    ) -> StoreResult<u64> {
        let number = self.next_version;
        if number.is_multiple_of(VERSIONS_BETWEEN_CHECKS) {
            self.store.check_room()?;
        }
        self.versions.insert(number, record)?;
        self.codes.insert(code_key(rule_id).as_slice(), number)?;
        self.states.insert(number, state.value())?;
        for chave in chaves {
            self.history.insert(history_key(&key_in(layer, &chave.bytes()), number).as_slice(), ())?;
        }
        self.next_version += 1;
        Ok(number)
    }

    pub fn close(&mut self, number: u64, vigencia: Vigencia, superseded_by: u64) -> StoreResult<()> {
        let state = lookup::state(&self.states, number)?;
        self.states.insert(number, State { vigencia, superseded_by, ..state }.value())?;
        Ok(())
    }

    /// Removes the version of a layer that begins on that day from a key.
    pub fn remove_lookup(&mut self, layer: RuleLayer, chave: &Chave, de: Date) -> StoreResult<()> {
        let chave = chave.bytes();
        let key = key_in(layer, &chave);
        let rest = match self.lookup.get(&*key)? {
            Some(value) => LookupRow::read(value.value())?.without(de),
            None => return Ok(()),
        };
        if rest.is_empty() {
            self.lookup.remove(&*key)?;
        } else {
            self.lookup.insert(&*key, rest.as_slice())?;
        }
        Ok(())
    }

    /// Lets the version answer under a key. If another version of its layer answers there on some of the same days,
    /// writes nothing and returns the number of that version.
    pub fn insert_lookup(
        &mut self,
        layer: RuleLayer,
        chave: &Chave,
        number: u64,
        vigencia: Vigencia,
    ) -> StoreResult<Option<u64>> {
        self.with_office |= layer == RuleLayer::Office;
        let chave = chave.bytes();
        let key = key_in(layer, &chave);
        let more = match self.lookup.get(&*key)? {
            Some(value) => LookupRow::read(value.value())?.with(number, vigencia)?,
            None => LookupRow::default().with(number, vigencia)?,
        };
        match more {
            Ok(value) => {
                self.lookup.insert(&*key, value.as_slice())?;
                Ok(None)
            }
            Err(other) => Ok(Some(other)),
        }
    }

    /// The versions of a layer under exactly this key.
    pub fn entries_in(&self, layer: RuleLayer, chave: &Chave) -> StoreResult<Vec<LookupEntry>> {
        if layer == RuleLayer::Office && !self.with_office {
            return Ok(Vec::new());
        }
        self.layers().entries_in(layer, &chave.bytes())
    }

    pub fn without_office(&self) -> CommonRules<'_, 't> {
        CommonRules(self)
    }

    pub fn insert_event(&mut self, record: &[u8]) -> StoreResult<()> {
        self.events.insert(self.next_event, record)?;
        self.next_event += 1;
        Ok(())
    }

    pub fn insert_publication(&mut self, number: u64, instant_ms: u64, record: &[u8]) -> StoreResult<()> {
        self.publications.insert(number, record)?;
        self.instants.insert(instant_ms, number)?;
        Ok(())
    }
}

impl<'t> Layered for RuleWriter<'t> {
    type Table = Table<'t, &'static [u8], &'static [u8]>;

    fn layers(&self) -> Layers<'_, Self::Table> {
        Layers { table: &self.lookup, with_office: self.with_office }
    }
    fn record_of(&self, number: u64) -> StoreResult<Vec<u8>> {
        lookup::record(&self.versions, number)
    }
}

/// The rules inside a write transaction, without those of the office.
pub struct CommonRules<'r, 't>(&'r RuleWriter<'t>);

impl<'t> Layered for CommonRules<'_, 't> {
    type Table = Table<'t, &'static [u8], &'static [u8]>;

    fn layers(&self) -> Layers<'_, Self::Table> {
        Layers { with_office: false, ..self.0.layers() }
    }
    fn record_of(&self, number: u64) -> StoreResult<Vec<u8>> {
        self.0.record_of(number)
    }
}
