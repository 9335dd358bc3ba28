//! Coupons of the SAT in the books (C800).

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;

use super::entry::{BookEntry, CrossedLines, differs};
use super::record::CrossedNote;
use crate::features::audit::differences::CENT;
use crate::features::audit::finding::Certainty;
use crate::law::efd::icms_ipi::{c800, c850};

const LAW: &str = "Guia Prático da EFD ICMS/IPI, registros C800 e C850";

/// What a group of items has in common: CST with its origin, CFOP, rate.
pub(super) type Group = (String, String, Decimal);

/// The ICMS of the items of a coupon by group, and how many items each has. `None` if an item has a CSOSN, of which the
/// books have a CST, or is a service.
pub(super) fn charged(note: &CrossedNote<'_>) -> Option<BTreeMap<Group, (Decimal, u32)>> {
    if note.items.iter().any(|item| item.cst.is_empty()) {
        return None;
    }
    let mut charged: BTreeMap<Group, (Decimal, u32)> = BTreeMap::new();
    for item in &note.items {
        let rate = item.aliquota.saturating_add(item.aliquota_fcp).normalize();
        let (sum, count) = charged.entry((item.cst.to_string(), item.cfop.to_owned(), rate)).or_default();
        (*sum, *count) = (sum.saturating_add(item.icms), *count + 1);
    }
    Some(charged)
}

/// The ICMS of the books by group. The fields of C850 are those of C890.
pub(super) fn booked(entry: &BookEntry<'_>, register: &str) -> BTreeMap<Group, Decimal> {
    let mut booked: BTreeMap<Group, Decimal> = BTreeMap::new();
    for child in entry.all(register) {
        let text = |at: usize| child.record.text(at).to_owned();
        let rate = child.record.amount(c850::ALIQ_ICMS).normalize();
        let sum = booked.entry((text(c850::CST_ICMS), text(c850::CFOP), rate)).or_default();
        *sum = sum.saturating_add(child.record.amount(c850::VL_ICMS));
    }
    booked
}

/// The groups that differ by more than a cent an item: what the books have, and what the items do.
pub(super) fn different_groups(
    booked: &BTreeMap<Group, Decimal>,
    charged: &BTreeMap<Group, (Decimal, u32)>,
) -> Vec<(Group, Decimal, Decimal)> {
    let groups = charged.keys().chain(booked.keys()).collect::<BTreeSet<_>>();
    let amounts = groups.into_iter().map(|group| {
        let (of_items, count) = charged.get(group).copied().unwrap_or_default();
        (group, booked.get(group).copied().unwrap_or_default(), of_items, Decimal::from(count.max(1)))
    });
    let different =
        amounts.filter(|(_, book, items, count)| book.saturating_sub(*items).abs() > CENT.saturating_mul(*count));
    different.map(|(group, book, items, _)| (group.clone(), book, items)).collect()
}

/// Check 34: the total of a coupon, and its ICMS by CST, CFOP and rate and as a whole.
pub(super) fn coupon(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let Some(note) = entry.note.filter(|note| note.modelo == "59" && !note.is_cancelled && !note.is_void) else {
        return;
    };
    if !entry.is_icms("C800") || entry.is_cancelled() {
        return;
    }
    let declared = entry.own.amount(c800::VL_CFE);
    if differs(declared, note.totals.nota) {
        let detail = "VL_CFE não é o total do cupom (vCFe)";
        let line = entry.line("documento").differing(Certainty::ErroDoDocumento, "valor_do_documento", detail);
        findings.push(line.with_amounts(declared, note.totals.nota).by_law(LAW));
    }
    let Some(charged) = charged(note) else { return };
    let different = different_groups(&booked(entry, "C850"), &charged);
    let are_groups_right = different.is_empty();
    for ((cst, cfop, rate), of_book, of_items) in different {
        let rate = crate::base::value::with_comma(rate);
        let detail = format!("o ICMS do CST {cst}, CFOP {cfop}, a {rate}% não é a soma dos itens do cupom");
        let line = entry.line("icms").differing(Certainty::ErroDoDocumento, "icms_do_cupom", detail);
        findings.push(line.with_amounts(of_book, of_items).by_law(LAW));
    }
    // The row of a coupon whose groups are wrong follows them.
    let Some(declared) = entry.own.figure(c800::VL_ICMS).filter(|_| are_groups_right) else { return };
    let tolerance = CENT.saturating_mul(Decimal::from(note.items.len().max(1)));
    let of_items = note.sum(|item| item.icms);
    let is_near = |amount: Decimal| declared.saturating_sub(amount).abs() <= tolerance;
    if !is_near(of_items) && !is_near(note.totals.icms) {
        let detail = "VL_ICMS do C800 não é o ICMS do cupom, que os registros C850 têm";
        let line = entry.line("icms").differing(Certainty::ErroDoDocumento, "icms_do_cupom", detail);
        findings.push(line.with_amounts(declared, of_items).by_law(LAW));
    }
}
