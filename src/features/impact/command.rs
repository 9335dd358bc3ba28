//! `taxd impact`.

mod output;

use std::path::PathBuf;

use clap::Args;

use crate::cli::{CommandResult, Context, files, progress, typed};
use crate::features::Command;
use crate::features::control::data_dir;
use crate::features::impact::ImpactCommand;

/// Show what bundles would change, or what was changed since a day, in the calls of the log
///
/// Calculates the calls of the log again (up to the days of --log-keep), by the rules before and after, and
/// reports those whose outcome changes: amounts, rules, refusals that become answers and answers that
/// become refusals, by account, tax, month of the operation and rule. Bundles are checked as by
/// `import --dry-run`, and nothing is published. With --since, the rules of before are those that were
/// known at that instant (`conhecido_em`), and those of after are the ones of now; a call is changed if
/// the logged rule is the one of its own instant and the rules of now give another outcome.
///
/// The log has the fields of each payload, without what looks like a secret; nothing needs to be
/// configured. Calls of test keys are counted and not compared. Works while the server runs, which
/// goes on answering. The report is Portuguese.
#[derive(Debug, Args)]
pub(crate) struct ImpactArgs {
    /// Bundle files that are not published yet, or directories whose *.json files are all read
    #[arg(required_unless_present_any = ["builtin", "since"], value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// The bundles compiled into this taxd: before the upgrade of a data directory
    #[arg(long)]
    builtin: bool,
    /// What was published since this instant or day (UTC): 2026-03-10, 10/03/2026 or 2026-03-10T12:00:00Z
    #[arg(long, value_name = "TIMESTAMP", value_parser = typed::day, conflicts_with_all = ["paths", "builtin"])]
    since: Option<String>,
    /// Print the changes as CSV (with `;` and decimal commas)
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// Runs the command.
pub(crate) fn run(context: &Context, args: ImpactArgs) -> CommandResult {
    let command = match args.since {
        Some(since) => ImpactCommand::Since(since),
        None => ImpactCommand::Bundles(files::read_bundles(&args.paths, args.builtin)?),
    };
    let report = progress::shown(|step| data_dir::run(context.dir(), Command::Impact(command), step))?;
    if args.csv {
        return output::csv(&serde_json::from_str(report.get())?);
    }
    context.show_answer(&report, |report| output::text(&report))
}
