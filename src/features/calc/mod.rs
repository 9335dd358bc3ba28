//! Many payloads, answered on all cores.

pub mod command;

use std::sync::Arc;
use std::thread;

use serde::{Deserialize, Serialize};

use crate::base::document::{Object, Shown};
use crate::base::problem::{Problem, guarded};
use crate::base::sentence::Reader;
use crate::base::value::Timestamp;
use crate::core::engine::{Engine, Extras, PayloadForm};
use crate::features::{attached, tratamento};
use crate::law::operation::{self, Apuracao};
use crate::law::rule::RuleResult;
use crate::law::tax::{CodedNote, Suposicao, TaxAnswer};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option that is typed or not")]
pub struct CalcCommand<P = Vec<u8>> {
    /// The bytes of each payload; they need not be JSON. On the control socket they follow the command.
    #[serde(with = "attached", bound(deserialize = "P: Default"))]
    pub payloads: Vec<P>,
    /// Add the calculation step by step.
    pub memoria: bool,
    /// Add the proof of each answer.
    #[serde(default)]
    pub prova: bool,
    /// The payloads are operations: calculate every tax of each.
    #[serde(default)]
    pub operacao: bool,
    /// The payloads are products: say how each tax treats them.
    #[serde(default)]
    pub tratamento: bool,
    /// Answer by the rules that were published at this instant, which is not in the future.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conhecido_em: Option<Timestamp>,
    /// The figures that are supposed in the place of those of the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supondo: Vec<Suposicao>,
    /// Who reads the sentences.
    #[serde(default)]
    pub leitor: Reader,
    /// The payloads are rows of a list or items of documents. They seldom repeat, and would evict from the result cache what
    /// callers ask again. An answer that depends on no supposed figure is that of the law, where one alone is refused.
    #[serde(default)]
    pub rows: bool,
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

/// Payloads that this program made.
pub type Questions = CalcCommand<Arc<Object<'static>>>;

/// What came of a question.
#[derive(Debug)]
pub enum Answered {
    Tax(TaxAnswer),
    /// Every tax of an operation.
    Operation(Apuracao),
    /// The treatment of a product, as JSON shows it.
    Treatment(Object<'static>),
}

/// The answer, or the refusal.
pub type CalcReply = Result<Answered, Box<Problem>>;

/// The replies to questions about single taxes.
pub fn tax_answers(replies: Vec<CalcReply>) -> Vec<RuleResult<TaxAnswer>> {
    let answer = |answered| if let Answered::Tax(answer) = answered { Some(answer) } else { None };
    replies.into_iter().filter_map(|reply| reply.map(answer).transpose()).collect()
}

/// The reply to each question, in order.
pub fn replies(engine: &Engine, questions: &Questions) -> Vec<CalcReply> {
    let said = |problem: Box<Problem>| Box::new(problem.read_by(questions.leitor));
    let tax = |payload: &Object<'_>| questions.ask(engine, payload).map_err(said);
    in_parallel(&questions.payloads, |payload| {
        logged(|| {
            if questions.tratamento {
                return tratamento::document(&tratamento::treat(engine, payload, questions.leitor)?)
                    .map(Answered::Treatment);
            }
            let operation = questions.operacao.then(|| operation::calculate(payload, &tax).map(Answered::Operation));
            operation.unwrap_or_else(|| tax(payload).map(Answered::Tax))
        })
    })
}

impl<P> CalcCommand<P> {
    fn extras(&self) -> Extras {
        Extras { memoria: self.memoria, prova: self.prova, leitor: self.leitor, ..Extras::default() }
    }

