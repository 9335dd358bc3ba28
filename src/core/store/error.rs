//! Why an operation of the store failed, and what the operator reads of it.

use redb::DatabaseError;

use super::{OLDEST_SCHEMA_VERSION, SCHEMA_VERSION};
use crate::base::defect::caught;

/// Why an operation of the store failed.
#[derive(Debug)]
pub enum StoreError {
    /// Another process has the file open.
    InUse,
    /// The file has this later schema version.
    Newer(u64),
    /// The file has this schema version, from which there is no migration.
    Older(u64),
    /// The file is not a data file.
    Foreign,
    /// The name is taken by another file.
    Exists,
    /// The server is stopping, and ended long work that can be repeated.
    Ending,
    /// The disk has too little room for a write.
    NoRoom {
        free: u64,
        reserved: u64,
    },
    Corrupt(String),
    Database(Box<redb::Error>),
    /// The system failed in an operation on a file.
    Disk(std::io::Error),
    /// The disk refused a read or a write, for this reason, and the file has not been opened again since.
    Outage(String),
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreError::InUse => f.write_str("the data file is in use by another process"),
            StoreError::Newer(found) => write!(
                f,
                "the data file was written by a newer taxd: its schema version is {found}, and this taxd reads versions up to {SCHEMA_VERSION}; use that taxd, or a newer one"
            ),
            StoreError::Older(found) => write!(
                f,
                "the data file has schema version {found}, which no released taxd wrote, and this taxd reads versions {OLDEST_SCHEMA_VERSION} to {SCHEMA_VERSION}; create a new data directory and import the bundles again"
            ),
            StoreError::Foreign => {
                f.write_str("not a data file of taxd or a backup of one, or its first page is damaged")
            }
            StoreError::Ending => f.write_str("the server is stopping; try again in a moment"),
            StoreError::Exists => f.write_str("a file of that name exists already"),
            StoreError::NoRoom { free, reserved } => write!(
                f,
                "the disk has {} MiB left, and this needs {} MiB to stay free; free some room and try again",
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

/// Writes the message of an outage.
fn outage(f: &mut std::fmt::Formatter<'_>, cause: &str) -> std::fmt::Result {
    write!(
        f,
        "the disk refused a read or a write ({cause}); everything confirmed before is safe. Check the disk, its free space and its quota (`dmesg` may say more). A running server opens its data file again by itself within seconds of the disk working. After that check whether this was done, and repeat it if not"
    )
}

impl std::error::Error for StoreError {}

impl StoreError {
    /// True if the disk refused a read or write of the data file: it may succeed later.
    pub fn is_outage(&self) -> bool {
        match self {
            StoreError::Outage(_) => true,
            StoreError::Database(error) => {
                matches!(**error, redb::Error::Io(_) | redb::Error::PreviousIo | redb::Error::DatabaseClosed)
            }
            _ => false,
        }
    }

    /// True if the file itself is damaged or not a data file.
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
            // The first bytes are not those of redb.
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

/// Works on a file that may be damaged: redb panics on a page that is not as it wrote it.
pub fn read_whole<T>(work: impl FnOnce() -> StoreResult<T>) -> StoreResult<T> {
    let damage = |defect| {
        let message = format!("a page is not as it was written, or taxd has a defect ({defect})");
        Err(StoreError::Corrupt(message))
    };
    caught(work).unwrap_or_else(damage)
}
