//! Many payloads, answered on all cores.

use std::thread;

use crate::engine::Engine;
use crate::problem::{Problem, guarded};

/// Payloads answered, each as one line of JSON (the envelope, or the problem document), in their
/// order.
#[must_use]
pub fn calc_lines(engine: &Engine, payloads: &[Vec<u8>], memoria: bool) -> Vec<Vec<u8>> {
    lines_by(payloads, |payload| Ok(engine.calculate(payload, memoria)?.to_json()))
}

/// The line that `answer` makes of each payload. Every payload has its line: where an answer
/// panics, the document of an internal failure.
pub fn lines_by(payloads: &[Vec<u8>], answer: impl Fn(&[u8]) -> Result<Vec<u8>, Box<Problem>> + Sync) -> Vec<Vec<u8>> {
    let line = &|payload: &Vec<u8>| {
        guarded(|| answer(payload)).unwrap_or_else(|problem| {
            if let Some(cause) = &problem.cause {
                tracing::error!(cause, "a payload could not be answered");
            }
            serde_json::to_vec(&problem.document(None)).unwrap_or_default()
        })
    };
    let mut lines = vec![Vec::new(); payloads.len()];
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = payloads.len().div_ceil(cores).max(1);
    thread::scope(|scope| {
        for (payloads, lines) in payloads.chunks(share).zip(lines.chunks_mut(share)) {
            scope.spawn(move || lines.iter_mut().zip(payloads).for_each(|(slot, payload)| *slot = line(payload)));
        }
    });
    lines
}
