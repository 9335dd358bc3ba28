//! A data file in the making, beside the place that it is for: it appears there when it is whole,
//! or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use redb::{Builder, Database, ReadableDatabase, WriteTransaction};

use super::snapshot::{self, Contents, Rows};
use super::{CACHE_BYTES, Store, StoreError, StoreResult, disk, migration, place, schema};
use crate::value::{Instante, sha256_hex_of};

/// A file with another name than it is to have; removed with the value, unless it was placed.
pub struct Draft {
    path: PathBuf,
    target: PathBuf,
    placed: bool,
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Where it was placed, another draft may have the name by now.
        if !self.placed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Draft {
    /// Begins a file that is to be `target`; `what` is being made names it until then.
    pub(super) fn begin(target: &Path, what: &str) -> StoreResult<(Draft, File)> {
        let path = place::beside(target, what);
        let file = place::create_draft(&path)?;
        Ok((Draft { path, target: target.to_owned(), placed: false }, file))
    }

    /// A copy of `source`, byte for byte, which nobody may write to meanwhile.
    pub(super) fn copy(source: &File, target: &Path, what: &str) -> StoreResult<Draft> {
        let bytes = source.metadata()?.len();
        disk::require(target.parent().unwrap_or(target), bytes.saturating_add(disk::RESERVED_BYTES))?;
        let (draft, mut file) = Draft::begin(target, what)?;
        io::copy(&mut &*source, &mut file)?;
        Ok(draft)
    }

    /// Opens it as a store of this schema version, checked page by page and, where it is of an older
    /// version, brought up to this one.
    pub fn open(&self) -> StoreResult<Store> {
        Store::verified(Builder::new().set_cache_size(CACHE_BYTES).open(&self.path)?, Some(self.path.clone()))
    }

    /// Brings it up to this schema version.
    pub(super) fn migrate(&self) -> StoreResult<()> {
        let mut db = Builder::new().set_cache_size(CACHE_BYTES).open(&self.path)?;
        migration::up(&db)?;
        db.compact()?;
        Ok(())
    }

    /// Gives it the owner of that file or directory, where root makes it for somebody else.
    pub fn own_like(&self, like: &Path) -> StoreResult<()> {
        Ok(place::own_like(&File::open(&self.path)?, &fs::metadata(like)?)?)
    }

    /// Size in bytes, and SHA-256 in hexadecimal.
    pub fn digest(&self) -> StoreResult<(u64, String)> {
        let file = File::open(&self.path)?;
        Ok((file.metadata()?.len(), sha256_hex_of(file)?))
    }

    /// Puts it in its place where no file is there yet.
    pub fn place_new(mut self) -> StoreResult<()> {
        File::open(&self.path)?.sync_all()?;
        match place::place_new(&self.path, &self.target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(StoreError::Exists),
            placed => {
                self.placed = placed.is_ok();
                Ok(placed?)
            }
        }
    }

    /// Puts it in its place, whatever was there.
    pub fn place_over(mut self) -> StoreResult<()> {
        File::open(&self.path)?.sync_all()?;
        place::place_over(&self.path, &self.target)?;
        self.placed = true;
        Ok(())
    }

    /// Puts it in the place of a file that is kept under another name, which is the answer: at every
    /// moment one of them is there.
    pub(super) fn place_aside(self, name: impl Fn(&str) -> String) -> StoreResult<PathBuf> {
        let kept = place::keep(&self.target, Instante::now(), name)?;
        let placed = self.place_over();
        if placed.is_err() {
            // Nothing has changed; the second name is one too many.
            let _ = fs::remove_file(&kept);
        }
        placed.map(|()| kept)
    }
}

/// A backup that is being written.
pub struct BackupWriter {
    draft: Draft,
    db: Database,
    txn: WriteTransaction,
    contents: Contents,
}

impl BackupWriter {
    /// Begins a backup of a file with these contents.
    pub fn begin(target: &Path, contents: Contents) -> StoreResult<BackupWriter> {
        migration::check(contents.schema_version)?;
        let (draft, file) = Draft::begin(target, "partial")?;
        let db = Builder::new().set_cache_size(CACHE_BYTES).create_file(file)?;
        let txn = db.begin_write()?;
        schema::open_all(&txn)?;
        Ok(BackupWriter { draft, db, txn, contents })
    }

    /// Writes rows of the snapshot.
    pub fn insert(&mut self, rows: Rows<'_>) -> StoreResult<()> {
        snapshot::insert(&self.txn, rows)
    }

    /// Ends it: compact, checked page by page, and with as many rows in every table as the file that
    /// it was made of.
    pub fn finish(self) -> StoreResult<(Draft, Contents)> {
        let BackupWriter { draft, mut db, txn, contents } = self;
        txn.commit()?;
        db.compact()?;
        if !db.check_integrity()? {
            return Err(StoreError::Corrupt("the backup was not written as it was meant to be".to_owned()));
        }
        let written = snapshot::contents(&db.begin_read()?, contents.taken_at)?;
        if written != contents {
            return Err(StoreError::Corrupt("the backup has other rows than the data file".to_owned()));
        }
        drop(db);
        Ok((draft, contents))
    }
}

/// Begins to put a copy of the backup `file` in the place of the data file of a directory.
pub fn begin_restore(file: &Path, target: &Path) -> StoreResult<Draft> {
    Draft::copy(&place::open_to_read(file)?, target, "restoring")
}

/// Ends it over a data file, which no taxd may have open; where that is kept.
pub fn finish_restore(draft: Draft) -> StoreResult<PathBuf> {
    let _held = place::open_to_replace(&draft.target)?;
    draft.place_aside(|second| format!("{second}.old"))
}
