//! `taxd serve --check-config`: checks everything that can be checked without starting.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;
use std::process::ExitCode;

use rustix::fs::{Access, access};
use serde::Serialize;

use super::setting_sources::Setting;
use super::{ServeArgs, cannot_listen, webhook_transport};
use crate::cli::{CommandResult, output};
use crate::core::service::ConnectionCapacity;
use crate::core::store::FILE_NAME;
use crate::features::{AdminError, InputFault, control};
use crate::http::ListenAddress;

/// The settings with which the server would start.
#[derive(Serialize)]
struct CheckedSettings<'s> {
    file: Option<String>,
    settings: &'s [Setting],
    notes: Vec<String>,
}

/// Checks the settings and what they name. Shows them, or fails with every fault.
pub(super) fn check(args: &ServeArgs, settings: &[Setting], json: bool) -> CommandResult {
    let dir = &args.data;
    let mut faults = Vec::new();
    let mut add = |option: &str, fault: Result<(), String>| {
        let fault = fault.err().map(|detail| InputFault {
            path: format!("--{option}"),
            detail: detail.into(),
            ..InputFault::default()
        });
        faults.extend(fault);
    };
    // Its own running server may use the addresses.
    let running = control::is_running(dir);
    add("data", can_be_written(dir));
    // Kept while the other address is bound: the two may conflict.
    let listener = bound(args.listen, running);
    add("listen", listener.as_ref().map(drop).map_err(Clone::clone));
    args.contradictions().into_iter().for_each(|(option, why)| add(option, Err(why)));
    if let Some(address) = args.metrics_listen {
        add("metrics-listen", bound(address, running).map(drop));
    }
    add("tls-cert", args.tls().map(drop).map_err(|error| error.to_string()));
    add("webhook-ca", webhook_transport(args.webhook_ca.as_deref()).map(drop).map_err(|error| error.to_string()));
    if !faults.is_empty() {
        let message = "taxd serve would not start with this configuration".to_owned();
        return Err(AdminError::Faults { message, faults });
    }
    let notes: Vec<String> = ConnectionCapacity::raise(args.max_connections.into()).shortage().into_iter().collect();
    if json {
        let file = args.config.as_ref().map(|file| file.display().to_string());
        output::line(&serde_json::to_string(&CheckedSettings { file, settings, notes })?)?;
    } else {
        let rows = settings.iter().map(|s| {
            vec![format!("--{}", s.option), s.value.clone().unwrap_or_else(|| "none".to_owned()), s.from.to_owned()]
        });
        output::line(&output::table(&["SETTING", "VALUE", "FROM"], rows))?;
        notes.iter().try_for_each(|note| output::line(&format!("note: {note}")))?;
        output::line("taxd serve can start with this configuration")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails if the directory or a file in it could not be made, or if the data file cannot be written.
fn can_be_written(dir: &Path) -> Result<(), String> {
    let absolute = std::path::absolute(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let Some(there) = absolute.ancestors().find(|path| path.exists()) else {
        return Err(format!("{}: no part of this path exists", dir.display()));
    };
    if !there.is_dir() {
        return Err(format!("{} is not a directory", there.display()));
    }
    let in_it = access(there, Access::WRITE_OK | Access::EXEC_OK);
    in_it.map_err(|e| format!("cannot write in {}: {e}", there.display()))?;
    let file = dir.join(FILE_NAME);
    if !file.exists() {
        return Ok(());
    }
    access(&file, Access::READ_OK | Access::WRITE_OK).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

/// Binds the address. An address in use is accepted if the data directory has a running server.
fn bound(address: ListenAddress, running: bool) -> Result<Option<TcpListener>, String> {
    match address.bind() {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if running && error.kind() == ErrorKind::AddrInUse => Ok(None),
        Err(error) => Err(cannot_listen(address, &error)),
    }
}
