//! A question to the engine, and the lines that its answer decides.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::PlannedLine;
use super::compare::Comparison;
use super::explain::{self, Facts, Judged};
use super::finding::{AuditLine, Certainty, Layer};
use crate::base::document::Object;
use crate::base::problem::{ErrorCode, Problem};
use crate::law::nfe::payloads::EnginePayload;
use crate::law::rule::RuleResult;
use crate::law::tax::{NoteCode, TaxAnswer};

/// Why a difference of ICMS is not one: the general rates of a State or between States are older than the rules of products.
pub(super) const BEFORE_EXCEPTIONS: &str =
    "o valor não é o da alíquota geral, e os benefícios de ICMS por produto antes de 2022 não estão no taxd";

/// The line that an answer decides, if it decides one.
pub(super) type Sign = fn(&RuleResult<TaxAnswer>, AuditLine) -> Option<AuditLine>;

/// A payload, and what its answer decides.
#[derive(Debug, Clone)]
pub struct Question {
    /// The payload, as the service takes it.
    pub payload: Arc<EnginePayload>,
    /// The comparisons with the answer; several for a tax with parts.
    pub comparisons: Vec<Comparison>,
    /// The line of the NCM, if the answer is that of the table of all NCMs (TIPI).
    pub ncm: Option<AuditLine>,
    /// What the answer shows of a line, if the document declares nothing to compare with it.
    pub(super) sign: Option<(Sign, AuditLine)>,
    /// By what else the payload may be asked if a figure differs.
    pub(super) facts: Arc<Facts>,
}

impl Question {
    /// A question whose answer is compared with what the document declares.
    pub(super) fn compared(payload: Arc<EnginePayload>, comparisons: Vec<Comparison>, facts: Arc<Facts>) -> Question {
        Question { payload, comparisons, ncm: None, sign: None, facts }
    }

    /// A question whose answer shows something of a line that has nothing to compare with it.
    pub(super) fn of_sign(payload: Arc<EnginePayload>, sign: Sign, line: AuditLine) -> Question {
        Question { sign: Some((sign, line)), ..Question::compared(payload, Vec::new(), Arc::default()) }
    }

    /// Whether it is about what its answer shows of a tax.
    pub(super) fn is_about(&self, tributo: &str) -> bool {
        self.sign.as_ref().is_some_and(|(_, line)| line.tributo == tributo)
    }

    pub(super) fn planned(self) -> PlannedLine {
        PlannedLine::Question(Box::new(self))
    }

    pub fn answered(self, answer: impl Into<Arc<RuleResult<TaxAnswer>>>) -> Vec<Judged> {
        let Question { payload, comparisons, ncm, sign, facts } = self;
        let answer = answer.into();
        let mut results = Vec::new();
        if let (Some(line), Err(problem)) = (ncm, &*answer) {
            results.extend(extinct(problem, line).map(Judged::ready));
        }
        if let Some((sign, line)) = sign {
            let (payload, resposta) = (Some(Arc::clone(&payload)), Some(Arc::clone(&answer)));
            results.extend(sign(&answer, AuditLine { payload, resposta, ..line }).map(Judged::ready));
        }
        for comparison in comparisons {
            if comparison.line.tributo == "cbs" {
                results.extend(classification(&answer, &comparison.line).map(Judged::ready));
            }
            let line = comparison.against(&answer);
            let (payload, resposta) = (Some(Arc::clone(&payload)), Some(Arc::clone(&answer)));
            let line = AuditLine { payload, resposta, ..line };
            if line.veredito.differs() && comparison.before_exceptions {
                let line = AuditLine { certeza: None, calculado: None, diferenca: None, ..line };
                results.push(Judged::ready(line.refused("regra_inexistente", BEFORE_EXCEPTIONS)));
                continue;
            }
            results.push(match &*answer {
                Ok(answer) if line.veredito.differs() => Judged::differing(line, comparison, &facts, answer),
                _ => Judged::ready(line),
            });
        }
        results
    }
}

/// The finding about a classification that only the description of the goods decides; `None` of a note about something else.
fn finding_of(code: NoteCode) -> Option<&'static str> {
    match code {
        NoteCode::UnconfirmedReduction => Some("cclasstrib_sem_lista"),
        NoteCode::ListedInFull => Some("cclasstrib_integral"),
        NoteCode::OtherByEx => None,
    }
}

