//! The data directory: opens its data file, or reaches the server that has the file open.

use std::convert::Infallible;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Once;
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::value::RawValue;

use crate::base::value::Timestamp;
use crate::core::engine::{Engine, Progress};
use crate::core::service::{Service, lower_priority};
use crate::core::store::{FILE_NAME, Store, StoreError, StoreResult};
use crate::features::check::{self, CheckReport};
use crate::features::{AdminError, Command, control, execute};

/// How long to wait for another taxd to close the file: a command has it open for a moment, and a
/// server that starts opens it before it answers on its socket.
const PATIENCE: Duration = Duration::from_secs(5);
/// Size of the result cache of a command: it calculates each payload once.
const NO_CACHE: usize = 0;
/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Makes the directory if it is missing, accessible only to its owner.
pub fn prepare(dir: &Path) -> Result<(), AdminError> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(|e| {
        AdminError::new(format!("cannot make the data directory {}: {e}; choose another with --data", dir.display()))
    })
}

/// True if the directory has a data file.
pub fn has_file(dir: &Path) -> bool {
    dir.join(FILE_NAME).exists()
}

/// Opens the file of the directory, after waiting for another taxd to close it if needed.
pub fn open(dir: &Path) -> Result<Store, AdminError> {
    match open_or_ask(dir, Store::open, || None::<Infallible>)? {
        Reached::File(store) => Ok(store),
        Reached::Server(never) => match never {},
    }
}

/// What reached the data.
enum Reached<O, T> {
    /// This process, which opened the file.
    File(O),
    Server(T),
}

/// Opens the file, or returns the answer of a server that opened it in the meantime.
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
                let what = if control::is_running(dir) {
                    "is in use by a server that lets nobody read beside it: its disk fails (`taxd health` says so), or it is an older taxd, which must be restarted with this version"
                } else {
                    "is in use by another taxd that does not answer on its control socket; stop it, or try again in a moment"
                };
                return Err(AdminError::new(format!("{} {what}", dir.display())));
            }
            (Err(other), _) => return Err(AdminError::new(format!("{}: {other}", dir.display()))),
        }
        if let Some(answer) = ask() {
            return Ok(Reached::Server(answer));
        }
    }
}

/// Fails if the directory has no data file.
fn require_file(dir: &Path) -> Result<(), AdminError> {
    if has_file(dir) {
        return Ok(());
    }
    Err(AdminError::new(format!(
        "there is no taxd data in {}; name another directory with --data, or begin with `taxd serve`",
        dir.display()
    )))
}

/// Opens the file of the directory as it is now for reading, also beside a server, whose calls go before this process from
/// then on.
pub fn open_to_read(dir: &Path) -> Result<Store, AdminError> {
    static BESIDE: Once = Once::new();
    require_file(dir)?;
    if control::is_running(dir) {
        // Those among which payloads are shared out, and then this one, whose priority is the measure of the others'.
        BESIDE.call_once(|| {
            rayon::broadcast(|_| lower_priority());
            lower_priority();
        });
    }
    let opened = |dir: &Path| match Store::open_to_read(dir)? {
        Some(store) => Ok(store),
        // Repaired or migrated by being opened. It is not kept so: a server may start meanwhile.
        None => {
            drop(Store::open(dir)?);
            Store::open_to_read(dir)?.ok_or(StoreError::InUse)
        }
    };
    match open_or_ask(dir, opened, || None::<Infallible>)? {
        Reached::File(store) => Ok(store),
        Reached::Server(never) => match never {},
    }
}

/// Has a running server date no later publication at this instant or before. Until it answers, one that it has dated is
/// committed. So what a process reads of the file from then on is final for that instant.
pub fn settle(dir: &Path, instant: Timestamp) -> Result<(), AdminError> {
    control::call(dir, &Command::Settle(instant), &mut |_| {}).map_or(Ok(()), |settled| settled.map(drop))
}

/// Checks the data of the directory, in its server if one is running, or a `file` by itself. Writes to neither.
pub fn check(dir: &Path, file: Option<&Path>, progress: Progress<'_>) -> Result<CheckReport, AdminError> {
    let inspected = match file {
        Some(file) => inspect(file).map_err(|e| AdminError::new(format!("{}: {e}", file.display())))?,
        None => {
            if let Some(report) = control::check(dir, &mut *progress) {
                return report;
            }
            require_file(dir)?;
            let open = |dir: &Path| inspect(&dir.join(FILE_NAME));
            match open_or_ask(dir, open, || control::check(dir, &mut *progress))? {
                Reached::File(inspected) => inspected,
                Reached::Server(report) => return report,
            }
        }
    };
    check::report(inspected, progress)
}

/// Opens a file for reading; the inner error is damage of the file.
fn inspect(file: &Path) -> StoreResult<Result<Store, StoreError>> {
    match Store::inspect(file) {
        Err(error) if !error.is_damage() => Err(error),
        inspected => Ok(inspected),
    }
}

/// Runs the command in the server of the directory, or in this process if no server is running. Returns
/// the JSON text of the answer, which `--json` prints as it is.
pub fn run(dir: &Path, command: Command, progress: Progress<'_>) -> Result<Box<RawValue>, AdminError> {
    if let Some(answer) = control::call(dir, &command, progress) {
        return answer;
    }
    if !command.may_begin() {
        require_file(dir)?;
    }
    let store = if !has_file(dir) && command.only_shows() {
        // A dry run before the first import: against an empty store in memory.
        Store::in_memory()?
    } else {
        prepare(dir)?;
        match open_or_ask(dir, Store::open, || control::call(dir, &command, &mut *progress))? {
            Reached::File(store) => store,
            Reached::Server(answer) => return answer,
        }
    };
    run_alone(Engine::new(store, NO_CACHE), command, progress)
}

/// Runs the command on an engine of its own. Returns the JSON text of the answer.
pub fn run_alone(engine: Engine, command: Command, progress: Progress<'_>) -> Result<Box<RawValue>, AdminError> {
    execute(&Service::open(engine)?, command, progress)
}
