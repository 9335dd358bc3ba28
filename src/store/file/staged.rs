//! A data file in the making, beside the place that it is for: it appears there when it is whole,
//! or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek};
use std::path::{Path, PathBuf};

use redb::Database;

use super::{Store, StoreError, StoreResult, atomic, free_space, locked, migration};
use crate::value::{Timestamp, sha256_hex_of};

/// A file with another name than it is to have; removed with the value, unless it was placed.
pub struct StagedFile {
    path: PathBuf,
    pub(super) target: PathBuf,
    /// Locked as long as the draft lives: nobody takes it for one that was left behind.
    file: File,
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        // Once it is placed it has another name.
        if atomic::is_name_of(&self.path, &self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl StagedFile {
    /// Begins a file that is to be `target`; `what` is being made names it until then.
    pub(in crate::store) fn begin(target: &Path, what: &str) -> StoreResult<StagedFile> {
        let path = atomic::beside(target, what);
        let file = atomic::create_staged(&path)?;
        Ok(StagedFile { path, target: target.to_owned(), file })
    }

    /// Makes an empty data file, unless another process is quicker. redb writes the first pages of a file one
    /// after the other, and a file in which a killed process left only some of them cannot be opened.
    pub(in crate::store) fn create(target: &Path) -> StoreResult<()> {
        let staged = StagedFile::begin(target, "new")?;
        Store::prepare(&staged.database()?)?;
        match staged.place_new() {
            Err(StoreError::Exists) => Ok(()),
            placed => placed,
        }
    }

    /// The file as a database; one of an empty file is made.
    pub(super) fn database(&self) -> StoreResult<Database> {
        locked::open(&self.file)
    }

    /// A copy of `source`, byte for byte, which nobody may write to meanwhile.
    pub(in crate::store) fn copy(source: &File, target: &Path, what: &str) -> StoreResult<StagedFile> {
        let bytes = source.metadata()?.len();
        free_space::require(atomic::directory_of(target), bytes.saturating_add(free_space::RESERVED_BYTES))?;
        let staged = StagedFile::begin(target, what)?;
        io::copy(&mut &*source, &mut &staged.file)?;
        Ok(staged)
    }

    /// Opens it as a store of this schema version, checked page by page and, where it is of an older
    /// version, brought up to this one.
    pub fn open(&self) -> StoreResult<Store> {
        Store::verified(self.database()?, Some(self.path.clone()))
    }

    /// Brings it up to this schema version.
    pub(in crate::store) fn migrate(&self) -> StoreResult<()> {
        let mut db = self.database()?;
        migration::up(&db)?;
        db.compact()?;
        Ok(())
    }

    /// Gives it the owner of that file or directory, where root makes it for somebody else.
    pub fn own_like(&self, like: &Path) -> StoreResult<()> {
        Ok(atomic::own_like(&self.file, &fs::metadata(like)?)?)
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
        match atomic::place_new(&self.path, &self.target) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(StoreError::Exists),
            placed => Ok(placed?),
        }
    }

    /// Puts it in its place, whatever was there, unless a taxd has that open.
    pub fn place_over(self) -> StoreResult<()> {
        self.make_ready()?;
        let _locked = atomic::open_to_replace_if_any(&self.target)?;
        Ok(atomic::place_over(&self.path, &self.target)?)
    }

    /// Puts it in the place of a file that is kept under another name, which is the answer: at every
    /// moment one of them is there.
    pub(in crate::store) fn place_aside(self, name: impl Fn(&str) -> String) -> StoreResult<PathBuf> {
        self.make_ready()?;
        let kept = atomic::keep_old(&self.target, Timestamp::now(), name)?;
        if let Err(error) = fs::rename(&self.path, &self.target) {
            // Nothing has changed; the second name is one too many.
            let _ = fs::remove_file(&kept);
            return Err(error.into());
        }
        // From here on it is the only name of the file of before, and stays whatever fails.
        atomic::sync_directory_of(&self.target).map_err(|error| {
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
        if atomic::is_name_of(&self.path, &self.file) {
            return Ok(());
        }
        let gone = format!("{} was taken away while it was being written", self.path.display());
        Err(io::Error::new(ErrorKind::NotFound, gone).into())
    }

    /// An error where what is written next would use up what a server on the same disk lives on.
    pub(super) fn require_room(&self) -> StoreResult<()> {
        free_space::require(atomic::directory_of(&self.target), free_space::RESERVED_BYTES)
    }
}
