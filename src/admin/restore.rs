//! Restore: a backup in the place of the data file, once it is seen to be whole.

use std::path::Path;

use serde_json::{Value, json};

use super::{AdminError, Command, Progress, check, control, data_dir};
use crate::store::{self, FILE_NAME, StoreError};

/// Puts a copy of the backup `file` in the place of the data of a directory. Data that are there
/// already are only replaced with `force`, and kept beside.
pub fn restore(dir: &Path, file: &Path, force: bool, progress: Progress<'_>) -> Result<Value, AdminError> {
    refuse_running(dir)?;
    let target = dir.join(FILE_NAME);
    let there = |file: &Path| {
        AdminError::new(format!(
            "{} is there already; with --force it is moved aside and {} takes its place",
            target.display(),
            file.display()
        ))
    };
    if data_dir::has_file(dir) && !force {
        return Err(there(file));
    }
    data_dir::prepare(dir)?;
    let draft = store::begin_restore(file, &target).map_err(|e| unusable(file, e))?;
    let report = check::report(&draft.open().map_err(|e| unusable(file, e))?, &|| false, progress)?;
    // What touches no answer is told, and stands in nobody's way back: the only backup may have it.
    if !report.is_sound() {
        let file = file.display();
        return Err(AdminError::new(format!(
            "{file} is damaged, and nothing was restored; `taxd check {file}` shows what is wrong with it"
        )));
    }
    draft.own_like(dir)?;
    let (bytes, _) = draft.digest()?;
    // A server that was started meanwhile has the file, and keeps it.
    refuse_running(dir)?;
    let kept = if force && data_dir::has_file(dir) {
        Some(store::finish_restore(draft).map_err(|e| match e {
            StoreError::InUse => in_use(dir),
            other => other.into(),
        })?)
    } else {
        draft.place_new().map_err(|e| match e {
            StoreError::Exists => there(file),
            other => other.into(),
        })?;
        None
    };
    tracing::info!(file = %file.display(), data = %dir.display(), "restored");
    Ok(json!({
        "restored": target.display().to_string(),
        "from": file.display().to_string(),
        "bytes": bytes,
        "kept": kept.map(|kept| kept.display().to_string()),
        "rules": report.rows_of("versions"),
        "publications": report.rows_of("publications"),
        "accounts": report.rows_of("accounts"),
        "examples": report.examples(),
        "examples_failing": report.failing_examples(),
        "findings": report.listed_but_examples(),
        "findings_total": report.total_but_examples(),
    }))
}

fn in_use(dir: &Path) -> AdminError {
    AdminError::new(format!("a taxd is running on {}; stop it first, and nothing has changed", dir.display()))
}

fn refuse_running(dir: &Path) -> Result<(), AdminError> {
    match control::call(dir, &Command::AccountList, &mut |_| {}) {
        Some(_) => Err(in_use(dir)),
        None => Ok(()),
    }
}

/// Why a backup is not restored.
fn unusable(file: &Path, error: StoreError) -> AdminError {
    let file = file.display();
    match error {
        StoreError::InUse => AdminError::new(format!(
            "{file} is in use: a taxd has it open, or another restore is under way; nothing was restored"
        )),
        other => AdminError::new(format!("{file} was not restored: {other}")),
    }
}
