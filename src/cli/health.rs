//! `taxd health`.

use std::process::ExitCode;

use clap::Args;

use super::status::health;
use super::{CommandResult, DataDir, Json, output};
use crate::admin::{AdminError, Command, control};
use crate::service::FAILING;

/// Whether the server answers, for a supervisor or a container
///
/// Exit status 0 if a server is up, also if it is degraded, which a restart does not mend: the output then says
/// what is wrong. Exit status 1 if no server answers, or if its data file has been out of reach for 30 seconds.
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