    fn ask<'p>(&self, engine: &Engine, payload: impl Into<PayloadForm<'p>>) -> RuleResult<TaxAnswer> {
        engine.answer_supposing(payload, self.extras(), self.conhecido_em, &self.supondo)
    }
}

impl Questions {
    /// The same questions as bytes, for a server.
    pub fn command(&self) -> serde_json::Result<CalcCommand> {
        let payloads = self.payloads.iter().map(serde_json::to_vec).collect::<Result<_, _>>()?;
        let Questions { memoria, prova, operacao, tratamento, conhecido_em, leitor, .. } = *self;
        let supondo = self.supondo.clone();
        Ok(CalcCommand { payloads, memoria, prova, operacao, tratamento, conhecido_em, supondo, leitor, rows: true })
    }
}

impl CalcLine {
    /// Reads the line. `None` if it is neither an answer nor a problem document.
    pub fn read(&self) -> Option<CalcReply> {
        if self.is_problem() {
            return serde_json::from_slice(&self.json).map(Err).ok();
        }
        if let Ok(answer) = serde_json::from_slice::<TaxAnswer>(&self.json) {
            return Some(Ok(Answered::Tax(answer.with_codes(&self.notes))));
        }
        if let Ok(apuracao) = serde_json::from_slice(&self.json) {
            return Some(Ok(Answered::Operation(apuracao)));
        }
        tratamento::read(&self.json).map(|treatment| Ok(Answered::Treatment(treatment)))
    }

    /// Whether it is a problem document: no answer begins with the same member.
    pub fn is_problem(&self) -> bool {
        self.json.starts_with(b"{\"type\":\"urn:taxd:erro:")
    }
}

/// The answer to each payload, in order, as a line of JSON.
pub fn calc_answers(engine: &Engine, command: &CalcCommand) -> Vec<CalcLine> {
    let CalcCommand { ref payloads, operacao, conhecido_em, leitor, .. } = *command;
    let said = |problem: Box<Problem>| Box::new(problem.read_by(leitor));
    let tax = |payload: &Object<'_>| command.ask(engine, payload).map_err(said);
    let line = |payload: &Vec<u8>| {
        if command.tratamento {
            let mut json = Vec::new();
            let treatment = tratamento::treat(engine, &tratamento::parse(payload)?, leitor)?;
            treatment.write(&mut json).map_err(Problem::unwritten)?;
            return Ok(json.into());
        }
        if operacao {
            let mut json = Vec::new();
            let apuracao = operation::calculate(&operation::parse(payload)?, &tax)?;
            apuracao.write(&mut json).map_err(Problem::unwritten)?;
            return Ok(json.into());
        }
        if command.rows {
            let answer = command.ask(engine, payload.as_slice())?;
            let mut json = Vec::new();
            answer.write(&mut json).map_err(Problem::unwritten)?;
            return Ok(CalcLine { json, notes: answer.coded() });
        }
        let answer = engine.calculate_supposing(payload, command.extras(), conhecido_em, &command.supondo)?;
        Ok(CalcLine { json: answer.to_json().into(), notes: answer.notes })
    };
    in_parallel(payloads, |payload| {
        let refused = |problem| serde_json::to_vec(&said(problem)).unwrap_or_default().into();
        logged(|| line(payload)).unwrap_or_else(refused)
    })
}

/// What `answer` gives. A panic in it is a failure of the service, and failures are logged.
fn logged<T>(answer: impl FnOnce() -> Result<T, Box<Problem>>) -> Result<T, Box<Problem>> {
    guarded(answer).inspect_err(|problem| {
        if let Some(cause) = &problem.cause {
            tracing::error!(cause, "a payload could not be answered");
        }
    })
}

/// Applies `work` to each, on all cores, and returns the results in the order of the list. One alone starts no thread.
///
/// A panic in `work` continues in the caller's thread, after the other threads have ended.
pub fn in_parallel<'a, T: Sync, U: Send>(all: &'a [T], work: impl Fn(&'a T) -> U + Sync) -> Vec<U> {
    if all.len() < 2 {
        return all.iter().map(work).collect();
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (share, work) = (all.len().div_ceil(cores), &work);
    thread::scope(|scope| {
        let parts: Vec<_> =
            all.chunks(share).map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<U>>())).collect();
        let joined = parts.into_iter().map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.flatten().collect()
    })
}
