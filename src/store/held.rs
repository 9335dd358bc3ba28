//! A file that redb works on while whoever gave it goes on holding the lock on it.
//!
//! redb lets go of its own locks when it closes; a draft is still to be read and placed by then, and
//! another process would take it for one that was left behind.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use redb::{Builder, Database, StorageBackend};

use super::{CACHE_BYTES, StoreResult};

#[derive(Debug)]
struct Held(File);

/// Opens a locked file, making a database of an empty one; it stays locked when the database is closed.
pub(super) fn open(file: &File) -> StoreResult<Database> {
    Ok(Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(Held(file.try_clone()?))?)
}

impl StorageBackend for Held {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(out, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }
}
