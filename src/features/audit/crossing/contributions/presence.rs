//! Notes and revenue of a month that one kind of books has and the EFD-Contribuições has not. All of it is only to be checked:
//! a note may be booked by its product, by its total, or in another month.

use rust_decimal::Decimal;

use crate::features::audit::crossing::books::Book;
use crate::features::audit::crossing::entry::{CrossedLines, line_of_book};
use crate::features::audit::crossing::sums::BookSums;
use crate::features::audit::finding::Certainty;
use crate::law::efd::EfdKind;

const LAW: &str = "Guia Prático da EFD-Contribuições, registros C100, C170 e C175";

/// What part of the larger sum may differ, in percent.
const TOLERANCE: Decimal = Decimal::ONE;

/// Check 37: a note of a sale that is not in the books.
pub(in crate::features::audit::crossing) fn sales(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    if sums.notes.is_by_product || book.is_consolidated || book.is_partial {
        return;
    }
    for (line, total) in sums.notes.sales.iter().cloned() {
        let detail = "a nota de venda não está na EFD-Contribuições do mês";
        let line = line.differing(Certainty::Conferir, "venda_sem_contribuicoes", detail);
        findings.push(line.with_amounts(Decimal::ZERO, total).by_law(LAW));
    }
}

/// Check 50: purchases for resale or industry that the EFD ICMS/IPI of the month has, and these books have not.
pub(in crate::features::audit::crossing) fn purchases(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    let (count, value, first) = &sums.notes.purchases;
    let takes_credits = matches!(book.regime, Some(1 | 3));
    if *count == 0 || sums.notes.is_by_product || book.is_partial || !takes_credits {
        return;
    }
    let detail = format!(
        "compras para revenda ou indústria que só a EFD ICMS/IPI do mês tem: {count} (a primeira, nº {first}); se dão crédito, ele não foi tomado"
    );
    let line =
        line_of_book(book, None, "documento").differing(Certainty::Conferir, "compras_sem_contribuicoes", detail);
    let law = "Leis nº 10.637/2002 e 10.833/2003, art. 3º; Guia Prático da EFD-Contribuições, registro C100";
    findings.push(line.with_amounts(Decimal::ZERO, *value).by_law(law));
}

/// Check 49: the revenue of the month in both kinds of books, by CFOP.
pub(in crate::features::audit::crossing) fn revenue(books: &[Book], sums: &[BookSums]) -> CrossedLines {
    let crossed = || books.iter().zip(sums).filter(|(book, _)| book.left_out.is_none() && !book.is_partial);
    let mut findings = CrossedLines::new();
    for (book, own) in crossed().filter(|(book, _)| book.header.kind == EfdKind::Contribuicoes) {
        let others = crossed().filter(|(other, _)| {
            other.header.kind == EfdKind::IcmsIpi
                && other.has_root_of(&book.header.declarant)
                && other.header.first_day == book.header.first_day
        });
        let (count, of_icms) =
            others.fold((0, Decimal::ZERO), |(count, sum), (_, other)| (count + 1, sum.saturating_add(other.revenue)));
        let most = own.revenue.max(of_icms);
        let difference = own.revenue.saturating_sub(of_icms).abs().saturating_mul(Decimal::ONE_HUNDRED);
        if count == 0 || book.is_consolidated || difference <= most.saturating_mul(TOLERANCE) {
            continue;
        }
        let detail = "a receita pelos CFOP de venda não é a da EFD ICMS/IPI do mês, sem ICMS-ST e IPI";
        let line = line_of_book(book, None, "documento").differing(Certainty::Conferir, "receita_das_duas_efd", detail);
        findings.push(line.with_amounts(own.revenue, of_icms).by_law(LAW));
    }
    findings
}
