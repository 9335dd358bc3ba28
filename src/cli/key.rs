//! `taxd key`.

use std::process::ExitCode;

use clap::Subcommand;

use super::{CommandResult, DataDir, Json, output};
use crate::admin::{Command, data_dir};

/// API keys
#[derive(Debug, Subcommand)]
pub(super) enum Key {
    /// Make a key; it is shown once and kept only as a hash
    Create {
        /// Account the key belongs to
        #[arg(long, value_name = "CLIENT_ID")]
        account: String,
        /// live: production; test: sandbox
        #[arg(long, value_parser = ["live", "test"])]
        kind: String,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
}

/// Runs the command.
pub(super) fn run(args: &Key) -> CommandResult {
    let Key::Create { account, kind, data, json } = args;
    let made = data_dir::run(&data.data, Command::KeyCreate { account: account.clone(), kind: kind.clone() })?;
    if json.json {
        output::json(&made)?;
    } else {
        output::line(output::text(&made, "key"))?;
        output::line("Keep it now: it is not shown again. Send it in the header X-API-Key.")?;
    }
    Ok(ExitCode::SUCCESS)
}
