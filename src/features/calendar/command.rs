//! `taxd rules upcoming`.

use std::process::ExitCode;

use clap::Args;

use crate::cli::table_output::print_csv;
use crate::cli::{CommandResult, Context, DEFAULT_DATA, output, typed};
use crate::core::engine::upcoming::Upcoming;
use crate::features::Command;
use crate::features::calendar::table::{columns, rows};
use crate::features::rules::RulesCommand;

/// What begins and what ends in the next days, and what answers after each end
///
/// After its last day a version has a new version under the same scope, or the general rule answers
/// again, or the tax is extinct, or the next version has no figure and refuses (`sem_figura`), or
/// nothing answers (`sem_sucessora`). The report says which, whether the figures of the rule that
/// answers then are established, and which rules are of the test year of the reform. Beside the rules
/// it lists the dates of an accountant's duties (`prazos`), which no count includes. It is Portuguese.
/// Of the data directory; if none is named and there is no ./taxd-data, of the built-in
/// rules.
///
/// Examples:
///   taxd rules upcoming --days 60
///   taxd rules upcoming --days 400 --csv > agenda.csv
///   taxd rules upcoming --days 400 --ics > agenda.ics
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct UpcomingArgs {
    /// Look this many days ahead
    #[arg(long, default_value_t = 90, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_600))]
    days: u32,
    /// Look ahead from this day: 2026-11-22 or 22/11/2026 [default: today]
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    desde: Option<String>,
    /// Write an iCalendar (RFC 5545): an all-day event for each day, tax and place, and for each date of a duty
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    ics: bool,
    /// Write a CSV with a row for each version, and one for each date of a duty
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// Runs the command.
pub(crate) fn run(context: &Context, args: &UpcomingArgs) -> CommandResult {
    if context.rules_dir()?.is_none() {
        tracing::warn!(data = DEFAULT_DATA, "there is no data directory: looking ahead in the built-in rules");
    }
    let command = RulesCommand::Upcoming { desde: args.desde.clone(), dias: args.days };
    let answer = context.run_on_rules(Command::Rules(command))?;
    if args.ics {
        let upcoming: Upcoming = serde_json::from_str(answer.get())?;
        output::page(upcoming.to_ics().as_bytes())?;
    } else if args.csv {
        let upcoming: Upcoming = serde_json::from_str(answer.get())?;
        print_csv(&columns(), rows(&upcoming))?;
    } else {
        return context.show_answer(&answer, |upcoming: Upcoming| upcoming.to_text());
    }
    Ok(ExitCode::SUCCESS)
}
