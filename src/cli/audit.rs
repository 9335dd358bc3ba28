//! `taxd audit`: fiscal documents against the law in force on their dates.

mod inputs;
mod output;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use self::inputs::{Input, Inputs};
use self::output::Writer;
use super::calculator::Calculator;
use super::{CommandResult, Context, files, progress, typed};
use crate::admin::{AdminError, CalcCommand, InputFault, in_parallel};
use crate::audit::{self, AuditLine, Companies, PlannedLine, Question};
use crate::defect::{Defect, caught};
use crate::nfe::{self, DocumentStatus, FiscalDocument};
use crate::value::{Date, Timestamp};

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// Check fiscal documents (NF-e, NFC-e, NFS-e) against the law in force on their dates
///
/// Reads XML files, directories of them (with their ZIP archives) and ZIP archives, and reports for
/// each item and tax whether the document agrees: `confere`, `confere_aliquota` (the rate agrees, the
/// base does not), `diverge`, `recusado` (what is missing to say) or `nao_se_aplica` (why). It also
/// checks the arithmetic inside each document and the coherence of its codes. Nothing leaves the
/// machine. Uses the rules that `taxd calc` would use. The report is Portuguese. ICMS-ST is checked
/// only if the document charges it; of an NFS-e the ISS, and CBS and IBS if it has their group. A
/// document that was cancelled or denied (by its protocol, or by an event among the files) and the
/// second copy of a document are not compared.
///
/// Exit status 0 if nothing differs, 1 if something differs or a file or field cannot be read, 2 for
/// wrong usage. What is refused for want of a fact or a rule does not count as a difference.
#[derive(Debug, Args)]
pub(super) struct AuditArgs {
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
    /// How to write the report: text is a page for each company and month, json is one line each
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Add the calculation step by step (json only)
    #[arg(long)]
    memoria: bool,
}

/// How the report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Csv,
    Xlsx,
    Json,
}

/// A document, planned.
struct Planned {
    /// Its access key, which is never written; empty if it has none.
    key: String,
    /// Its lines.
    lines: Vec<PlannedLine>,
    /// Its line if the run had the same key before.
    repeated: Option<Box<AuditLine>>,
}

/// Runs the command.
pub(super) fn run(context: &Context, args: &AuditArgs) -> CommandResult {
    let desde = args.desde.as_deref().map(Date::parse).transpose().map_err(AdminError::new)?;
    let companies = companies(args)?;
    let mut inputs = Inputs::of(&args.paths)?;
    let conhecido_em = args.conhecido_em.as_deref().map(|text| known_at(text, Timestamp::now())).transpose()?;
    if conhecido_em.is_some() && context.rules_dir()?.is_none() {
        return Err(AdminError::new("--conhecido-em needs a data directory: the built-in rules have no past"));
    }
    let mut asker = Asker::open(context, args.memoria, conhecido_em)?;
    let format = if context.json { Format::Json } else { args.format };
    let mut writer = Writer::new(format, args.so_divergencias)?;
    let cancelled = cancelled(inputs.again());
    let mut seen = HashSet::new();
    let bar = progress::of_files(inputs.total());
    while let Some(batch) = inputs.next_batch() {
        bar.set_position(inputs.taken());
        let plan = |input: &Input| {
            caught(|| planned(input, &companies, &cancelled, desde))
                .unwrap_or_else(|defect| defective(&input.name, &defect))
        };
        let documents = in_parallel(&batch, plan).into_iter().flatten();
        let lines = documents.flat_map(|document| first_only(document, &mut seen)).collect();
        let results = asker.answered(lines)?;
        if !writer.write(results)? {
            // The reader has gone (`| head`).
            return Ok(ExitCode::SUCCESS);
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
        let fault = |(line, detail)| InputFault {
            file: file.clone(),
            line: Some(line),
            path: String::new(),
            codigo: None,
            detail,
        };
        let faults = faults.into_iter().map(fault).collect();
        AdminError::Faults { message: format!("{} cannot be used", path.display()), faults }
    })
}

/// The line of a file on which this program panicked.
fn defective(name: &str, defect: &Defect) -> Vec<Planned> {
    tracing::error!(%defect, "a file could not be audited");
    let detail = "a leitura falhou por um defeito do programa; avise o operador".to_owned();
    let fault = nfe::XmlFault { line: 1, codigo: "erro_interno", detail };
    vec![Planned::fault(name, &fault)]
}

impl Planned {
    /// The line of a file that cannot be read.
    fn fault(name: &str, fault: &nfe::XmlFault) -> Planned {
        let line = PlannedLine::Ready(Box::new(AuditLine::unreadable(name, fault)));
        Planned { key: String::new(), lines: vec![line], repeated: None }
    }
}

