//! The one file: what is kept, under which keys, in which transactions.
//!
//! Knows tables, bytes and days, and nothing of HTTP or of what a rule computes. Readers
//! work on a snapshot and never wait for the writer; redb admits one writer at a time and
//! one process.

mod accounts;
mod as_of;
mod audit;
mod calls;
mod encoding;
mod file;
mod journal;
mod json;
mod lookup;
mod lookup_row;
mod migration;
mod outbox;
mod outbox_reader;
mod plans;
mod schema;
mod settings;
mod subscriptions;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::{Database, DatabaseError, ReadTransaction, ReadableDatabase, ReadableTable, WriteTransaction};

pub use accounts::{Account, Clients, KeyRecord};
pub use as_of::AsOfReader;
pub use audit::{Area, Audit, Checker, Finding, Findings};
pub use calls::{Block, CallReader, CallWriter};
pub use encoding::State;
pub use file::{
    BackupWriter, Contents, OpenStorage, Outage, ProbedStorage, Snapshot, StagedFile, TableRows, begin_restore,
    finish_restore,
};
pub use journal::{Event, Journal};
pub use lookup::{RuleReader, RuleTables, Version};
pub use lookup_row::LookupEntry;
pub use outbox::{Delivery, DeliveryState, Endpoint, OutboxWriter};
pub use outbox_reader::{Due, OutboxReader};
pub use plans::{AccountLimits, Limit, LimitOverrides, Plan};
pub use schema::fingerprint;
pub use settings::Trusting;
pub use subscriptions::{PreviousSecret, Subscription, subscription_id, subscription_number};
pub use write::RuleWriter;

use file::{CACHE_BYTES, Handle};

/// Name of the file in the data directory.
pub const FILE_NAME: &str = "taxd.redb";
/// Version of the tables and encodings of [`schema`]. A file of an older one is migrated on opening,
/// one of a newer one is refused.
pub const SCHEMA_VERSION: u64 = 3;

/// Why the store could not do what it was asked.
#[derive(Debug)]
pub enum StoreError {
    /// Another process has the file open.
    InUse,
    /// The file is of a later schema version.
    Newer(u64),
    /// The file is of a schema version from which no way leads to this one.
    Older(u64),
    /// It is a file of something else.
    Foreign,
    /// A file has the name already.
    Exists,
    /// The server ends, and with it long work that may be done again.
    Ending,
    /// The disk has too little room to write.
    NoRoom {
        /// Bytes that are free.
        free: u64,
        /// Bytes that must stay free.
        reserved: u64,
    },
    /// A record cannot be read back.
    Corrupt(String),
    /// The database refused.
    Database(Box<redb::Error>),
    /// The disk refused.
    Disk(std::io::Error),
    /// The disk refused something, for this cause, and the file has not been opened again since.
    Outage(String),
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreError::InUse => f.write_str("the data file is in use by another process"),
            StoreError::Newer(found) => write!(
                f,
                "the data file was made by a newer taxd: it has schema version {found}, and this taxd reads up to {SCHEMA_VERSION}; use that taxd, or a newer one"
            ),
            StoreError::Older(found) => write!(
                f,
                "the data file has schema version {found}, which no released taxd ever wrote, and this taxd reads from {} to {SCHEMA_VERSION}; begin a new data directory and import its bundles again",
                migration::OLDEST
            ),
            StoreError::Foreign => {
                f.write_str("this is no data file of taxd nor a backup of one, or its beginning is damaged")
            }
            StoreError::Ending => f.write_str("the server is stopping; try again in a moment"),
            StoreError::Exists => f.write_str("there is a file of that name already"),
            StoreError::NoRoom { free, reserved } => write!(
                f,
                "the disk has {} MiB left, and for this {} MiB must stay free; make room on it and try again",
                free / (1024 * 1024),
                reserved / (1024 * 1024)
            ),
            StoreError::Corrupt(what) => write!(f, "damaged: {what}"),
            StoreError::Database(error) => match &**error {
                redb::Error::Corrupted(what) => write!(f, "damaged: {what}"),
                redb::Error::Io(error) => outage(f, &error.to_string()),
                redb::Error::PreviousIo | redb::Error::DatabaseClosed => outage(f, "an earlier read or write failed"),
                other => write!(f, "{other}"),
            },
            StoreError::Disk(error) => write!(f, "{error}"),
            StoreError::Outage(cause) => outage(f, cause),
        }
    }
}

/// What the operator reads when the disk refused a read or a write.
fn outage(f: &mut std::fmt::Formatter<'_>, cause: &str) -> std::fmt::Result {
    write!(
        f,
        "the disk refused a read or a write ({cause}); what was confirmed before is safe. Look at the disk, its free room and its quota (`dmesg` may say more): a server opens its data file again by itself, within seconds of the disk working. Then look whether this was done, and if not, repeat it"
    )
}

impl std::error::Error for StoreError {}

impl StoreError {
    /// True if the disk refused a read or write of the data file: it may succeed later.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        match self {
            StoreError::Outage(_) => true,
            StoreError::Database(error) => {
                matches!(**error, redb::Error::Io(_) | redb::Error::PreviousIo | redb::Error::DatabaseClosed)
            }
            _ => false,
        }
    }

    /// True where the file is at fault, and not the disk, or who else has it.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            StoreError::Corrupt(_) | StoreError::Foreign => true,
            StoreError::Database(error) => matches!(**error, redb::Error::Corrupted(_)),
            _ => false,
        }
    }
}

