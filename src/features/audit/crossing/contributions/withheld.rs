//! PIS and COFINS that takers of services withheld, against what block M deducts of them.

use rust_decimal::Decimal;

use crate::features::audit::crossing::books::Book;
use crate::features::audit::crossing::entry::{CrossedLines, differs, line_of_book};
use crate::features::audit::crossing::record::BookLine;
use crate::features::audit::crossing::sums::BookSums;
use crate::features::audit::finding::Certainty;
use crate::law::efd::contribuicoes::{f600, m200, m600};

const LAW: &str = "Lei nº 10.833/2003, arts. 30 e 36; Guia Prático da EFD-Contribuições, registros M200 e M600";

/// Check 48: what the NFS-e of the month have as withheld is deducted, or in F600. A withholding counts when the service is
/// paid, which may be later.
pub(in crate::features::audit::crossing) fn withheld(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    let accounts = [
        ("pis", "PIS", "M200", [m200::VL_RET_NC, m200::VL_RET_CUM], f600::VL_RET_PIS),
        ("cofins", "COFINS", "M600", [m600::VL_RET_NC, m600::VL_RET_CUM], f600::VL_RET_COFINS),
    ];
    for ((tributo, name, register, places, received), of_notes) in accounts.into_iter().zip(sums.services.withheld) {
        let mut first: Option<(&BookLine, Decimal)> = None;
        for (line, record) in book.all(register) {
            let sum = places.into_iter().fold(Decimal::ZERO, |sum, at| sum.saturating_add(record.amount(at)));
            first = Some(first.map_or((line, sum), |(at, before)| (at, before.saturating_add(sum))));
        }
        let received = book.all("F600").fold(Decimal::ZERO, |sum, (_, of)| sum.saturating_add(of.amount(received)));
        let has = |sum: Decimal| sum >= of_notes || !differs(sum, of_notes);
        let Some((at, deducted)) = first.filter(|(_, sum)| !has(*sum) && !has(received)) else { continue };
        let detail = format!(
            "as NFS-e do mês têm {name} retido na fonte que a apuração ({register}) não deduz e o F600 não tem: confira se foi recebido"
        );
        let line =
            line_of_book(book, Some(at), tributo).differing(Certainty::Conferir, "retencao_nao_deduzida", detail);
        findings.push(line.with_amounts(deducted, of_notes).by_law(LAW));
    }
}
