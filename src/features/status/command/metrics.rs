//! `taxd metrics`.

use clap::Args;

use crate::cli::{CommandResult, Context};
use crate::features::Command;
use crate::features::status::MetricsText;

/// The figures of `status` as Prometheus reads them
///
/// `taxd serve --metrics-listen` serves the same at /metrics.
#[derive(Debug, Args)]
pub(crate) struct MetricsArgs {}

pub(crate) fn run(context: &Context) -> CommandResult {
    context.show(Command::Metrics, |MetricsText { metrics }| metrics.trim_end().to_owned())
}
