//! `taxd bundle from`: bundles of what the State publishes.

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::value::{Clock, Date};
use crate::cli::files::{self, cannot_read, require_new, write_new};
use crate::cli::{CommandResult, Context, output, progress};
use crate::core::engine::{Stage, Step};
use crate::features::rules::{RuleList, RulesCommand, RulesQuery};
use crate::features::sources::report::{TableChange, TableReport};
use crate::features::sources::{LineFaults, cclasstrib, iss_nacional, tipi};
use crate::features::{AdminError, Command, typed};
use crate::sheet::SheetError;

/// Most differences and faults that the text shows.
const MAX_SHOWN: usize = 20;

/// Make a bundle of an official table that anyone can download
///
/// The table is compared with the rules of the data directory. If none is named and there is no ./taxd-data, with the
/// built-in ones. The bundle has only what is new: versions and ends. The same table gives no bundle the second time.
#[derive(Debug, Subcommand)]
pub(crate) enum FromArgs {
    /// Municipal rates of ISS: the table of the national system of the NFS-e (gov.br/nfse)
    ///
    /// `aliquotas-municipios-<date>.zip` with a CSV file for each UF, or one of those files. A rule that did not come
    /// from this table keeps answering; the report lists where the table says another rate.
    IssNacional(TableArgs),
    /// Rates of IPI: the TIPI of the federal revenue (gov.br/receitafederal, tipi.xlsx)
    ///
    /// A changed rate is another version of the rule of its code, and a code that is gone gets an end. A rule that did not
    /// come from the Annex of the decree is left alone, and listed if the table says another rate. From 2027-01-01 on a
    /// rate of the table answers nothing (ADCT, art. 126, III).
    Tipi(TipiArgs),
    /// Tax classifications of CBS and IBS: the cClassTrib table of the NF-e portal (nfe.fazenda.gov.br)
    ///
    /// Each code becomes a rule of each tax, on the days that the table states. A kind that the service does not calculate
    /// becomes a refusal by name. What an installed rule refuses stays refused.
    Cclasstrib(TableArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    /// The table, as it was downloaded
    #[arg(value_name = "FILE")]
    table: PathBuf,
    /// Where to write the bundle; it must not exist. Then: `taxd import FILE`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct TipiArgs {
    #[command(flatten)]
    table: TableArgs,
    /// First day on which the table holds, which the spreadsheet does not state: 2026-03-10 or 10/03/2026
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    a_partir_de: String,
}

#[derive(Serialize)]
struct Written<'a, R> {
    /// The bundle; null if there is nothing new.
    pacote: Option<String>,
    #[serde(flatten)]
    report: &'a R,
}

pub(crate) fn run(context: &Context, args: &FromArgs) -> CommandResult {
    match args {
        FromArgs::IssNacional(args) => run_iss_nacional(context, args),
        FromArgs::Tipi(args) => run_tipi(context, args),
        FromArgs::Cclasstrib(args) => run_cclasstrib(context, args),
    }
}

fn run_iss_nacional(context: &Context, args: &TableArgs) -> CommandResult {
    let file = args.open()?;
    let name = args.name();
    let lines = progress::shown(|progress| {
        iss_nacional::read(&name, file, &mut |done, total| {
            progress(Step { stage: Stage::Reading, done: done.min(total), total });
        })
    });
    let lines = lines.map_err(|e| cannot_read(&args.table, &e))?;
    let installed = installed(context, "iss")?;
    let (bundle, report) = iss_nacional::bundle(lines, installed, &name, Clock::system().now().day());
    require_lines(args, report.linhas, &report.falhas)?;
    finish(context, args, bundle.as_deref(), &report, iss_text)
}

fn run_tipi(context: &Context, TipiArgs { table, a_partir_de }: &TipiArgs) -> CommandResult {
    let from = Date::parse(a_partir_de).map_err(AdminError::new)?;
    if !from.may_have_rules() {
        return Err(AdminError::new(format!("{from} is not a day on which a rule may begin")));
    }
    let file = table.open()?;
    let name = table.name();
    let lines = tipi::read(&name, &file).map_err(|e| table.refused(&e))?;
    let installed = installed(context, "ipi")?;
    let (bundle, report) = tipi::bundle(lines, &installed, &name, from).map_err(AdminError::new)?;
    require_lines(table, report.linhas, &report.falhas)?;
    finish(context, table, bundle.as_deref(), &report, table_text)
}

