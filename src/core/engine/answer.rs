//! The envelope of a result (contract, section 2.2), as bytes.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::base::document::{Shown, WriteResult, write_list, write_text};
use crate::base::problem::Problem;
use crate::base::value::Tributo;
use crate::law::rule::RuleResult;
use crate::law::tax::{Calculated, Entry, NoteCode, Notes};

/// What an answer has beside the contract's members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extras {
    /// The calculation step by step (`detalhes.memoria`).
    pub memoria: bool,
    /// The digests of the payload, of the rules and of the result (`prova`).
    #[serde(default)]
    pub prova: bool,
}

impl From<bool> for Extras {
    /// With or without the calculation step by step.
    fn from(memoria: bool) -> Extras {
        Extras { memoria, prova: false }
    }
}

/// A sentence of an answer by which the program decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodedNote {
    /// Its place in `avisos`.
    pub place: usize,
    pub code: NoteCode,
}

/// An answer: the envelope without its last member, `cached`, which differs from one call to the next.
#[derive(Debug, Clone)]
pub struct Answer {
    body: Arc<[u8]>,
    pub tributo: Tributo,
    pub rule_id: Arc<str>,
    /// The sentences that have a code. Most answers have none.
    pub notes: Vec<CodedNote>,
    /// True if it came from the cache.
    pub cached: bool,
}

impl Answer {
    fn fresh(result: &TaxResult, body: &[u8]) -> Answer {
        let TaxResult { entry, calculated, notes } = result;
        let escrito = &calculated.regra.escrito;
        let of_rule = std::iter::repeat_n(None, escrito.avisos.len());
        let [first, own] = [&notes.primeiros, &notes.avisos].map(|list| list.iter().map(|note| note.codigo));
        let codes = first.chain(of_rule).chain(own).enumerate();
        let notes = codes.filter_map(|(place, code)| Some(CodedNote { place, code: code? })).collect();
        let rule_id = Arc::clone(&escrito.rule_id);
        Answer { body: body.into(), tributo: entry.tributo, rule_id, notes, cached: false }
    }

    /// The same answer with one more member, whose value is a JSON text.
    pub(super) fn with_member(mut self, name: &str, value: &[u8]) -> Answer {
        let open = self.body.strip_suffix(b"}").unwrap_or(&self.body);
        self.body = [open, b",\"", name.as_bytes(), b"\":", value, b"}"].concat().into();
        self
    }

    /// The envelope without `cached`.
    pub(super) fn body(&self) -> &[u8] {
        &self.body
    }

    /// The same answer, marked as cached.
    pub(super) fn marked_cached(mut self) -> Answer {
        self.cached = true;
        self
    }

    /// Bytes of its envelope.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// The whole envelope as JSON.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let last = if self.cached { CACHED } else { FRESH };
        let open = self.body.strip_suffix(b"}").unwrap_or(&self.body);
        [open, last.as_bytes()].concat()
    }
}

/// The end of an envelope that the cache gave.
const CACHED: &str = ",\"cached\":true}";
/// The end of any other envelope.
const FRESH: &str = ",\"cached\":false}";

/// The JSON text of an answer without `cached`, so that the same question has the same text. A refusal stays as it is.
#[must_use]
pub fn without_cached(json: &str) -> Cow<'_, str> {
    let open = [FRESH, CACHED].into_iter().find_map(|last| json.strip_suffix(last));
    open.map_or(Cow::Borrowed(json), |open| Cow::Owned([open, "}"].concat()))
}

/// Capacity that is enough for nearly every envelope.
const USUAL_BYTES: usize = 2 * 1024;

/// A result before it is written as an envelope.
pub(super) struct TaxResult {
    pub(super) entry: &'static Entry,
    pub(super) calculated: Calculated<Vec<u8>>,
    /// What the calculation noted: its sentences, and the other rules that it used.
    pub(super) notes: Notes,
}

pub(super) fn envelope(result: &TaxResult) -> RuleResult<Answer> {
    let mut body = Vec::with_capacity(USUAL_BYTES);
    write(result, &mut body)
        .map_err(|e| Box::new(Problem::failure("A resposta não pôde ser escrita; avise o operador.", e)))?;
    Ok(Answer::fresh(result, &body))
}

fn write(result: &TaxResult, out: &mut Vec<u8>) -> WriteResult {
    let TaxResult { entry, calculated: Calculated { valor, regra, detalhes }, notes } = result;
    let Notes { primeiros, avisos, .. } = notes;
    let escrito = &regra.escrito;
    out.extend_from_slice(b"{\"tributo\":");
    entry.tributo.as_str().write(out)?;
    out.extend_from_slice(b",\"valor\":");
    valor.write(out)?;
    // The rule that answered (`RegraCitada`).
    out.extend_from_slice(b",\"regra\":{\"rule_id\":");
    write_text(out, &escrito.rule_id)?;
    out.extend_from_slice(b",\"citacao_legal\":");
    out.extend_from_slice(escrito.citacao_legal.get().as_bytes());
    out.extend_from_slice(b",\"vigente_de\":");
    regra.vigencia.de.write(out)?;
    out.extend_from_slice(b",\"vigente_ate\":");
    regra.vigencia.ate.write(out)?;
    if let Some(conferencia) = regra.conferencia {
        out.extend_from_slice(b",\"conferencia\":");
        conferencia.write(out)?;
    }
    out.extend_from_slice(b"},\"detalhes\":");
    out.extend_from_slice(detalhes);
    let has_own = !(primeiros.is_empty() && avisos.is_empty());
    if has_own || !escrito.avisos.is_empty() {
        let of_rule = escrito.avisos.iter().map(|aviso| Sentence::Rule(aviso));
        let [first, own] = [primeiros, avisos].map(|list| list.iter().map(|note| Sentence::Own(&note.texto)));
        out.extend_from_slice(b",\"avisos\":");
        write_list(out, first.chain(of_rule).chain(own), Sentence::write)?;
    }
    // As many as `avisos`, in the same order; null for a sentence whose rule gives no condition.
    if has_own || !escrito.condicoes.is_empty() {
        let [first, own] = [primeiros, avisos].map(|list| list.iter().map(|note| note.condicao));
        let all = first.chain(escrito.condicoes.iter().copied()).chain(own);
        out.extend_from_slice(b",\"condicoes_dos_avisos\":");
        write_list(out, all, |condicao, out| condicao.write(out))?;
    }
    out.push(b'}');
    Ok(())
}

/// A sentence of the rule, or one of this calculation.
enum Sentence<'a> {
    Rule(&'a RawValue),
    Own(&'a str),
}

impl Sentence<'_> {
    fn write(self, out: &mut Vec<u8>) -> WriteResult {
        match self {
            Sentence::Rule(json) => {
                out.extend_from_slice(json.get().as_bytes());
                Ok(())
            }
            Sentence::Own(text) => write_text(out, text),
        }
    }
}
