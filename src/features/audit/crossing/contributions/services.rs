//! The services that a declarant rendered (A100) against its NFS-e, by the provider and the number.

use rust_decimal::Decimal;

use crate::features::audit::crossing::books::Book;
use crate::features::audit::crossing::entry::{BookEntry, CrossedLines, differs};
use crate::features::audit::crossing::record::CrossedService;
use crate::features::audit::crossing::rows::is_revenue;
use crate::features::audit::crossing::sums::BookSums;
use crate::features::audit::finding::Certainty;
use crate::law::efd::EfdKind;
use crate::law::efd::contribuicoes::a100;

const LAW: &str = "Guia Prático da EFD-Contribuições, registros A100 e A170";

/// Whether a record is that of a service that the declarant rendered.
fn is_service(entry: &BookEntry<'_>) -> bool {
    entry.book.header.kind == EfdKind::Contribuicoes && entry.own.name() == "A100" && is_revenue(entry)
}

/// Check 38: a service with another value than that of its NFS-e.
pub(in crate::features::audit::crossing) fn value(
    entry: &BookEntry<'_>,
    services: &[&CrossedService<'_>],
    findings: &mut CrossedLines,
) {
    let Some(first) = services.first().filter(|_| is_service(entry) && !entry.is_cancelled()) else { return };
    let Some(declared) = entry.own.figure(a100::VL_DOC) else { return };
    // The services of one NFS-e are in one file; another file may have it again.
    let of_file = || services.iter().filter(|service| service.arquivo == first.arquivo);
    let total = of_file().map(|service| service.values()).fold([Decimal::ZERO; 2], |[price, gross], [one, other]| {
        [price.saturating_add(one), gross.saturating_add(other)]
    });
    let mut values = services.iter().flat_map(|service| service.values()).chain(total);
    if services.iter().any(|service| !service.is_valid) || values.any(|value| !differs(declared, value)) {
        return;
    }
    let [price, _] = total;
    let detail = "VL_DOC não é o valor dos serviços da NFS-e";
    let line = entry.line("documento").differing(Certainty::ErroDoDocumento, "valor_do_servico", detail);
    findings.push(line.with_amounts(declared, price).by_law(LAW));
}

/// Check 38: an NFS-e of the declarant and the month that is not in the books.
pub(in crate::features::audit::crossing) fn missing(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    let services = &sums.services;
    if services.missing.is_empty() || book.is_consolidated {
        return;
    }
    // A service is booked in the month in which it was rendered; who books another number is not at fault.
    let is_sure = services.unmatched == 0 && !book.is_partial;
    let certainty = if is_sure { Certainty::ErroDoDocumento } else { Certainty::Conferir };
    for (line, price) in services.missing.iter().cloned() {
        let detail = "a NFS-e emitida não está na EFD-Contribuições do mês (A100)";
        let line = line.differing(certainty, "servico_fora_da_efd", detail);
        findings.push(line.with_amounts(Decimal::ZERO, price).by_law(LAW));
    }
}
