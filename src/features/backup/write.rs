//! Writes the copy.
//!
//! The process of the command reads the data, beside a server if one is running, and writes the copy, so that may be
//! wherever its user may write. [`write_backup`] (`store/file/backup.rs`) stages the file.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::BackupReport;
use crate::core::engine::{Progress, Stage, Step};
use crate::core::store::{FILE_NAME, StoreError, write_backup};
use crate::features::control::data_dir;
use crate::features::error::AdminError;

/// Writes a backup of the data of a directory to `file`. Fails if the file exists, unless with `force`.
pub fn backup(dir: &Path, file: &Path, force: bool, progress: Progress<'_>) -> Result<BackupReport, AdminError> {
    let failed = |error: StoreError| unwritten(file, error);
    require_writable(dir, file, force)?;
    let snapshot = data_dir::open_to_read(dir)?.snapshot()?;
    let contents = snapshot.contents();
    let total = contents.total();
    let staged = write_backup(&snapshot, file, &mut |done| {
        progress(Step { stage: Stage::Copying, done, total });
        if done == total {
            progress(Step { stage: Stage::Checking, done: 0, total: 1 });
        }
    });
    let staged = staged.map_err(failed)?;
    let (bytes, sha256) = staged.digest().map_err(failed)?;
    if force { staged.persist_over() } else { staged.persist_new() }.map_err(failed)?;
    progress(Step { stage: Stage::Checking, done: 1, total: 1 });
    Ok(BackupReport {
        file: file.display().to_string(),
        bytes,
        sha256,
        taken_at: contents.taken_at,
        schema_version: contents.schema_version,
        rules: contents.rows_of("versions"),
        publications: contents.rows_of("publications"),
        accounts: contents.rows_of("accounts"),
    })
}

/// Fails if the file exists and may not be overwritten.
fn require_writable(dir: &Path, file: &Path, force: bool) -> Result<(), AdminError> {
    let refused = |why: &str| Err(AdminError::new(format!("{} {why}", file.display())));
    let data = fs::metadata(dir.join(FILE_NAME));
    match fs::symlink_metadata(file) {
        Ok(_) if !force => Err(unwritten(file, StoreError::Exists)),
        Ok(there) if there.is_dir() => refused("is a directory; name the file to write"),
        Ok(there) if !there.is_file() => refused("is not a regular file and is not overwritten; name another file"),
        Ok(there) if data.is_ok_and(|data| (data.dev(), data.ino()) == (there.dev(), there.ino())) => {
            refused("is the data file itself and is not overwritten; name another file")
        }
        Err(_) if file.file_name().is_none() => refused("is a directory; name the file to write"),
        _ => Ok(()),
    }
}

/// The error that says why the file was not written.
fn unwritten(file: &Path, error: StoreError) -> AdminError {
    let file = file.display();
    match error {
        StoreError::Exists => {
            AdminError::new(format!("{file} already exists; name another file, or overwrite it with --force"))
        }
        StoreError::InUse => AdminError::new(format!(
            "{file} is in use: a taxd has it open, or another backup to it is under way; wait for it, or name another file"
        )),
        other => AdminError::new(format!("no backup was made at {file}: {other}")),
    }
}
