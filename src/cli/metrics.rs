//! `taxd metrics`.

use clap::Args;

use super::{CommandResult, Context};
use crate::admin::{Command, MetricsText};

/// The figures of `status` as Prometheus reads them
///
/// `taxd serve --metrics-listen` serves the same at /metrics.
#[derive(Debug, Args)]
pub(super) struct MetricsArgs {}

/// Runs the command.
pub(super) fn run(context: &Context) -> CommandResult {
    context.show(Command::Metrics, |MetricsText { metrics }| metrics.trim_end().to_owned())
}
