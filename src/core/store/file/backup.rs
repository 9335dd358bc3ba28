//! Backup and restore: a snapshot is written to a new file, and a copy of one replaces the data file.

use std::path::{Path, PathBuf};

use redb::ReadableDatabase;

use super::snapshot::{self, Snapshot};
use super::{StagedFile, StoreError, StoreResult, atomic, migration, schema};

/// Writes a snapshot to a staged file for `target`, compacts it and verifies it: every page, and the number of rows of every
/// table. `copied` learns how many rows are written. Fails if `target` is a data file that a taxd has open.
pub fn write_backup(snapshot: &Snapshot, target: &Path, copied: &mut dyn FnMut(u64)) -> StoreResult<StagedFile> {
    let contents = snapshot.contents();
    migration::check(contents.schema_version)?;
    // Checked here so that it fails early, and again when the target is replaced.
    drop(atomic::open_to_replace_if_any(target)?);
    let staged = StagedFile::begin(target, "partial")?;
    staged.require_room()?;
    let mut db = staged.database()?;
    let txn = db.begin_write()?;
    schema::open_all(&txn)?;
    snapshot.copy(&txn, &mut |rows| {
        copied(rows);
        staged.require_room()
    })?;
    txn.commit()?;
    copied(contents.total());
    staged.require_room()?;
    db.compact()?;
    if !db.check_integrity()? {
        return Err(StoreError::Corrupt("the checksum of a page of the backup does not match".to_owned()));
    }
    if snapshot::contents(&db.begin_read()?, contents.taken_at)? != *contents {
        let differs = "the backup does not have the same number of rows as the data file";
        return Err(StoreError::Corrupt(differs.to_owned()));
    }
    drop(db);
    Ok(staged)
}

/// Begins a restore: copies the backup `file` to a staged file for `target`.
pub fn begin_restore(file: &Path, target: &Path) -> StoreResult<StagedFile> {
    StagedFile::copy(&atomic::open_to_read(file)?, target, "restoring")
}

/// Replaces the data file, which no taxd may have open. Returns the path where the old one was kept.
pub fn finish_restore(staged: StagedFile) -> StoreResult<PathBuf> {
    let _locked = atomic::open_to_replace(&staged.target)?;
    staged.persist_keeping_old(|second| format!("{second}.old"))
}
