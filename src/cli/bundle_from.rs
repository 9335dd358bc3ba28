//! `taxd bundle from`: bundles of what the State publishes.

mod tables;

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;

use self::tables::TipiArgs;
use super::files::{cannot_read, require_new, write_new};
use super::{CommandResult, Context, output, progress};
use crate::admin::{AdminError, Command, RuleList, RulesCommand, RulesQuery, Stage, Step};
use crate::sheet::SheetError;
use crate::sources::LineFaults;
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
struct Written<'a, R> {
    /// The bundle; null if there is nothing new.
    pacote: Option<String>,
    #[serde(flatten)]
    report: &'a R,
}

/// Runs the command.
pub(super) fn run(context: &Context, args: &FromArgs) -> CommandResult {
    match args {
        FromArgs::IssNacional(args) => run_iss_nacional(context, args),
        FromArgs::Tipi(args) => tables::run_tipi(context, args),
        FromArgs::Cclasstrib(args) => tables::run_cclasstrib(context, args),
    }
}

fn run_iss_nacional(context: &Context, args: &TableArgs) -> CommandResult {
    let file = args.open()?;
    let name = args.name();
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
    context.print(&written, || text(&args.out, &report))
}

impl TableArgs {
    /// Opens the table. Fails if there is a file where the bundle is to be written.
    fn open(&self) -> Result<File, AdminError> {
        require_new(&self.out)?;
        File::open(&self.table).map_err(|e| cannot_read(&self.table, &e))
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

fn text(out: &Path, report: &Report) -> String {
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
