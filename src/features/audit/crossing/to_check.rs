//! What depends on use, on a term, or on a file that may be missing: only a person can judge it.

use rust_decimal::Decimal;

use super::Joined;
use super::books::Book;
use super::entry::{BookEntry, CrossedLines, line_of_book, line_of_note};
use super::sums::BookSums;
use super::totals::{is_entry, is_own, valid};
use crate::base::value::Date;
use crate::features::audit::differences::CENT;
use crate::features::audit::finding::Certainty::Conferir;
use crate::law::codes::{GrupoCfop, natureza};
use crate::law::efd::EfdKind;
use crate::law::efd::icms_ipi::{c100, c170, c190};

/// From this day on the total of a document may be more than that of its operations: CBS, IBS and IS are not in them.
const WITH_REFORM: Date = Date::first_of(2026);
/// CFOPs, without their first digit, of entries that give no credit in the document itself.
const WITHOUT_CREDIT: [&str; 5] = ["407", "556", "551", "403", "653"];

/// Check 2: a note that the declarant received, and that no book has. It may be booked in a later month, or have been
/// refused.
pub(super) fn received(joined: &Joined<'_>, findings: &mut CrossedLines) {
    let Some(note) = joined.note else { return };
    let is_sale = note.modelo == "55" && !note.entrada && !note.is_cancelled && !note.is_void;
    let of_note = |book: &&Book| {
        book.left_out.is_none()
            && book.header.kind == EfdKind::IcmsIpi
            && book.header.declarant == note.comprador
            && note.day.is_some_and(|day| book.has_day(day))
    };
    let Some(book) = joined.books.iter().find(of_note).filter(|_| is_sale && note.emitente != note.comprador) else {
        return;
    };
    if joined.entries.iter().any(|entry| entry.book.header.declarant == note.comprador && entry.is_icms("C100")) {
        return;
    }
    let detail = "a nota recebida não está na EFD do mês: a entrada pode ser de mês posterior, ou ter sido recusada";
    findings.push(line_of_note(book, note, "documento").differing(Conferir, "entrada_fora_da_efd", detail));
}

/// Check 3: a document of the books whose XML is not among the files. If none of its side is, one line of the books says
/// so ([`without_notes`]); of CT-e and coupons nothing is said then.
pub(super) fn without_note(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let is_of = |register: &str| entry.is_icms(register);
    let own = is_of("C800") || is_own(entry);
    let has_side = || match entry.key().get(20..22) {
        _ if is_of("C100") => (if own { entry.book.notes } else { entry.book.received }) > 0,
        Some(model) => entry.book.has_model(own, model),
        None => false,
    };
    let is_read = ["C100", "C800", "D100"].into_iter().any(is_of);
    if is_read && entry.note.is_none() && !entry.key().is_empty() && !entry.is_cancelled() && has_side() {
        let detail = "o XML deste documento não está entre os arquivos da conferência";
        findings.push(entry.line("documento").differing(Conferir, "documento_sem_xml", detail));
    }
}

/// Check 3, of books of which no note, or no note of one side, is among the files.
pub(super) fn without_notes(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    let sides = [
        (book.notes, sums.numbers.own, "nenhuma nota de emissão própria"),
        (book.received, sums.numbers.others, "nenhuma nota recebida"),
    ];
    for (_, documents, what) in sides.into_iter().filter(|(notes, documents, _)| *notes == 0 && *documents > 0) {
        let detail = format!("{what} do período está entre os arquivos: {documents} documentos da EFD sem XML");
        findings.push(line_of_book(book, None, "documento").differing(Conferir, "documento_sem_xml", detail));
    }
}

/// Check 5: booked as cancelled, and the note is authorised. The event may be missing.
pub(super) fn booked_as_cancelled(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let is_valid = entry.note.is_some_and(|note| note.is_authorised && !note.is_cancelled && !note.is_void);
    if entry.is_icms("C100") && entry.is_cancelled() && is_valid {
        let detail =
            "está escriturada como cancelada, e o XML está autorizado, sem evento de cancelamento nos arquivos";
        findings.push(entry.line("icms").differing(Conferir, "escriturada_como_cancelada", detail));
    }
}

/// Check 12: what the declarant issued is of the period, by its day or by that of its leaving.
pub(super) fn period(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let is_regular = matches!(entry.situation(), "00" | "06" | "08");
    let Some(day) = entry.own.day(c100::DT_DOC).filter(|_| entry.is_icms("C100") && is_own(entry) && is_regular) else {
        return;
    };
    let leaves = entry.own.day(c100::DT_E_S).unwrap_or(day);
    if !entry.book.has_day(day) && !entry.book.has_day(leaves) {
        let detail = format!("o documento é de {}, fora do período da EFD, e não está como extemporâneo", day.dmy());
        findings.push(entry.line("documento").differing(Conferir, "periodo_da_efd", detail));
    }
}

