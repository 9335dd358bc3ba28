//! `taxd audit`: fiscal documents against the law in force on their dates.

mod inputs;
mod output;

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use self::inputs::Inputs;
use self::output::Writer;
use crate::base::value::{Date, Timestamp};
use crate::cli::calculator::Calculator;
use crate::cli::{CommandResult, Context, files, progress};
use crate::features::audit::{Companies, Run, RunState, cancelled_in, in_batches};
use crate::features::calc::{Questions, in_parallel, tax_answers};
use crate::features::typed;
use crate::features::{AdminError, InputFault};
use crate::law::nfe::XmlLimits;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// Check fiscal documents (NF-e, NFC-e, NFS-e) against the law in force on their dates
///
/// Reads XML files, directories of them (with their ZIP archives) and ZIP archives, and reports for
/// each item and tax whether the document agrees: `confere`, `confere_aliquota` (the rate agrees, the
/// base does not), `diverge`, `recusado` (what is missing to say) or `nao_se_aplica` (why). It also
/// checks the arithmetic inside each document and the coherence of its codes. Nothing leaves the
/// machine. Uses the rules that `taxd calc` would use. The report is Portuguese. ICMS-ST is checked
/// only if the document charges it; of an NFS-e the ISS, and PIS, COFINS, CBS and IBS if it has their group. A
/// document that was cancelled or denied (by its protocol, or by an event among the files) and the
/// second copy of a document are not compared. Every other file has a line that names it: an EFD, a
/// CT-e and a PDF are `nao_se_aplica`; a .rar or .7z is `recusado`, and must be extracted first.
///
/// Exit status 1 if something differs for sure (`certeza` is `erro_do_documento` or `regra_plena`) or a
/// note, an archive or a field cannot be read, 2 for wrong usage, else 0. Files without notes do not change it.
/// A difference that only a person can judge (`conferir`) and what is refused for want of a fact or a rule are
/// reported, and leave the status 0; with `--strict` a difference to be checked makes it 1 too.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// XML files, directories or ZIP archives; "-" is stdin
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// TOML file with what no document says: `regime_pis_cofins`, `contribuinte_ipi`, special regimes
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
    /// How to write the report: text is a page for each company and month; csv and xlsx are a row for
    /// each item and tax; json is a JSON object a line for each item and tax, with the payload and the
    /// whole answer, as `taxd verify` takes them. `--json` is the same as `--format json`
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Add the calculation step by step (json only)
    #[arg(long)]
    memoria: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Csv,
    Xlsx,
    Json,
}

pub(crate) fn run(context: &Context, args: &AuditArgs) -> CommandResult {
    let desde = args.desde.as_deref().map(Date::parse).transpose().map_err(AdminError::new)?;
    let companies = companies(args)?;
    let mut inputs = Inputs::of(&args.paths, args.empresa.as_deref())?;
    let conhecido_em = args.conhecido_em.as_deref().map(|text| known_at(text, Timestamp::now())).transpose()?;
    if conhecido_em.is_some() && context.rules_dir()?.is_none() {
        return Err(AdminError::new("--conhecido-em needs a data directory: the built-in rules have no past"));
    }
    let calculator = Calculator::open(context)?;
    let ask = |payloads| {
        let questions = Questions { payloads, memoria: args.memoria, conhecido_em, ..Questions::default() };
        calculator.replies(&questions).map(tax_answers)
    };
    let format = if context.json { Format::Json } else { args.format };
    let mut writer = Writer::new(format, args.so_divergencias, args.strict)?;
    let cancelled = cancelled(inputs.again());
    let audit = Run { companies, cancelled, desde, limits: XmlLimits::default() };
    let mut state = RunState::default();
    let bar = progress::of_files(inputs.total());
    while let Some(batch) = inputs.next_batch() {
        bar.set_position(inputs.taken());
        let documents = in_parallel(&batch, |input| audit.planned(input)).into_iter().flatten();
        let lines = documents.flat_map(|document| state.first_only(document)).collect();
        for batch in in_batches(lines) {
            if !writer.write(state.answered(batch, ask)?)? {
                // The reader has gone (`| head`).
                return Ok(ExitCode::SUCCESS);
            }
        }
    }
    bar.finish_and_clear();
    let differs = writer.differs();
    writer.finish()?;
    Ok(if differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Reads the file of `--empresa`; without it nothing is known of any issuer.
fn companies(args: &AuditArgs) -> Result<Companies, AdminError> {
    let Some(path) = &args.empresa else { return Ok(Companies::default()) };
    let text = files::read_text(path)?;
    Companies::parse(&text).map_err(|faults| {
        let file = Some(path.display().to_string());
        let fault =
            |(line, detail)| InputFault { file: file.clone(), line: Some(line), detail, ..InputFault::default() };
        let faults = faults.into_iter().map(fault).collect();
        AdminError::Faults { message: format!("{} cannot be used", path.display()), faults }
    })
}

/// The access keys that some event among the files cancels.
fn cancelled(mut inputs: Inputs) -> HashSet<String> {
    let mut keys = HashSet::new();
    while let Some(batch) = inputs.next_batch() {
        keys.extend(in_parallel(&batch, |input| cancelled_in(input, XmlLimits::default())).into_iter().flatten());
    }
    keys
}

/// The instant of `--conhecido-em`: a day counts to its end, and today to now.
fn known_at(text: &str, now: Timestamp) -> Result<Timestamp, AdminError> {
    let instant = match Date::parse(text) {
        Ok(day) if day == now.day() => now,
        Ok(day) => Timestamp::from_millis(Timestamp::start_of(day).millis() + DAY_MS - 1).unwrap_or(now),
        Err(_) => Timestamp::parse(text).map_err(AdminError::new)?,
    };
    if instant > now {
        return Err(AdminError::new(format!("--conhecido-em {text} is in the future")));
    }
    Ok(instant)
}
