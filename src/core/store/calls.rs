//! The call log: blocks of calls, and meters.

use std::sync::TryLockError;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata, Table};

use super::{Store, StoreResult, read_whole, schema};

/// Key of a block: account, instant of its last call in milliseconds, number of its last call.
type BlockKey = (&'static str, u64, u64);

/// A block of calls, with the end of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Instant of its last call, in milliseconds since 1970; never less than that of the block before.
    pub last_ms: u64,
    pub last_seq: u64,
    pub bytes: Vec<u8>,
}

/// The call log inside a write transaction.
pub struct CallWriter<'t> {
    blocks: Table<'t, BlockKey, &'static [u8]>,
    meters: Table<'t, &'static str, &'static [u8]>,
    meta: Table<'t, &'static str, u64>,
}

impl CallWriter<'_> {
    pub fn last_block(&self, client_id: &str) -> StoreResult<Option<Block>> {
        let mut last = None;
        blocks_back(&self.blocks, client_id, |block| {
            last = Some(block);
            Ok(false)
        })?;
        Ok(last)
    }

    pub fn put_block(&mut self, client_id: &str, block: &Block) -> StoreResult<()> {
        self.blocks.insert((client_id, block.last_ms, block.last_seq), block.bytes.as_slice())?;
        Ok(())
    }

    pub fn remove_block(&mut self, client_id: &str, block: &Block) -> StoreResult<()> {
        self.blocks.remove((client_id, block.last_ms, block.last_seq))?;
        Ok(())
    }

    /// Moves the blocks of an account that are later than that instant to it. They keep their order.
    pub fn move_back(&mut self, client_id: &str, at_ms: u64) -> StoreResult<()> {
        let mut later = Vec::new();
        blocks_back(&self.blocks, client_id, |block| {
            let is_later = block.last_ms > at_ms;
            if is_later {
                later.push(block);
            }
            Ok(is_later)
        })?;
        for block in later {
            self.remove_block(client_id, &block)?;
            self.put_block(client_id, &Block { last_ms: at_ms, ..block })?;
        }
        Ok(())
    }

    /// Notes the time that the ages of calls refer to, in milliseconds since 1970.
    pub fn put_log_time(&mut self, at_ms: u64) -> StoreResult<()> {
        self.meta.insert(schema::META_LOG_TIME, at_ms)?;
        Ok(())
    }

    /// Removes up to `most` blocks of an account whose last call was before that instant. Returns how many, and the
    /// number of the last call in them.
    pub fn prune(&mut self, client_id: &str, before_ms: u64, most: usize) -> StoreResult<(usize, Option<u64>)> {
        let mut keys = Vec::new();
        for entry in self.blocks.range((client_id, 0, 0)..(client_id, before_ms, 0))?.take(most) {
            let (_, last_ms, last_seq) = entry?.0.value();
            keys.push((last_ms, last_seq));
        }
        for (last_ms, last_seq) in &keys {
            self.blocks.remove((client_id, *last_ms, *last_seq))?;
        }
        Ok((keys.len(), keys.last().map(|(_, last_seq)| *last_seq)))
    }

    /// Writes the meter of an account.
    pub fn put_meter(&mut self, client_id: &str, meter: &[u8]) -> StoreResult<()> {
        self.meters.insert(client_id, meter)?;
        Ok(())
    }
}

/// Calls `more` with the blocks of an account, the last first, until it returns false.
fn blocks_back(
    blocks: &impl ReadableTable<BlockKey, &'static [u8]>,
    client_id: &str,
    mut more: impl FnMut(Block) -> StoreResult<bool>,
) -> StoreResult<()> {
    for entry in blocks.range((client_id, 0, 0)..=(client_id, u64::MAX, u64::MAX))?.rev() {
        let (key, bytes) = entry?;
        let (_, last_ms, last_seq) = key.value();
        if !more(Block { last_ms, last_seq, bytes: bytes.value().to_vec() })? {
            break;
        }
    }
    Ok(())
}