fn run_cclasstrib(context: &Context, table: &TableArgs) -> CommandResult {
    let file = table.open()?;
    let name = table.name();
    let lines = cclasstrib::read(&name, &file).map_err(|e| table.refused(&e))?;
    let mut rules = Vec::new();
    for tributo in cclasstrib::TAXES {
        rules.push((tributo, installed(context, tributo)?));
    }
    let (bundle, report) = cclasstrib::bundle(lines, &rules, &name, Clock::system().now().day());
    require_lines(table, report.linhas, &report.falhas)?;
    finish(context, table, bundle.as_deref(), &report, table_text)
}

/// The installed rules of a tax, each as the source reads it.
fn installed<R: DeserializeOwned>(context: &Context, tributo: &str) -> Result<Vec<R>, AdminError> {
    let query = RulesQuery { tributo: Some(tributo.to_owned()), limit: usize::MAX, ..RulesQuery::default() };
    let list = context.run_on_rules(Command::Rules(RulesCommand::List(query.into())))?;
    let list: RuleList<R> = serde_json::from_str(list.get())?;
    Ok(list.regras)
}

/// Fails if no line of the table could be read.
fn require_lines(args: &TableArgs, lines: u64, faults: &LineFaults) -> Result<(), AdminError> {
    if lines != faults.total {
        return Ok(());
    }
    let first = faults.primeiras.first().map_or("it has no line", |fault| &fault.detail);
    Err(AdminError::new(format!("{} has no line that can be used: {first}", args.table.display())))
}

/// Writes the bundle, and prints what it changes.
fn finish<R: Serialize>(
    context: &Context,
    args: &TableArgs,
    bundle: Option<&str>,
    report: &R,
    text: impl FnOnce(&Path, &R) -> String,
) -> CommandResult {
    if let Some(text) = bundle {
        write_new(&args.out, text.as_bytes())?;
    }
    let written = Written { pacote: bundle.map(|_| args.out.display().to_string()), report };
    context.print(&written, || text(&args.out, report))
}

impl TableArgs {
    /// Opens the table. Fails if there is a file where the bundle is to be written.
    fn open(&self) -> Result<File, AdminError> {
        require_new(&self.out)?;
        files::open(&self.table)
    }

    /// The file is not the table.
    fn refused(&self, why: &SheetError) -> AdminError {
        AdminError::new(format!("cannot read {}: {why}", self.table.display()))
    }

    /// The name of the table, without its folder.
    fn name(&self) -> Cow<'_, str> {
        self.table.file_name().unwrap_or(self.table.as_os_str()).to_string_lossy()
    }
}

fn iss_text(out: &Path, report: &iss_nacional::Report) -> String {
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
        let rows = report.divergencias.iter().take(MAX_SHOWN).map(row);
        parts.push(output::table(&["MUNICIPALITY", "ITEM", "TABLE", "INSTALLED", "RULE"], rows));
        parts.extend(more(report.divergem));
    }
    parts.extend(listed_faults(&report.falhas));
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
    parts.push(next_step(out, report.versoes));
    parts.join("\n")
}

fn table_text(out: &Path, report: &TableReport) -> String {
    let mut parts = Vec::new();
    let mut table = |title: &str, changes: &[TableChange], all: usize| {
        if !changes.is_empty() {
            let rows = changes.iter().take(MAX_SHOWN).map(row);
            parts.push(format!("{title}:"));
            parts.push(output::table(&["CODE", "ON", "INSTALLED", "TABLE", "RULE"], rows));
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

/// The first faults of a table, with their places.
fn listed_faults(faults: &LineFaults) -> Vec<String> {
    let first = faults.primeiras.iter().take(MAX_SHOWN);
    let listed = first.map(|fault| format!("{}:{}: {}", fault.arquivo, fault.linha, fault.detail));
    listed.chain(more(usize::try_from(faults.total).unwrap_or(usize::MAX))).collect()
}

/// What was written, and what to do with it.
fn next_step(out: &Path, versions: usize) -> String {
    if versions == 0 {
        return "nothing new: no bundle was written".to_owned();
    }
    format!("{}: {versions} rule versions; check them with `taxd import --dry-run`, then import", out.display())
}

fn more(count: usize) -> Option<String> {
    (count > MAX_SHOWN).then(|| format!("... and {} more (--json lists more)", count - MAX_SHOWN))
}
