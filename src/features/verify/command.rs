//! `taxd verify`.

mod list;
mod report;

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use clap::Args;

use crate::cli::engine::{BATCH, BATCH_BYTES};
use crate::cli::{CommandResult, Context, files};
use crate::features::verify::{VerifyCommand, verify};
use crate::features::{AdminError, calc, typed};
use report::VerifyReport;

/// Largest line, in bytes: many times an answer with its steps and its proof.
const MAX_LINE_BYTES: u64 = 1024 * 1024;

/// Check stored answers: do these rules give the same, now and as they were known then?
///
/// The input has one JSON object a line: `payload`, the request; `resposta`, the answer or refusal
/// that was stored; and, if it is known, `calculado_em`, the instant or day of the answer. The lines
/// of `taxd audit --format json` are such lines; those for which no rule was asked are counted apart
/// (`sem_calculo`). A CSV or XLSX that `taxd calc` wrote is verified row by row, by its `taxd_`
/// columns. Each payload is calculated again with the data directory's rules, also beside a running
/// server, or with the built-in ones. An answer with `prova` must also match its own digests.
///
/// `confere`: the same now. `conferia`: not now, but as the rules were known then. `diverge`: neither,
/// with what differs. `outro_motor`: it differs, and its proof names another version of taxd.
/// `adulterada`: its own proof does not cover it. `ilegivel`: not such a line. What only the
/// calculated answer has does not count, unless the proof is of this version.
///
/// Exit status 0 if all answers are `confere`, 1 if one is not. The report is Portuguese.
///
/// Examples:
///   taxd verify respostas.jsonl
///   taxd audit --format json notas | taxd verify
///   taxd verify vendas-calculadas.xlsx --tributo icms --conhecido-em 2026-10-31
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct VerifyArgs {
    /// Input file; stdin if left out or "-"
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Instant, or day (to its end, UTC), of the answers that do not have `calculado_em`
    #[arg(long, value_name = "TIMESTAMP", value_parser = typed::day)]
    conhecido_em: Option<String>,
    /// Tax of every row of a list; without it, a column `tributo` names that of each
    #[arg(long, value_name = "TRIBUTO")]
    tributo: Option<String>,
    /// Worksheet of an XLSX; the first visible one if left out
    #[arg(long, value_name = "NAME")]
    worksheet: Option<String>,
    /// What separates decimals in a list, as it was calculated; decided by the whole list if left out
    #[arg(long, value_name = "MARK")]
    decimal: Option<calc::command::list::Decimal>,
}

pub(crate) fn run(context: &Context, args: &VerifyArgs) -> CommandResult {
    let file = args.file.as_deref().filter(|path| path.as_os_str() != "-");
    if let Some(path) = file.filter(|path| calc::command::list::is_list(path)) {
        return list::run(context, args, path);
    }
    if args.tributo.is_some() || args.worksheet.is_some() || args.decimal.is_some() {
        let take = "--tributo, --worksheet and --decimal take a list: a file that ends with .csv or .xlsx";
        return Err(AdminError::new(take));
    }
    let mut input: Box<dyn BufRead> = match file {
        Some(path) => Box::new(BufReader::new(files::open(path)?)),
        None => Box::new(io::stdin().lock()),
    };
    let engine = context.settled_engine()?;
    let mut report = VerifyReport::default();
    let mut line = 0;
    loop {
        let batch = next_batch(&mut input, &mut line)?;
        if batch.is_empty() {
            break;
        }
        let (numbers, lines) = batch.into_iter().unzip::<u64, String, Vec<u64>, Vec<String>>();
        let command = VerifyCommand { lines, conhecido_em: args.conhecido_em.clone() };
        for (linha, found) in numbers.into_iter().zip(verify(&engine, &command)?) {
            report.add(linha, found);
        }
    }
    report.print(
        context,
        "the input has no answer; each line is {\"payload\": ..., \"resposta\": ...}, or one of `taxd audit --format json`",
    )
}

/// The next lines with their numbers, without blank ones; none at the end.
fn next_batch(input: &mut dyn BufRead, line: &mut u64) -> Result<Vec<(u64, String)>, AdminError> {
    let (mut batch, mut batch_bytes) = (Vec::new(), 0);
    while batch.len() < BATCH && batch_bytes < BATCH_BYTES {
        let mut bytes = Vec::new();
        let read = Read::take(&mut *input, MAX_LINE_BYTES + 1).read_until(b'\n', &mut bytes);
        if read.map_err(|e| AdminError::new(format!("cannot read the input: {e}")))? == 0 {
            break;
        }
        *line += 1;
        if !bytes.ends_with(b"\n") && u64::try_from(bytes.len()).is_ok_and(|bytes| bytes > MAX_LINE_BYTES) {
            return Err(AdminError::new(format!(
                "line {line} of the input has more than 1 MiB; each line is one answer with its payload"
            )));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            AdminError::new(format!("line {line} of the input is not UTF-8; convert the file and try again"))
        })?;
        let text = text.trim_start_matches('\u{feff}').trim();
        // A blank line is not kept: only the end of the input ends a batch without lines.
        if !text.is_empty() {
            batch_bytes += bytes.len();
            batch.push((*line, text.to_owned()));
        }
    }
    Ok(batch)
}
