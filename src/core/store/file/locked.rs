//! Storage on files that taxd itself has locked.
//!
//! redb gives up its own locks when it closes the file. A staged file is still to be read and persisted then, and another
//! process could take it for a leftover. The data file is opened again after an error of the disk, and no other
//! process may open it in between.

use std::fs::{File, OpenOptions};
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::Path;

use redb::{Builder, Database, StorageBackend};
use rustix::fs::{Advice, fadvise};

use super::fenced::{OpenStorage, PROBE_BYTES, ProbedStorage};
use super::{CACHE_BYTES, PAGE_BYTES, StoreResult, atomic};

#[derive(Debug)]
struct LockedFile(File);

/// Opens a database on a locked file, which stays locked when the database is closed. An empty file becomes an empty
/// database.
pub(super) fn open(file: &File) -> StoreResult<Database> {
    Ok(Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(LockedFile(file.try_clone()?))?)
}

/// Locks a data file and returns how to open it. The lock lasts until the result is dropped.
pub(in crate::core::store) fn open_data_file(path: &Path) -> StoreResult<OpenStorage> {
    let open = |path: &Path| OpenOptions::new().read(true).write(true).open(path);
    let lock = open(path)?;
    atomic::locked(lock.try_lock())?;
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
        Ok(Box::new(LockedFile(file)))
    }))
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

impl ProbedStorage for LockedFile {
    fn probe(&self) -> io::Result<()> {
        // Otherwise the system answers from its cache even if the disk is gone. It may keep the page all the same, if
        // that is in use or not written yet.
        _ = fadvise(&self.0, 0, NonZeroU64::new(PAGE_BYTES as u64), Advice::DontNeed);
        self.read(0, &mut [0; PROBE_BYTES])
    }
}
