//! `taxd openapi`.

use std::process::ExitCode;

use clap::Args;

use super::{CommandResult, output};
use crate::base::value::{Clock, Timestamp};
use crate::core::rulesets;
use crate::features::AdminError;
use crate::http;

/// When the rules of the examples were published: a fixed past instant, so that the description does not depend on
/// the day.
const EXAMPLES_AT: &str = "2026-03-10T12:00:00Z";

/// Print the description of the HTTP API (OpenAPI 3.1, JSON)
///
/// It is made from the declarations that validate requests, and its examples are calculated with the built-in
/// rules. Needs no data directory and no server.
#[derive(Debug, Args)]
#[expect(clippy::doc_markdown, reason = "the help is no Markdown")]
pub(super) struct OpenApiArgs {}

pub(super) fn run() -> CommandResult {
    let published_at = Timestamp::parse(EXAMPLES_AT).map_err(AdminError::new)?;
    let engine = rulesets::in_memory(Clock::new(move || published_at))?;
    let document = http::document(&engine).map_err(|problem| AdminError::new(problem.detail))?;
    output::line(&format!("{document:#}")).map(|()| ExitCode::SUCCESS)
}
