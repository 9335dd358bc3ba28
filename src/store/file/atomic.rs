//! Putting whole files in their place: a reader finds the file of before, or that of after.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::{StoreError, StoreResult};
use crate::value::Timestamp;

/// The path with more at the end of its name.
pub(super) fn beside(file: &Path, more: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(more);
    PathBuf::from(name)
}

/// Keeps a file, or a copy of it, under another name as well, which is the answer: `name` makes its end
/// of the second that it is, or of that and a number, where there is such a file already.
pub(super) fn keep_old(file: &Path, now: Timestamp, name: impl Fn(&str) -> String) -> io::Result<PathBuf> {
    let second: String = now.to_string().chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
    let mut more = 1;
    loop {
        let at = if more == 1 { format!("{second}Z") } else { format!("{second}Z-{more}") };
        let kept = beside(file, &name(&at));
        let linked = fs::hard_link(file, &kept).or_else(|error| match Errno::from_io_error(&error) {
            // A file system on which a file has one name only.
            Some(Errno::PERM | Errno::NOTSUP | Errno::NOSYS) => copy(file, &kept),
            _ => Err(error),
        });
        match linked {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => more += 1,
            linked => return linked.map(|()| kept),
        }
    }
}

/// Copies a file to a name that is free, with its owner; all of it is on the disk then.
fn copy(file: &Path, to: &Path) -> io::Result<()> {
    let mut from = File::open(file)?;
    let mut made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let copied =
        io::copy(&mut from, &mut made).and_then(|_| own_like(&made, &from.metadata()?)).and_then(|()| made.sync_all());
    if copied.is_err() {
        // Half of one is worse than none.
        let _ = fs::remove_file(to);
    }
    copied
}

/// Opens a file to read, and keeps out whoever would write to it.
pub(super) fn open_to_read(path: &Path) -> StoreResult<File> {
    let file = File::open(path)?;
    locked(file.try_lock_shared())?;
    Ok(file)
}

/// Opens a file that is to be replaced, and keeps out whoever would open it.
pub(in crate::store) fn open_to_replace(path: &Path) -> StoreResult<File> {
    let file = File::open(path)?;
    locked(file.try_lock())?;
    Ok(file)
}

/// redb takes the same locks.
pub(super) fn locked(tried: Result<(), TryLockError>) -> StoreResult<()> {
    tried.map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::InUse,
        TryLockError::Error(error) => error.into(),
    })
}

/// Opens a file that is to be replaced, as [`open_to_replace`] does, where there is one.
pub(super) fn open_to_replace_if_any(path: &Path) -> StoreResult<Option<File>> {
    match open_to_replace(path) {
        Err(StoreError::Disk(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
        locked => locked.map(Some),
    }
}

/// True if both are open on one file.
pub(super) fn is_same(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// True where the path is a name of this very file.
pub(super) fn is_name_of(path: &Path, file: &File) -> bool {
    let Ok(there) = fs::symlink_metadata(path) else { return false };
    file.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (there.dev(), there.ino()))
}

/// Makes an empty file that only its owner can read, in the place of what a killed process left
/// there; nobody's link is followed. Nobody else does so while the answer is open.
pub(super) fn create_staged(path: &Path) -> StoreResult<File> {
    if fs::symlink_metadata(path).is_ok_and(|there| there.is_file()) {
        // Whoever writes one holds a lock on it. Another may have been quicker with what was left.
        let left = open_to_replace(path)?;
        if !is_name_of(path, &left) {
            return Err(StoreError::InUse);
        }
        fs::remove_file(path)?;
    }
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
    locked(file.try_lock())?;
    // Before it was locked it looked like one that was left.
    if is_name_of(path, &file) { Ok(file) } else { Err(StoreError::InUse) }
}

/// Gives the draft its name, unless a file has it already (`AlreadyExists`).
pub(super) fn place_new(staged: &Path, file: &Path) -> io::Result<()> {
    match renameat_with(CWD, staged, CWD, file, RenameFlags::NOREPLACE) {
        // A file system that cannot refuse by itself.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match fs::symlink_metadata(file) {
            Ok(_) => return Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(staged, file)?,
        },
        placed => placed?,
    }
    sync_directory_of(file)
}

/// Gives the draft its name, whatever had it before.
pub(super) fn place_over(staged: &Path, file: &Path) -> io::Result<()> {
    fs::rename(staged, file)?;
    sync_directory_of(file)
}

/// Makes the names in the directory of a file outlast a loss of power.
pub(super) fn sync_directory_of(file: &Path) -> io::Result<()> {
    File::open(directory_of(file))?.sync_all()
}

/// The directory that a file is, or is to be, in.
pub(super) fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives a file the owner of another: where root works for the service's user, that user must be
/// able to open it.
pub(super) fn own_like(file: &File, like: &Metadata) -> io::Result<()> {
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()))?;
    }
    Ok(())
}
