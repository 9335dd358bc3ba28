//! `taxd health`.

use std::process::ExitCode;

use clap::Args;

use super::status::health;
use super::{CommandResult, DataDir, Json, output};
use crate::admin::{AdminError, Command, control};
use crate::service::FAILING;

/// Whether the server answers, for a supervisor or a container
///
/// Exit status 0 where a server is up, also where it is degraded, which no restart mends: what is wrong is
/// then said. Exit status 1 where no server answers, and where its data file has been out of reach for 30 seconds.
#[derive(Debug, Args)]
pub(super) struct Health {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// Runs the command.
pub(super) fn run(args: &Health) -> CommandResult {
    let dir = &args.data.data;
    let answer = control::call(dir, &Command::Health, &mut |_| {});
    let state = answer.ok_or_else(|| AdminError::new(format!("no server is running on {}", dir.display())))??;
    if args.json.json {
        output::json(&state)?;
    } else {
        output::line(&health(&state))?;
    }
    Ok(if output::text(&state, "state") == FAILING { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
