//! Backup and restore: a snapshot written to a file of its own, and a copy of one put in the place of the
//! data file.

use std::path::{Path, PathBuf};

use redb::{Database, ReadableDatabase, WriteTransaction};

use super::snapshot::{self, Contents, TableRows};
use super::{StagedFile, StoreError, StoreResult, atomic, migration, schema};

/// A backup that is being written.
pub struct BackupWriter {
    staged: StagedFile,
    db: Database,
    txn: WriteTransaction,
    contents: Contents,
}

impl BackupWriter {
    /// Begins a backup of a file with these contents.
    pub fn begin(target: &Path, contents: Contents) -> StoreResult<BackupWriter> {
        migration::check(contents.schema_version)?;
        // Looked at here so that it is refused early, and again when it is replaced.
        drop(atomic::open_to_replace_if_any(target)?);
        let staged = StagedFile::begin(target, "partial")?;
        staged.require_room()?;
        let db = staged.database()?;
        let txn = db.begin_write()?;
        schema::open_all(&txn)?;
        Ok(BackupWriter { staged, db, txn, contents })
    }

    /// Writes rows of the snapshot.
    pub fn insert(&mut self, rows: TableRows<'_>) -> StoreResult<()> {
        self.staged.require_room()?;
        snapshot::insert(&self.txn, rows)
    }

    /// Ends it: compact, checked page by page, and with as many rows in every table as the file that
    /// it was made of.
    pub fn finish(self) -> StoreResult<(StagedFile, Contents)> {
        let BackupWriter { staged, mut db, txn, contents } = self;
        txn.commit()?;
        staged.require_room()?;
        db.compact()?;
        if !db.check_integrity()? {
            return Err(StoreError::Corrupt("the backup was not written as it was meant to be".to_owned()));
        }
        let written = snapshot::contents(&db.begin_read()?, contents.taken_at)?;
        if written != contents {
            return Err(StoreError::Corrupt("the backup has other rows than the data file".to_owned()));
        }
        drop(db);
        Ok((staged, contents))
    }
}

/// Begins to put a copy of the backup `file` in the place of the data file of a directory.
pub fn begin_restore(file: &Path, target: &Path) -> StoreResult<StagedFile> {
    StagedFile::copy(&atomic::open_to_read(file)?, target, "restoring")
}

/// Ends it over a data file, which no taxd may have open; where that is kept.
pub fn finish_restore(staged: StagedFile) -> StoreResult<PathBuf> {
    let _locked = atomic::open_to_replace(&staged.target)?;
    staged.place_aside(|second| format!("{second}.old"))
}
