//! `taxd audit`: fiscal documents against the law in force on their dates.

mod clients;
mod inputs;
mod writer;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use self::clients::ClientFiles;
use self::inputs::listed;
use self::writer::{ReportThread, Writer};
use crate::base::sentence::Reader;
use crate::base::value::{Date, Timestamp};
use crate::cli::{CommandResult, Context, files, output, progress};
use crate::core::engine::Engine;
use crate::features::audit::{
    AuditLine, Companies, FileLimits, Input, Inputs, NamedFile, Payloads, Run, SegregatedMonth, Surface,
};
use crate::features::calc::{Questions, replies, tax_answers};
use crate::features::instants::known_at;
use crate::features::{AdminError, InputFault, typed};
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// Check fiscal documents (NF-e, NFC-e, CF-e, CT-e, NFS-e) against the law in force on their dates
///
/// Reads XML files, directories of them (with their ZIP archives) and ZIP archives, and reports for
/// each item and tax whether the document agrees: `confere`, `confere_aliquota` (the rate agrees, the
/// base does not), `diverge`, `recusado` (what is missing to say) or `nao_se_aplica` (why). It also
/// checks the arithmetic inside each document and the coherence of its codes. Nothing leaves the
/// machine. Uses the rules that `taxd calc` would use. The report is Portuguese. A difference that one changed fact
/// explains (freight, discount, a tax in the base, buyer, origin, UF, another version of the rule) says so
/// (`explicacao`). A missing ICMS-ST is seen in a sale of the maker within a State; of an NFS-e the ISS, and PIS, COFINS, CBS and IBS if it has their group.
/// What the taker of a service withholds is checked if the document declares it. A
/// document that was cancelled or denied (by its protocol, or by an event among the files) and the
/// second copy of a document are not compared. Every other file has a line that names it: an MDF-e
/// and a PDF are `nao_se_aplica`; a .rar or .7z is `recusado`, and must be extracted first.
///
/// An EFD ICMS/IPI under PATH, or of `--efd`, is crossed with the documents (`camada` `cruzamento`): what is in one and
/// not in the other, amounts, dates, keys, CFOP, CST and rates, and the accounts of ICMS and IPI, with register and line.
///
/// Of a company of the Simples Nacional (CRT 1 or 2, or `simples_nacional` in the file of `--empresa`) the report ends
/// with the revenue of each month, segregated as the PGDAS-D asks for it, and what the DAS would charge twice otherwise.
/// Of a company that the file of `--empresa` names it also has what its purchases may credit: ICMS, IPI, PIS and COFINS
/// of the notes that it received, as possible, not, or to be checked (`camada` `compras`). A credit is never a difference.
///
/// Exit status 1 if something differs for sure (`certeza` is `erro_do_documento` or `regra_plena`) or a
/// note, an archive or a field cannot be read, 2 for wrong usage, else 0. Files without notes do not change it.
/// A difference that only a person can judge (`conferir`) and what is refused for want of a fact or a rule are
/// reported, and leave the status 0; with `--strict` a difference to be checked makes it 1 too.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// XML files, directories or ZIP archives; "-" is stdin
    #[arg(value_name = "PATH", required_unless_present = "efd")]
    paths: Vec<PathBuf>,
    /// An EFD to cross with the documents; may be given several times. Those under PATH are crossed, too
    #[arg(long, value_name = "FILE")]
    efd: Vec<PathBuf>,
    /// TOML file, or CSV with a row a company, with what no document says: `regime_pis_cofins`,
    /// `contribuinte_ipi`, special regimes, months in the Simples Nacional
    #[arg(long, value_name = "FILE")]
    empresa: Option<PathBuf>,
    /// Only documents issued on this day or later
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    desde: Option<String>,
    /// Use the rules as they were known on this day (to its end, UTC) or at this instant: what the data
    /// directory had published by then
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    conhecido_em: Option<String>,
    /// Only differences, and files and fields that cannot be read
    #[arg(long)]
    so_divergencias: bool,
    /// Exit status 1 also for a difference that only a person can judge (`conferir`)
    #[arg(long)]
    strict: bool,
    /// How to write the report: text is what each company is to correct, and a page for each of its months;
    /// mensagem is a short text for each company to paste into a message; csv and xlsx are a row for
    /// each item and tax, and xlsx opens on what to correct, a row for each cause, and has worksheets by
    /// product and, without --so-divergencias, of what was not compared; json is a JSON object a line for each item and tax, with the payload and the whole
    /// answer, as `taxd verify` takes them. `--json` is the same as `--format json`
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write into this new or empty directory, for each company, an XLSX to hand over (`CNPJ-name.xlsx`) and a text to
    /// paste into a message (`.txt`). The companies are those of --empresa, with the name that it gives them (`nome`);
    /// without it, all issuers
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "memoria"])]
    relatorio: Option<PathBuf>,
    /// Add the calculation step by step (json only)
    #[arg(long)]
    memoria: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Mensagem,
    Csv,
    Xlsx,
    Json,
}