/// What the answer about CBS says of the classification; that about IBS says the same.
fn classification(answer: &RuleResult<TaxAnswer>, line: &AuditLine) -> Option<AuditLine> {
    let (certainty, code, detail) = match answer {
        Err(problem) => {
            let whole = std::iter::once((problem.codigo, &problem.detail));
            let mut all = whole.chain(problem.erros.iter().map(|fault| (fault.codigo, &fault.detail)));
            all.find_map(|(fault, detail)| {
                let (certainty, code) = match fault {
                    ErrorCode::ClassificacaoIncompativel => (Certainty::ErroDoDocumento, "cclasstrib_e_ncm"),
                    ErrorCode::ClassificacaoInvalida => (Certainty::ErroDoDocumento, "cclasstrib_inexistente"),
                    // A later edition of the table may have it.
                    ErrorCode::ClassificacaoDesconhecida => (Certainty::Conferir, "cclasstrib_inexistente"),
                    _ => return None,
                };
                Some((certainty, code, detail.to_string()))
            })?
        }
        Ok(answer) => answer
            .avisos()
            .find_map(|note| Some((Certainty::Conferir, finding_of(note.codigo?)?, note.texto.as_str().to_owned())))?,
    };
    Some(line.clone().in_layer(Layer::Coerencia, "cbs").differing(certainty, code, detail))
}

/// The table has no line for the NCM on that day. If only the day rules out a rule that came near, the rules may begin
/// later than the document, and the difference is to be checked.
fn extinct(problem: &Problem, line: AuditLine) -> Option<AuditLine> {
    if problem.codigo != ErrorCode::RegraInexistente {
        return None;
    }
    let mut excluded = problem.candidatos.iter().filter_map(|candidate| candidate.exclusao.as_ref());
    let on_another_day = excluded.any(|excluded| excluded.por == ["data"]);
    if line.ncm.bytes().all(|digit| digit == b'0') {
        let text = "NCM 00000000: item sem produto, ou falta o NCM dele";
        return Some(line.in_layer(Layer::Coerencia, "ncm").differing(Certainty::Conferir, "ncm_inexistente", text));
    }
    let certainty = if on_another_day { Certainty::Conferir } else { Certainty::ErroDoDocumento };
    let near = problem.candidatos.iter().flat_map(|candidate| &candidate.valores).filter(|(name, _)| *name == "ncm");
    let mut seen = HashSet::new();
    let near: Vec<&str> = near.map(|(_, ncm)| ncm.as_str()).filter(|ncm| seen.insert(*ncm)).collect();
    let near = if near.is_empty() { String::new() } else { format!("; parecidos: {}", near.join(", ")) };
    let day = line.data.map_or_else(|| "do dia".to_owned(), |day| format!("de {}", day.dmy()));
    let text = format!("o NCM {} não existe na TIPI {day}{near}", line.ncm);
    let explicacao = explain::codes::unknown_ncm(&line.ncm);
    Some(AuditLine {
        explicacao,
        ..line.in_layer(Layer::Coerencia, "ncm").differing(certainty, "ncm_inexistente", text)
    })
}

/// A payload about an NCM that every version of the TIPI has (beer), on a day (`2026-01-31`).
pub fn ncm_probe(day: &str) -> EnginePayload {
    let mut probe = Object::default();
    let members = [("tributo", "ipi"), ("ncm", "22030000"), ("valor_produto", "1.00")];
    for (name, value) in members {
        probe.set(name, value);
    }
    probe.set("data_operacao", day.to_owned());
    probe
}

/// Whether the answer to [`ncm_probe`] shows that the rules have the table of all NCMs on its day.
pub fn has_ncm_table(answer: &RuleResult<TaxAnswer>) -> bool {
    !answer.as_ref().is_err_and(|problem| problem.codigo == ErrorCode::RegraInexistente)
}

/// A question that a line and the revenue share. It keeps the payload: the address of one that is gone may be that of another.
#[derive(Debug)]
pub(super) struct SharedQuestion(pub(super) Arc<EnginePayload>);

impl PartialEq for SharedQuestion {
    fn eq(&self, other: &SharedQuestion) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedQuestion {}

impl Hash for SharedQuestion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}
