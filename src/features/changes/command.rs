//! `taxd changes`.

use std::process::ExitCode;

use clap::Args;

use crate::cli::table_output::{self, text};
use crate::cli::{CommandResult, Context, output, typed};
use crate::features::Command;
use crate::features::changes::{BundleChanges, Changes, FieldChange, RuleChange};
use crate::features::rules::ChangesQuery;
use crate::sheet::{Cell, ColumnKind};

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
    table_output::print_csv(&table_output::head("mudancas", &COLUMNS), rows(&changes)).map(|()| ExitCode::SUCCESS)
}

/// The columns of the CSV.
const COLUMNS: [(&str, ColumnKind); 15] = [
    ("publicado_em", ColumnKind::Text),
    ("pacote", ColumnKind::Text),
    ("tributo", ColumnKind::Text),
    ("local", ColumnKind::Text),
    ("escopo", ColumnKind::Text),
    ("rule_id", ColumnKind::Text),
    ("anterior", ColumnKind::Text),
    ("tipo", ColumnKind::Text),
    ("vigente_de", ColumnKind::Date),
    ("vigente_ate", ColumnKind::Date),
    ("campo", ColumnKind::Text),
    ("rotulo", ColumnKind::Text),
    ("antes", ColumnKind::Text),
    ("depois", ColumnKind::Text),
    ("citacao_legal", ColumnKind::Text),
];

/// A row for each field that changed; one without a field for a version that says what the one before it said.
fn rows(changes: &Changes) -> impl Iterator<Item = Vec<Cell>> {
    let bundles = changes.publicacoes.iter().flat_map(|publicacao| &publicacao.pacotes);
    let of_bundles = bundles.flat_map(|bundle| bundle.mudancas.iter().map(move |change| (bundle, change)));
    of_bundles.flat_map(|(bundle, change)| {
        let fields: Vec<Option<&FieldChange>> = change.campos.iter().map(Some).collect();
        let fields = if fields.is_empty() { vec![None] } else { fields };
        fields.into_iter().map(move |field| row(bundle, change, field))
    })
}

fn row(bundle: &BundleChanges, change: &RuleChange, field: Option<&FieldChange>) -> Vec<Cell> {
    let before = field.filter(|_| change.anterior.is_some()).map(|field| &field.antes);
    vec![
        text(&change.publicado_em),
        text(&format!("{} {}", bundle.pacote.pacote, bundle.pacote.versao)),
        text(&change.tributo),
        text(&change.local),
        text(&change.escopo),
        text(&change.rule_id),
        text(&output::maybe(change.anterior.as_ref())),
        text(&change.tipo),
        Cell::Date(change.vigente_de),
        change.vigente_ate.map_or(Cell::Empty, Cell::Date),
        text(&output::maybe(field.map(|field| &field.campo))),
        text(&output::maybe(field.map(|field| &field.rotulo))),
        text(&output::maybe(before)),
        text(&output::maybe(field.map(|field| &field.depois))),
        text(&change.citacao_legal),
    ]
}
