//! The data file: its tables, the encoding of their keys and values, and its transactions.
//!
//! Knows tables, bytes and days, and nothing of HTTP or of what a rule computes. Readers work on a snapshot and never
//! wait for a writer. redb admits one writer at a time. One process writes; others may read beside it
//! ([`Store::open_to_read`]).
//!
//! The life of the file:
//!
//! 1. *Created* as a staged file beside its place, which gets its name once all of it is on the disk
//!    ([`StagedFile`]). So a process that is killed at any moment leaves a whole file or none.
//! 2. *Locked* by the process that writes to it, until that process ends: also while it is opened again.
//! 3. *Migrated*, if its schema version is older: a copy is migrated and takes the place of the original, which
//!    is kept under another name. A file is never migrated in place.
//! 4. *Written* in transactions that begin only while the disk has room to spare, because redb accepts no more work
//!    after one refused write.
//! 5. *Fenced and opened again* after the disk refused something. From the first failure on nothing of the old opening
//!    reaches the file, and what was written since the last sync is written again ([`Store::reopen`]).
//! 6. *Backed up* while it is in use: a [`Snapshot`] of every row is written to a new file, compacted and verified.
//! 7. *Restored* from a backup: a copy of it is checked and takes the place of the file, which is kept.
//!
//! A file that is only checked is opened copy on write ([`Store::inspect`]): nothing is written to it.

pub mod accounts;
pub(crate) mod as_of;
pub mod calls;
pub mod corrections;
pub mod encoding;
mod error;
pub mod file;
pub(crate) mod journal;
pub mod layers;
pub(crate) mod lookup;
pub mod lookup_row;
mod migration;
pub mod outbox;
mod outbox_reader;
pub mod plans;
pub mod schema;
pub mod settings;
mod staged_rules;
pub mod subscriptions;
pub(crate) mod watched;
mod watched_writer;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, WriteTransaction};

pub use accounts::{Account, Clients, KeyRecord};
pub use as_of::AsOfReader;
pub use calls::{Block, CallReader, CallWriter};
pub use corrections::CorrectionStep;
pub use encoding::State;
pub use error::read_whole;
pub use error::{StoreError, StoreResult};
pub use file::persist_new;
pub use file::{
    Contents, OpenStorage, OpenedStorage, Outage, Snapshot, StagedFile, begin_restore, finish_restore, write_backup,
};
pub use journal::{EventRecord, Journal};
pub use lookup::{RuleReader, RuleTables, Version};
pub use lookup_row::LookupEntry;
pub use outbox::{Delivery, DeliveryState, Endpoint, OutboxWriter, notice_of, of_notice};
pub use outbox_reader::{Due, OutboxReader};
pub use plans::{AccountLimits, Limit, LimitOverrides, Plan};
pub use schema::fingerprint;
pub use settings::Trusting;
pub use staged_rules::StagedRules;
pub use subscriptions::{PreviousSecret, Subscription, subscription_id, subscription_number};
pub use watched::{
    AnswerSpan, ListChange, Notice, WatchCursor, WatchReader, WatchedAnswer, WatchedKey, WatchedLine, WatchedList,
};
pub use watched_writer::WatchWriter;
pub use write::{CommonRules, RuleWriter};

use file::Handle;

/// Name of the file in the data directory.
pub const FILE_NAME: &str = "taxd.redb";
/// Version of the tables and encodings of [`schema`]. A file of an older version is migrated when it is opened;
/// a file of a newer version is refused.
pub const SCHEMA_VERSION: u64 = 4;
/// The oldest schema version that can be migrated. Version 1 had several forms, none of which was released.
const OLDEST_SCHEMA_VERSION: u64 = 2;

/// What becomes of a transaction whose work is done, with the result of the work.
pub enum Decision<T> {
    Commit(T),
    RollBack(T),
}

pub struct Store {
    handle: Handle,
    /// Path of the file; `None` in memory. Its disk is asked for free space.
    file: Option<PathBuf>,
    /// Locked while a publication is being written. That is the one long transaction, for which the call log does
    /// not wait.
    publishing: Mutex<()>,
    rules: Mutex<SharedRules>,
}

/// The snapshot of the rules that readers share.
#[derive(Default)]
struct SharedRules {
    /// Opened by the first reader after the last commit.
    last: Option<Arc<RuleReader>>,
    /// True while a publication is being committed. It becomes visible in the middle of the commit, so a
    /// snapshot opened meanwhile is not shared: the next reader may have seen the publication already.
    publishing: bool,
}

impl Store {
    /// Opens the file of a data directory. Creates it if there is none, and migrates it if its schema version is
    /// older.
    pub fn open(dir: &Path) -> StoreResult<Store> {
        let file = dir.join(FILE_NAME);
        if !file.exists() {
            StagedFile::create(&file)?;
        }
        read_whole(|| Store::open_file(file))
    }

    fn open_file(file: PathBuf) -> StoreResult<Store> {
        let mut handle = Handle::open(file::open_data_file(&file)?)?;
        if let Some(version) = migration::from(&handle.begin_read()?)? {
            drop(handle);
            file::migrate(&file, version)?;
            handle = Handle::open(file::open_data_file(&file)?)?;
        }
        Store::on(handle, Some(file))
    }

