//! A data file that is being written beside its place, where it appears once it is whole, or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek};
use std::path::{Path, PathBuf};

use redb::Database;

use super::{SCHEMA_VERSION, Store, StoreError, StoreResult, atomic, free_space, locked, migration};
use crate::base::value::{Timestamp, sha256_hex_of};
use crate::store::read_whole;

/// A file under a temporary name beside its target. Dropping it removes the file, unless it was persisted.
pub struct StagedFile {
    path: PathBuf,
    pub(super) target: PathBuf,
    /// Locked as long as the value lives: no other process takes the file for a leftover.
    file: File,
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        // A file that was persisted has another name.
        if atomic::is_name_of(&self.path, &self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl StagedFile {
    /// Begins an empty file for `target`, named with the suffix `what` until it is persisted.
    pub(super) fn begin(target: &Path, what: &str) -> StoreResult<StagedFile> {
        let path = atomic::beside(target, what);
        let file = atomic::create_staged(&path)?;
        Ok(StagedFile { path, target: target.to_owned(), file })
    }

    /// Creates an empty data file, unless another process is quicker. It is staged because redb writes the first
    /// pages one after the other, and a file with only some of them cannot be opened.
    pub(in crate::store) fn create(target: &Path) -> StoreResult<()> {
        let staged = StagedFile::begin(target, "new")?;
        Store::prepare(staged.database()?.begin_write()?)?;
        match staged.persist_new() {
            Err(StoreError::Exists) => Ok(()),
            persisted => persisted,
        }
    }

    /// The file as a database; an empty file becomes an empty database.
    pub(super) fn database(&self) -> StoreResult<Database> {
        locked::open(&self.file)
    }

    /// A copy of `source` for `target`, byte for byte. No process may write to `source` meanwhile.
    pub(super) fn copy(source: &File, target: &Path, what: &str) -> StoreResult<StagedFile> {
        let bytes = source.metadata()?.len();
        free_space::require(atomic::directory_of(target), bytes.saturating_add(free_space::RESERVED_BYTES))?;
        let staged = StagedFile::begin(target, what)?;
        io::copy(&mut &*source, &mut &staged.file)?;
        Ok(staged)
    }

    /// Verifies every page, migrates the file to this schema version, and opens it as a store.
    pub fn open(&self) -> StoreResult<Store> {
        read_whole(|| Store::verified(self.database()?, Some(self.path.clone())))
    }

    /// Gives the file the owner of that file or directory, if this process is root.
    pub fn own_like(&self, like: &Path) -> StoreResult<()> {
        Ok(atomic::own_like(&self.file, &fs::metadata(like)?)?)
    }

    /// Size in bytes, and SHA-256 in hexadecimal.
    pub fn digest(&self) -> StoreResult<(u64, String)> {
        let mut file = &self.file;
        file.rewind()?;
        Ok((file.metadata()?.len(), sha256_hex_of(file)?))
    }

    /// Places the file. Fails with [`StoreError::Exists`] if a file is there.
    pub fn persist_new(self) -> StoreResult<()> {
        self.make_ready()?;
        match atomic::persist_new(&self.path, &self.target) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(StoreError::Exists),
            persisted => Ok(persisted?),
        }
    }

    /// Places the file over what is there. Fails with [`StoreError::InUse`] if a taxd has that open.
    pub fn persist_over(self) -> StoreResult<()> {
        self.make_ready()?;
        let _locked = atomic::open_to_replace_if_any(&self.target)?;
        Ok(atomic::persist_over(&self.path, &self.target)?)
    }

    /// Places the file and keeps the one that was there under another name, which it returns. At every moment one of
    /// both has the name of the target.
    pub(super) fn persist_keeping_old(self, name: impl Fn(&str) -> String) -> StoreResult<PathBuf> {
        self.make_ready()?;
        let kept = atomic::keep_old(&self.target, Timestamp::now(), name)?;
        if let Err(error) = fs::rename(&self.path, &self.target) {
            // Nothing has changed: only the second name must go.
            let _ = fs::remove_file(&kept);
            return Err(error.into());
        }
        // From here on it is the only name of the old file, and stays whatever fails.
        atomic::sync_directory_of(&self.target).map_err(|error| {
            let (target, kept) = (self.target.display(), kept.display());
            io::Error::new(
                error.kind(),
                format!(
                    "{target} is replaced and the old one is kept as {kept}, but a loss of power may undo that: {error}"
                ),
            )
        })?;
        Ok(kept)
    }

    /// Syncs the file, and checks that it still has its temporary name.
    fn make_ready(&self) -> StoreResult<()> {
        self.file.sync_all()?;
        if atomic::is_name_of(&self.path, &self.file) {
            return Ok(());
        }
        let gone =
            format!("{} was removed or replaced by another process while it was being written", self.path.display());
        Err(io::Error::new(ErrorKind::NotFound, gone).into())
    }

    /// Fails if the disk has too little room left for a server that uses it too.
    pub(super) fn require_room(&self) -> StoreResult<()> {
        free_space::require(atomic::directory_of(&self.target), free_space::RESERVED_BYTES)
    }
}

/// Replaces a data file of that schema version by a copy that is migrated in one transaction, and keeps the old file
/// beside it, unchanged.
pub(in crate::store) fn migrate(file: &Path, version: u64) -> StoreResult<()> {
    let original = atomic::open_to_replace(file)?;
    tracing::info!(file = %file.display(), version, to = SCHEMA_VERSION, "migrating the data file");
    let staged = StagedFile::copy(&original, file, "migrating")?;
    let mut db = staged.database()?;
    migration::up(&db)?;
    db.compact()?;
    drop(db);
    staged.own_like(file)?;
    let kept = staged.persist_keeping_old(|second| format!("schema-{version}.{second}"))?;
    tracing::info!(kept = %kept.display(), version = SCHEMA_VERSION, "the data file is migrated; the old one is kept");
    Ok(())
}
