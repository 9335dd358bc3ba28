//! An answer as bytes: what HTTP sends, and what the cache keeps.

use std::sync::Arc;

use bytes::Bytes;

use crate::base::document::{Node, Object, Shown};
use crate::base::problem::Problem;
use crate::base::sentence::Reader;
use crate::base::value::Tributo;
use crate::law::rule::RuleResult;
use crate::law::tax::{TaxAnswer, end_of};

/// What an answer has beside the contract's members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Extras {
    /// The calculation step by step (`detalhes.memoria`).
    pub memoria: bool,
    /// The digests of the payload, of the rules and of the result (`prova`).
    pub prova: bool,
    /// Who reads its sentences. Names are in backquotes for both.
    pub leitor: Reader,
    /// Beside them, what a person reads (`leitor`): the sentences without names of the contract, and where the law was read.
    pub com_leitor: bool,
}

impl From<bool> for Extras {
    /// With or without the calculation step by step.
    fn from(memoria: bool) -> Extras {
        Extras { memoria, ..Extras::default() }
    }
}

/// How a payload comes to the engine.
#[derive(Clone, Copy)]
pub enum PayloadForm<'p> {
    /// As it was sent.
    Text(&'p [u8]),
    /// As it was sent, and parsed.
    Parsed(&'p [u8], &'p Node<'p>),
    /// Made by this program.
    Object(&'p Object<'p>),
}

impl<'p> From<&'p [u8]> for PayloadForm<'p> {
    fn from(text: &'p [u8]) -> PayloadForm<'p> {
        PayloadForm::Text(text)
    }
}

impl<'p> From<&'p Object<'p>> for PayloadForm<'p> {
    fn from(object: &'p Object<'p>) -> PayloadForm<'p> {
        PayloadForm::Object(object)
    }
}

/// An answer: its envelope, shared by the cache and those who send it.
#[derive(Debug, Clone)]
pub struct Answer {
    json: Bytes,
    pub tributo: Tributo,
    pub rule_id: Arc<str>,
    /// True if it came from the cache.
    pub cached: bool,
}

impl Answer {
    /// Writes an answer.
    pub(super) fn of(answer: &TaxAnswer) -> RuleResult<Answer> {
        let mut json = Vec::with_capacity(USUAL_BYTES);
        answer.write(&mut json).map_err(Problem::unwritten)?;
        let rule_id = Arc::clone(answer.rule_id());
        Ok(Answer { json: json.into(), tributo: answer.tributo, rule_id, cached: false })
    }

    /// The same answer, as it comes from the cache.
    pub(super) fn marked_cached(&self) -> Answer {
        let open = self.json.strip_suffix(end_of(false).as_bytes()).unwrap_or(&self.json);
        let (tributo, rule_id) = (self.tributo, Arc::clone(&self.rule_id));
        Answer { json: [open, end_of(true).as_bytes()].concat().into(), tributo, rule_id, cached: true }
    }

    /// Bytes of its envelope.
    pub(super) fn len(&self) -> usize {
        self.json.len()
    }

    /// The whole envelope as JSON.
    pub fn to_json(&self) -> Bytes {
        self.json.clone()
    }
}

/// Capacity that is enough for nearly every envelope.
const USUAL_BYTES: usize = 4 * 1024;