/// Check 14: the total is that of the operations. From 2026 on it may be more.
pub(super) fn operations(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let Some(total) = entry.own.figure(c100::VL_DOC).filter(|_| entry.is_icms("C100") && !entry.is_cancelled()) else {
        return;
    };
    let groups = entry.all("C190").count();
    let sum = entry.sum("C190", c190::VL_OPR);
    let tolerance = CENT.saturating_mul(Decimal::from(groups));
    if groups > 0 && entry.book.header.first_day < WITH_REFORM && total.saturating_sub(sum).abs() > tolerance {
        let detail = "VL_DOC não é a soma de VL_OPR dos registros C190";
        let line = entry.line("documento").differing(Conferir, "total_das_operacoes", detail);
        findings.push(line.with_amounts(total, sum));
    }
}

/// Check 20: the CFOP of an entry contradicts that of the supplier: a sale booked as a return, a consignment as a purchase.
pub(super) fn nature(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let Some(note) = valid(entry).filter(|note| is_entry(entry) && !is_own(entry) && !note.items.is_empty()) else {
        return;
    };
    let group = |cfop: &str| natureza(cfop).map(|of| of.grupo);
    let all = |wanted: &[GrupoCfop]| {
        note.items.iter().all(|item| group(item.cfop).is_some_and(|group| wanted.contains(&group)))
    };
    let contradicts = if all(&[GrupoCfop::Venda]) {
        GrupoCfop::Devolucao
    } else if all(&[GrupoCfop::Remessa, GrupoCfop::Retorno]) {
        GrupoCfop::Compra
    } else {
        return;
    };
    let wrong = entry.all("C190").find(|child| group(child.record.text(c190::CFOP)) == Some(contradicts));
    if let Some(child) = wrong {
        let theirs = note.items.first().map(|item| item.cfop).unwrap_or_default();
        let cfop = child.record.text(c190::CFOP);
        let detail = format!("o CFOP {cfop} da entrada contradiz o da nota do fornecedor ({theirs})");
        findings.push(entry.line_of(child, "icms").differing(Conferir, "cfop_da_entrada", detail));
    }
}

/// Check 24: a credit in an entry for use, for the fixed assets, or with substituted ICMS.
pub(super) fn without_credit(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    if !entry.is_icms("C100") || !is_entry(entry) || entry.is_cancelled() {
        return;
    }
    for child in entry.all("C190") {
        let cfop = child.record.text(c190::CFOP);
        let amount = child.record.amount(c190::VL_ICMS);
        if amount > Decimal::ZERO && cfop.get(1..).is_some_and(|rest| WITHOUT_CREDIT.contains(&rest)) {
            let detail = format!("há crédito de ICMS em CFOP {cfop}, que em regra não o dá no documento");
            let line = entry.line_of(child, "icms").differing(Conferir, "credito_e_cfop", detail);
            findings.push(line.with_amounts(amount, Decimal::ZERO).by_law("LC 87/1996, arts. 20 e 33"));
        }
    }
}

/// Check 36: the kind of the product in the books (`0200`) against the CFOP of its entry.
pub(super) fn kind_of_product(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    if !entry.is_icms("C100") || !is_entry(entry) {
        return;
    }
    for child in entry.all("C170") {
        let Some(product) = child.product else { continue };
        let cfop = child.record.text(c170::CFOP);
        let operation = cfop.get(1..).unwrap_or_default();
        let is_wrong = match product.tipo.as_str() {
            "07" | "08" => matches!(operation, "102" | "403"),
            "00" => operation == "556",
            _ => false,
        };
        if is_wrong {
            let detail = format!("o item tem o tipo {} no cadastro (0200), e entra com o CFOP {cfop}", product.tipo);
            findings.push(entry.line_of(child, "icms").differing(Conferir, "tipo_do_item", detail));
        }
    }
}

/// Check 10: numbers between those of a series that no document of the books has.
pub(super) fn sequence(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    for (series, gap) in sums.numbers.series.iter().filter(|(_, gap)| gap.missing > 0) {
        let (model, series) = series.split_at_checked(2).unwrap_or_default();
        let detail = format!(
            "faltam {} números na série {series} do modelo {model}, o primeiro é {}: inutilizações os explicam",
            gap.missing, gap.first
        );
        findings.push(line_of_book(book, None, "documento").differing(Conferir, "numeros_que_faltam", detail));
    }
}

/// Check 18: items of NF-e that the declarant issued, which the books want only with some registers, and notes of others
/// without items. Profiles and States differ.
pub(super) fn items(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    let of = &sums.numbers;
    let sides = [
        (&of.own_with_items, "NF-e de emissão própria com itens (C170), que só cabem com C176, C177, C180 ou C181"),
        (&of.others_without_items, "NF-e de terceiros sem os itens (C170)"),
    ];
    for (notes, what) in sides.into_iter().filter(|(notes, _)| notes.count > 0) {
        let detail = format!("{what}: {}, a primeira é a nº {}", notes.count, notes.first);
        findings.push(line_of_book(book, None, "documento").differing(Conferir, "itens_na_efd", detail));
    }
}
