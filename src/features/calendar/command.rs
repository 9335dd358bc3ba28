//! `taxd rules upcoming`.

use std::process::ExitCode;

use crate::cli::table_output::print_csv;
use crate::cli::{CommandResult, Context, DEFAULT_DATA, output};
use crate::core::engine::upcoming::Upcoming;
use crate::features::Command;
use crate::features::calendar::UpcomingQuery;
use crate::features::calendar::ics::to_ics;
use crate::features::calendar::report::to_text;
use crate::features::calendar::table::{columns, rows};
use crate::features::rules::RulesCommand;

pub(crate) fn run(context: &Context, query: UpcomingQuery) -> CommandResult {
    if context.rules_dir()?.is_none() {
        tracing::warn!(data = DEFAULT_DATA, "não há pasta de dados: o que vem pela frente é o das regras embutidas");
    }
    let (ics, csv) = (query.ics, query.csv);
    let answer = context.run_on_rules(Command::Rules(RulesCommand::Upcoming(query)))?;
    if ics {
        let upcoming: Upcoming = serde_json::from_str(answer.get())?;
        output::page(to_ics(&upcoming).as_bytes())?;
    } else if csv {
        let upcoming: Upcoming = serde_json::from_str(answer.get())?;
        print_csv(&columns(), rows(&upcoming))?;
    } else {
        return context.show_answer(&answer, |upcoming: Upcoming| to_text(&upcoming));
    }
    Ok(ExitCode::SUCCESS)
}
