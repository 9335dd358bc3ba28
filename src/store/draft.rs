//! A data file in the making, beside the place that it is for: it appears there when it is whole,
//! or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek};
use std::path::{Path, PathBuf};

use redb::{Database, ReadableDatabase, WriteTransaction};

use super::snapshot::{self, Contents, Rows};
use super::{Store, StoreError, StoreResult, disk, held, migration, place, schema};
use crate::value::{Timestamp, sha256_hex_of};

/// A file with another name than it is to have; removed with the value, unless it was placed.
pub struct Draft {
    path: PathBuf,
    target: PathBuf,
    /// Locked as long as the draft lives: nobody takes it for one that was left behind.
    file: File,
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Once it is placed it has another name.
        if place::names(&self.path, &self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Draft {
    /// Begins a file that is to be `target`; `what` is being made names it until then.
    pub(super) fn begin(target: &Path, what: &str) -> StoreResult<Draft> {
        let path = place::beside(target, what);
        let file = place::create_draft(&path)?;
        Ok(Draft { path, target: target.to_owned(), file })
    }

    /// A copy of `source`, byte for byte, which nobody may write to meanwhile.
    pub(super) fn copy(source: &File, target: &Path, what: &str) -> StoreResult<Draft> {
        let bytes = source.metadata()?.len();
        disk::require(place::directory_of(target), bytes.saturating_add(disk::RESERVED_BYTES))?;
        let draft = Draft::begin(target, what)?;
        io::copy(&mut &*source, &mut &draft.file)?;
        Ok(draft)
    }

    /// Opens it as a store of this schema version, checked page by page and, where it is of an older
    /// version, brought up to this one.
    pub fn open(&self) -> StoreResult<Store> {
        Store::verified(held::open(&self.file)?, Some(self.path.clone()))
    }

    /// Brings it up to this schema version.
    pub(super) fn migrate(&self) -> StoreResult<()> {
        let mut db = held::open(&self.file)?;
        migration::up(&db)?;
        db.compact()?;
        Ok(())
    }

    /// Gives it the owner of that file or directory, where root makes it for somebody else.
    pub fn own_like(&self, like: &Path) -> StoreResult<()> {
        Ok(place::own_like(&self.file, &fs::metadata(like)?)?)
    }

    /// Size in bytes, and SHA-256 in hexadecimal.
    pub fn digest(&self) -> StoreResult<(u64, String)> {
        let mut file = &self.file;
        file.rewind()?;
        Ok((file.metadata()?.len(), sha256_hex_of(file)?))
    }

    /// Puts it in its place where no file is there yet.
    pub fn place_new(self) -> StoreResult<()> {
        self.make_ready()?;
        match place::place_new(&self.path, &self.target) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(StoreError::Exists),
            placed => Ok(placed?),
        }
    }

    /// Puts it in its place, whatever was there, unless a taxd has that open.
    pub fn place_over(self) -> StoreResult<()> {
        self.make_ready()?;
        let _held = place::hold(&self.target)?;
        Ok(place::place_over(&self.path, &self.target)?)
    }

    /// Puts it in the place of a file that is kept under another name, which is the answer: at every
    /// moment one of them is there.
    pub(super) fn place_aside(self, name: impl Fn(&str) -> String) -> StoreResult<PathBuf> {
        self.make_ready()?;
        let kept = place::keep(&self.target, Timestamp::now(), name)?;
        if let Err(error) = fs::rename(&self.path, &self.target) {
            // Nothing has changed; the second name is one too many.
            let _ = fs::remove_file(&kept);
            return Err(error.into());
        }
        // From here on it is the only name of the file of before, and stays whatever fails.
        place::sync_directory_of(&self.target).map_err(|error| {
            let (target, kept) = (self.target.display(), kept.display());
            io::Error::new(
                error.kind(),
                format!("{target} is replaced and was kept as {kept}, which may not outlast a loss of power: {error}"),
            )
        })?;
        Ok(kept)
    }

    /// Has all of it on the disk, and under the name that it is to be taken from.
    fn make_ready(&self) -> StoreResult<()> {
        self.file.sync_all()?;
        if place::names(&self.path, &self.file) {
            return Ok(());
        }
        let gone = format!("{} was taken away while it was being written", self.path.display());
        Err(io::Error::new(ErrorKind::NotFound, gone).into())
    }

    /// An error where what is written next would use up what a server on the same disk lives on.
    fn require_room(&self) -> StoreResult<()> {
        disk::require(place::directory_of(&self.target), disk::RESERVED_BYTES)
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
        // Looked at here so that it is refused early, and again when it is replaced.
        drop(place::hold(target)?);
        let draft = Draft::begin(target, "partial")?;
        draft.require_room()?;
        let db = held::open(&draft.file)?;
        let txn = db.begin_write()?;
        schema::open_all(&txn)?;
        Ok(BackupWriter { draft, db, txn, contents })
    }

    /// Writes rows of the snapshot.
    pub fn insert(&mut self, rows: Rows<'_>) -> StoreResult<()> {
        self.draft.require_room()?;
        snapshot::insert(&self.txn, rows)
    }

    /// Ends it: compact, checked page by page, and with as many rows in every table as the file that
    /// it was made of.
    pub fn finish(self) -> StoreResult<(Draft, Contents)> {
        let BackupWriter { draft, mut db, txn, contents } = self;
        txn.commit()?;
        draft.require_room()?;
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
