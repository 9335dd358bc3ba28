//! Atomic replacement: under its name a reader finds the old file or the new one, whole, also after a loss of power.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::ops::Bound;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::{StoreError, StoreResult};
use crate::base::value::Timestamp;

/// The process that may write to a data file locks this byte, far beyond its end: the last one of those that redb leaves
/// to its backends (its `docs/design.md`, Lock bytes).
const WRITER_BYTE: u64 = (1 << 62) + 1023;

/// The path with a suffix: `taxd.redb` with `partial` is `taxd.redb.partial`.
pub(super) fn beside(file: &Path, more: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(more);
    PathBuf::from(name)
}

/// Gives a file a second name, or copies it if the file system has no hard links, and returns that name. `name` makes
/// its suffix from the time in seconds; if that name is taken, from the time and a number.
pub(super) fn keep_old(file: &Path, now: Timestamp, name: impl Fn(&str) -> String) -> io::Result<PathBuf> {
    let second: String = now.to_string().chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
    let mut more = 1;
    loop {
        let at = if more == 1 { format!("{second}Z") } else { format!("{second}Z-{more}") };
        let kept = beside(file, &name(&at));
        let linked = fs::hard_link(file, &kept).or_else(|error| match Errno::from_io_error(&error) {
            // The file system has no hard links.
            Some(Errno::PERM | Errno::NOTSUP | Errno::NOSYS) => copy(file, &kept),
            _ => Err(error),
        });
        match linked {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => more += 1,
            linked => return linked.map(|()| kept),
        }
    }
}

/// Copies a file and its owner to a new name, and syncs the copy.
fn copy(file: &Path, to: &Path) -> io::Result<()> {
    let mut from = File::open(file)?;
    let mut made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let copied =
        io::copy(&mut from, &mut made).and_then(|_| own_like(&made, &from.metadata()?)).and_then(|()| made.sync_all());
    if copied.is_err() {
        // Half a copy could be taken for a whole one.
        let _ = fs::remove_file(to);
    }
    copied
}

/// Opens a file for reading, with a shared lock: no process can write to it. Fails if one has it open to write.
pub(super) fn open_to_read(path: &Path) -> StoreResult<File> {
    let file = File::open(path)?;
    locked(file.try_lock_shared())?;
    lock_writers(&file, true)?;
    Ok(file)
}

/// Opens a file that is to be replaced, with an exclusive lock: no process can open it. Fails if one has it open.
pub(super) fn open_to_replace(path: &Path) -> StoreResult<File> {
    let opened = OpenOptions::new().read(true).write(true).open(path);
    // A data file in use can be written to; an old copy may be closed to its owner.
    let (file, may_be_in_use) = match opened {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => (File::open(path)?, false),
        opened => (opened?, true),
    };
    locked(file.try_lock())?;
    if may_be_in_use {
        lock_writers(&file, false)?;
    }
    Ok(file)
}

/// Locks a file for the one process that writes to it; others may read it by redb's locks. The lock of the whole file is
/// redb's to share: on NFS it would lock every byte against redb.
pub(super) fn lock_to_write(file: &File) -> StoreResult<()> {
    lock_writers(file, false)
}

/// The result of a lock. redb takes the same locks.
fn locked(tried: Result<(), TryLockError>) -> StoreResult<()> {
    tried.map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::InUse,
        TryLockError::Error(error) => error.into(),
    })
}

/// Locks [`WRITER_BYTE`], until the file is closed. redb's own lock does not outlast one opening of the database.
fn lock_writers(file: &File, shared: bool) -> StoreResult<()> {
    let byte = (Bound::Included(WRITER_BYTE), Bound::Included(WRITER_BYTE));
    let lock = FileBackend::new(file.try_clone()?)?;
    let tried = if shared { lock.try_lock_shared_range(byte.0, byte.1) } else { lock.try_lock_range(byte.0, byte.1) };
    match tried {
        Ok(true) => Ok(()),
        Ok(false) => Err(StoreError::InUse),
        Err(BackendError::Io(error)) => Err(error.into()),
        Err(other) => Err(io::Error::new(ErrorKind::Unsupported, other.to_string()).into()),
    }
}

/// Opens a file as [`open_to_replace`] does; `None` if there is none.
pub(super) fn open_to_replace_if_any(path: &Path) -> StoreResult<Option<File>> {
    match open_to_replace(path) {
        Err(StoreError::Disk(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
        locked => locked.map(Some),
    }
}

/// True if both are the same file.
pub(super) fn is_same(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

pub(super) fn is_name_of(path: &Path, file: &File) -> bool {
    let Ok(there) = fs::symlink_metadata(path) else { return false };
    file.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (there.dev(), there.ino()))
}

/// Creates an empty file, locked and readable by its owner alone. Replaces what a killed process left; follows no
/// link. Fails with [`StoreError::InUse`] if another process writes a file of this name.
pub(super) fn create_staged(path: &Path) -> StoreResult<File> {
    if fs::symlink_metadata(path).is_ok_and(|there| there.is_file()) {
        // A process that still writes the file has locked it. Another one may have replaced it since it was opened.
        let left = open_to_replace(path)?;
        if !is_name_of(path, &left) {
            return Err(StoreError::InUse);
        }
        fs::remove_file(path)?;
    }
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
    locked(file.try_lock())?;
    // Until it was locked, another process could take it for a leftover.
    if is_name_of(path, &file) { Ok(file) } else { Err(StoreError::InUse) }
}

/// Renames the staged file. Fails with `AlreadyExists` if a file has the name.
pub fn persist_new(staged: &Path, file: &Path) -> io::Result<()> {
    match renameat_with(CWD, staged, CWD, file, RenameFlags::NOREPLACE) {
        // The file system does not support it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match fs::symlink_metadata(file) {
            Ok(_) => return Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(staged, file)?,
        },
        persisted => persisted?,
    }
    sync_directory_of(file)
}

/// Renames the staged file over what has the name.
pub(super) fn persist_over(staged: &Path, file: &Path) -> io::Result<()> {
    fs::rename(staged, file)?;
    sync_directory_of(file)
}

/// Syncs the directory of a file, so that its name outlasts a loss of power.
pub(super) fn sync_directory_of(file: &Path) -> io::Result<()> {
    File::open(directory_of(file))?.sync_all()
}

pub(super) fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives a file the owner of another one, if this process is root: the user of the service must be able to open it.
pub(super) fn own_like(file: &File, like: &Metadata) -> io::Result<()> {
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()))?;
    }
    Ok(())
}
