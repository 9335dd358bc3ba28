//! Many payloads, answered on all cores.

pub mod command;

use std::thread;

use serde::{Deserialize, Serialize};

use crate::base::problem::{Problem, guarded};
use crate::base::value::Timestamp;
use crate::core::engine::Engine;
use crate::features::attached;
use crate::law::operation;
use crate::law::tax::CodedNote;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalcCommand {
    /// The bytes of each payload; they need not be JSON. On the control socket they follow the command.
    #[serde(with = "attached")]
    pub payloads: Vec<Vec<u8>>,
    /// Add the calculation step by step.
    pub memoria: bool,
    /// The payloads are operations: calculate every tax of each.
    #[serde(default)]
    pub operacao: bool,
    /// Answer by the rules that were published at this instant, which is not in the future.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conhecido_em: Option<Timestamp>,
}

/// The answer to a payload, or its refusal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CalcLine {
    /// One line of JSON: the answer, or the problem document.
    pub json: Vec<u8>,
    /// Its sentences by which the program decides. The JSON does not have them.
    pub notes: Vec<CodedNote>,
}

impl From<Vec<u8>> for CalcLine {
    fn from(json: Vec<u8>) -> CalcLine {
        CalcLine { json, notes: Vec::new() }
    }
}

/// For each payload, in order, one line of JSON: the answer, or the problem document.
#[must_use]
pub fn calc_lines(engine: &Engine, command: &CalcCommand) -> Vec<Vec<u8>> {
    calc_answers(engine, command).into_iter().map(|line| line.json).collect()
}

/// The answer to each payload, in order.
#[must_use]
pub fn calc_answers(engine: &Engine, command: &CalcCommand) -> Vec<CalcLine> {
    let answer = |payload: &[u8]| engine.calculate_at(payload, command.memoria, command.conhecido_em);
    if command.operacao {
        let json = |payload: &[u8]| Ok(answer(payload)?.to_json());
        lines_by(&command.payloads, |operation| operation_line(operation, &json))
    } else {
        lines_by(&command.payloads, |payload| {
            answer(payload).map(|answer| CalcLine { json: answer.to_json(), notes: answer.notes })
        })
    }
}

fn operation_line(bytes: &[u8], answer: operation::Ask<'_>) -> Result<CalcLine, Box<Problem>> {
    let apuracao = operation::calculate(bytes, answer)?;
    let json = serde_json::to_vec(&apuracao)
        .map_err(|e| Box::new(Problem::failure("A resposta não pôde ser escrita; avise o operador.", e)))?;
    Ok(json.into())
}

/// The line that `answer` makes of each payload. If `answer` panics, the line is the problem document
/// of an internal failure.
pub fn lines_by(
    payloads: &[Vec<u8>],
    answer: impl Fn(&[u8]) -> Result<CalcLine, Box<Problem>> + Sync,
) -> Vec<CalcLine> {
    in_parallel(payloads, |payload| {
        guarded(|| answer(payload)).unwrap_or_else(|problem| {
            if let Some(cause) = &problem.cause {
                tracing::error!(cause, "a payload could not be answered");
            }
            serde_json::to_vec(&problem.document(None)).unwrap_or_default().into()
        })
    })
}

/// Applies `work` to each, on all cores, and returns the results in the order of the list.
///
/// A panic in `work` continues in the caller's thread, after the other threads have ended.
pub fn in_parallel<T: Sync, U: Send>(all: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (share, work) = (all.len().div_ceil(cores).max(1), &work);
    thread::scope(|scope| {
        let parts: Vec<_> =
            all.chunks(share).map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<U>>())).collect();
        let joined = parts.into_iter().map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.flatten().collect()
    })
}
