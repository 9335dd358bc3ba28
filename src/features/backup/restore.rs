//! Restore: replaces the data file by a backup that was checked.

use std::path::Path;

use serde::Serialize;

use crate::core::engine::Progress;
use crate::core::store::{self, FILE_NAME, StoreError};
use crate::features::AdminError;
use crate::features::check::rules::Examples;
use crate::features::check::{self, Finding};
use crate::features::control::{self, data_dir};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestoreReport {
    pub restored: String,
    pub from: String,
    pub bytes: u64,
    /// Where the replaced data file is kept, if there was one.
    pub kept: Option<String>,
    pub rules: u64,
    pub publications: u64,
    pub accounts: u64,
    pub examples: Examples,
    pub examples_failing: u64,
    pub findings: Vec<Finding>,
    pub findings_total: u64,
}

/// Replaces the data of a directory by a copy of the backup `file`. Data that exist are replaced only with
/// `force`, and kept beside the new ones. Fails if a server is running, or if the backup is damaged.
pub fn restore(dir: &Path, file: &Path, force: bool, progress: Progress<'_>) -> Result<RestoreReport, AdminError> {
    refuse_running(dir)?;
    let target = dir.join(FILE_NAME);
    let exists = |file: &Path| {
        AdminError::new(format!(
            "{} already exists; with --force it is renamed, and {} takes its place",
            target.display(),
            file.display()
        ))
    };
    if data_dir::has_file(dir) && !force {
        return Err(exists(file));
    }
    data_dir::prepare(dir)?;
    let staged = store::begin_restore(file, &target).map_err(|e| unusable(file, e))?;
    let report = check::check_store(&staged.open().map_err(|e| unusable(file, e))?, &|| false, progress)?;
    // Other findings are reported and do not stop the restore: this may be the only backup.
    if !report.is_sound() {
        let file = file.display();
        return Err(AdminError::new(format!(
            "{file} is damaged, and nothing was restored; `taxd check {file}` shows what is wrong with it"
        )));
    }
    staged.own_like(dir)?;
    let (bytes, _) = staged.digest()?;
    // Again: a server may have been started in the meantime.
    refuse_running(dir)?;
    let kept = if force && data_dir::has_file(dir) {
        Some(store::finish_restore(staged).map_err(|e| match e {
            StoreError::InUse => in_use(dir),
            other => other.into(),
        })?)
    } else {
        staged.persist_new().map_err(|e| match e {
            StoreError::Exists => exists(file),
            other => other.into(),
        })?;
        None
    };
    tracing::info!(file = %file.display(), data = %dir.display(), "restored");
    Ok(RestoreReport {
        restored: target.display().to_string(),
        from: file.display().to_string(),
        bytes,
        kept: kept.map(|kept| kept.display().to_string()),
        rules: report.contents.rows_of("versions"),
        publications: report.contents.rows_of("publications"),
        accounts: report.contents.rows_of("accounts"),
        examples: report.examples,
        examples_failing: report.failing_examples(),
        findings: report.listed_but_examples(),
        findings_total: report.total_but_examples(),
    })
}

fn in_use(dir: &Path) -> AdminError {
    AdminError::new(format!("a taxd is running on {}, so nothing was changed; stop it first", dir.display()))
}

fn refuse_running(dir: &Path) -> Result<(), AdminError> {
    if control::is_running(dir) { Err(in_use(dir)) } else { Ok(()) }
}

/// The error that says why the backup was not restored.
fn unusable(file: &Path, error: StoreError) -> AdminError {
    let file = file.display();
    match error {
        StoreError::InUse => AdminError::new(format!(
            "{file} is in use: a taxd has it open, or another restore is under way; nothing was restored"
        )),
        other => AdminError::new(format!("{file} was not restored: {other}")),
    }
}
