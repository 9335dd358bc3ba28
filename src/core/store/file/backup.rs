//! Backup and restore: a snapshot is written to a new file, and a copy of one replaces the data file.

use std::path::{Path, PathBuf};

use redb::{Database, ReadableDatabase, WriteTransaction};

use super::snapshot::{self, Contents, TableRows};
use super::{StagedFile, StoreError, StoreResult, atomic, migration, schema};

/// A backup that is being written: first all rows, in one transaction, and then the verified file.
pub struct BackupWriter {
    staged: StagedFile,
    db: Database,
    txn: WriteTransaction,
    contents: Contents,
}

impl BackupWriter {
    /// Begins a backup of a file with these contents. Fails if `target` is a data file that a taxd has open.
    pub fn begin(target: &Path, contents: Contents) -> StoreResult<BackupWriter> {
        migration::check(contents.schema_version)?;
        // Checked here so that it fails early, and again when the target is replaced.
        drop(atomic::open_to_replace_if_any(target)?);
        let staged = StagedFile::begin(target, "partial")?;
        staged.require_room()?;
        let db = staged.database()?;
        let txn = db.begin_write()?;
        schema::open_all(&txn)?;
        Ok(BackupWriter { staged, db, txn, contents })
    }

    /// Writes rows of the snapshot. Fails once the disk gets full.
    pub fn insert(&mut self, rows: TableRows<'_>) -> StoreResult<()> {
        self.staged.require_room()?;
        snapshot::insert(&self.txn, rows)
    }

    /// Compacts the file and verifies it: every page, and the number of rows of every table.
    pub fn finish(self) -> StoreResult<(StagedFile, Contents)> {
        let BackupWriter { staged, mut db, txn, contents } = self;
        txn.commit()?;
        staged.require_room()?;
        db.compact()?;
        if !db.check_integrity()? {
            return Err(StoreError::Corrupt("the checksum of a page of the backup does not match".to_owned()));
        }
        let written = snapshot::contents(&db.begin_read()?, contents.taken_at)?;
        if written != contents {
            return Err(StoreError::Corrupt(
                "the backup does not have the same number of rows as the data file".to_owned(),
            ));
        }
        drop(db);
        Ok((staged, contents))
    }
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
