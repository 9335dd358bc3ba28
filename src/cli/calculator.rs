//! The engine of this process, or that of the running server.

use std::path::PathBuf;

use super::{Context, DEFAULT_DATA};
use crate::base::value::Clock;
use crate::core::engine::Engine;
use crate::core::rulesets;
use crate::features::calc::{CalcCommand, CalcLine, CalcReply, Questions, calc_answers, in_parallel, replies};
use crate::features::control::{self, data_dir};
use crate::features::rules::RulesCommand;
use crate::features::verify::{self, VerifiedAnswers, VerifyCommand};
use crate::features::{AdminError, Command, Reply, about_rules};

/// Payloads calculated together: enough to keep every core busy, few enough to answer a stream without delay.
pub(crate) const BATCH: usize = 8_192;
/// Most memory of the rows or lines that are worked on together, in bytes: one may be large.
pub(crate) const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// Size of the result cache: none, because the lines of a file seldom repeat.
const CACHED_RESULTS: usize = 0;

/// The process that calculates.
pub(crate) enum Calculator {
    Here(Box<Engine>),
    Server(PathBuf),
}

impl Calculator {
    pub(crate) fn open(context: &Context) -> Result<Calculator, AdminError> {
        let Some(dir) = context.rules_dir()? else {
            tracing::warn!(data = DEFAULT_DATA, "não há pasta de dados: o cálculo é pelas regras embutidas");
            return Ok(Calculator::Here(Box::new(rulesets::in_memory(Clock::system())?)));
        };
        if let Some(greeted) = control::greet(dir) {
            greeted?;
            return Ok(Calculator::Server(dir.to_owned()));
        }
        Ok(Calculator::Here(Box::new(Engine::new(data_dir::open(dir)?, CACHED_RESULTS))))
    }

    /// Returns the reply to each question, in their order.
    pub(crate) fn replies(&self, questions: &Questions) -> Result<Vec<CalcReply>, AdminError> {
        match self {
            Calculator::Here(engine) => Ok(replies(engine, questions)),
            Calculator::Server(_) => {
                let read = in_parallel(&self.lines(&questions.command()?)?, CalcLine::read);
                read.into_iter().collect::<Option<_>>().ok_or_else(|| control::misunderstood(None))
            }
        }
    }

    /// Returns the line of JSON of each answer, in the order of the payloads.
    pub(crate) fn lines(&self, command: &CalcCommand) -> Result<Vec<CalcLine>, AdminError> {
        match self {
            Calculator::Here(engine) => Ok(calc_answers(engine, command)),
            Calculator::Server(dir) => {
                let gone = || AdminError::new("the server stopped before all payloads were calculated");
                control::calculate(dir, command).ok_or_else(gone)?
            }
        }
    }

    /// Returns the answer to a question about the rules, as JSON text.
    pub(crate) fn rules(&self, command: RulesCommand) -> Result<Reply, AdminError> {
        match self {
            Calculator::Here(engine) => about_rules(engine, command),
            Calculator::Server(dir) => {
                let gone = || AdminError::new("the server stopped before it answered");
                control::call(dir, &Command::Rules(command), &mut |_| {}).ok_or_else(gone)?
            }
        }
    }

    pub(crate) fn verify(&self, command: VerifyCommand) -> Result<VerifiedAnswers, AdminError> {
        match self {
            Calculator::Here(engine) => verify::verify(engine, &command),
            Calculator::Server(dir) => {
                let gone = || AdminError::new("the server stopped before all answers were verified");
                let found = control::call(dir, &Command::Verify(command), &mut |_| {}).ok_or_else(gone)??;
                Ok(serde_json::from_str(found.get())?)
            }
        }
    }
}
