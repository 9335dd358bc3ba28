//! The amounts of a document in the books against those of its note.

use super::entry::{BookEntry, CrossedLines, differs};
use super::record::CrossedNote;
use crate::base::value::Date;
use crate::features::audit::finding::{AuditLine, Certainty};
use crate::law::efd::icms_ipi::c100;

/// From this day on the total of a document may contain CBS and IBS.
pub(super) const WITH_REFORM: Date = Date::first_of(2027);

/// The note of an entry that both say is valid.
pub(super) fn valid<'e>(entry: &BookEntry<'e>) -> Option<&'e CrossedNote<'e>> {
    let note = entry.note.filter(|note| !note.is_cancelled && !note.is_void)?;
    (entry.is_icms("C100") && !entry.is_cancelled()).then_some(note)
}

/// Whether the declarant is the issuer of the document.
pub(super) fn is_own(entry: &BookEntry<'_>) -> bool {
    entry.own.text(c100::IND_EMIT) == "0"
}

pub(super) fn is_entry(entry: &BookEntry<'_>) -> bool {
    entry.own.text(c100::IND_OPER) == "0"
}

/// Check 13: the total.
pub(super) fn total(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let (Some(note), Some(declared)) = (valid(entry), entry.own.figure(c100::VL_DOC)) else { return };
    let (total, with_reform) = (note.totals.nota, note.totals.nota_com_reforma);
    if !differs(declared, total) || (!with_reform.is_zero() && !differs(declared, with_reform)) {
        return;
    }
    let may_differ = note.day.is_none_or(|day| day >= WITH_REFORM);
    let certainty = if may_differ { Certainty::Conferir } else { Certainty::ErroDoDocumento };
    let line = entry.line("documento").differing(certainty, "valor_do_documento", "VL_DOC não é o total da nota (vNF)");
    findings.push(line.with_amounts(declared, total).by_law("Guia Prático da EFD ICMS/IPI, registro C100, VL_DOC"));
}

/// Check 23, and 15 of entries: a credit above what the supplier charged. Credits of substituted ICMS and of returns have
/// other grounds, so that they are only to be checked.
pub(super) fn credit(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let Some(note) = valid(entry).filter(|_| is_entry(entry) && !is_own(entry)) else { return };
    let declared = entry.own.amount(c100::VL_ICMS);
    let from_simples = note.sum(|item| item.credito_simples);
    let charged = note.totals.icms.saturating_add(from_simples);
    let (base, charged_base) = (entry.own.amount(c100::VL_BC_ICMS), note.totals.base);
    if declared <= charged || !differs(declared, charged) {
        if base > charged_base && differs(base, charged_base) && !charged_base.is_zero() && from_simples.is_zero() {
            let detail = "a base do crédito é maior que a base do ICMS da nota";
            let line = entry.line("icms").differing(Certainty::Conferir, "base_do_credito_maior", detail);
            let (base_declarada, base_calculada) = (Some(base), Some(charged_base));
            findings.push(AuditLine { base_declarada, base_calculada, ..line }.by_law("LC 87/1996, arts. 19 e 20"));
        }
        return;
    }
    let is_plain = |cst: &str| matches!(cst.get(1..), Some("00" | "20" | "40" | "41" | "50" | "51" | "90"));
    let is_simples = |csosn: &str| matches!(csosn, "101" | "102" | "103" | "300" | "400" | "900");
    let plain = note.items.iter().all(|item| is_plain(&item.cst) || is_simples(item.csosn));
    let is_sure = plain && !charged.is_zero() && matches!(note.finalidade, 1 | 2);
    let certainty = if is_sure { Certainty::ErroDoDocumento } else { Certainty::Conferir };
    let (codigo, detail) = match from_simples.is_zero() {
        _ if charged.is_zero() => ("credito_sem_destaque", "a nota não destaca ICMS, e a EFD toma crédito"),
        true => ("credito_maior", "o crédito é maior que o ICMS destacado na nota"),
        false => ("credito_maior", "o crédito é maior que o do Simples Nacional que a nota informa (vCredICMSSN)"),
    };
    let line = entry.line("icms").differing(certainty, codigo, detail).with_amounts(declared, charged);
    let law = if from_simples.is_zero() { "LC 87/1996, arts. 19 e 20" } else { "LC 123/2006, art. 23, §§ 1º e 2º" };
    findings.push(line.by_law(law));
}
