//! The one file: what is kept, under which keys, in which transactions.
//!
//! Knows tables, bytes and days, and nothing of HTTP or of what a rule computes. Readers
//! work on a snapshot and never wait for the writer; redb admits one writer at a time and
//! one process.

mod accounts;
mod answering;
mod calls;
mod creation;
mod disk;
mod journal;
mod json;
mod keys;
mod known;
mod lookup;
mod outbox;
mod outbox_reader;
mod plans;
mod schema;
mod settings;
mod subscriptions;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, WriteTransaction};

pub use accounts::{Account, Clients, KeyRecord};
pub use answering::Found;
pub use calls::{Block, CallReader, CallWriter};
pub use journal::{Event, Journal};
pub use keys::State;
pub use known::KnownReader;
pub use lookup::{RuleReader, RuleTables, Version};
pub use outbox::{Delivery, DeliveryState, Endpoint, OutboxWriter};
pub use outbox_reader::{Due, OutboxReader};
pub use plans::{Ceiling, Limits, Overrides, Plan};
pub use settings::Trusting;
pub use subscriptions::{PreviousSecret, Subscription, subscription_id, subscription_number};
pub use write::RuleWriter;

/// Name of the file in the data directory.
pub const FILE_NAME: &str = "taxd.redb";
/// Version of the tables and encodings of [`schema`]; a file of another one is refused.
pub const SCHEMA_VERSION: u64 = 3;
/// Memory that redb may keep pages in. Its own default is 1 GiB, too much for a server that
/// runs beside others; the built-in rules take a few MiB.
const CACHE_BYTES: usize = 32 * 1024 * 1024;

/// Why the store could not do what it was asked.
#[derive(Debug)]
pub enum StoreError {
    /// Another process has the file open.
    InUse,
    /// The file is of another schema version.
    Schema(u64),
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
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreError::InUse => f.write_str("the data file is in use by another process"),
            StoreError::Schema(found) => write!(
                f,
                "the data file has schema version {found}, this taxd reads version {SCHEMA_VERSION}; use the taxd that made it, or begin a new data directory"
            ),
            StoreError::NoRoom { free, reserved } => write!(
                f,
                "the disk of the data file has {} MiB left, and for this {} MiB must stay free; make room on it and try again",
                free / (1024 * 1024),
                reserved / (1024 * 1024)
            ),
            StoreError::Corrupt(what) => write!(f, "the data file holds a record that cannot be read: {what}"),
            StoreError::Database(error) => write!(f, "the data file: {error}"),
            StoreError::Disk(error) => write!(f, "the data file: {error}"),
        }
    }
}

impl std::error::Error for StoreError {}

macro_rules! from_redb {
    ($($error:ty),*) => { $(
        impl From<$error> for StoreError {
            fn from(error: $error) -> Self { StoreError::Database(Box::new(error.into())) }
        }
    )* };
}
from_redb!(redb::StorageError, redb::TableError, redb::TransactionError, redb::CommitError);

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseAlreadyOpen => StoreError::InUse,
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

/// The open file.
pub struct Store {
    db: Database,
    /// Where it lies, unless it is in memory.
    file: Option<PathBuf>,
    /// Held while a publication is being written: the one transaction that may be long.
    publishing: Mutex<()>,
    /// The rules of the last commit, once somebody has read them.
    rules: Mutex<Option<Arc<RuleReader>>>,
}

impl Store {
    /// Opens the file of a data directory, making it where there is none.
    pub fn open(dir: &Path) -> StoreResult<Store> {
        let file = dir.join(FILE_NAME);
        if !file.exists() {
            creation::create(dir, &file)?;
        }
        let db = Database::builder().set_cache_size(CACHE_BYTES).create(&file)?;
        Store::prepare(db, Some(file))
    }

    /// A store that lives as long as the process: for calculating without a data directory.
    pub fn in_memory() -> StoreResult<Store> {
        let db = Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(redb::backends::InMemoryBackend::new())?;
        Store::prepare(db, None)
    }

    /// Checks the schema version, and makes every table of a new file, so that readers find them.
    fn prepare(db: Database, file: Option<PathBuf>) -> StoreResult<Store> {
        let txn = db.begin_write()?;
        {
            let mut meta = txn.open_table(schema::META)?;
            let found = meta.get(schema::META_SCHEMA)?.map(|v| v.value());
            match found {
                None => {
                    meta.insert(schema::META_SCHEMA, SCHEMA_VERSION)?;
                }
                Some(SCHEMA_VERSION) => {}
                Some(other) => return Err(StoreError::Schema(other)),
            }
            schema::open_all(&txn)?;
            plans::begin(&txn)?;
        }
        txn.commit()?;
        Ok(Store { db, file, publishing: Mutex::default(), rules: Mutex::default() })
    }

    /// The rules as they are now, unmoved by later publications. To open a snapshot costs as much
    /// as to find several rules in it, so one serves all readers until the next commit.
    pub fn read_rules(&self) -> StoreResult<Arc<RuleReader>> {
        // Held while the snapshot is taken, so that a commit in between is not missed.
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = &*rules {
            return Ok(Arc::clone(rules));
        }
        let snapshot = Arc::new(RuleReader::open(&self.db.begin_read()?)?);
        *rules = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// Commits. Whoever reads from now on reads what was written, and the pages that it replaced
    /// are held by nobody but those who are still reading.
    fn commit(&self, txn: WriteTransaction) -> StoreResult<()> {
        let committed = txn.commit();
        *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(committed?)
    }

    /// The rules as they were known at that instant, in milliseconds since 1970.
    pub fn read_rules_known_at(&self, instant_ms: u64) -> StoreResult<KnownReader> {
        KnownReader::open(&self.db.begin_read()?, instant_ms)
    }

    /// What was published, in one snapshot.
    pub fn read_journal(&self) -> StoreResult<Journal> {
        Journal::open(&self.db.begin_read()?)
    }

    /// Does `work` in one write transaction: committed where it answers `Some`, undone
    /// entirely where it answers `None` or fails.
    pub fn write_rules<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut RuleWriter<'_>) -> Result<(T, bool), E>,
    ) -> Result<T, E> {
        let _publishing = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let txn = self.begin_write()?;
        let result = {
            let mut writer = RuleWriter::open(&txn, self)?;
            work(&mut writer).and_then(|done| writer.finish().map(|()| done).map_err(E::from))
        };
        match result {
            Ok((value, true)) => {
                self.check_room()?;
                self.commit(txn)?;
                Ok(value)
            }
            Ok((value, false)) => {
                txn.abort().map_err(StoreError::from)?;
                Ok(value)
            }
            Err(error) => {
                txn.abort().map_err(StoreError::from)?;
                Err(error)
            }
        }
    }
}
