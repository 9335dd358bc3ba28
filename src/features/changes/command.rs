//! `taxd changes`.

use std::process::ExitCode;

use clap::Args;

use crate::cli::table_output::print_csv;
use crate::cli::{CommandResult, Context, typed};
use crate::features::Command;
use crate::features::changes::Changes;
use crate::features::changes::table::{columns, rows};
use crate::features::rules::ChangesQuery;

/// What the publications since a day changed, before and after in words, by bundle
///
/// The day of a publication and the first day of effect are apart: a rule may be published long before
/// or after it takes effect. The installation of the built-in rules is one line. The report is
/// Portuguese.
///
/// Examples:
///   taxd changes --since 2026-11-01
///   taxd changes --since 01/11/2026 --tributo icms --uf SP --ncm 2203.00.00
///   taxd changes --since 2026-01-01 --csv > mudancas.csv
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ChangesArgs {
    /// Published on this day (UTC) or later: 2026-11-22 or 22/11/2026
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    since: String,
    /// Tax, in either case
    #[arg(long, value_parser = typed::word)]
    tributo: Option<String>,
    /// UF on either side, in either case
    #[arg(long, value_parser = typed::uf)]
    uf: Option<String>,
    /// Every rule that would be considered for this NCM, with or without points
    #[arg(long, value_parser = typed::ncm)]
    ncm: Option<String>,
    /// Write a CSV with a row for each field that changed
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// Runs the command.
pub(crate) fn run(context: &Context, args: ChangesArgs) -> CommandResult {
    let given = [("tributo", args.tributo), ("uf", args.uf), ("ncm", args.ncm)];
    let filters = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    let command = Command::Changes(ChangesQuery { desde: args.since, filters });
    if !args.csv {
        return context.show(command, |changes: Changes| changes.to_text());
    }
    let changes: Changes = context.ask(command)?;
    print_csv(&columns(), rows(&changes)).map(|()| ExitCode::SUCCESS)
}
