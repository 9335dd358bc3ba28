//! `taxd bundle from tipi` and `taxd bundle from cclasstrib`: spreadsheets that have a line for each code.

use std::path::Path;

use clap::Args;

use super::{MAX_SHOWN, TableArgs, Written, listed_faults, more, next_step};
use crate::admin::{AdminError, Command, RuleList, RulesCommand, RulesQuery};
use crate::cli::files::write_new;
use crate::cli::{CommandResult, Context, output, typed};
use crate::sources::report::{TableChange, TableReport};
use crate::sources::{InstalledVersion, cclasstrib, tipi};
use crate::value::{Clock, Date};

#[derive(Debug, Args)]
pub(in crate::cli) struct TipiArgs {
    #[command(flatten)]
    table: TableArgs,
    /// First day on which the table holds, which the spreadsheet does not state: 2026-03-10 or 10/03/2026
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    a_partir_de: String,
}

pub(super) fn run_tipi(context: &Context, TipiArgs { table, a_partir_de }: &TipiArgs) -> CommandResult {
    let from = Date::parse(a_partir_de).map_err(AdminError::new)?;
    if !from.may_have_rules() {
        return Err(AdminError::new(format!("{from} is not a day on which a rule may begin")));
    }
    let file = table.open()?;
    let name = table.name();
    let lines = tipi::read(&name, &file).map_err(|e| table.refused(&e))?;
    let installed = installed(context, "ipi")?;
    let (bundle, report) = tipi::bundle(lines, &installed, &name, from).map_err(AdminError::new)?;
    finish(context, table, bundle.as_deref(), &report)
}

pub(super) fn run_cclasstrib(context: &Context, table: &TableArgs) -> CommandResult {
    let file = table.open()?;
    let name = table.name();
    let lines = cclasstrib::read(&name, &file).map_err(|e| table.refused(&e))?;
    let mut rules = Vec::new();
    for tributo in cclasstrib::TAXES {
        rules.push((tributo, installed(context, tributo)?));
    }
    let (bundle, report) = cclasstrib::bundle(lines, &rules, &name, Clock::system().now().day());
    finish(context, table, bundle.as_deref(), &report)
}

fn installed(context: &Context, tributo: &str) -> Result<Vec<InstalledVersion>, AdminError> {
    let query = RulesQuery { filters: vec![("tributo".to_owned(), tributo.to_owned())], limit: usize::MAX };
    let list = context.run_on_rules(Command::Rules(RulesCommand::List(query)))?;
    let list: RuleList<InstalledVersion> = serde_json::from_str(list.get())?;
    Ok(list.regras)
}

/// Writes the bundle, and prints what it changes.
fn finish(context: &Context, args: &TableArgs, bundle: Option<&str>, report: &TableReport) -> CommandResult {
    if report.linhas == report.falhas.total {
        let first = report.falhas.primeiras.first().map_or("it has no line", |fault| &fault.detail);
        return Err(AdminError::new(format!("{} has no line that can be used: {first}", args.table.display())));
    }
    if let Some(text) = bundle {
        write_new(&args.out, text.as_bytes())?;
    }
    let written = Written { pacote: bundle.map(|_| args.out.display().to_string()), report };
    context.print(&written, || text(&args.out, report))
}

fn text(out: &Path, report: &TableReport) -> String {
    let mut parts = Vec::new();
    let mut table = |title: &str, changes: &[TableChange], all: usize| {
        if !changes.is_empty() {
            let rows: Vec<_> = changes.iter().take(MAX_SHOWN).map(row).collect();
            parts.push(format!("{title}:"));
            parts.push(output::table(&["CODE", "ON", "INSTALLED", "TABLE", "RULE"], &rows));
            parts.extend(more(all));
        }
    };
    table("changed", &report.mudancas, report.novos + report.alterados + report.encerrados);
    table("left alone", &report.divergencias, report.divergem + report.ausentes);
    parts.extend(listed_faults(&report.falhas));
    parts.push(format!(
        "{} lines, {} faulty: {} new codes, {} changed, {} ended, {} as installed; left alone: {} that differ, {} that the table does not have",
        report.linhas,
        report.falhas.total,
        report.novos,
        report.alterados,
        report.encerrados,
        report.inalterados,
        report.divergem,
        report.ausentes,
    ));
    parts.push(next_step(out, report.versoes));
    parts.join("\n")
}

fn row(change: &TableChange) -> Vec<String> {
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    vec![
        change.codigo.clone(),
        change.desde.to_string(),
        or_none(&change.instalada),
        or_none(&change.da_tabela),
        or_none(&change.rule_id),
    ]
}
