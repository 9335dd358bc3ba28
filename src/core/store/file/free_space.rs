//! Free space on the disk of the file.
//!
//! After one refused write the database must be opened again. So a write only begins, and a long one only goes on,
//! while there is room to spare.

use std::path::Path;

use redb::WriteTransaction;

use super::{Store, StoreError, StoreResult};

/// Bytes that rules, calls, deliveries and backups leave free: more than is written between two checks.
pub(super) const RESERVED_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes that small changes leave free: a key can still be revoked when nothing else can be written.
const LAST_BYTES: u64 = 16 * 1024 * 1024;

/// Free bytes on the disk of a file or directory; `None` if the system does not report them.
fn free_bytes(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Fails if fewer bytes than that are free on the disk of a file or directory.
pub(super) fn require(path: &Path, reserved: u64) -> StoreResult<()> {
    match free_bytes(path) {
        Some(free) if free < reserved => Err(StoreError::NoRoom { free, reserved }),
        _ => Ok(()),
    }
}

impl Store {
    /// Free bytes on the disk of the file; `None` in memory, or if the system does not report them.
    pub fn free_disk_bytes(&self) -> Option<u64> {
        free_bytes(self.file.as_deref()?)
    }

    /// Size of the file in bytes; `None` in memory.
    pub fn file_bytes(&self) -> Option<u64> {
        std::fs::metadata(self.file.as_deref()?).map(|meta| meta.len()).ok()
    }

    /// Fails during an outage, and if the disk has too little room for a large write.
    pub(in crate::store) fn check_room(&self) -> StoreResult<()> {
        self.check_left(RESERVED_BYTES)
    }

    fn check_left(&self, reserved: u64) -> StoreResult<()> {
        self.handle.check()?;
        self.file.as_deref().map_or(Ok(()), |file| require(file, reserved))
    }

    /// Begins a write that may be large. Fails if the disk has too little room for it.
    pub(in crate::store) fn begin_write(&self) -> StoreResult<WriteTransaction> {
        self.check_room()?;
        self.handle.begin_write()
    }

    /// Writes a record or two, an account, a key, a setting, in one transaction, which is rolled back if `work` fails.
    pub(in crate::store) fn small_write<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        self.check_left(LAST_BYTES)?;
        let txn = self.handle.begin_write()?;
        let value = work(&txn)?;
        self.commit(txn)?;
        Ok(value)
    }
}
