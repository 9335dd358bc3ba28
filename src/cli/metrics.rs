//! `taxd metrics`.

use std::process::ExitCode;

use clap::Args;

use super::{CommandResult, DataDir, Json, output};
use crate::admin::{Command, data_dir};

/// The figures of `status` as Prometheus reads them
///
/// `taxd serve --metrics-listen` serves the same at /metrics.
#[derive(Debug, Args)]
pub(super) struct Metrics {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// Runs the command.
pub(super) fn run(args: &Metrics) -> CommandResult {
    let metrics = data_dir::run(&args.data.data, Command::Metrics)?;
    if args.json.json {
        output::json(&metrics)?;
    } else {
        output::line(output::text(&metrics, "metrics").trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}
