//! The disk beneath the file.

use super::Store;

impl Store {
    /// Bytes that are free on the disk of the file; `None` where it is in memory, or the
    /// system does not say.
    #[must_use]
    pub fn free_disk_bytes(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(self.file.as_deref()?).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Size of the file in bytes; `None` where it is in memory.
    #[must_use]
    pub fn file_bytes(&self) -> Option<u64> {
        std::fs::metadata(self.file.as_deref()?).map(|meta| meta.len()).ok()
    }
}
