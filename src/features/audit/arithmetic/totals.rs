//! The totals of a document: the sums of its items, and the total of the note.

use rust_decimal::Decimal;

use crate::features::audit::differences::{DIFAL, Differences};
use crate::features::audit::explain;
use crate::features::audit::explain::totals::WrongSum;
use crate::features::audit::finding::AuditLine;
use crate::features::audit::technical_note::totals;
use crate::law::nfe::{ItemDaNota, NotaFiscal, Tag, Tags, TotalTag};

/// Each total, and what it is the sum of.
const TOTALS: [(&str, TotalTag, Tag); 25] = [
    ("icms", TotalTag::BaseIcms, Tag::IcmsBase),
    ("icms", TotalTag::Icms, Tag::IcmsValor),
    ("icms", TotalTag::IcmsDesonerado, Tag::IcmsDesonerado),
    (DIFAL, TotalTag::FcpDestino, Tag::DestinoFcpValor),
    (DIFAL, TotalTag::IcmsDestino, Tag::DestinoValor),
    (DIFAL, TotalTag::IcmsRemetente, Tag::RemetenteValor),
    ("icms", TotalTag::MonoQuantidade, Tag::MonoQuantidade),
    ("icms", TotalTag::Mono, Tag::MonoValor),
    ("icms", TotalTag::MonoRetencaoQuantidade, Tag::MonoRetencaoQuantidade),
    ("icms", TotalTag::MonoRetencao, Tag::MonoRetencaoValor),
    ("icms", TotalTag::MonoRetidoQuantidade, Tag::MonoRetidoQuantidade),
    ("icms", TotalTag::MonoRetido, Tag::MonoRetidoValor),
    ("icms_st", TotalTag::BaseSt, Tag::StBase),
    ("icms_st", TotalTag::St, Tag::StValor),
    ("icms_st", TotalTag::FcpSt, Tag::StFcpValor),
    ("documento", TotalTag::Produtos, Tag::Produto),
    ("documento", TotalTag::Frete, Tag::Frete),
    ("documento", TotalTag::Seguro, Tag::Seguro),
    ("documento", TotalTag::Desconto, Tag::Desconto),
    ("documento", TotalTag::Importacao, Tag::ImpostoImportacao),
    ("ipi", TotalTag::Ipi, Tag::IpiValor),
    ("ipi", TotalTag::IpiDevolvido, Tag::IpiDevolvido),
    ("pis", TotalTag::Pis, Tag::PisValor),
    ("cofins", TotalTag::Cofins, Tag::CofinsValor),
    ("documento", TotalTag::Outras, Tag::Outras),
];

/// The differences between the items and the totals.
pub(in crate::features::audit) fn of_totals(nota: &NotaFiscal, line: &AuditLine) -> Vec<AuditLine> {
    let mut differences = Differences::of(line);
    // A figure that is not readable makes every sum wrong.
    if nota.items.is_empty() || nota.items.iter().any(|item| !item.unreadable.is_empty()) {
        return Vec::new();
    }
    let mut sums = totals::of_totals(nota, &mut differences);
    // The other taxes of services have totals of their own.
    if nota.items.iter().any(|item| item.servico) {
        return differences.found;
    }
    for (tributo, total, tag) in TOTALS {
        let Some(declared) = nota.totals.get(total) else { continue };
        let counted = nota.items.iter().filter(|item| tag != Tag::Produto || item.in_total);
        let sum = counted.fold(Decimal::ZERO, |sum, item| sum.saturating_add(item.figures.or_zero(tag)));
        let text = format!("a soma dos itens ≠ o total {}", total.name());
        let place = differences.found.len();
        if let Some(line) = differences.check(tributo, "total", declared, &[Some(sum)], &text) {
            explain::totals::of_sum(nota, total, &[tag], line);
            sums.push((total, place));
        }
    }
    sums.extend(fcp(nota, &mut differences));
    // An import adds taxes to the total that an ordinary note does not.
    if !nota.items.iter().any(|item| item.cfop.starts_with('3')) {
        of_note(nota, &mut differences);
    }
    explain::totals::of_all(sums, &mut differences.found);
    differences.found
}

/// The FCP, of which a part may be deferred: some issuers add what is left, others the whole.
fn fcp(nota: &NotaFiscal, differences: &mut Differences<'_>) -> Option<WrongSum> {
    let declared = nota.totals.get(TotalTag::Fcp)?;
    let whole = nota.sum(|item| item.figures.or_zero(Tag::FcpValor));
    let left =
        nota.sum(|item| item.figures.get(Tag::FcpEfetivo).unwrap_or_else(|| item.figures.or_zero(Tag::FcpValor)));
    let (place, text) = (differences.found.len(), "a soma dos itens ≠ o total vFCP");
    differences.check("icms", "total", declared, &[Some(whole), Some(left)], text).map(|_| (TotalTag::Fcp, place))
}

/// The exempted ICMS that the document deducts from its total: surely, and perhaps. `indDeduzDeson` of an item says it
/// since NT 2023.004; a document without it may deduct or not (MOC, rejection 610, third exception).
fn exempted(nota: &NotaFiscal) -> (Decimal, Decimal) {
    nota.items.iter().fold((Decimal::ZERO, Decimal::ZERO), |(sure, perhaps), item| {
        let amount = item.figures.or_zero(Tag::IcmsDesonerado);
        match item.deduz_desonerado {
            Some(true) => (sure.saturating_add(amount), perhaps),
            Some(false) => (sure, perhaps),
            None => (sure, perhaps.saturating_add(amount)),
        }
    })
}

/// The total of the note (MOC, rejection 610; NT 2023.001 on the single-phase ICMS that is withheld), and from 2027 on
/// with CBS and IBS, which are charged on top.
fn of_note(nota: &NotaFiscal, differences: &mut Differences<'_>) {
    let totals = &nota.totals;
    // Without the sum of the products the parts are not on the document.
    let (Some(declared), Some(_)) = (totals.get(TotalTag::Nota), totals.get(TotalTag::Produtos)) else { return };
    let added = [
        TotalTag::Produtos,
        TotalTag::St,
        TotalTag::FcpSt,
        TotalTag::MonoRetencao,
        TotalTag::Frete,
        TotalTag::Seguro,
        TotalTag::Outras,
        TotalTag::Importacao,
        TotalTag::Ipi,
        TotalTag::IpiDevolvido,
    ];
    let (sure, perhaps) = exempted(nota);
    let total = totals.sum(&added).saturating_add(nota.sum(ItemDaNota::contributions_in_total));
    let total = total.saturating_sub(totals.or_zero(TotalTag::Desconto)).saturating_sub(sure);
    let without = total.saturating_sub(perhaps);
    let reform = totals.sum(&[TotalTag::Ibs, TotalTag::Cbs]);
    let forms = [Some(total), Some(without), Some(total.saturating_add(reform)), Some(without.saturating_add(reform))];
    if let Some(line) = differences.check("documento", "total", declared, &forms, "as parcelas ≠ o total vNF") {
        explain::totals::of_note(nota, line);
    }
}
