//! Documents that are in the books and not among the XML files, or the other way round, or in both with another state.

use rust_decimal::Decimal;

use super::Joined;
use super::entry::{BookEntry, CrossedLines, line_of_note};
use super::record::CrossedNote;
use crate::features::audit::finding::Certainty;
use crate::law::efd::EfdKind;
use crate::law::efd::icms_ipi::{c100, c800, d100};

/// The books have every document of the period that the declarant issued.
const EVERY_DOCUMENT: &str = "Ajuste SINIEF 2/2009, cláusula terceira; Guia Prático da EFD ICMS/IPI, registro C100";

/// Check 1: a note that the declarant issued, was authorised, and is not in the books of its month.
pub(super) fn missing(joined: &Joined<'_>, findings: &mut CrossedLines) {
    let Some(note) = joined.note.filter(|note| is_owed(note)) else { return };
    // The day of an own entry is that on which the goods come.
    let of_note = |book: &&super::Book| {
        book.left_out.is_none()
            && book.header.kind == EfdKind::IcmsIpi
            && book.header.declarant == note.emitente
            && note.day.is_some_and(|day| book.has_day(day))
    };
    let Some(book) = joined.books.iter().find(of_note) else { return };
    if joined.entries.iter().any(|entry| entry.book.has_root_of(note.emitente) && entry.is_icms("C100")) {
        return;
    }
    let leaves_later = note.saida.is_some_and(|day| !book.has_day(day));
    let is_unsure = note.entrada || leaves_later || !note.is_authorised || book.has_lost_lines;
    let certainty = if is_unsure { Certainty::Conferir } else { Certainty::ErroDoDocumento };
    let kind = if note.entrada { "entrada" } else { "saída" };
    let detail = format!(
        "a nota de {kind} de emissão própria não está na EFD de {} a {}",
        book.header.first_day.dmy(),
        book.header.last_day.dmy()
    );
    let line = line_of_note(book, note, "icms").differing(certainty, "nota_fora_da_efd", detail);
    let debit = if note.entrada { Decimal::ZERO } else { note.totals.icms };
    findings.push(line.with_amounts(Decimal::ZERO, debit).by_law(EVERY_DOCUMENT));
}

/// Whether the books of its issuer must have the note: not one of credit or debit of IBS and CBS without ICMS.
fn is_owed(note: &CrossedNote<'_>) -> bool {
    let is_of_reform = matches!(note.finalidade, 5 | 6) && note.totals.icms.is_zero();
    matches!(note.modelo, "55" | "65") && !note.is_cancelled && !note.is_void && !is_of_reform
}

/// Registers of documents that an XML cancels: the place of the ICMS, and how the line begins and what law it cites.
const CANCELLABLE: [(&str, usize, &str, &str); 3] = [
    (
        "C100",
        c100::VL_ICMS,
        "a nota foi cancelada, e está escriturada como regular",
        "Ajuste SINIEF 7/2005, cláusula décima segunda; Guia Prático da EFD ICMS/IPI, registro C100, COD_SIT 02",
    ),
    (
        "C800",
        c800::VL_ICMS,
        "o cupom foi cancelado, e está escriturado como regular",
        "Guia Prático da EFD ICMS/IPI, registro C800, COD_SIT 02",
    ),
    (
        "D100",
        d100::VL_ICMS,
        "o CT-e foi cancelado, e está escriturado como regular",
        "Guia Prático da EFD ICMS/IPI, registro D100, COD_SIT 02",
    ),
];

/// Check 4: a cancelled note, coupon or CT-e that is booked as a regular one.
pub(super) fn cancelled(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let is_cancelled = entry.note.is_some_and(|note| note.is_cancelled);
    let register = CANCELLABLE.into_iter().find(|(register, ..)| entry.is_icms(register));
    let Some((_, icms, what, law)) = register.filter(|_| is_cancelled && !entry.is_cancelled()) else { return };
    let amount = entry.own.amount(icms);
    let side = if entry.own.text(c100::IND_OPER) == "0" { "o crédito" } else { "o débito" };
    let detail = if amount.is_zero() { what.to_owned() } else { format!("{what}: {side} não existe") };
    let line = entry.line("icms").differing(Certainty::ErroDoDocumento, "cancelada_escriturada", detail);
    findings.push(line.with_amounts(amount, Decimal::ZERO).by_law(law));
}
