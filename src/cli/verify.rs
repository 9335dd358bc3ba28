//! `taxd verify`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::calculator::{BATCH, Calculator};
use super::files::cannot_read;
use super::{CommandResult, Context, typed};
use crate::admin::{AdminError, AnswerDifference, VerifiedAnswer, VerifyCommand, VerifyVerdict};

/// Answers that the report lists; it counts the others.
const MAX_LISTED: usize = 1_000;

/// Check stored answers: do these rules give the same, now and as they were known then?
///
/// The input has one JSON object a line: `payload`, the request; `resposta`, the answer or refusal
/// that was stored; and, if it is known, `calculado_em`, the instant of the answer. Each payload is
/// calculated again with the data directory's rules (through the running server, if there is one), or
/// with the built-in ones. An answer with `prova` must also match its own digests.
///
/// `confere`: the same now. `conferia`: not now, but as the rules were known then. `diverge`: neither,
/// with what differs. `outro_motor`: it differs, and its proof names another version of taxd.
/// `adulterada`: its own proof does not cover it. `ilegivel`: not such a line.
///
/// Exit status 0 if all answers are `confere`, 1 if one is not. The report is Portuguese.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// Input file; stdin if left out or "-"
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Instant or day (UTC) of the answers that do not have `calculado_em`
    #[arg(long, value_name = "TIMESTAMP", value_parser = typed::day)]
    conhecido_em: Option<String>,
}

/// How many answers have each verdict.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Counts {
    confere: u64,
    conferia: u64,
    outro_motor: u64,
    diverge: u64,
    adulterada: u64,
    ilegivel: u64,
}

/// An answer that is not as it was, with its line.
#[derive(Debug, Serialize)]
struct NumberedAnswer {
    linha: u64,
    #[serde(flatten)]
    found: VerifiedAnswer,
}

/// The report.
#[derive(Debug, Default, Serialize)]
struct VerifyReport {
    resumo: Counts,
    /// Those that are not `confere`, up to [`MAX_LISTED`].
    respostas: Vec<NumberedAnswer>,
}

/// Runs the command.
pub(super) fn run(context: &Context, args: &VerifyArgs) -> CommandResult {
    let mut input: Box<dyn BufRead> = match &args.file {
        Some(path) if path.as_os_str() != "-" => {
            Box::new(BufReader::new(File::open(path).map_err(|e| cannot_read(path, &e))?))
        }
        _ => Box::new(io::stdin().lock()),
    };
    let calculator = Calculator::open(context)?;
    let mut report = VerifyReport::default();
    let mut line = 0;
    loop {
        let batch = next_batch(&mut input, &mut line)?;
        if batch.is_empty() {
            break;
        }
        let (numbers, lines) = batch.into_iter().unzip::<u64, String, Vec<u64>, Vec<String>>();
        let command = VerifyCommand { lines, conhecido_em: args.conhecido_em.clone() };
        for (linha, found) in numbers.into_iter().zip(calculator.verify(command)?.respostas) {
            report.add(linha, found);
        }
    }
    if report.resumo == Counts::default() {
        return Err(AdminError::new("the input has no answer; each line is {\"payload\": ..., \"resposta\": ...}"));
    }
    let all_the_same = report.respostas.is_empty();
    context.print(&report, || report.text())?;
    Ok(if all_the_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The next lines with their numbers, without blank ones; none at the end.
fn next_batch(input: &mut dyn BufRead, line: &mut u64) -> Result<Vec<(u64, String)>, AdminError> {
    let mut batch = Vec::new();
    while batch.len() < BATCH {
        let mut bytes = Vec::new();
        let read = input.read_until(b'\n', &mut bytes);
        if read.map_err(|e| AdminError::new(format!("cannot read the input: {e}")))? == 0 {
            break;
        }
        *line += 1;
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            AdminError::new(format!("line {line} of the input is not UTF-8; convert the file and try again"))
        })?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.is_empty() {
            batch.push((*line, text.to_owned()));
        }
    }
    Ok(batch)
}

impl VerifyReport {
    fn add(&mut self, linha: u64, found: VerifiedAnswer) {
        let counts = &mut self.resumo;
        *match found.veredito {
            VerifyVerdict::Confere => &mut counts.confere,
            VerifyVerdict::Conferia => &mut counts.conferia,
            VerifyVerdict::OutroMotor => &mut counts.outro_motor,
            VerifyVerdict::Diverge => &mut counts.diverge,
            VerifyVerdict::Adulterada => &mut counts.adulterada,
            VerifyVerdict::Ilegivel => &mut counts.ilegivel,
        } += 1;
        if found.veredito != VerifyVerdict::Confere && self.respostas.len() < MAX_LISTED {
            self.respostas.push(NumberedAnswer { linha, found });
        }
    }

    fn text(&self) -> String {
        let Counts { confere, conferia, outro_motor, diverge, adulterada, ilegivel } = self.resumo;
        let mut lines: Vec<String> = self.respostas.iter().flat_map(NumberedAnswer::lines).collect();
        lines.push(format!(
            "confere: {confere}; conferia: {conferia}; outro_motor: {outro_motor}; diverge: {diverge}; adulterada: {adulterada}; ilegivel: {ilegivel}"
        ));
        lines.join("\n")
    }
}

impl NumberedAnswer {
    fn lines(&self) -> Vec<String> {
        let NumberedAnswer { linha, found } = self;
        let rule = found.rule_id.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
        let mut lines = vec![format!("linha {linha}: {}{rule}", found.veredito)];
        lines.extend(found.erro.iter().map(|why| format!("  {why}")));
        lines.extend(found.motor.iter().map(|motor| format!("  a prova é de {motor}")));
        if !found.adulterado.is_empty() {
            lines.push(format!("  a prova da resposta não cobre: {}", found.adulterado.join(", ")));
        }
        lines.extend(found.agora.iter().map(|difference| format!("  agora: {}", sentence(difference))));
        let then = found.entao.iter().flatten().filter(|difference| !found.agora.contains(difference));
        lines.extend(then.map(|difference| format!("  então: {}", sentence(difference))));
        // The texts come from the file: they move no cursor and begin no line.
        lines.iter().map(|line| line.replace(char::is_control, "\u{fffd}")).collect()
    }
}

fn sentence(difference: &AnswerDifference) -> String {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let AnswerDifference { campo, na_resposta, calculado } = difference;
    format!("{campo}: na resposta {}, pelas regras {}", shown(na_resposta), shown(calculado))
}
