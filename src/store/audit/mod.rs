//! The whole file in one snapshot, for whoever looks whether it holds together.
//!
//! What the tables of accounts and deliveries say of one another is looked at here; what rules and
//! calls say, by those who can read them.

mod accounts;
mod finding;
mod outbox;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};

pub use finding::{Area, Finding, Findings};

use super::as_of::AsOfReader;
use super::calls::Block;
use super::encoding::{code_of, history_key, version_of};
use super::file::{Contents, contents};
use super::journal::{Event, Journal};
use super::lookup::RuleReader;
use super::lookup_row::{LookupEntry, LookupRow};
use super::{Store, StoreResult, schema};
use crate::rule::Vigencia;
use crate::value::{RuleCode, Timestamp, Versao};

/// Told that so many more rows have been looked at; an error ends the work.
pub type GoOn<'g> = &'g mut dyn FnMut(u64) -> StoreResult<()>;

/// The file at one instant.
pub struct Audit {
    txn: ReadTransaction,
    contents: Contents,
    lookup: ReadOnlyTable<&'static [u8], &'static [u8]>,
    history: ReadOnlyTable<&'static [u8], ()>,
}

impl Store {
    /// The whole file as it is now, to be looked at.
    pub fn audit(&self) -> StoreResult<Audit> {
        let txn = self.begin_read()?;
        Ok(Audit {
            contents: contents(&txn, Timestamp::now())?,
            lookup: txn.open_table(schema::LOOKUP)?,
            history: txn.open_table(schema::HISTORY)?,
            txn,
        })
    }
}

impl Audit {
    /// How many rows there are of what.
    #[must_use]
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// The rules as they are.
    pub fn rules(&self) -> StoreResult<RuleReader> {
        RuleReader::open(&self.txn)
    }

    /// The rules as they were known at an instant.
    pub fn rules_as_of(&self, instant: Timestamp) -> StoreResult<AsOfReader> {
        AsOfReader::open(&self.txn, instant.millis())
    }

    /// What was published.
    pub fn journal(&self) -> StoreResult<Journal> {
        Journal::open(&self.txn)
    }

    /// Looks at plans, accounts, keys, subscriptions and deliveries.
    pub fn accounts_and_deliveries(&self, findings: &mut Findings, go_on: GoOn<'_>) -> StoreResult<()> {
        accounts::look(&self.txn, findings, go_on)?;
        outbox::look(&self.txn, findings, go_on)
    }

    /// Calls `each` with every row of the codes, those of one code together.
    pub fn each_code(
        &self,
        mut each: impl FnMut(StoreResult<(RuleCode, Versao)>, u64) -> StoreResult<()>,
    ) -> StoreResult<()> {
        let codes = self.txn.open_table(schema::CODES)?;
        for entry in codes.iter()? {
            let (key, number) = entry?;
            let read = code_of(key.value()).and_then(|code| Ok((code, version_of(key.value())?)));
            each(read, number.value())?;
        }
        Ok(())
    }

    /// Calls `each` with the number and record of every version, in order.
    pub fn each_record(&self, mut each: impl FnMut(u64, &[u8]) -> StoreResult<()>) -> StoreResult<()> {
        let versions = self.txn.open_table(schema::VERSIONS)?;
        for entry in versions.iter()? {
            let (number, record) = entry?;
            each(number.value(), record.value())?;
        }
        Ok(())
    }

    /// True where a lookup under the key finds this version on exactly these days.
    pub fn answers(&self, chave: &[u8], number: u64, vigencia: Vigencia) -> StoreResult<bool> {
        let Some(value) = self.lookup.get(chave)? else { return Ok(false) };
        let found = LookupRow::read(value.value()).and_then(|row| row.on(vigencia.de));
        Ok(found.is_ok_and(|found| found.is_some_and(|f| f.number == number && f.vigencia == vigencia)))
    }

    /// True where the history says that the version stood under the key.
    pub fn stood(&self, chave: &[u8], number: u64) -> StoreResult<bool> {
        Ok(self.history.get(history_key(chave, number).as_slice())?.is_some())
    }

    /// Calls `each` with every scope key and the versions that answer under it.
    pub fn each_lookup(
        &self,
        mut each: impl FnMut(&[u8], StoreResult<Vec<LookupEntry>>) -> StoreResult<()>,
    ) -> StoreResult<()> {
        for entry in self.lookup.iter()? {
            let (chave, value) = entry?;
            each(chave.value(), LookupRow::read(value.value()).and_then(|row| row.entries().collect()))?;
        }
        Ok(())
    }

    /// Every changelog event, in order.
    pub fn events(&self) -> StoreResult<impl Iterator<Item = StoreResult<Event>> + use<>> {
        let events = self.txn.open_table(schema::EVENTS)?;
        Ok(events.range::<u64>(..)?.map(|entry| {
            let (number, record) = entry?;
            Ok(Event { number: number.value(), record: record.value().to_vec() })
        }))
    }

    /// Number and record of every publication, in order.
    pub fn publications(&self) -> StoreResult<Vec<(u64, Vec<u8>)>> {
        let publications = self.txn.open_table(schema::PUBLICATIONS)?;
        let rows = publications.iter()?.map(|entry| {
            let (number, record) = entry?;
            Ok((number.value(), record.value().to_vec()))
        });
        rows.collect()
    }

    /// Instant, in milliseconds since 1970, and number of every publication, by instant.
    pub fn instants(&self) -> StoreResult<Vec<(u64, u64)>> {
        let instants = self.txn.open_table(schema::INSTANTS)?;
        let rows = instants.iter()?.map(|entry| {
            let (instant, number) = entry?;
            Ok((instant.value(), number.value()))
        });
        rows.collect()
    }

    /// The id of every account.
    pub fn client_ids(&self) -> StoreResult<Vec<String>> {
        let accounts = self.txn.open_table(schema::ACCOUNTS)?;
        accounts.iter()?.map(|entry| Ok(entry?.0.value().to_owned())).collect()
    }

    /// Calls `each` with every block of calls and the account that it is of.
    pub fn each_block(&self, mut each: impl FnMut(&str, Block) -> StoreResult<()>) -> StoreResult<()> {
        let blocks = self.txn.open_table(schema::CALLS)?;
        for entry in blocks.iter()? {
            let (key, bytes) = entry?;
            let (client_id, last_ms, last_seq) = key.value();
            each(client_id, Block { last_ms, last_seq, bytes: bytes.value().to_vec() })?;
        }
        Ok(())
    }

    /// Account and bytes of every meter.
    pub fn meters(&self) -> StoreResult<Vec<(String, Vec<u8>)>> {
        super::calls::meters(&self.txn)
    }

    /// Name and public key of every trusted key.
    pub fn trusted_keys(&self) -> StoreResult<Vec<(String, String)>> {
        super::settings::trusted_keys(&self.txn)
    }
}
