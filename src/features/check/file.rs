//! The rows of the whole file, in one snapshot, for the parts of a check.

use redb::{ReadOnlyTable, ReadTransaction};

use crate::base::value::Timestamp;
use crate::core::store::as_of::AsOfReader;
use crate::core::store::calls::Block;
use crate::core::store::encoding::history_key;
use crate::core::store::file::{Contents, contents};
use crate::core::store::journal::{EventRecord, Journal};
use crate::core::store::layers::key_in;
use crate::core::store::lookup::RuleReader;
use crate::core::store::lookup_row::{LookupEntry, LookupRow};
use crate::core::store::{Store, StoreResult, schema};
use crate::law::rule::RuleLayer;

/// The file at one instant.
pub struct Audit {
    pub(super) txn: ReadTransaction,
    contents: Contents,
    history: ReadOnlyTable<&'static [u8], ()>,
}

impl Store {
    /// The whole file as it is now, for a check.
    pub fn audit(&self) -> StoreResult<Audit> {
        let txn = self.begin_read()?;
        Ok(Audit { contents: contents(&txn, Timestamp::now())?, history: txn.open_table(schema::HISTORY)?, txn })
    }
}

/// A scope key, and the entries of its row or why they cannot be read.
type Lookup = (Vec<u8>, StoreResult<Vec<LookupEntry>>);

impl Audit {
    /// How many rows each table has.
    #[must_use]
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    pub fn rules(&self) -> StoreResult<RuleReader> {
        RuleReader::open(&self.txn)
    }

    /// The rules as they were known at an instant.
    pub fn rules_as_of(&self, instant: Timestamp) -> StoreResult<AsOfReader> {
        AsOfReader::open(&self.txn, instant.millis())
    }

    pub fn journal(&self) -> StoreResult<Journal> {
        Journal::open(&self.txn)
    }

    /// Number and record of every version, in order.
    pub fn records(&self) -> StoreResult<impl Iterator<Item = StoreResult<(u64, Vec<u8>)>> + use<>> {
        numbered(&self.txn.open_table(schema::VERSIONS)?)
    }

    /// True if the history has the version under the key of its layer.
    pub fn is_in_history(&self, layer: RuleLayer, chave: &[u8], number: u64) -> StoreResult<bool> {
        Ok(self.history.get(history_key(&key_in(layer, chave), number).as_slice())?.is_some())
    }

    pub fn lookups(&self) -> StoreResult<impl Iterator<Item = StoreResult<Lookup>> + use<>> {
        let rows = self.txn.open_table(schema::LOOKUP)?.range::<&[u8]>(..)?;
        Ok(rows.map(|row| {
            let (chave, value) = row?;
            let entries = LookupRow::read(value.value()).and_then(|row| row.entries().collect());
            Ok((chave.value().to_vec(), entries))
        }))
    }

    /// Every changelog event, in order.
    pub fn events(&self) -> StoreResult<impl Iterator<Item = StoreResult<EventRecord>> + use<>> {
        let rows = numbered(&self.txn.open_table(schema::EVENTS)?)?;
        Ok(rows.map(|row| row.map(|(number, record)| EventRecord { number, record })))
    }

    /// Number and record of every publication, in order.
    pub fn publications(&self) -> StoreResult<Vec<(u64, Vec<u8>)>> {
        numbered(&self.txn.open_table(schema::PUBLICATIONS)?)?.collect()
    }

    /// Instant, in milliseconds since 1970, and number of every publication, by instant.
    pub fn instants(&self) -> StoreResult<Vec<(u64, u64)>> {
        let rows = self.txn.open_table(schema::INSTANTS)?.range::<u64>(..)?;
        rows.map(|row| row.map(|(instant, number)| (instant.value(), number.value())).map_err(Into::into)).collect()
    }

    /// Every block of calls, with its account.
    pub fn blocks(&self) -> StoreResult<impl Iterator<Item = StoreResult<(String, Block)>> + use<>> {
        let rows = self.txn.open_table(schema::CALLS)?.range::<(&str, u64, u64)>(..)?;
        Ok(rows.map(|row| {
            let (key, bytes) = row?;
            let (client_id, last_ms, last_seq) = key.value();
            Ok((client_id.to_owned(), Block { last_ms, last_seq, bytes: bytes.value().to_vec() }))
        }))
    }

    /// Account and bytes of every meter.
    pub fn meters(&self) -> StoreResult<Vec<(String, Vec<u8>)>> {
        crate::core::store::calls::meters(&self.txn)
    }

    /// Name and public key of every trusted key.
    pub fn trusted_keys(&self) -> StoreResult<Vec<(String, String)>> {
        crate::core::store::settings::trusted_keys(&self.txn)
    }
}

/// The rows of a table of numbered records, in order.
fn numbered(
    table: &ReadOnlyTable<u64, &'static [u8]>,
) -> StoreResult<impl Iterator<Item = StoreResult<(u64, Vec<u8>)>> + use<>> {
    Ok(table.range::<u64>(..)?.map(|row| {
        let (number, record) = row?;
        Ok((number.value(), record.value().to_vec()))
    }))
}
