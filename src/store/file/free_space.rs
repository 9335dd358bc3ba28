//! The disk beneath the file.
//!
//! After one refused write the database must be opened again. So a write is not begun, and a long
//! one is broken off, while there is still room.

use std::path::Path;

use redb::WriteTransaction;

use super::{Store, StoreError, StoreResult};

/// Room that rules, calls, deliveries and backups leave, in bytes: more than is written between two
/// looks at the disk.
pub(super) const RESERVED_BYTES: u64 = 64 * 1024 * 1024;
/// Room that small changes leave: a key can be revoked when nothing else can be written.
const LAST_BYTES: u64 = 16 * 1024 * 1024;

/// Bytes that are free on the disk of a file or directory; `None` where the system does not say.
fn free_bytes(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// An error where less than that is free on the disk of a file or directory.
pub(super) fn require(path: &Path, reserved: u64) -> StoreResult<()> {
    match free_bytes(path) {
        Some(free) if free < reserved => Err(StoreError::NoRoom { free, reserved }),
        _ => Ok(()),
    }
}

impl Store {
    /// Bytes that are free on the disk of the file; `None` where it is in memory, or the
    /// system does not say.
    #[must_use]
    pub fn free_disk_bytes(&self) -> Option<u64> {
        free_bytes(self.file.as_deref()?)
    }

    /// Size of the file in bytes; `None` where it is in memory.
    #[must_use]
    pub fn file_bytes(&self) -> Option<u64> {
        std::fs::metadata(self.file.as_deref()?).map(|meta| meta.len()).ok()
    }

    /// An error during an outage, and if the disk has too little room to write much.
    pub(in crate::store) fn check_room(&self) -> StoreResult<()> {
        self.check_left(RESERVED_BYTES)
    }

    fn check_left(&self, reserved: u64) -> StoreResult<()> {
        self.handle.check()?;
        self.file.as_deref().map_or(Ok(()), |file| require(file, reserved))
    }

    /// Begins to write what may be much, where the disk has room for it.
    pub(in crate::store) fn begin_write(&self) -> StoreResult<WriteTransaction> {
        self.check_room()?;
        Ok(self.handle.db().begin_write()?)
    }

    /// Begins to write a record or two: an account, a key, a setting.
    pub(in crate::store) fn begin_small_write(&self) -> StoreResult<WriteTransaction> {
        self.check_left(LAST_BYTES)?;
        Ok(self.handle.db().begin_write()?)
    }
}