    /// Opens the file of a data directory for reading, beside a server that may write to it. `None` if it must be opened
    /// for writing first: there is none, it was not closed cleanly, or its schema version is older.
    pub fn open_to_read(dir: &Path) -> StoreResult<Option<Store>> {
        let file = dir.join(FILE_NAME);
        if !file.exists() {
            return Ok(None);
        }
        let Some(db) = read_whole(|| file::open_to_read(&file))? else { return Ok(None) };
        let handle = Handle::to_read(db);
        let txn = handle.begin_read()?;
        if migration::version(&txn)?.is_none() || migration::from(&txn)?.is_some() {
            return Ok(None);
        }
        Ok(Some(Store { handle, file: Some(file), publishing: Mutex::default(), rules: Mutex::default() }))
    }

    /// Opens a database on other storage than a file; empty storage becomes an empty database.
    pub fn on_storage(open: OpenStorage) -> StoreResult<Store> {
        Store::on(Handle::open(open)?, None)
    }

    /// Opens a data file or a backup copy on write, and verifies every page. Nothing is written to the file: a
    /// migration stays in memory too.
    pub fn inspect(file: &Path) -> StoreResult<Store> {
        read_whole(|| Store::verified(file::open_copy_on_write(file)?, None))
    }

    /// Verifies every page of a database, migrates it, and returns a store on it.
    fn verified(mut db: Database, file: Option<PathBuf>) -> StoreResult<Store> {
        if !db.check_integrity()? {
            return Err(StoreError::Corrupt("the checksum of a page does not match".to_owned()));
        }
        if migration::version(&db.begin_read()?)?.is_none() {
            return Err(StoreError::Foreign);
        }
        migration::up(&db)?;
        Store::on(Handle::fixed(db), file)
    }

    /// A store in memory, for calculating without a data directory.
    pub fn in_memory() -> StoreResult<Store> {
        Store::on(Handle::fixed(file::in_memory()?), None)
    }

    fn on(handle: Handle, file: Option<PathBuf>) -> StoreResult<Store> {
        Store::prepare(handle.begin_write()?)?;
        Ok(Store { handle, file, publishing: Mutex::default(), rules: Mutex::default() })
    }

    /// Creates the tables that are missing, so that readers find all of them, and the shipped plans.
    fn prepare(txn: WriteTransaction) -> StoreResult<()> {
        {
            let mut meta = txn.open_table(schema::META)?;
            let found = meta.get(schema::META_SCHEMA)?.map(|v| v.value());
            if found.is_none() {
                meta.insert(schema::META_SCHEMA, SCHEMA_VERSION)?;
            }
        }
        schema::open_all(&txn)?;
        plans::begin(&txn)?;
        Ok(txn.commit()?)
    }

    /// A snapshot of the file as it is now.
    pub fn begin_read(&self) -> StoreResult<ReadTransaction> {
        self.handle.begin_read()
    }

    /// A snapshot of the rules, with every publication that any reader has seen. Opening one costs as much as
    /// several lookups, so all readers share one until the next commit.
    pub fn read_rules(&self) -> StoreResult<Arc<RuleReader>> {
        // Locked while the snapshot is opened, so that a commit in between is not missed.
        let mut rules = self.shared_rules();
        if let Some(rules) = &rules.last {
            return Ok(Arc::clone(rules));
        }
        let snapshot = Arc::new(RuleReader::open(&self.begin_read()?)?);
        rules.last = Some(Arc::clone(&snapshot)).filter(|_| !rules.publishing);
        Ok(snapshot)
    }

    fn shared_rules(&self) -> MutexGuard<'_, SharedRules> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits. The shared snapshot is dropped, so later readers see what was written, and the replaced pages can be
    /// reused once the readers of before have finished.
    fn commit(&self, txn: WriteTransaction) -> StoreResult<()> {
        txn.commit()?;
        self.forget_snapshot();
        Ok(())
    }

    /// Drops the shared snapshot: the next reader opens a new one.
    fn forget_snapshot(&self) {
        self.shared_rules().last = None;
    }

    fn commit_publication(&self, txn: WriteTransaction) -> StoreResult<()> {
        let publishing = SharedRules { last: None, publishing: true };
        let before = std::mem::replace(&mut *self.shared_rules(), publishing);
        let committed = self.commit(txn);
        let mut rules = self.shared_rules();
        // During an outage only an earlier snapshot can be read. Once the file is open again, a snapshot from
        // before would hide a publication whose commit was reported as failed and is in the file.
        let last = before.last.filter(|_| committed.is_err() && self.handle.check().is_err());
        *rules = SharedRules { last, publishing: false };
        drop(rules);
        committed
    }

    /// The rules as they were known at that instant, in milliseconds since 1970. Fails during an outage: the file
    /// may have a publication whose commit was reported as failed, and answers for a past instant never change.
    pub fn read_rules_as_of(&self, instant_ms: u64) -> StoreResult<AsOfReader> {
        self.handle.check()?;
        AsOfReader::open(&self.begin_read()?, instant_ms)
    }

    /// What was published, in one snapshot. Fails during an outage for the same reason.
    pub fn read_journal(&self) -> StoreResult<Journal> {
        self.handle.check()?;
        Journal::open(&self.begin_read()?)
    }

    /// Does `work` in one write transaction, which is committed or rolled back as it decides, and rolled back if it
    /// fails.
    pub fn write_rules<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut RuleWriter<'_>) -> Result<Decision<T>, E>,
    ) -> Result<T, E> {
        let _publishing = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let txn = self.begin_write()?;
        let decision = {
            let mut writer = RuleWriter::open(&txn, self)?;
            let decision = work(&mut writer)?;
            writer.finish()?;
            decision
        };
        match decision {
            Decision::Commit(value) => {
                self.check_room()?;
                self.commit_publication(txn)?;
                Ok(value)
            }
            Decision::RollBack(value) => {
                txn.abort().map_err(StoreError::from)?;
                Ok(value)
            }
        }
    }
}
