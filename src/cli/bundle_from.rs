//! `taxd bundle from`: bundles of what the State publishes.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::files::{cannot_read, cannot_write};
use super::{CommandResult, Context, output, progress};
use crate::admin::{AdminError, Command, RuleList, RulesCommand, RulesQuery, Stage, Step};
use crate::sources::iss_nacional::{self, InstalledRule, Report};
use crate::value::Clock;

/// Most differences and faults that the text shows.
const MAX_SHOWN: usize = 20;

/// Make a bundle of an official table that anyone can download
///
/// The table is compared with the rules of the data directory. If none is named and there is no ./taxd-data, with the
/// built-in ones. The bundle has only what is new: versions and ends. The same table gives no bundle the second time.
#[derive(Debug, Subcommand)]
pub(super) enum FromArgs {
    /// Municipal rates of ISS: the table of the national system of the NFS-e (gov.br/nfse)
    ///
    /// `aliquotas-municipios-<date>.zip` with a CSV file for each UF, or one of those files. A rule that did not come
    /// from this table keeps answering; the report lists where the table says another rate.
    IssNacional(TableArgs),
}

#[derive(Debug, Args)]
pub(super) struct TableArgs {
    /// The table, as it was downloaded
    #[arg(value_name = "FILE")]
    table: PathBuf,
    /// Where to write the bundle; it must not exist. Then: `taxd import FILE`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// What was written.
#[derive(Serialize)]
struct Written<'a> {
    /// The bundle; null if there is nothing new.
    pacote: Option<String>,
    #[serde(flatten)]
    report: &'a Report,
}

/// Runs the command.
pub(super) fn run(context: &Context, FromArgs::IssNacional(args): &FromArgs) -> CommandResult {
    if args.out.exists() {
        return Err(AdminError::new(format!("{} already exists; choose another name", args.out.display())));
    }
    let file = File::open(&args.table).map_err(|e| cannot_read(&args.table, &e))?;
    let name = args.table.file_name().unwrap_or(args.table.as_os_str()).to_string_lossy();
    let lines = progress::shown(|progress| {
        iss_nacional::read(&name, file, &mut |done, total| {
            let short = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
            progress(Step { stage: Stage::Reading, done: short(done.min(total)), total: short(total) });
        })
    });
    let lines = lines.map_err(|e| cannot_read(&args.table, &e))?;
    let query = RulesQuery { filters: vec![("tributo".to_owned(), "iss".to_owned())], limit: usize::MAX };
    let installed = context.run_on_rules(Command::Rules(RulesCommand::List(query)))?;
    let installed: RuleList<InstalledRule> = serde_json::from_str(installed.get())?;
    let (bundle, report) = iss_nacional::bundle(lines, installed.regras, &name, Clock::system().now().day());
    if report.linhas == report.falhas.total {
        let first = report.falhas.primeiras.first().map_or("it has no line", |fault| &fault.detail);
        return Err(AdminError::new(format!("{} has no line that can be used: {first}", args.table.display())));
    }
    if let Some(text) = &bundle {
        write_new(&args.out, text.as_bytes())?;
    }
    let written = Written { pacote: bundle.as_ref().map(|_| args.out.display().to_string()), report: &report };
    if context.json {
        output::line(&serde_json::to_string(&written)?)?;
    } else {
        output::line(&text(&args.out, &report, bundle.is_some()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a file that must not exist.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), AdminError> {
    let written = OpenOptions::new().write(true).create_new(true).open(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|e| cannot_write(path, &e))
}

fn text(out: &Path, report: &Report, is_new: bool) -> String {
    let mut parts = Vec::new();
    if !report.divergencias.is_empty() {
        let row = |difference: &iss_nacional::Difference| {
            vec![
                format!("{} ({})", difference.municipio.name(), difference.uf),
                difference.item_lista_servico.clone(),
                format!("{} %", difference.aliquota_da_tabela),
                format!("{} %", difference.aliquota_instalada),
                difference.rule_id.clone(),
            ]
        };
        let rows: Vec<_> = report.divergencias.iter().take(MAX_SHOWN).map(row).collect();
        parts.push(output::table(&["MUNICIPALITY", "ITEM", "TABLE", "INSTALLED", "RULE"], &rows));
        parts.extend(more(report.divergem));
    }
    if report.falhas.total > 0 {
        let faults = report.falhas.primeiras.iter().take(MAX_SHOWN);
        parts.extend(faults.map(|fault| format!("{}:{}: {}", fault.arquivo, fault.linha, fault.detail)));
        parts.extend(more(usize::try_from(report.falhas.total).unwrap_or(usize::MAX)));
    }
    parts.push(format!(
        "{} lines of {} municipalities, {} faulty; other rules answer for {} services: {} with the same rate, {} with another, {} without one",
        report.linhas,
        report.municipios,
        report.falhas.total,
        report.conferem + report.divergem + report.sem_figura,
        report.conferem,
        report.divergem,
        report.sem_figura,
    ));
    parts.push(if is_new {
        format!(
            "{}: {} rule versions; check them with `taxd import --dry-run`, then import",
            out.display(),
            report.versoes
        )
    } else {
        "nothing new: no bundle was written".to_owned()
    });
    parts.join("\n")
}

fn more(count: usize) -> Option<String> {
    (count > MAX_SHOWN).then(|| format!("... and {} more (--json lists more)", count - MAX_SHOWN))
}