impl AuditArgs {
    /// Who reads the sentences.
    fn reader(&self) -> Reader {
        let is_for_people = self.relatorio.is_some() || self.format == Format::Mensagem;
        if is_for_people { Reader::Person } else { Reader::Program }
    }
}

/// The report cannot be written, so the run ends before its files.
struct Unwritten;

/// The command, which asks an engine and writes on stdout.
struct OnStdout<'a> {
    args: &'a AuditArgs,
    conhecido_em: Option<Timestamp>,
    engine: Engine,
    report: ReportThread,
    bar: ProgressBar,
    /// A line differs for sure, or differs at all if the run is strict, or could not be read.
    differs: bool,
}

impl Surface for OnStdout<'_> {
    type Stop = Unwritten;
    type Held = ();
    const BATCH: (usize, usize) = (64, 4 * 1024 * 1024);

    fn begin(&mut self, _: &mut [Input]) -> Result<Option<()>, Unwritten> {
        Ok(None)
    }

    fn admit(&mut self, _: bool) -> Result<(), Unwritten> {
        Ok(())
    }

    fn ask(&mut self, payloads: Payloads, steps: bool) -> Result<Vec<RuleResult<TaxAnswer>>, Unwritten> {
        let (memoria, conhecido_em) = (self.args.memoria && steps, self.conhecido_em);
        let leitor = self.args.reader();
        let questions = Questions { payloads, memoria, conhecido_em, leitor, ..Questions::default() };
        Ok(tax_answers(replies(&self.engine, &questions)))
    }

    fn line(&mut self, line: AuditLine) -> Result<(), Unwritten> {
        self.differs |= line.is_sure_finding() || (self.args.strict && line.is_finding());
        if self.report.line(line) { Ok(()) } else { Err(Unwritten) }
    }

    fn segregated(&mut self, month: SegregatedMonth) -> Result<(), Unwritten> {
        // Revenue does not differ from anything.
        if self.args.so_divergencias || self.report.segregated(month) { Ok(()) } else { Err(Unwritten) }
    }

    fn progress(&mut self, inputs: Option<&Inputs<'_>>) -> Result<(), Unwritten> {
        self.bar.set_position(inputs.map_or(0, Inputs::begun) as u64);
        Ok(())
    }
}

pub(crate) fn run(context: &Context, args: &AuditArgs) -> CommandResult {
    let desde = args.desde.as_deref().map(Date::parse).transpose().map_err(AdminError::new)?;
    let run = Run { companies: companies(args)?, desde, limits: FileLimits::default() };
    let files = listed(&args.paths, &args.efd, args.empresa.as_deref())?;
    let conhecido_em = args.conhecido_em.as_deref().map(|text| known_at(text, Timestamp::now())).transpose()?;
    if conhecido_em.is_some() && context.rules_dir()?.is_none() {
        return Err(AdminError::new("--conhecido-em needs a data directory: the built-in rules have no past"));
    }
    let engine = if conhecido_em.is_some() { context.settled_engine() } else { context.engine() }?;
    let names = run.companies.names().clone();
    let writer = match &args.relatorio {
        Some(dir) => Writer::Clients(Box::new(ClientFiles::begin(dir, names, args.so_divergencias)?)),
        None => Writer::new(if context.json { Format::Json } else { args.format }, names)?,
    };
    let bar = progress::of_files(files.iter().map(NamedFile::count).sum::<usize>() as u64);
    let report = ReportThread::begin(writer, args.so_divergencias);
    let mut audit = OnStdout { args, conhecido_em, engine, report, bar, differs: false };
    // If the report cannot be written, its writer says why.
    let _ = run.over(&files, &mut audit);
    let writer = match audit.report.end() {
        Ok(writer) => writer,
        Err(error) => {
            return args
                .relatorio
                .as_ref()
                .map_or_else(|| output::stopped_reading(&error), |dir| Err(files::cannot_write(dir, &error)));
        }
    };
    audit.bar.finish_and_clear();
    match writer.finish(args.so_divergencias, context.json) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(output::stdout_failed(&error)),
        _ if audit.differs => Ok(ExitCode::FAILURE),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Reads the file of `--empresa`; without it nothing is known of any issuer.
fn companies(args: &AuditArgs) -> Result<Companies, AdminError> {
    let Some(path) = &args.empresa else { return Ok(Companies::default()) };
    Companies::parse(files::read_small(path)?).map_err(|faults| {
        let file = Some(path.display().to_string());
        let fault =
            |(line, detail)| InputFault { file: file.clone(), line: Some(line), detail, ..InputFault::default() };
        let faults = faults.into_iter().map(fault).collect();
        AdminError::Faults { message: format!("{} cannot be used", path.display()), faults }
    })
}
