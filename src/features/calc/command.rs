//! `taxd calc`: the engine without a server.

pub mod list;
pub mod operation_page;

use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use self::list::ListArgs;
use crate::base::document::{Node, without_bom};
use crate::cli::engine::{BATCH, BATCH_BYTES};
use crate::cli::{CommandResult, Context, files, output};
use crate::core::engine::Engine;
use crate::features::AdminError;
use crate::features::calc::{CalcCommand, CalcLine, calc_answers, operations};
use crate::features::lists::Asked;
use crate::law::operation::Apuracao;
use crate::law::rule::RuleResult;
use crate::law::tax::Suposicao;

/// Calculate payloads from a file or stdin
///
/// The input is one payload, or one payload a line (JSON lines). For each, in order, one line of
/// JSON comes out: the answer, or the problem document. Uses the data directory's rules, also beside
/// a running server. If none is named and there is no ./taxd-data, it uses the built-in rules. Exit
/// status 1 if any payload was refused.
///
/// The input may also be a list: a CSV or XLSX whose first row names the fields, as the API or the page names them, in
/// any order. Each row is a payload; other columns are kept. The same rows come out with the amount, base,
/// rate, rule, citation, validity, notices and error of each, as CSV (with `;` and decimal commas) or XLSX. The last line
/// counts the refused rows by cause; with --json and --out it is a JSON document on stdout.
///
/// With --operacao each document, or row of a list, is one operation (a sale of goods, or a service), and the answer
/// has every tax of it, in the order in which one feeds the next, with totals. Exit status 1 if any
/// operation is incomplete.
///
/// With --tratamento each document, or row of a list, is a product: its NCM and day, and the Ex, the CEST and the UFs if they
/// matter. The answer says how each tax treats it, by which rule, whatever the regime of the seller.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option that is typed or not")]
pub(crate) struct CalcArgs {
    /// Input file; stdin if left out or "-". One named .csv, .tsv, .xlsx or .xlsm is a list
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Add the calculation step by step (detalhes.memoria)
    #[arg(long)]
    memoria: bool,
    /// Add the proof of each answer (prova): digests of the payload, of every rule that was used and of the result.
    /// `taxd verify` checks a line {"payload": ..., "resposta": ...} of it
    #[arg(long)]
    prova: bool,
    /// Calculate every tax of an operation
    #[arg(long, conflicts_with = "tributo")]
    operacao: bool,
    /// Say how each tax treats a product, for any seller
    #[arg(long, conflicts_with_all = ["tributo", "operacao", "memoria", "prova"])]
    tratamento: bool,
    /// Answer as if a figure of the rules were another (cbs.aliquota:8.80); with commas, or repeated, for several. Every
    /// answer that depends on it says first that it is not law
    #[arg(long, value_name = "TRIBUTO.FIELD:VALUE", value_delimiter = ',', conflicts_with_all = ["prova", "tratamento"])]
    supondo: Vec<Suposicao>,
    #[command(flatten)]
    list: ListArgs,
    /// How to write operations [default: text on a terminal, otherwise json]
    #[arg(long, value_name = "FORMAT", requires = "operacao")]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line of JSON each
    Json,
    /// A page for people
    Text,
}

impl CalcArgs {
    /// What each payload or row asks.
    fn asked(&self) -> Asked {
        match (self.operacao, self.tratamento) {
            (true, _) => Asked::Operation,
            (false, true) => Asked::Treatment,
            (false, false) => Asked::Tax,
        }
    }

    /// True if the answers are for people.
    fn is_text(&self) -> bool {
        let usual = if io::stdout().is_terminal() { Format::Text } else { Format::Json };
        self.operacao && self.format.unwrap_or(usual) == Format::Text
    }

    /// The answers to payloads, as they are written.
    fn lines(&self, engine: &Engine, payloads: Vec<Vec<u8>>) -> Vec<CalcLine> {
        let CalcArgs { memoria, prova, operacao, tratamento, .. } = *self;
        let supondo = self.supondo.clone();
        let command = CalcCommand { payloads, memoria, prova, operacao, tratamento, supondo, ..CalcCommand::default() };
        if !self.is_text() {
            return calc_answers(engine, &command);
        }
        let lacks = |reply: &RuleResult<Apuracao>| reply.as_ref().map_or(true, |apuracao| !apuracao.completo);
        let page = |reply| CalcLine { json: operation_page::page(&reply).into_bytes(), is_lacking: lacks(&reply) };
        operations(engine, &command).into_iter().map(page).collect()
    }
}

