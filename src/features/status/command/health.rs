//! `taxd health`.

use std::process::ExitCode;

use clap::Args;

use super::health_text;
use crate::cli::{CommandResult, Context};
use crate::core::service::Health;
use crate::features::AdminError;
use crate::features::Command;
use crate::features::control;

/// Whether the server answers, for a supervisor or a container
///
/// Exit status 0 if a server is running, even if it is degraded, which a restart does not repair: the output then
/// says what is wrong. Exit status 1 if no server answers, or if its data file has been unusable for 30 seconds.
#[derive(Debug, Args)]
pub(crate) struct HealthArgs {}

pub(crate) fn run(context: &Context) -> CommandResult {
    let not_running = || AdminError::new(format!("no server is running on {}", context.dir().display()));
    let answer = control::call(context.dir(), &Command::Health, &mut |_| {}).ok_or_else(not_running)??;
    let health: Health = serde_json::from_str(answer.get())?;
    let shown = context.print(&health, || health_text(&health))?;
    Ok(if health.is_failing() { ExitCode::FAILURE } else { shown })
}
