//! What publications changed in the answers that accounts had been given, and how far they were looked through.

use redb::{ReadTransaction, ReadableTable};

use super::{Store, StoreResult, schema};

/// Name of the setting that has how far the publications were looked through.
const PROGRESS: &str = "corrections";

/// What is written at once: after a kill, all of it is there or none.
pub struct CorrectionStep<'s> {
    /// How far the publications are looked through after it.
    pub progress: &'s str,
    pub client_id: &'s str,
    pub publication: u64,
    /// Number of the last call, and the encoded calls.
    pub calls: Option<(u64, Vec<u8>)>,
    /// Publications with their new records.
    pub records: Vec<(u64, Vec<u8>)>,
    /// Publications whose calls are removed.
    pub dropped: Vec<u64>,
}

/// Number and record of a publication for every account: `each` is called with the account first.
pub fn each_correction(
    txn: &ReadTransaction,
    mut each: impl FnMut(&str, u64, &[u8]) -> StoreResult<()>,
) -> StoreResult<()> {
    for entry in txn.open_table(schema::CORRECTIONS)?.iter()? {
        let (key, record) = entry?;
        let (client_id, publication) = key.value();
        each(client_id, publication, record.value())?;
    }
    Ok(())
}

/// The same of the blocks of calls, with the number of the last one.
pub fn each_corrected_block(
    txn: &ReadTransaction,
    mut each: impl FnMut((&str, u64, u64), &[u8]) -> StoreResult<()>,
) -> StoreResult<()> {
    for entry in txn.open_table(schema::CORRECTED_CALLS)?.iter()? {
        let (key, calls) = entry?;
        each(key.value(), calls.value())?;
    }
    Ok(())
}

impl Store {
    pub fn corrections_progress(&self) -> StoreResult<Option<String>> {
        self.setting(PROGRESS)
    }

    pub fn write_corrections(&self, step: &CorrectionStep<'_>) -> StoreResult<()> {
        let CorrectionStep { progress, client_id, publication, calls, records, dropped } = step;
        self.small_write(|txn| {
            txn.open_table(schema::SETTINGS)?.insert(PROGRESS, *progress)?;
            let mut blocks = txn.open_table(schema::CORRECTED_CALLS)?;
            if let Some((last, calls)) = calls {
                blocks.insert((*client_id, *publication, *last), calls.as_slice())?;
            }
            for publication in dropped {
                blocks.retain_in((*client_id, *publication, 0)..=(*client_id, *publication, u64::MAX), |_, _| false)?;
            }
            let mut table = txn.open_table(schema::CORRECTIONS)?;
            for (publication, record) in records {
                table.insert((*client_id, *publication), record.as_slice())?;
            }
            Ok(())
        })
    }

    /// Number and record of the publications that changed answers of an account, the last first.
    pub fn corrections(&self, client_id: &str) -> StoreResult<Vec<(u64, Vec<u8>)>> {
        let table = self.begin_read()?.open_table(schema::CORRECTIONS)?;
        let mut found = Vec::new();
        for entry in table.range((client_id, 0)..=(client_id, u64::MAX))?.rev() {
            let (key, record) = entry?;
            found.push((key.value().1, record.value().to_vec()));
        }
        Ok(found)
    }

    /// The encoded calls of a publication after the call of that number, until `more` returns false.
    pub fn corrected_calls(
        &self,
        client_id: &str,
        publication: u64,
        after: u64,
        mut more: impl FnMut(&[u8]) -> StoreResult<bool>,
    ) -> StoreResult<()> {
        let table = self.begin_read()?.open_table(schema::CORRECTED_CALLS)?;
        let from = (client_id, publication, after.saturating_add(1));
        for entry in table.range(from..=(client_id, publication, u64::MAX))? {
            if !more(entry?.1.value())? {
                break;
            }
        }
        Ok(())
    }
}