/// The call log in one snapshot.
pub struct CallReader {
    blocks: ReadOnlyTable<BlockKey, &'static [u8]>,
}

impl CallReader {
    /// Number of blocks of all accounts.
    pub fn block_count(&self) -> StoreResult<u64> {
        Ok(self.blocks.len()?)
    }

    /// Calls `more` with the blocks of an account, the last first, until it returns false.
    pub fn blocks_back(&self, client_id: &str, more: impl FnMut(Block) -> StoreResult<bool>) -> StoreResult<()> {
        blocks_back(&self.blocks, client_id, more)
    }

    /// The first block of an account with calls after the one of that number, among those whose last call was at that
    /// instant or after it.
    pub fn block_after(&self, client_id: &str, at_ms: u64, seq: u64) -> StoreResult<Option<Block>> {
        for entry in self.blocks.range((client_id, at_ms, 0)..=(client_id, u64::MAX, u64::MAX))? {
            let (key, bytes) = entry?;
            let (_, last_ms, last_seq) = key.value();
            if last_seq > seq {
                return Ok(Some(Block { last_ms, last_seq, bytes: bytes.value().to_vec() }));
            }
        }
        Ok(None)
    }

    /// The first block of an account whose last call was at that instant or after it.
    pub fn first_block_from(&self, client_id: &str, at_ms: u64) -> StoreResult<Option<Block>> {
        match self.blocks.range((client_id, at_ms, 0)..=(client_id, u64::MAX, u64::MAX))?.next() {
            Some(entry) => {
                let (key, bytes) = entry?;
                let (_, last_ms, last_seq) = key.value();
                Ok(Some(Block { last_ms, last_seq, bytes: bytes.value().to_vec() }))
            }
            None => Ok(None),
        }
    }
}

/// The meter of every account, by id.
pub fn meters(txn: &ReadTransaction) -> StoreResult<Vec<(String, Vec<u8>)>> {
    let table = txn.open_table(schema::METERS)?;
    let mut meters = Vec::new();
    for entry in table.iter()? {
        let (client_id, meter) = entry?;
        meters.push((client_id.value().to_owned(), meter.value().to_vec()));
    }
    Ok(meters)
}

impl Store {
    /// The meter of every account, by id.
    pub fn meters(&self) -> StoreResult<Vec<(String, Vec<u8>)>> {
        meters(&self.begin_read()?)
    }

    /// The time that the ages of calls referred to when the log was last written, in milliseconds since 1970.
    pub fn log_time_ms(&self) -> StoreResult<Option<u64>> {
        Ok(self.begin_read()?.open_table(schema::META)?.get(schema::META_LOG_TIME)?.map(|at_ms| at_ms.value()))
    }

    pub fn read_calls(&self) -> StoreResult<CallReader> {
        Ok(CallReader { blocks: self.begin_read()?.open_table(schema::CALLS)? })
    }

    /// Writes to the call log in one transaction, which is rolled back if `work` fails. While a publication is being
    /// written, waits for it if `wait`, and otherwise does nothing and returns `None`.
    pub fn write_calls<T>(
        &self,
        wait: bool,
        work: impl FnOnce(&mut CallWriter<'_>) -> StoreResult<T>,
    ) -> StoreResult<Option<T>> {
        let _publishing = match self.publishing.try_lock() {
            Err(TryLockError::WouldBlock) if !wait => return Ok(None),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Ok(publishing) => Some(publishing),
        };
        // If a page is damaged, the calls stay staged and counted, and an error says why they are not written.
        read_whole(|| {
            let mut txn = self.begin_write()?;
            // This is the most frequent commit by far: after a crash even a large file opens at once.
            txn.set_quick_repair(true);
            let value = work(&mut CallWriter {
                blocks: txn.open_table(schema::CALLS)?,
                meters: txn.open_table(schema::METERS)?,
                meta: txn.open_table(schema::META)?,
            })?;
            self.commit(txn)?;
            Ok(Some(value))
        })
    }
}