/// The lines of a document, or the line that says that the run had it before.
fn first_only(document: Planned, seen: &mut HashSet<String>) -> Vec<PlannedLine> {
    match document.repeated {
        Some(repeated) if !seen.insert(document.key) => vec![PlannedLine::Ready(repeated)],
        _ => document.lines,
    }
}

/// The access keys that some event among the files cancels: it may come after its document, so all files are searched
/// before the first is audited.
fn cancelled(mut inputs: Inputs) -> HashSet<String> {
    let mut keys = HashSet::new();
    while let Some(batch) = inputs.next_batch() {
        // A file on which this panics has its line in the audit itself.
        let search = |input: &Input| match &input.bytes {
            Ok(bytes) => caught(|| nfe::cancelled_keys(bytes)).unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        keys.extend(in_parallel(&batch, search).into_iter().flatten());
    }
    keys
}

/// Reads and plans the documents of a file.
fn planned(input: &Input, companies: &Companies, cancelled: &HashSet<String>, desde: Option<Date>) -> Vec<Planned> {
    let documents = match &input.bytes {
        Ok(bytes) => nfe::read(bytes),
        Err(fault) => Err(fault.clone()),
    };
    let documents = match documents {
        Ok(documents) => documents,
        Err(fault) => return vec![Planned::fault(&input.name, &fault)],
    };
    let numbered = documents.into_iter().zip(1..).filter(|(document, _)| audit::includes(document, desde));
    let plan = |(mut document, number): (FiscalDocument, u32)| {
        if cancelled.contains(document.key()) {
            document.set_status(DocumentStatus::Cancelled);
        }
        let lines = audit::plan(&input.name, number, &document, &companies.of(document.emitente()));
        let is_document = !document.key().is_empty() && !matches!(document, FiscalDocument::Event(_));
        let repeated = is_document.then(|| Box::new(audit::repeated(&input.name, number, &document)));
        Planned { key: document.key().to_owned(), lines, repeated }
    };
    numbered.map(plan).collect()
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

/// Has the questions answered.
struct Asker {
    calculator: Calculator,
    memoria: bool,
    conhecido_em: Option<Timestamp>,
    /// Days of issue, and whether the rules have the table of all NCMs on them; without it no NCM can be called extinct.
    ncm_days: HashMap<String, bool>,
}

impl Asker {
    fn open(context: &Context, memoria: bool, conhecido_em: Option<Timestamp>) -> Result<Asker, AdminError> {
        let calculator = Calculator::open(context)?;
        Ok(Asker { calculator, memoria, conhecido_em, ncm_days: HashMap::new() })
    }

    fn ask(&self, payloads: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, AdminError> {
        let (memoria, conhecido_em) = (self.memoria, self.conhecido_em);
        self.calculator.answer(CalcCommand { payloads, memoria, conhecido_em, ..CalcCommand::default() })
    }

    /// Asks for each new day of issue whether the rules have the table of all NCMs on it.
    fn learn_ncm_days(&mut self, lines: &[PlannedLine]) -> Result<(), AdminError> {
        let day = |line: &PlannedLine| match line {
            PlannedLine::Question(question) => question.ncm.as_ref().map(|line| line.data.clone()),
            PlannedLine::Ready(_) => None,
        };
        let days: BTreeSet<String> = lines.iter().filter_map(day).collect();
        let days: Vec<String> = days.into_iter().filter(|day| !self.ncm_days.contains_key(day)).collect();
        if !days.is_empty() {
            let answers = self.ask(days.iter().map(|day| audit::ncm_probe(day)).collect())?;
            self.ncm_days.extend(days.into_iter().zip(answers.iter().map(|answer| audit::has_ncm_table(answer))));
        }
        Ok(())
    }

    /// The results of the lines, in order.
    fn answered(&mut self, lines: Vec<PlannedLine>) -> Result<Vec<AuditLine>, AdminError> {
        self.learn_ncm_days(&lines)?;
        let question = |line: &PlannedLine| match line {
            PlannedLine::Question(question) => Some(question.payload.clone()),
            PlannedLine::Ready(_) => None,
        };
        let payloads: Vec<Vec<u8>> = lines.iter().filter_map(question).collect();
        let mut answers = if payloads.is_empty() { Vec::new() } else { self.ask(payloads)? }.into_iter();
        let result = |line: PlannedLine| match line {
            PlannedLine::Ready(result) => vec![*result],
            PlannedLine::Question(mut question) => {
                question.ncm = question.ncm.filter(|line| self.ncm_days.get(&line.data) == Some(&true));
                Question::answered(*question, &answers.next().unwrap_or_default())
            }
        };
        Ok(lines.into_iter().flat_map(result).collect())
    }
}
