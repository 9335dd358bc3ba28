//! The data directory: where a command finds the file, or the server that has it open.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use serde_json::Value;

use super::command::{AdminError, Command, execute};
use super::{Progress, control};
use crate::engine::Engine;
use crate::service::Service;
use crate::store::{FILE_NAME, Store, StoreError};

/// Makes the directory where it is missing, for its owner alone.
pub fn prepare(dir: &Path) -> Result<(), AdminError> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(|e| {
        AdminError::new(format!("cannot make the data directory {}: {e}; choose another with --data", dir.display()))
    })
}

/// True where the directory holds a data file.
#[must_use]
pub fn has_file(dir: &Path) -> bool {
    dir.join(FILE_NAME).exists()
}

/// Opens the file of the directory for this process.
pub fn open(dir: &Path) -> Result<Store, AdminError> {
    Store::open(dir).map_err(|error| match error {
        StoreError::InUse => AdminError::new(format!(
            "{} is in use by another taxd that does not answer on its control socket; stop it, or try again in a moment",
            dir.display()
        )),
        other => AdminError::new(format!("{}: {other}", dir.display())),
    })
}

/// Runs the command in the server of this data directory, or here where none is up.
pub fn run(dir: &Path, command: Command) -> Result<Value, AdminError> {
    run_with_progress(dir, command, &mut |_| {})
}

/// As [`run`], telling on the way how far it has come.
pub fn run_with_progress(dir: &Path, command: Command, progress: Progress<'_>) -> Result<Value, AdminError> {
    if let Some(result) = control::call(dir, &command, progress) {
        return result;
    }
    if !has_file(dir) && !command.may_begin() {
        return Err(AdminError::new(format!(
            "there is no taxd data in {}; name another directory with --data, or begin with `taxd serve`",
            dir.display()
        )));
    }
    let store = if !has_file(dir) && command.only_shows() {
        // What would be done to a file that is not there yet is shown on an empty one in memory.
        Store::in_memory()?
    } else {
        prepare(dir)?;
        open(dir)?
    };
    // A command calculates each payload once, so there is nothing to remember.
    execute(&Service::open(Engine::new(store, 0))?, command, progress)
}
