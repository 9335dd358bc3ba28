//! The envelope of a result (contract, section 2.2), as bytes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::problem::Problem;
use crate::rule::{Condicao, RuleResult};
use crate::tax::{Calculated, Entry, Money, Notes};
use crate::value::{Conferencia, Date, Tributo};

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

/// An answer: the envelope without its last member, `cached`, which differs from one call to the next.
#[derive(Debug, Clone)]
pub struct Answer {
    body: Arc<[u8]>,
    /// The tax that was calculated.
    pub tributo: Tributo,
    /// The rule that answered.
    pub rule_id: Arc<str>,
    /// True if it came from the cache.
    pub cached: bool,
}

impl Answer {
    pub(super) fn fresh(tributo: Tributo, body: &[u8], rule_id: &Arc<str>) -> Answer {
        Answer { body: body.into(), tributo, rule_id: Arc::clone(rule_id), cached: false }
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
        let last: &[u8] = if self.cached { b",\"cached\":true}" } else { b",\"cached\":false}" };
        let open = self.body.strip_suffix(b"}").unwrap_or(&self.body);
        [open, last].concat()
    }
}

/// Capacity that is enough for nearly every envelope.
const USUAL_BYTES: usize = 2 * 1024;

#[derive(Serialize)]
struct Envelope<'a> {
    tributo: Tributo,
    valor: Money,
    regra: Proof<'a>,
    detalhes: &'a RawValue,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<Sentence<'a>>,
    /// As many as `avisos`, in the same order; `None` for a sentence whose rule gives no condition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    condicoes_dos_avisos: Vec<Option<Condicao>>,
}

/// The rule that answered ([`RegraCitada`](crate::value::RegraCitada)).
#[derive(Serialize)]
struct Proof<'a> {
    rule_id: &'a str,
    citacao_legal: &'a RawValue,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conferencia: Option<Conferencia>,
}

/// A sentence of the rule, or one of this calculation.
#[derive(Serialize)]
#[serde(untagged)]
enum Sentence<'a> {
    Rule(&'a RawValue),
    Own(&'a str),
}

/// A result before it is written as an envelope.
pub(super) struct TaxResult {
    pub(super) entry: &'static Entry,
    pub(super) calculated: Calculated<Box<RawValue>>,
    /// What the calculation noted: its sentences, and the other rules that it used.
    pub(super) notes: Notes,
}

/// Writes the envelope of a result.
pub(super) fn envelope(result: &TaxResult) -> RuleResult<Answer> {
    let TaxResult { entry, calculated: Calculated { valor, regra, detalhes }, notes: Notes { avisos, .. } } = result;
    let escrito = &regra.escrito;
    let of_rule = escrito.avisos.iter().map(|aviso| Sentence::Rule(aviso));
    let own = avisos.iter().map(|(_, aviso)| Sentence::Own(aviso));
    let own_conditions = avisos.iter().map(|(condicao, _)| *condicao);
    let envelope = Envelope {
        tributo: entry.tributo,
        valor: *valor,
        regra: Proof {
            rule_id: &escrito.rule_id,
            citacao_legal: &escrito.citacao_legal,
            vigente_de: regra.vigencia.de,
            vigente_ate: regra.vigencia.ate,
            conferencia: regra.conferencia,
        },
        detalhes,
        avisos: of_rule.chain(own).collect(),
        condicoes_dos_avisos: escrito.condicoes.iter().copied().chain(own_conditions).collect(),
    };
    let mut body = Vec::with_capacity(USUAL_BYTES);
    serde_json::to_writer(&mut body, &envelope)
        .map_err(|e| Box::new(Problem::failure("A resposta não pôde ser escrita; avise o operador.", e)))?;
    Ok(Answer::fresh(entry.tributo, &body, &escrito.rule_id))
}
