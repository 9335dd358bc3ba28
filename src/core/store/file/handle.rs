//! The open database of a store, which is replaced when the same file is opened again.

use std::io;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use redb::{Builder, ConcurrencyMode, Database, ReadOnlyDatabase, ReadTransaction, ReadableDatabase, WriteTransaction};

use super::fenced::{FencedStorage, OpenStorage, OpenedStorage, Outage, RecoveryState, SharedStorage};
use super::{CACHE_BYTES, Store, StoreError, StoreResult, locked};

enum Opened {
    ToWrite(Database),
    /// Beside a process that may write to the file.
    ToRead(ReadOnlyDatabase),
}

struct Current {
    db: Arc<Opened>,
    /// `None` for a database that is not opened again.
    storage: Option<Arc<FencedStorage>>,
}

/// The database, and how to open it again.
pub(in crate::store) struct Handle {
    current: RwLock<Current>,
    recovery: Arc<RecoveryState>,
    /// `None` for a database that is not opened again. Dropped last: it has the lock on the file.
    open: Option<OpenStorage>,
    /// Locked while the file is opened again, so that two threads do not do so at once.
    reopening: Mutex<()>,
}

impl Handle {
    /// Opens a database that can be opened again; empty storage becomes an empty database.
    pub(in crate::store) fn open(open: OpenStorage) -> StoreResult<Handle> {
        let recovery = Arc::new(RecoveryState::default());
        let current = Current::open(open()?, &recovery)?;
        Ok(Handle { current: RwLock::new(current), recovery, open: Some(open), reopening: Mutex::default() })
    }

    /// A database that is not opened again after a failure.
    pub(in crate::store) fn fixed(db: Database) -> Handle {
        Handle::of(Opened::ToWrite(db))
    }

    pub(in crate::store) fn to_read(db: ReadOnlyDatabase) -> Handle {
        Handle::of(Opened::ToRead(db))
    }

    fn of(db: Opened) -> Handle {
        let current = RwLock::new(Current { db: Arc::new(db), storage: None });
        Handle { current, recovery: Arc::default(), open: None, reopening: Mutex::default() }
    }

    /// The current opening of the database.
    fn db(&self) -> Arc<Opened> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner).db)
    }

    pub(in crate::store) fn begin_read(&self) -> StoreResult<ReadTransaction> {
        Ok(match &*self.db() {
            Opened::ToWrite(db) => db.begin_read()?,
            Opened::ToRead(db) => db.begin_read()?,
        })
    }

    /// Fails if the file was opened for reading.
    pub(in crate::store) fn begin_write(&self) -> StoreResult<WriteTransaction> {
        match &*self.db() {
            Opened::ToWrite(db) => Ok(db.begin_write()?),
            Opened::ToRead(_) => Err(io::Error::from(io::ErrorKind::ReadOnlyFilesystem).into()),
        }
    }

    fn storage(&self) -> Option<Arc<FencedStorage>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).storage.clone()
    }

    /// Fails during an outage.
    pub(in crate::store) fn check(&self) -> StoreResult<()> {
        self.recovery.outage().map_or(Ok(()), |outage| Err(StoreError::Outage(outage.cause)))
    }

    fn reopen(&self, before_use: impl FnOnce()) -> StoreResult<()> {
        let _one_at_a_time = self.reopening.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(open), Some(before)) = (&self.open, self.storage()) else { return Ok(()) };
        if self.recovery.outage().is_none() {
            return Ok(());
        }
        before.shut().map_err(still)?;
        let storage = open().map_err(still)?;
        if storage.backend.len().map_err(still)? == 0 {
            return Err(StoreError::Foreign);
        }
        storage.probe().map_err(still)?;
        self.recovery.write_again(&*storage.backend).map_err(still)?;
        let reopened = Current::open(storage, &self.recovery)?;
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        // Inside the lock: a failure of the new opening begins a new outage, and a reader that sees no outage reads
        // from the new one.
        self.recovery.end_outage();
        before_use();
        let before = std::mem::replace(&mut *current, reopened);
        drop(current);
        drop(before);
        Ok(())
    }
}

/// An error of the system while the file is opened again is still the same outage.
fn still(error: io::Error) -> StoreError {
    if error.raw_os_error().is_some() { StoreError::Outage(error.to_string()) } else { error.into() }
}

impl Current {
    fn open(storage: OpenedStorage, recovery: &Arc<RecoveryState>) -> StoreResult<Current> {
        let sharing = storage.file.as_ref().map_or(ConcurrencyMode::ExclusiveWriter, |_| locked::SHARING);
        let storage = Arc::new(FencedStorage::new(storage, Arc::clone(recovery)));
        let mut builder = Builder::new();
        builder.set_cache_size(CACHE_BYTES).set_concurrency_mode(sharing);
        let db = builder.create_with_backend(SharedStorage(Arc::clone(&storage)))?;
        Ok(Current { db: Arc::new(Opened::ToWrite(db)), storage: Some(storage) })
    }
}

impl Store {
    /// The outage, if there is one: the database is closed and only what is in memory can be read, until
    /// [`reopen`](Self::reopen) succeeds.
    pub fn outage(&self) -> Option<Outage> {
        self.handle.recovery.outage()
    }

    /// Sets what is called when an outage begins. Only the first call counts.
    pub fn on_outage(&self, notify: impl Fn() + Send + Sync + 'static) {
        self.handle.recovery.notify(Box::new(notify));
    }

    /// Reads from the file itself. Fails during an outage, and if the read begins one.
    pub fn probe(&self) -> StoreResult<()> {
        self.handle.check()?;
        if let Some(storage) = self.handle.storage()
            && let Err(error) = storage.probe()
        {
            self.handle.check()?;
            return Err(error.into());
        }
        Ok(())
    }

    /// Opens the database again after an outage. Every confirmed change is in it, and nothing that was not committed;
    /// a change whose commit failed may be in it or not. `before_use` is called when the database is open and not
    /// in use yet. Snapshots of before read only what they have in memory.
    pub fn reopen(&self, before_use: impl FnOnce()) -> StoreResult<()> {
        self.handle.reopen(before_use)?;
        self.forget_snapshot();
        Ok(())
    }
}