pub(crate) fn run(context: &Context, args: &CalcArgs) -> CommandResult {
    let file = args.file.as_deref().filter(|path| path.as_os_str() != "-");
    Suposicao::check_list(&args.supondo).map_err(AdminError::new)?;
    if args.list.applies(file) {
        let other = [(args.memoria, "--memoria"), (args.prova, "--prova"), (args.format.is_some(), "--format")];
        return match other.into_iter().find(|(given, _)| *given) {
            Some((_, option)) => Err(AdminError::new(format!("{option} takes JSON lines, not a list"))),
            None => list::run(context, &args.list, file, (args.asked(), &args.supondo)),
        };
    }
    let mut input: Box<dyn BufRead + Send> = match file {
        Some(path) => Box::new(BufReader::new(files::open(path)?)),
        None => Box::new(BufReader::new(io::stdin())),
    };
    let (mut engine, mut opened) = (context.engine()?, Instant::now());
    let mut out = BufWriter::new(io::stdout());
    let mut refused = false;
    let mut batch = first_payloads(&mut input)?;
    let mut more = fill(&mut batch, &mut input)?;
    while !batch.is_empty() {
        // A stream may never end: it follows the publications, and keeps no page of the file from being used again.
        if file.is_none() && opened.elapsed() >= REOPENED && context.rules_dir()?.is_some() {
            (engine, opened) = (context.engine()?, Instant::now());
        }
        let payloads = std::mem::take(&mut batch);
        let answer = || {
            args.lines(&engine, payloads).into_iter().try_for_each(|line| {
                refused |= line.is_lacking;
                out.write_all(&line.json).and_then(|()| out.write_all(b"\n"))
            })
        };
        // The next lines are read while these are answered.
        let read = || fill(&mut batch, &mut input);
        let (written, read) = if more { rayon::join(answer, read) } else { (answer(), Ok(false)) };
        if let Err(error) = written {
            return output::stopped_reading(&error);
        }
        more = read?;
    }
    match out.flush() {
        Err(error) => output::stopped_reading(&error),
        Ok(()) => Ok(if refused { ExitCode::FAILURE } else { ExitCode::SUCCESS }),
    }
}

fn cannot_read(error: &io::Error) -> AdminError {
    AdminError::new(format!("cannot read the input: {error}"))
}

/// How long a stream is answered by the rules as they were.
const REOPENED: Duration = Duration::from_secs(5);
/// Most bytes of a line, and of a document of several lines.
const MAX_PAYLOAD_BYTES: u64 = 1024 * 1024;

fn too_long(what: &str) -> AdminError {
    AdminError::new(format!("{what} of the input has more than 1 MiB; give one payload, or one payload a line"))
}

/// Adds the next line with its end. Returns false at the end of the input. Fails for a line that no payload has: the
/// input may never end.
fn read_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> Result<bool, AdminError> {
    let read = Read::take(&mut *input, MAX_PAYLOAD_BYTES + 1).read_until(b'\n', line).map_err(|e| cannot_read(&e))?;
    if !line.ends_with(b"\n") && u64::try_from(read).is_ok_and(|read| read > MAX_PAYLOAD_BYTES) {
        return Err(too_long("a line"));
    }
    Ok(read > 0)
}

/// Reads the first line if it is a document by itself, else what a document may have: as one document, or as the lines
/// that it has.
fn first_payloads(input: &mut dyn BufRead) -> Result<Vec<Vec<u8>>, AdminError> {
    let mut first = Vec::new();
    while first.trim_ascii().is_empty() {
        first.clear();
        if !read_line(input, &mut first)? {
            return Err(AdminError::new("the input is empty; give a payload, or one payload a line"));
        }
        // A line with only a byte order mark is blank.
        first.drain(..first.len() - without_bom(&first).len());
    }
    if Node::check(&first).is_err() {
        let mut whole = first.clone();
        Read::take(&mut *input, MAX_PAYLOAD_BYTES).read_to_end(&mut whole).map_err(|e| cannot_read(&e))?;
        let is_cut = !input.fill_buf().map_err(|e| cannot_read(&e))?.is_empty();
        if is_cut && !whole.ends_with(b"\n") {
            read_line(input, &mut whole)?;
        }
        // If other lines are documents, only the first line is faulty.
        let has_others = whole.get(first.len()..).is_some_and(has_document_line);
        match (is_cut, has_others) {
            (true, false) => return Err(too_long("the first document")),
            (false, others) if !others || Node::check(&whole).is_ok() => return Ok(vec![whole]),
            _ => {}
        }
        return Ok(whole.split(|b| *b == b'\n').filter(|l| !l.trim_ascii().is_empty()).map(<[u8]>::to_vec).collect());
    }
    Ok(vec![first])
}

fn has_document_line(rest: &[u8]) -> bool {
    rest.split(|b| *b == b'\n').any(|line| matches!(Node::parse(line), Ok(Node::Object(_))))
}

/// Adds lines up to a full batch, without blank ones. Returns false at the end of the input.
fn fill(batch: &mut Vec<Vec<u8>>, input: &mut dyn BufRead) -> Result<bool, AdminError> {
    let mut bytes = 0;
    while batch.len() < BATCH && bytes < BATCH_BYTES {
        let mut line = Vec::new();
        if !read_line(input, &mut line)? {
            return Ok(false);
        }
        // A blank line is not kept: only the end of the input ends a batch without payloads.
        if !line.trim_ascii().is_empty() {
            bytes += line.len();
            line.truncate(line.trim_ascii_end().len());
            batch.push(line);
        }
    }
    Ok(true)
}
