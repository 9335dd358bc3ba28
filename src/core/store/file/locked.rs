//! Storage on files that taxd itself has locked.
//!
//! redb gives up its own locks when it closes the file. A staged file is still to be read and persisted then, and another
//! process could take it for a leftover. The data file is opened again after an error of the disk, and no other
//! process may write to it in between. Any number of processes may read it meanwhile, by redb's locks on ranges.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use redb::backends::FileBackend;
use redb::{Builder, ConcurrencyMode, Database, DatabaseError, ReadOnlyDatabase, StorageBackend};

use super::fenced::{OpenStorage, OpenedStorage};
use super::{CACHE_BYTES, StoreResult, atomic};

/// How processes share a data file: one writes, any number reads.
pub(super) const SHARING: ConcurrencyMode = ConcurrencyMode::SingleWriter;

#[derive(Debug)]
struct LockedFile(File);

/// Opens a database on a locked file, which stays locked when the database is closed. An empty file becomes an empty
/// database.
pub(super) fn open(file: &File) -> StoreResult<Database> {
    Ok(Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(LockedFile(file.try_clone()?))?)
}

/// Locks a data file against other writers and returns how to open it. The lock lasts until the result is dropped.
pub(in crate::store) fn open_data_file(path: &Path) -> StoreResult<OpenStorage> {
    let open = |path: &Path| OpenOptions::new().read(true).write(true).open(path);
    let lock = open(path)?;
    atomic::lock_to_write(&lock)?;
    let path = path.to_owned();
    Ok(Box::new(move || {
        // A new descriptor: one that was open during a failure may keep on failing (NFS).
        let file = open(&path)?;
        if !atomic::is_same(&file, &lock)? {
            return Err(io::Error::other(format!(
                "{} was replaced by another file while taxd had it open; restart taxd to use the new one",
                path.display()
            )));
        }
        let backend = FileBackend::new(file.try_clone()?).map_err(io::Error::other)?;
        Ok(OpenedStorage { backend: Box::new(backend), file: Some(file) })
    }))
}

/// Opens a data file for reading, beside a process that may write to it. `None` if it must be opened for writing first,
/// because it was not closed cleanly.
pub(in crate::store) fn open_to_read(path: &Path) -> StoreResult<Option<ReadOnlyDatabase>> {
    let backend = FileBackend::new(File::open(path)?)?;
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE_BYTES).set_concurrency_mode(SHARING);
    match builder.open_read_only_with_backend(backend) {
        Err(DatabaseError::RepairAborted) => Ok(None),
        opened => Ok(Some(opened?)),
    }
}

impl StorageBackend for LockedFile {
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
