//! `taxd calc`: the engine without a server.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::files;
use super::{CommandResult, Context, DEFAULT_DATA};
use crate::admin::{AdminError, CalcAnswers, CalcCommand, Command, calc_lines, control, data_dir};
use crate::document::{Node, without_bom};
use crate::engine::Engine;
use crate::rulesets;
use crate::value::Clock;

/// Payloads calculated together: enough to keep every core busy, few enough to answer a stream without delay.
const BATCH: usize = 8_192;
/// Size of the result cache: none, because the lines of a file seldom repeat.
const CACHED_RESULTS: usize = 0;

/// Calculate payloads from a file or stdin
///
/// The input is one payload, or one payload a line (JSON lines). For each, in order, one line of
/// JSON comes out: the answer, or the problem document. Uses the data directory's rules (through
/// the running server, if there is one). If none is named and there is no ./taxd-data, it uses the
/// built-in rules. Exit status 1 if any payload was refused.
#[derive(Debug, Args)]
pub(super) struct CalcArgs {
    /// Input file; stdin if left out or "-"
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Add the calculation step by step (detalhes.memoria)
    #[arg(long)]
    memoria: bool,
}

/// The process that calculates.
enum Calculator {
    Here(Box<Engine>),
    Server(PathBuf),
}

/// Runs the command.
pub(super) fn run(context: &Context, args: &CalcArgs) -> CommandResult {
    let mut input: Box<dyn BufRead> = match args.file.as_deref() {
        Some(path) if path.as_os_str() != "-" => {
            Box::new(BufReader::new(File::open(path).map_err(|e| files::cannot_read(path, &e))?))
        }
        _ => Box::new(BufReader::new(io::stdin())),
    };
    let calculator = Calculator::open(context)?;
    let mut output = BufWriter::new(io::stdout());
    let mut refused = false;
    let mut batch = first_payloads(&mut input)?;
    loop {
        let more = fill(&mut batch, &mut input)?;
        for line in calculator.answer(&batch, args.memoria)? {
            refused |= is_refusal(&line);
            if let Err(error) = output.write_all(&line).and_then(|()| output.write_all(b"\n")) {
                return stopped_reading(&error);
            }
        }
        batch.clear();
        if !more {
            break;
        }
    }
    match output.flush() {
        Err(error) => stopped_reading(&error),
        Ok(()) => Ok(if refused { ExitCode::FAILURE } else { ExitCode::SUCCESS }),
    }
}

/// Ends the work without an error if the reader has gone (`| head`).
fn stopped_reading(error: &io::Error) -> CommandResult {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Ok(ExitCode::SUCCESS);
    }
    Err(AdminError::new(format!("cannot write to stdout: {error}")))
}

fn is_refusal(line: &[u8]) -> bool {
    line.starts_with(b"{\"type\":\"urn:taxd:erro:")
}

fn cannot_read(error: &io::Error) -> AdminError {
    AdminError::new(format!("cannot read the input: {error}"))
}

/// Reads the first line if it is a document by itself, else the whole input: as one document, or as the lines that
/// it has.
fn first_payloads(input: &mut dyn BufRead) -> Result<Vec<Vec<u8>>, AdminError> {
    let mut first = Vec::new();
    while first.trim_ascii().is_empty() {
        first.clear();
        if input.read_until(b'\n', &mut first).map_err(|e| cannot_read(&e))? == 0 {
            return Err(AdminError::new("the input is empty; give a payload, or one payload a line"));
        }
        // A line with only a byte order mark is blank.
        first.drain(..first.len() - without_bom(&first).len());
    }
    if Node::parse(&first).is_err() {
        let mut whole = first.clone();
        input.read_to_end(&mut whole).map_err(|e| cannot_read(&e))?;
        // If other lines are documents, only the first line is faulty.
        let is_document = Node::parse(&whole).is_ok() || !whole.get(first.len()..).is_some_and(has_document_line);
        if is_document {
            return Ok(vec![whole]);
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
    while batch.len() < BATCH {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line).map_err(|e| cannot_read(&e))? == 0 {
            return Ok(false);
        }
        if !line.trim_ascii().is_empty() {
            line.truncate(line.trim_ascii_end().len());
            batch.push(line);
        }
    }
    Ok(true)
}

impl Calculator {
    fn open(context: &Context) -> Result<Calculator, AdminError> {
        let Some(dir) = context.rules_dir()? else {
            tracing::warn!(data = DEFAULT_DATA, "there is no data directory: calculating with the built-in rules");
            return Ok(Calculator::Here(Box::new(rulesets::in_memory(Clock::system())?)));
        };
        if let Some(greeted) = control::greet(dir) {
            greeted?;
            return Ok(Calculator::Server(dir.to_owned()));
        }
        Ok(Calculator::Here(Box::new(Engine::new(data_dir::open(dir)?, CACHED_RESULTS))))
    }

    /// Returns the answers, in the order of the payloads.
    fn answer(&self, payloads: &[Vec<u8>], memoria: bool) -> Result<Vec<Vec<u8>>, AdminError> {
        match self {
            Calculator::Here(engine) => Ok(calc_lines(engine, payloads, memoria)),
            Calculator::Server(dir) => {
                let command = Command::Calc(CalcCommand { payloads: payloads.to_vec(), memoria });
                let gone = || AdminError::new("the server stopped before all payloads were calculated");
                let answer = control::call(dir, &command, &mut |_| {}).ok_or_else(gone)??;
                let CalcAnswers { answers } = serde_json::from_str(answer.get())?;
                Ok(answers.into_iter().map(String::into_bytes).collect())
            }
        }
    }
}
