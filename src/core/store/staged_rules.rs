//! The rules as an import would leave them: what it writes, over a snapshot that it does not change.
//!
//! An import that is rolled back leaves nothing behind, and its transaction must be short. So what it wrote is copied
//! out of the transaction: the rows of the keys that it touched, and the records of its versions.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::StoreResult;
use super::encoding::end_of;
use super::lookup::{RuleReader, RuleTables};
use super::lookup_row::LookupEntry;
use super::write::RuleWriter;
use crate::base::value::Date;
use crate::law::rule::{Chave, Linha, Place};

/// The rules of a snapshot, with the changes of an import that was not committed.
pub struct StagedRules {
    base: Arc<RuleReader>,
    /// The entries of every key that the import touched, also if none is left.
    rows: BTreeMap<Vec<u8>, Vec<LookupEntry>>,
    /// The records of its versions, by number.
    records: HashMap<u64, Vec<u8>>,
}

impl StagedRules {
    /// Begins with the rules of `base`, the snapshot from before the transaction.
    pub fn over(base: Arc<RuleReader>) -> StagedRules {
        StagedRules { base, rows: BTreeMap::new(), records: HashMap::new() }
    }

    /// The rules from before the transaction.
    pub fn base(&self) -> Arc<RuleReader> {
        Arc::clone(&self.base)
    }

    /// Copies what the transaction has under a key.
    pub fn copy_row(&mut self, writer: &RuleWriter<'_>, chave: &Chave) -> StoreResult<()> {
        let key = chave.bytes();
        let entries = writer.entries_under(&key)?;
        self.rows.insert(key, entries);
        Ok(())
    }

    /// Copies a version that the transaction wrote.
    pub fn copy_record(&mut self, writer: &RuleWriter<'_>, number: u64) -> StoreResult<()> {
        self.records.insert(number, writer.record(number)?);
        Ok(())
    }
}

impl RuleTables for StagedRules {
    fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<LookupEntry>> {
        match self.rows.get(chave) {
            Some(entries) => Ok(entries.iter().find(|entry| entry.vigencia.covers(data)).copied()),
            None => self.base.find(chave, data),
        }
    }

    fn entries_under(&self, prefix: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        let rows = self.rows(prefix, Place::From(prefix), usize::MAX)?;
        let entries = rows.into_iter().flat_map(|row| row.versoes);
        Ok(entries.map(|(number, vigencia)| LookupEntry { number, vigencia }).collect())
    }

    fn rows(&self, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>> {
        let (low, high) = match place {
            Place::From(key) => (key.to_vec(), end_of(prefix)),
            Place::Before(key) => (prefix.to_vec(), key.to_vec()),
        };
        let staged = || self.rows.range(low.clone()..high.clone());
        // A staged row replaces at most one row of the base.
        let base = self.base.rows(prefix, place, max.saturating_add(staged().count()))?;
        let mut rows: BTreeMap<Vec<u8>, Linha> = base.into_iter().map(|row| (row.chave.clone(), row)).collect();
        for (key, entries) in staged() {
            let versoes = entries.iter().map(|entry| (entry.number, entry.vigencia)).collect();
            rows.insert(key.clone(), Linha { chave: key.clone(), versoes });
        }
        let rows = rows.into_values().filter(|row| !row.versoes.is_empty());
        Ok(match place {
            Place::From(_) => rows.take(max).collect(),
            Place::Before(_) => rows.rev().take(max).collect(),
        })
    }

    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        match self.records.get(&number) {
            Some(record) => Ok(record.clone()),
            None => self.base.record(number),
        }
    }
}
