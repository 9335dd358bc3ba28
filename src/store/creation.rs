//! Making the data file, so that it is either whole or not there.
//!
//! redb writes its first pages one after the other; a process killed among them would leave a
//! file that nobody can open. So the file is made under another name, and appears under its
//! own only when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use redb::{Database, DatabaseError};

use super::{Store, StoreError, StoreResult, place};

/// Makes `file`, readable by its owner alone.
pub(super) fn create(file: &Path) -> StoreResult<()> {
    let draft = file.with_extension("new");
    match write(&draft) {
        Err(StoreError::InUse) => return Err(StoreError::InUse),
        Err(_) => {
            // A draft that an earlier process was killed over.
            fs::remove_file(&draft)?;
            write(&draft)?;
        }
        Ok(()) => {}
    }
    File::open(&draft)?.sync_all()?;
    match place::place_new(&draft, file) {
        // Another process was quicker: its file stays.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(fs::remove_file(&draft)?),
        placed => Ok(placed?),
    }
}

fn write(draft: &Path) -> StoreResult<()> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(draft)?;
    match Database::create(draft) {
        Ok(db) => Store::prepare(&db),
        Err(DatabaseError::DatabaseAlreadyOpen) => Err(StoreError::InUse),
        Err(other) => Err(other.into()),
    }
}
