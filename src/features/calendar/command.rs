//! `taxd rules upcoming`.

use std::process::ExitCode;

use clap::Args;

use crate::cli::table_output::{self, text};
use crate::cli::{CommandResult, Context, DEFAULT_DATA, output, typed};
use crate::features::Command;
use crate::features::rules::RulesCommand;

use crate::core::engine::upcoming::{Upcoming, UpcomingRule};
use crate::law::codes::Prazo;
use crate::sheet::{Cell, ColumnKind};

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
        let rows = upcoming.regras.iter().map(|regra| row(regra)).chain(upcoming.prazos.iter().map(row_of_prazo));
        table_output::print_csv(&table_output::head("agenda", &COLUMNS), rows)?;
    } else {
        return context.show_answer(&answer, |upcoming: Upcoming| upcoming.to_text());
    }
    Ok(ExitCode::SUCCESS)
}

/// The columns of the CSV.
const COLUMNS: [(&str, ColumnKind); 15] = [
    ("data", ColumnKind::Date),
    ("evento", ColumnKind::Text),
    ("sucessao", ColumnKind::Text),
    ("figuras", ColumnKind::Text),
    ("ano_teste", ColumnKind::Text),
    ("tributo", ColumnKind::Text),
    ("local", ColumnKind::Text),
    ("escopo", ColumnKind::Text),
    ("rule_id", ColumnKind::Text),
    ("vigente_de", ColumnKind::Date),
    ("vigente_ate", ColumnKind::Date),
    ("sucessora", ColumnKind::Text),
    ("escopos_sem_sucessora", ColumnKind::Integer),
    ("sem_sucessora_em", ColumnKind::Text),
    ("citacao_legal", ColumnKind::Text),
];

/// The row of a version.
fn row(regra: &UpcomingRule) -> Vec<Cell> {
    vec![
        Cell::Date(regra.data),
        text(&regra.evento),
        text(&output::maybe(regra.sucessao)),
        text(&output::maybe(regra.figuras)),
        text(if regra.ano_teste { "sim" } else { "não" }),
        text(&regra.tributo),
        text(&regra.local),
        text(&regra.escopo),
        text(&regra.rule_id),
        Cell::Date(regra.vigente_de),
        regra.vigente_ate.map_or(Cell::Empty, Cell::Date),
        text(&output::maybe(regra.sucessora.as_ref())),
        Cell::Number(regra.escopos_sem_sucessora.into()),
        text(&output::maybe(regra.sem_sucessora_em.as_ref())),
        text(&regra.citacao_legal),
    ]
}

/// The row of a date of a duty.
fn row_of_prazo(prazo: &Prazo) -> Vec<Cell> {
    let mut row = vec![Cell::Empty; COLUMNS.len()];
    let cells = COLUMNS.iter().zip(&mut row);
    for ((name, _), cell) in cells {
        *cell = match *name {
            "data" => Cell::Date(prazo.data),
            "evento" => text("prazo"),
            "tributo" => text(&prazo.tributos.join(" ")),
            "local" => text("país"),
            "escopo" => text(&format!("{} {}", prazo.titulo, prazo.texto)),
            "citacao_legal" => text(&prazo.citacao_legal),
            _ => Cell::Empty,
        };
    }
    row
}
