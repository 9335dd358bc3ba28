//! Resales of single-phase goods by a company of the Simples under a CST that does not mark them: the DAS would charge PIS
//! and COFINS again.

use super::finding::{AuditLine, Certainty};
use super::situation;
use crate::law::nfe::{ItemDaNota, NotaFiscal};
use crate::law::rule::RuleResult;
use crate::law::tax::{NoteCode, TaxAnswer};

/// Codes that say nothing of the single phase: basic rate, and other operations (IN RFB 1.009/2010, tables II and III).
const SILENT: [&str; 3] = ["01", "49", "99"];
const SEGREGATED: &str = "revenda de produto monofásico por optante do Simples, e o CST não a marca (04): a receita se segrega no PGDAS, sem PIS e COFINS (LC 123/2006, art. 18, § 4º-A, I)";
/// Natural mineral water, such as is sold most, is in an Ex, and the document seldom has its number.
const BY_EX: &str =
    "; a TIPI tem Ex deste NCM que não é monofásico, e a nota não traz o Ex: a descrição do produto decide";

/// Whether the item is a resale by a company of the Simples whose CST does not say how it is charged. A MEI pays a fixed
/// amount.
pub(super) fn may_be_charged_twice(nota: &NotaFiscal, item: &ItemDaNota) -> bool {
    matches!(nota.crt, 1 | 2) && item.revenda() && !item.ncm.is_empty() && SILENT.contains(&item.cst_pis.as_str())
}

/// The finding, or why there is nothing to compare.
#[expect(clippy::unnecessary_wraps, reason = "a `Sign`, of which others decide no line")]
pub(super) fn of_answer(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    let Some(answer) = answer.as_ref().ok().filter(|answer| situation::is_single_phase_resale(answer)) else {
        return Some(line.without_answer().not_applicable(situation::SIMPLES));
    };
    let line = AuditLine { regra: Some(answer.regra()), ..line };
    let by_ex = answer.avisos().any(|note| note.codigo == Some(NoteCode::OtherByEx));
    let detail = if by_ex { [SEGREGATED, BY_EX].concat() } else { SEGREGATED.to_owned() };
    Some(line.differing(Certainty::Conferir, "monofasico_sem_cst", detail))
}
