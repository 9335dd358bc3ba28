//! `taxd import`.

use std::process::ExitCode;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::cli::{CommandResult, Context, files, output, progress};
use crate::core::engine::{Published, ReadReport, Superseded};
use crate::features::Command;
use crate::features::control::data_dir;
use crate::features::import::ImportCommand;

/// Versions that the text report lists; --json lists all.
const MAX_LISTED: usize = 40;

pub(crate) fn run(context: &Context, mut command: ImportCommand) -> CommandResult {
    command.files = files::read_bundles(&command.paths, command.builtin)?;
    command.listed = listed(context);
    let report = progress::shown(|step| data_dir::run(context.dir(), Command::Import(command), step))?;
    show(context, &report)
}

/// The longest list of versions that the answer needs.
pub(crate) fn listed(context: &Context) -> Option<usize> {
    (!context.json).then_some(MAX_LISTED)
}

/// The warnings of a report, which may be too long to be parsed whole.
#[derive(Deserialize)]
struct Warnings {
    avisos: Vec<String>,
}

/// Shows the report of an import, and its warnings on stderr.
pub(crate) fn show(context: &Context, report: &RawValue) -> CommandResult {
    let avisos = if context.json {
        output::line(report.get())?;
        serde_json::from_str::<Warnings>(report.get())?.avisos
    } else {
        let report: ReadReport = serde_json::from_str(report.get())?;
        output::line(&report_text(&report))?;
        report.avisos
    };
    output::warn(&avisos);
    Ok(ExitCode::SUCCESS)
}

fn report_text(report: &ReadReport) -> String {
    let (new, moved) = report.totais.unwrap_or((report.publicadas.len(), report.substituidas.len()));
    let mut parts = Vec::new();
    if !report.publicadas.is_empty() {
        let rows = report.publicadas.iter().map(published_row);
        parts.push(output::table(&["NEW VERSION", "TAX", "FROM", "UNTIL"], rows));
        parts.extend(rest(new));
    }
    if !report.substituidas.is_empty() {
        let rows = report.substituidas.iter().map(superseded_row);
        parts.push(output::table(&["SUPERSEDED", "HOW", "BY", "END"], rows));
        parts.extend(rest(moved));
    }
    parts.extend(
        report.pacotes.iter().filter_map(|bundle| Some(format!("{}: {}", bundle.file, output::signed_by(bundle)?))),
    );
    parts.push(format!(
        "{}{new} new, {moved} superseded, {} already there; {} worked examples hold",
        if report.dry_run { "dry run, nothing written: " } else { "" },
        report.inalteradas,
        report.exemplos
    ));
    parts.join("\n")
}

fn published_row(row: &Published) -> Vec<String> {
    vec![row.rule_id.to_string(), row.tributo.to_string(), row.vigente_de.to_string(), output::until(row.vigente_ate)]
}

fn superseded_row(row: &Superseded) -> Vec<String> {
    let mut ends = format!("{} -> {}", output::until(row.vigente_ate_anterior), output::until(row.vigente_ate));
    if let Some(gap) = row.lacuna_de {
        ends = format!("{ends}; NO RULE from {gap}{}", left(row));
    }
    vec![row.rule_id.to_string(), row.tipo.to_string(), row.substituida_por.to_string(), ends]
}

/// The scopes that a gap leaves without a rule, if the report names them.
fn left(row: &Superseded) -> String {
    match (&row.lacuna_em, row.lacuna_escopos) {
        (None, _) => String::new(),
        (Some(first), Some(scopes @ 2..)) => format!(" for {first} and {} more", scopes - 1),
        (Some(first), _) => format!(" for {first}"),
    }
}

fn rest(count: usize) -> Option<String> {
    (count > MAX_LISTED).then(|| format!("... and {} more (--json lists all)", count - MAX_LISTED))
}
