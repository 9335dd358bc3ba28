//! `taxd serve --check-config`: all that can be known of a start without starting.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;
use std::process::ExitCode;

use rustix::fs::{Access, access};
use serde_json::{Value, json};

use super::settings::Setting;
use super::{Serve, webhook_transport};
use crate::admin::{AdminError, Command, control};
use crate::cli::{CommandResult, output};
use crate::http::ListenAddress;
use crate::service::ConnectionCapacity;
use crate::store::FILE_NAME;

/// Checks, shows the settings, and tells every fault.
pub(super) fn check(args: &Serve, settings: &[Setting], json: bool) -> CommandResult {
    let dir = &args.data.data;
    let mut faults = Vec::new();
    let mut tell = |option: &str, fault: Result<(), String>| {
        faults.extend(fault.err().map(|detail| json!({"path": format!("--{option}"), "detail": detail})));
    };
    // What a server of this data directory has, is to be taken.
    let running = control::call(dir, &Command::AccountList, &mut |_| {}).is_some();
    tell("data", can_be_written(dir));
    // Held while the other is tried: the one may hold the other up.
    let listener = bound(args.listen, running);
    tell("listen", listener.as_ref().map(drop).map_err(Clone::clone));
    args.contradictions().into_iter().for_each(|(option, why)| tell(option, Err(why)));
    if let Some(address) = args.metrics_listen {
        tell("metrics-listen", bound(address, running).map(drop));
    }
    tell("tls-cert", args.tls().map(drop).map_err(|error| error.message));
    tell("webhook-ca", webhook_transport(args.webhook_ca.as_deref()).map(drop).map_err(|error| error.message));
    if !faults.is_empty() {
        let message = "taxd serve would not start with this configuration".to_owned();
        return Err(AdminError { message, faults });
    }
    let notes: Vec<String> = ConnectionCapacity::raise(args.max_connections.into()).shortage().into_iter().collect();
    if json {
        let shown: Vec<Value> =
            settings.iter().map(|s| json!({"name": s.option, "value": s.value, "from": s.from})).collect();
        let file = args.config.as_ref().map(|file| file.display().to_string());
        output::json(&json!({"file": file, "settings": shown, "notes": notes}))?;
    } else {
        let rows = settings.iter().map(|s| {
            vec![format!("--{}", s.option), s.value.clone().unwrap_or_else(|| "none".to_owned()), s.from.to_owned()]
        });
        output::line(&output::table(&["SETTING", "VALUE", "FROM"], &rows.collect::<Vec<_>>()))?;
        notes.iter().try_for_each(|note| output::line(&format!("note: {note}")))?;
        output::line("taxd serve can start with this configuration")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A directory in which files may be made, or that may be made itself; and the data file, where there is one.
fn can_be_written(dir: &Path) -> Result<(), String> {
    let absolute = std::path::absolute(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let Some(there) = absolute.ancestors().find(|path| path.exists()) else {
        return Err(format!("{}: nothing of this path is there", dir.display()));
    };
    if !there.is_dir() {
        return Err(format!("{} is no directory", there.display()));
    }
    let in_it = access(there, Access::WRITE_OK | Access::EXEC_OK);
    in_it.map_err(|e| format!("cannot write in {}: {e}", there.display()))?;
    let file = dir.join(FILE_NAME);
    if !file.exists() {
        return Ok(());
    }
    access(&file, Access::READ_OK | Access::WRITE_OK).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

/// Binds it. An address in use is no fault where this data directory has a server.
fn bound(address: ListenAddress, running: bool) -> Result<Option<TcpListener>, String> {
    match address.bind() {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if running && error.kind() == ErrorKind::AddrInUse => Ok(None),
        Err(error) => Err(format!("cannot listen on {address}: {error}")),
    }
}