macro_rules! from_redb {
    ($($error:ty),*) => { $(
        impl From<$error> for StoreError {
            fn from(error: $error) -> Self { StoreError::Database(Box::new(error.into())) }
        }
    )* };
}
from_redb!(redb::StorageError, redb::TableError, redb::TransactionError, redb::CommitError, redb::CompactionError);

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseAlreadyOpen => StoreError::InUse,
            // It does not begin as every file of redb does.
            DatabaseError::Storage(redb::StorageError::Io(error))
                if error.kind() == std::io::ErrorKind::InvalidData =>
            {
                StoreError::Foreign
            }
            other => StoreError::Database(Box::new(other.into())),
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        StoreError::Disk(error)
    }
}

/// The result of a store operation.
pub type StoreResult<T> = Result<T, StoreError>;

/// What becomes of a transaction whose work is done, with the result of the work.
pub enum Decision<T> {
    /// All of it is written.
    Commit(T),
    /// Nothing of it is written.
    RollBack(T),
}

/// The open file.
pub struct Store {
    handle: Handle,
    /// Where it lies, unless it is in memory.
    file: Option<PathBuf>,
    /// Held while a publication is being written: the one transaction that may be long.
    publishing: Mutex<()>,
    rules: Mutex<SharedRules>,
}

/// The rules as readers share them.
#[derive(Default)]
struct SharedRules {
    /// Those of the last commit, once somebody has read them.
    last: Option<Arc<RuleReader>>,
    /// True while a publication is being committed. It becomes visible in the middle of that, so a
    /// snapshot opened meanwhile serves one reader: the next one may have seen the publication.
    publishing: bool,
}

impl Store {
    /// Opens the file of a data directory, making it where there is none, and migrating it where it
    /// is of an older schema version.
    pub fn open(dir: &Path) -> StoreResult<Store> {
        let file = dir.join(FILE_NAME);
        if !file.exists() {
            StagedFile::create(&file)?;
        }
        let mut handle = Handle::open(file::open_data_file(&file)?)?;
        if let Some(version) = migration::from(&handle.db())? {
            drop(handle);
            migration::migrate(&file, version)?;
            handle = Handle::open(file::open_data_file(&file)?)?;
        }
        Store::on(handle, Some(file))
    }

    /// Opens the database on other storage than a file, making one of empty storage.
    pub fn on_storage(open: OpenStorage) -> StoreResult<Store> {
        Store::on(Handle::open(open)?, None)
    }

    /// Opens a data file or a backup only to look at, checked page by page; nothing is written to it,
    /// and what would be stays in memory, a migration too.
    pub fn inspect(file: &Path) -> StoreResult<Store> {
        Store::verified(file::open_copy_on_write(file)?, None)
    }

    /// A store of this schema version on a file that was checked page by page.
    fn verified(mut db: Database, file: Option<PathBuf>) -> StoreResult<Store> {
        if !db.check_integrity()? {
            return Err(StoreError::Corrupt("some of its pages are not as they were written".to_owned()));
        }
        if migration::version(&db)?.is_none() {
            return Err(StoreError::Foreign);
        }
        migration::up(&db)?;
        Store::on(Handle::fixed(db), file)
    }

    /// A store that lives as long as the process: for calculating without a data directory.
    pub fn in_memory() -> StoreResult<Store> {
        let db = Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(redb::backends::InMemoryBackend::new())?;
        Store::on(Handle::fixed(db), None)
    }

    /// A store on an open database.
    fn on(handle: Handle, file: Option<PathBuf>) -> StoreResult<Store> {
        Store::prepare(&handle.db())?;
        Ok(Store { handle, file, publishing: Mutex::default(), rules: Mutex::default() })
    }

    /// Makes every table of a new file, so that readers find them.
    fn prepare(db: &Database) -> StoreResult<()> {
        let txn = db.begin_write()?;
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
    fn begin_read(&self) -> StoreResult<ReadTransaction> {
        Ok(self.handle.db().begin_read()?)
    }

    /// The rules as they are now, unmoved by later publications; every publication that any reader has
    /// seen is in them. To open a snapshot costs as much as to find several rules in it, so one
    /// serves all readers until the next commit.
    pub fn read_rules(&self) -> StoreResult<Arc<RuleReader>> {
        // Held while the snapshot is taken, so that a commit in between is not missed.
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

    /// Commits. Whoever reads from now on reads what was written, and the pages that it replaced
    /// are held by nobody but those who are still reading.
    fn commit(&self, txn: WriteTransaction) -> StoreResult<()> {
        txn.commit()?;
        self.forget_snapshot();
        Ok(())
    }

    /// Has the next reader take a snapshot.
    fn forget_snapshot(&self) {
        self.shared_rules().last = None;
    }

    /// The same for a publication.
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
    /// may have a publication whose commit was reported as failed, and an answer for a past instant is final.
    pub fn read_rules_as_of(&self, instant_ms: u64) -> StoreResult<AsOfReader> {
        self.handle.check()?;
        AsOfReader::open(&self.begin_read()?, instant_ms)
    }

    /// What was published, in one snapshot. Fails during an outage, for the same reason.
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
        let result = {
            let mut writer = RuleWriter::open(&txn, self)?;
            work(&mut writer).and_then(|done| writer.finish().map(|()| done).map_err(E::from))
        };
        match result {
            Ok(Decision::Commit(value)) => {
                self.check_room()?;
                self.commit_publication(txn)?;
                Ok(value)
            }
            Ok(Decision::RollBack(value)) => {
                txn.abort().map_err(StoreError::from)?;
                Ok(value)
            }
            // Dropping the transaction undoes it; an error of that would hide the reason.
            Err(error) => Err(error),
        }
    }
}
