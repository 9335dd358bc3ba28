//! `taxd key`.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::Value;

use super::{CommandResult, DataDir, Json, duration, output};
use crate::admin::{AdminError, Command, data_dir};

/// API keys
#[derive(Debug, Subcommand)]
pub(super) enum Key {
    /// Make a key; it is shown once and kept only as a hash
    Create {
        /// Account the key belongs to
        #[arg(long, value_name = "CLIENT_ID|NAME")]
        account: String,
        /// live: production; test: sandbox
        #[arg(long, value_parser = ["live", "test"])]
        kind: String,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// List the keys, with their state and use
    List {
        /// Of this account alone
        #[arg(long, value_name = "CLIENT_ID|NAME")]
        account: Option<String>,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Make a key in the place of another; both work during the grace window, then the old one ends
    Rotate {
        /// The old key, as `taxd key list` shows it
        #[arg(value_name = "KEY_ID")]
        key_id: String,
        /// How long the old key goes on working: 30m, 24h, 7d; 0s ends it at once
        #[arg(long, value_name = "TIME", default_value = "24h", value_parser = duration::millis)]
        grace: u64,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Have a key open nothing, from the next call on
    Revoke {
        /// The key, as `taxd key list` shows it
        #[arg(value_name = "KEY_ID")]
        key_id: String,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
}

/// Runs the command.
pub(super) fn run(args: &Key) -> CommandResult {
    match args {
        Key::Create { account, kind, data, json } => {
            let command = Command::KeyCreate { account: account.clone(), kind: kind.clone() };
            made(&data_dir::run(&data.data, command)?, *json)?;
        }
        Key::List { account, data, json } => {
            let keys = data_dir::run(&data.data, Command::KeyList { account: account.clone() })?;
            if json.json {
                output::json(&keys)?;
            } else {
                output::line(&table(&keys))?;
            }
        }
        Key::Rotate { key_id, grace, data, json } => {
            let command = Command::KeyRotate { key_id: key_id.clone(), grace_ms: *grace };
            let key = data_dir::run(&data.data, command)?;
            made(&key, *json)?;
            if !json.json {
                output::line(&format!(
                    "{key_id} works until {}.",
                    output::text(output::member(&key, "rotated"), "expires_at")
                ))?;
            }
        }
        Key::Revoke { key_id, data, json } => {
            let key = data_dir::run(&data.data, Command::KeyRevoke { key_id: key_id.clone() })?;
            if json.json {
                output::json(&key)?;
            } else {
                output::line(&format!("{key_id} revoked at {}", output::text(&key, "revoked_at")))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A new key, shown this once.
fn made(key: &Value, json: Json) -> Result<(), AdminError> {
    if json.json {
        return output::json(key);
    }
    output::line(output::text(key, "key"))?;
    output::line("Keep it now: it is not shown again. Send it in the header X-API-Key.")
}

/// Keys for people.
pub(super) fn table(keys: &Value) -> String {
    let row = |key: &Value| {
        let text = |name| output::text(key, name).to_owned();
        let end = ["revoked_at", "expires_at"].map(text).into_iter().find(|end| !end.is_empty()).unwrap_or_default();
        vec![
            text("key_id"),
            text("client_id"),
            text("kind"),
            text("state"),
            end,
            output::number(key, "calls", "0"),
            text("last_call_at"),
            text("created_at"),
        ]
    };
    let headings = ["KEY_ID", "CLIENT_ID", "KIND", "STATE", "END", "CALLS", "LAST CALL", "CREATED"];
    output::table(&headings, &keys.as_array().into_iter().flatten().map(row).collect::<Vec<_>>())
}
