//! The account of the ICMS of the books against their own documents.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::books::Book;
use super::entry::{CrossedLines, differs, line_of_book, line_of_register};
use super::record::BookLine;
use super::sums::{BookSums, IcmsOfDocuments};
use crate::features::audit::finding::Certainty;
use crate::law::efd::icms_ipi::{e110, e116, e510, e520};

/// The cause of adjustments that are not in the account.
const OF_ADJUSTMENTS: &str = "ajustes_da_apuracao";
const LAW: &str = "Guia Prático da EFD ICMS/IPI, registros E110 e E116";

/// Check 29: the debits and the credits of the account are those of the documents, and so are their adjustments. If
/// registers with ICMS were not read, the sums are not known; several accounts in a period share the documents. Late
/// documents may be in either sum.
pub(super) fn totals(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    if book.is_partial {
        return;
    }
    let accounts: Vec<_> = book.all("E110").collect();
    let Some((at, _)) = accounts.first() else { return };
    let total = |place: usize| accounts.iter().fold(Decimal::ZERO, |sum, (_, of)| sum.saturating_add(of.amount(place)));
    let debits = "os débitos (VL_TOT_DEBITOS) não são a soma do ICMS dos documentos da EFD";
    let credits = "os créditos (VL_TOT_CREDITOS) não são a soma do ICMS dos documentos da EFD";
    let to_debits =
        "os ajustes a débito (VL_AJ_DEBITOS) não são a soma dos ajustes dos documentos (C197, D197 e iguais)";
    let to_credits =
        "os ajustes a crédito (VL_AJ_CREDITOS) não são a soma dos ajustes dos documentos (C197, D197 e iguais)";
    let sides = [
        (e110::VL_TOT_DEBITOS, &sums.debits, "debitos_da_apuracao", debits),
        (e110::VL_TOT_CREDITOS, &sums.credits, "creditos_da_apuracao", credits),
        (e110::VL_AJ_DEBITOS, &sums.adjusted_debits, OF_ADJUSTMENTS, to_debits),
        (e110::VL_AJ_CREDITOS, &sums.adjusted_credits, OF_ADJUSTMENTS, to_credits),
    ];
    for (place, of, codigo, detail) in sides {
        let declared = total(place);
        let IcmsOfDocuments { regular, late } = *of;
        if !differs(declared, regular) || !differs(declared, regular.saturating_add(late)) {
            continue;
        }
        let is_sure = codigo != OF_ADJUSTMENTS || !sums.has_other_adjustments;
        let certainty = if is_sure { Certainty::ErroDoDocumento } else { Certainty::Conferir };
        let line = line_of_book(book, Some(at), "icms").differing(certainty, codigo, detail);
        findings.push(line.with_amounts(declared, regular).by_law(LAW));
    }
}

/// Check 30: what is owed (`VL_ICMS_RECOLHER` and `DEB_ESP`) is the sum of the obligations.
pub(super) fn payable(book: &Book, _: &BookSums, findings: &mut CrossedLines) {
    if book.has_lost_lines {
        return;
    }
    let mut accounts: Vec<(&BookLine, Decimal, Decimal)> = Vec::new();
    for (line, record) in book.records() {
        match record.name() {
            "E110" => {
                let owed = record.amount(e110::VL_ICMS_RECOLHER).saturating_add(record.amount(e110::DEB_ESP));
                accounts.push((line, owed, Decimal::ZERO));
            }
            "E116" => {
                if let Some((_, _, sum)) = accounts.last_mut() {
                    *sum = sum.saturating_add(record.amount(e116::VL_OR));
                }
            }
            _ => {}
        }
    }
    for (at, owed, sum) in accounts.into_iter().filter(|(_, owed, sum)| differs(*owed, *sum)) {
        let detail = if sum.is_zero() {
            "há ICMS a recolher, e nenhuma obrigação (E116) com ele"
        } else {
            "a soma das obrigações (E116) não é o ICMS a recolher mais os débitos especiais"
        };
        let line = line_of_book(book, Some(at), "icms");
        let line = line.differing(Certainty::ErroDoDocumento, "obrigacoes_a_recolher", detail);
        findings.push(line.with_amounts(sum, owed).by_law(LAW));
    }
}

/// Check 28: the debits and credits of the account of the IPI (E520) are those of its consolidation (E510) before it.
pub(super) fn ipi(book: &Book, _: &BookSums, findings: &mut CrossedLines) {
    let (mut debits, mut credits) = (Decimal::ZERO, Decimal::ZERO);
    if book.has_lost_lines {
        return;
    }
    for (line, record) in book.records() {
        match record.name() {
            "E500" => (debits, credits) = (Decimal::ZERO, Decimal::ZERO),
            "E510" => {
                let is_entry = record.text(e510::CFOP).starts_with(['1', '2', '3']);
                let sum = if is_entry { &mut credits } else { &mut debits };
                *sum = sum.saturating_add(record.amount(e510::VL_IPI));
            }
            "E520" => {
                let sides = [("débitos", e520::VL_DEB_IPI, debits), ("créditos", e520::VL_CRED_IPI, credits)];
                for (what, at, sum) in sides.into_iter().filter(|(_, at, sum)| differs(record.amount(*at), *sum)) {
                    let detail = format!("os {what} de IPI (E520) não são a soma dos registros E510");
                    let line = line_of_book(book, Some(line), "ipi");
                    let line = line.differing(Certainty::ErroDoDocumento, "apuracao_do_ipi", detail);
                    let law = "Guia Prático da EFD ICMS/IPI, registros E510 e E520";
                    findings.push(line.with_amounts(record.amount(at), sum).by_law(law));
                }
            }
            _ => {}
        }
    }
}

/// Check 28: the IPI of each CFOP in the consolidation is that of the documents.
pub(super) fn ipi_by_cfop(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    let mut declared: BTreeMap<&str, (Option<&BookLine>, Decimal)> = BTreeMap::new();
    let records: Vec<_> = book.all("E510").collect();
    for (line, record) in &records {
        let (_, sum) = declared.entry(record.text(e510::CFOP)).or_insert((Some(line), Decimal::ZERO));
        *sum = sum.saturating_add(record.amount(e510::VL_IPI));
    }
    if book.is_partial || records.is_empty() {
        return;
    }
    for cfop in sums.ipi.keys() {
        declared.entry(cfop).or_default();
    }
    for (cfop, (line, declared)) in declared {
        let IcmsOfDocuments { regular, late } = sums.ipi.get(cfop).copied().unwrap_or_default();
        if !differs(declared, regular) || !differs(declared, regular.saturating_add(late)) {
            continue;
        }
        let detail = format!("o IPI do CFOP {cfop} no E510 não é a soma dos documentos da EFD (C190)");
        let line = match line {
            Some(_) => line_of_book(book, line, "ipi"),
            None => line_of_register(book, "E510", "ipi"),
        };
        let line = line.differing(Certainty::Conferir, "apuracao_do_ipi", detail);
        findings.push(line.with_amounts(declared, regular).by_law("Guia Prático da EFD ICMS/IPI, registro E510"));
    }
}
