//! The data directory: where a command finds the file, or the server that has it open.

use std::convert::Infallible;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use serde_json::value::RawValue;

use super::command::{AdminError, Command, execute_as_text};
use super::control::{Part, TakePart};
use super::{Progress, control};
use crate::engine::Engine;
use crate::service::Service;
use crate::store::{FILE_NAME, Store, StoreError, StoreResult};

/// How long another taxd may keep the file before that is an error: a command has it for a moment,
/// and a server that starts has it before it answers on its socket.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(20);

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

/// Opens the file of the directory for this process, if need be once another taxd lets go of it.
pub fn open(dir: &Path) -> Result<Store, AdminError> {
    match open_or_ask(dir, Store::open, || None::<Infallible>)? {
        Reached::File(store) => Ok(store),
        Reached::Server(nobody) => match nobody {},
    }
}

/// Who has the data.
pub(super) enum Reached<O, T> {
    /// This process now.
    File(O),
    /// A server, which has answered.
    Server(T),
}

/// Opens a file only to look at it; the inner error says what is wrong with it.
pub(super) fn inspect(file: &Path) -> StoreResult<Result<Store, StoreError>> {
    match Store::inspect(file) {
        Err(error) if !error.is_damage() => Err(error),
        inspected => Ok(inspected),
    }
}

/// Does so, or has the answer of the server that came up with the file meanwhile.
pub(super) fn inspect_or_ask<T>(
    dir: &Path,
    ask: impl FnMut() -> Option<T>,
) -> Result<Reached<Result<Store, StoreError>, T>, AdminError> {
    require_file(dir)?;
    open_or_ask(dir, |dir| inspect(&dir.join(FILE_NAME)), ask)
}

/// Opens the file, or has the answer of the server that came up with it meanwhile.
fn open_or_ask<O, T>(
    dir: &Path,
    open: impl Fn(&Path) -> StoreResult<O>,
    mut ask: impl FnMut() -> Option<T>,
) -> Result<Reached<O, T>, AdminError> {
    let mut until: Option<Instant> = None;
    loop {
        match (open(dir), until) {
            (Ok(store), _) => return Ok(Reached::File(store)),
            (Err(StoreError::InUse), None) => {
                tracing::info!(data = %dir.display(), "another taxd has the data file; waiting for it");
                until = Some(Instant::now() + PATIENCE);
            }
            (Err(StoreError::InUse), Some(until)) if Instant::now() < until => thread::sleep(PAUSE),
            (Err(StoreError::InUse), Some(_)) => {
                return Err(AdminError::new(format!(
                    "{} is in use by another taxd that does not answer on its control socket; stop it, or try again in a moment",
                    dir.display()
                )));
            }
            (Err(other), _) => return Err(AdminError::new(format!("{}: {other}", dir.display()))),
        }
        if let Some(answer) = ask() {
            return Ok(Reached::Server(answer));
        }
    }
}

/// An error where the directory holds no data file.
fn require_file(dir: &Path) -> Result<(), AdminError> {
    if has_file(dir) {
        return Ok(());
    }
    Err(AdminError::new(format!(
        "there is no taxd data in {}; name another directory with --data, or begin with `taxd serve`",
        dir.display()
    )))
}

/// Has `take` take a snapshot of the data file, from the server of the directory or from the file.
pub(super) fn snapshot(dir: &Path, take: TakePart<'_>) -> Result<(), AdminError> {
    if let Some(done) = control::snapshot(dir, &mut *take) {
        return done;
    }
    require_file(dir)?;
    let store = match open_or_ask(dir, Store::open, || control::snapshot(dir, &mut *take))? {
        Reached::File(store) => store,
        Reached::Server(done) => return done,
    };
    let snapshot = store.snapshot()?;
    take(Part::Contents(snapshot.contents().clone()))?;
    snapshot.send(&mut |rows| take(Part::Rows(rows)))
}

/// Runs the command in the server of this data directory, or here where none is up.
pub fn run(dir: &Path, command: Command) -> Result<Value, AdminError> {
    let text = run_as_text(dir, command, &mut |_| {})?;
    serde_json::from_str(text.get()).map_err(|e| AdminError::new(e.to_string()))
}

/// As [`run`], for the text of the document, telling on the way how far it has come.
pub fn run_as_text(dir: &Path, command: Command, progress: Progress<'_>) -> Result<Box<RawValue>, AdminError> {
    if let Some(result) = control::call_as_text(dir, &command, progress) {
        return result;
    }
    if !command.may_begin() {
        require_file(dir)?;
    }
    let store = if !has_file(dir) && command.only_shows() {
        // What would be done to a file that is not there yet is shown on an empty one in memory.
        Store::in_memory()?
    } else {
        prepare(dir)?;
        match open_or_ask(dir, Store::open, || control::call_as_text(dir, &command, &mut *progress))? {
            Reached::File(store) => store,
            Reached::Server(result) => return result,
        }
    };
    // A command calculates each payload once, so there is nothing to remember.
    execute_as_text(&Service::open(Engine::new(store, 0))?, command, progress)
}
