//! The account of the ICMS of the books against their own documents.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use super::books::Book;
use super::entry::{CrossedLines, differs, line_of_book};
use super::record::BookLine;
use super::sums::{BookSums, IcmsOfDocuments};
use crate::features::audit::finding::Certainty;
use crate::law::efd::icms_ipi::{e110, e116, e510, e520};
use crate::law::efd::{EfdKind, EfdRecord};

const LAW: &str = "Guia Prático da EFD ICMS/IPI, registros E110 e E116";

/// The lines of a register, as records.
fn all<'b>(book: &'b Book, register: &'b str) -> impl Iterator<Item = (&'b BookLine, EfdRecord<'b>)> {
    let record = |line: &'b BookLine| Some((line, EfdRecord::of(&line.text)?));
    book.loose.iter().filter_map(record).filter(move |(_, record)| record.name() == register)
}

/// Check 29: the debits and the credits of the account are those of the documents, and so are their adjustments. If
/// registers with ICMS were not read, the sums are not known; several accounts in a period share the documents. Late
/// documents may be in either sum.
pub(super) fn totals(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    if book.is_partial {
        return;
    }
    let accounts: Vec<_> = all(book, "E110").collect();
    let Some((at, _)) = accounts.first() else { return };
    let total = |place: usize| accounts.iter().fold(Decimal::ZERO, |sum, (_, of)| sum.saturating_add(of.amount(place)));
    let debits = "os débitos (VL_TOT_DEBITOS) não são a soma do ICMS dos documentos da EFD";
    let credits = "os créditos (VL_TOT_CREDITOS) não são a soma do ICMS dos documentos da EFD";
    let to_debits = "os ajustes a débito (VL_AJ_DEBITOS) não são a soma dos ajustes dos documentos (C197 e D197)";
    let to_credits = "os ajustes a crédito (VL_AJ_CREDITOS) não são a soma dos ajustes dos documentos (C197 e D197)";
    let sides = [
        (false, e110::VL_TOT_DEBITOS, &sums.debits, "debitos_da_apuracao", debits),
        (false, e110::VL_TOT_CREDITOS, &sums.credits, "creditos_da_apuracao", credits),
        (true, e110::VL_AJ_DEBITOS, &sums.adjusted_debits, "ajustes_da_apuracao", to_debits),
        (true, e110::VL_AJ_CREDITOS, &sums.adjusted_credits, "ajustes_da_apuracao", to_credits),
    ];
    let is_known = |of_adjustments: bool| !of_adjustments || book.unread_adjustments.is_empty();
    for (_, place, of, codigo, detail) in sides.into_iter().filter(|(of_adjustments, ..)| is_known(*of_adjustments)) {
        let declared = total(place);
        let IcmsOfDocuments { regular, late } = *of;
        if !differs(declared, regular) || !differs(declared, regular.saturating_add(late)) {
            continue;
        }
        let line = line_of_book(book, Some(at), "icms").differing(Certainty::ErroDoDocumento, codigo, detail);
        findings.push(line.with_amounts(declared, regular).by_law(LAW));
    }
}

/// Says which sums of the books are not compared, since they have amounts that are not read.
pub(super) fn unread(book: &Book, _: &BookSums, findings: &mut CrossedLines) {
    let (account, whole, adjustments) = match book.header.kind {
        EfdKind::IcmsIpi => ("E110", "a apuração (E110, E210 e E310)", "os ajustes da apuração (E110)"),
        EfdKind::Contribuicoes => ("M200", "a apuração (bloco M)", ""),
    };
    if all(book, account).next().is_none() {
        return;
    }
    let names = |registers: &BTreeSet<&str>| registers.iter().copied().collect::<Vec<_>>().join(", ");
    let reason = match () {
        () if !book.unread.is_empty() => {
            format!("{whole} não foi comparada: a EFD tem registros que não são lidos ({})", names(&book.unread))
        }
        () if book.is_partial => format!("{whole} não foi comparada: há linhas da EFD que não foram lidas"),
        () if !book.unread_adjustments.is_empty() => format!(
            "{adjustments} não foram comparados: a EFD tem registros que não são lidos ({})",
            names(&book.unread_adjustments)
        ),
        () => return,
    };
    findings.push(line_of_book(book, None, "documento").not_compared("registro_nao_lido", &reason));
}

/// Check 30: what is owed (`VL_ICMS_RECOLHER` and `DEB_ESP`) is the sum of the obligations.
pub(super) fn payable(book: &Book, _: &BookSums, findings: &mut CrossedLines) {
    if book.loose.len() >= super::books::MAX_LOOSE {
        return;
    }
    let mut accounts: Vec<(&BookLine, Decimal, Decimal)> = Vec::new();
    for line in &book.loose {
        let Some(record) = EfdRecord::of(&line.text) else { continue };
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
    for line in book.loose.iter().filter(|_| book.loose.len() < super::books::MAX_LOOSE) {
        let Some(record) = EfdRecord::of(&line.text) else { continue };
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
