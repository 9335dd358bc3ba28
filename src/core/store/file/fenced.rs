//! The storage under the database of a server, fenced so that the file can be opened again.
//!
//! redb accepts no more work after one failed read, write or sync. So the first failure begins an outage and closes
//! this opening of the storage for good: nothing of it can reach the file after the file was opened again.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use redb::{BackendError, StorageBackend};
use rustix::fs::{Advice, fadvise};

use super::PAGE_BYTES;

const PROBE_BYTES: usize = 64;

/// One opening of the storage of a database.
#[derive(Debug)]
pub struct OpenedStorage {
    pub backend: Box<dyn StorageBackend>,
    /// The data file, which other processes may read; `None` if no other process can reach the storage.
    pub file: Option<File>,
}

impl OpenedStorage {
    /// Reads the first bytes, from the disk itself if that can be had.
    pub(super) fn probe(&self) -> io::Result<()> {
        if let Some(file) = &self.file {
            // Otherwise the system answers from its cache even if the disk is gone. It may keep the page all the same,
            // if that is in use or not written yet.
            _ = fadvise(file, 0, NonZeroU64::new(PAGE_BYTES as u64), Advice::DontNeed);
        }
        self.backend.read(0, &mut [0; PROBE_BYTES])
    }
}

/// Opens the storage of a database: once at the start, and again after each outage.
pub type OpenStorage = Box<dyn Fn() -> io::Result<OpenedStorage> + Send + Sync>;

/// The disk refused something, and the file has not been opened again since.
#[derive(Debug, Clone)]
pub struct Outage {
    pub since: Instant,
    /// What the disk refused, and with which error.
    pub cause: String,
}

/// Called when an outage begins.
type Notify = Box<dyn Fn() + Send + Sync>;

/// State that outlives one opening of the storage.
#[derive(Default)]
pub(super) struct RecoveryState {
    /// Offset and length of every write since the last successful sync. After a failed sync Linux marks the pages
    /// clean, so a later sync would succeed without them: they must be written again.
    /// Locked during each write and sync, so that none is under way when the storage is opened again.
    unsynced: Mutex<BTreeMap<u64, usize>>,
    outage: Mutex<Option<Outage>>,
    notify: OnceLock<Notify>,
}

impl std::fmt::Debug for RecoveryState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecoveryState").field("outage", &self.outage).finish_non_exhaustive()
    }
}

impl RecoveryState {
    fn unsynced(&self) -> MutexGuard<'_, BTreeMap<u64, usize>> {
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> MutexGuard<'_, Option<Outage>> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn outage(&self) -> Option<Outage> {
        self.current().clone()
    }

    pub(super) fn end_outage(&self) {
        *self.current() = None;
    }

    fn begin_outage(&self, operation: &str, error: &dyn Display) {
        let mut current = self.current();
        if current.is_none() {
            *current = Some(Outage { since: Instant::now(), cause: format!("{operation} failed: {error}") });
            drop(current);
            if let Some(notify) = self.notify.get() {
                notify();
            }
        }
    }

    /// Sets what is called when an outage begins. Only the first call counts.
    pub(super) fn notify(&self, notify: Notify) {
        let _ = self.notify.set(notify);
    }

    /// Writes again, to the storage that was just opened, what may not have reached the disk, and syncs it.
    /// Waits for a write or a sync of the previous opening.
    pub(super) fn write_again(&self, storage: &dyn StorageBackend) -> io::Result<()> {
        let mut unsynced = self.unsynced();
        let end = storage.len()?;
        for (&offset, &length) in &*unsynced {
            // The file may have been cut since.
            let left = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
            if left == 0 {
                continue;
            }
            let mut bytes = vec![0; length.min(left)];
            storage.read(offset, &mut bytes)?;
            storage.write(offset, &bytes)?;
        }
        storage.sync_data()?;
        unsynced.clear();
        Ok(())
    }
}

/// One opening of the storage.
#[derive(Debug)]
pub(super) struct FencedStorage {
    storage: OpenedStorage,
    closed: AtomicBool,
    recovery: Arc<RecoveryState>,
}

impl FencedStorage {
    pub(super) fn new(storage: OpenedStorage, recovery: Arc<RecoveryState>) -> FencedStorage {
        FencedStorage { storage, closed: AtomicBool::new(false), recovery }
    }

    /// Refuses every operation from now on, and gives up the locks, so that the storage can be opened again.
    pub(super) fn shut(&self) -> io::Result<()> {
        self.closed.store(true, Ordering::SeqCst);
        // A write under way ends first: without the locks a reader could see half of it.
        let _one_at_a_time = self.recovery.unsynced();
        self.storage.backend.close()
    }

    fn check(&self) -> io::Result<()> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(io::Error::other("the file is closed after an earlier error"));
        }
        Ok(())
    }

    /// Takes or gives up a lock. That another process holds it does not begin an outage.
    fn locked<T>(&self, lock: impl FnOnce(&dyn StorageBackend) -> Result<T, BackendError>) -> Result<T, BackendError> {
        self.check()?;
        lock(&*self.storage.backend)
    }

    fn watched<T>(&self, operation: &str, done: io::Result<T>) -> io::Result<T> {
        done.inspect_err(|error| self.failed(operation, error))
    }

    /// Only the first failure of an opening begins an outage.
    fn failed(&self, operation: &str, error: &dyn Display) {
        if !self.closed.swap(true, Ordering::SeqCst) {
            self.recovery.begin_outage(operation, error);
        }
    }

    /// Reads the first bytes of the file, past redb's cache.
    pub(super) fn probe(&self) -> io::Result<()> {
        self.check()?;
        self.watched("a read", self.storage.probe())
    }
}

/// The storage as redb owns it; the handle keeps the other reference, to fence it.
#[derive(Debug)]
pub(super) struct SharedStorage(pub(super) Arc<FencedStorage>);

impl StorageBackend for SharedStorage {
    fn len(&self) -> io::Result<u64> {
        self.0.check()?;
        self.0.watched("reading its length", self.0.storage.backend.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.check()?;
        self.0.watched("a read", self.0.storage.backend.read(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let _one_at_a_time = self.0.recovery.unsynced();
        self.0.check()?;
        self.0.watched("changing its length", self.0.storage.backend.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut unsynced = self.0.recovery.unsynced();
        self.0.check()?;
        self.0.watched("a sync", self.0.storage.backend.sync_data())?;
        unsynced.clear();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut unsynced = self.0.recovery.unsynced();
        self.0.check()?;
        let length = unsynced.entry(offset).or_default();
        *length = data.len().max(*length);
        self.0.watched("a write", self.0.storage.backend.write(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        self.0.storage.backend.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.locked(|storage| storage.try_lock_range(start, end))
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.locked(|storage| storage.try_lock_shared_range(start, end))
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.locked(|storage| storage.lock_range(start, end))
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.locked(|storage| storage.lock_shared_range(start, end))
    }

    /// Also of an opening that is closed: a lock that stayed would block the next one, and every reader.
    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        let unlocked = self.0.storage.backend.unlock_range(start, end);
        unlocked.inspect_err(|error| self.0.failed("giving up a lock", error))
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.locked(|storage| storage.query_lock_range(start, end))
    }
}
