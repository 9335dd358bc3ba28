//! Many payloads, answered on all cores.

pub mod command;

use std::sync::Arc;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::base::document::{Object, Shown};
use crate::base::problem::{Problem, guarded};
use crate::base::sentence::Reader;
use crate::base::value::Timestamp;
use crate::core::engine::{Engine, Extras, PayloadForm};
use crate::features::tratamento;
use crate::law::operation::{self, Apuracao};
use crate::law::rule::RuleResult;
use crate::law::tax::{Suposicao, TaxAnswer};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option that is typed or not")]
pub struct CalcCommand<P = Vec<u8>> {
    /// The bytes of each payload; they need not be JSON.
    pub payloads: Vec<P>,
    /// Add the calculation step by step.
    pub memoria: bool,
    /// Add the proof of each answer.
    pub prova: bool,
    /// The payloads are operations: calculate every tax of each.
    pub operacao: bool,
    /// The payloads are products: say how each tax treats them.
    pub tratamento: bool,
    /// Answer by the rules that were published at this instant, which is not in the future.
    pub conhecido_em: Option<Timestamp>,
    /// The figures that are supposed in the place of those of the rules.
    pub supondo: Vec<Suposicao>,
    /// Who reads the sentences.
    pub leitor: Reader,
}

/// What is written of the answer to a payload, or of its refusal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CalcLine {
    /// One line of JSON: the answer, or the problem document.
    pub json: Vec<u8>,
    /// True for a refusal, and for an operation of which a tax is missing.
    pub is_lacking: bool,
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

/// The answer to each payload, in order, as a line of JSON.
pub fn calc_answers(engine: &Engine, command: &CalcCommand) -> Vec<CalcLine> {
    let line = |payload: &Vec<u8>| {
        if command.tratamento {
            let treatment = tratamento::treat(engine, &tratamento::parse(payload)?, command.leitor)?;
            return written(&treatment, false);
        }
        if command.operacao {
            let apuracao = command.apuracao(engine, payload)?;
            return written(&apuracao, !apuracao.completo);
        }
        let answer = engine.calculate_supposing(payload, command.extras(), command.conhecido_em, &command.supondo)?;
        // Copied: an answer has room for the longest one, and thousands of lines wait for their turn.
        Ok(CalcLine { json: answer.to_json().to_vec(), is_lacking: false })
    };
    in_parallel(&command.payloads, |payload| {
        logged(|| line(payload)).unwrap_or_else(|problem| {
            let json = serde_json::to_vec(&problem.read_by(command.leitor)).unwrap_or_default();
            CalcLine { json, is_lacking: true }
        })
    })
}

/// Every tax of the operation that each payload is, in order.
pub fn operations(engine: &Engine, command: &CalcCommand) -> Vec<RuleResult<Apuracao>> {
    in_parallel(&command.payloads, |payload| logged(|| command.apuracao(engine, payload)))
}

fn written(shown: &impl Shown, is_lacking: bool) -> RuleResult<CalcLine> {
    Ok(CalcLine { json: shown.to_json().map_err(Problem::unwritten)?, is_lacking })
}

impl CalcCommand {
    fn apuracao(&self, engine: &Engine, payload: &[u8]) -> RuleResult<Apuracao> {
        let tax =
            |payload: &Object<'_>| self.ask(engine, payload).map_err(|problem| Box::new(problem.read_by(self.leitor)));
        operation::calculate(&operation::parse(payload)?, &tax)
    }
}

/// What `answer` gives. A panic in it is a failure of the service, and failures are logged.
fn logged<T>(answer: impl FnOnce() -> Result<T, Box<Problem>>) -> Result<T, Box<Problem>> {
    guarded(answer).inspect_err(|problem| {
        if let Some(cause) = &problem.cause {
            tracing::error!(cause, "a payload could not be answered");
        }
    })
}

/// Applies `work` to each, on all cores, and returns the results in their order. One alone starts no thread.
///
/// A panic in `work` continues in the caller's thread, once the others are done or given up.
pub fn in_parallel<T: Send, U: Send>(all: impl IntoIterator<Item = T>, work: impl Fn(T) -> U + Sync) -> Vec<U> {
    let all: Vec<T> = all.into_iter().collect();
    if all.len() < 2 {
        return all.into_iter().map(work).collect();
    }
    all.into_par_iter().map(&work).collect()
}
