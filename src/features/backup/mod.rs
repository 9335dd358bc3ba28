//! Backup: a consistent copy of the data, in a file of its own.

pub mod command;
pub mod restore;
mod write;

use serde::Serialize;

use crate::base::value::Timestamp;

pub use write::backup;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BackupReport {
    pub file: String,
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// The instant whose state it has.
    pub taken_at: Timestamp,
    pub schema_version: u64,
    pub rules: u64,
    pub publications: u64,
    pub accounts: u64,
}
