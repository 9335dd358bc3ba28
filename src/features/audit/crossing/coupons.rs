//! Coupons of the SAT in the books (C800).

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;

use super::entry::{BookEntry, CrossedLines, differs};
use crate::features::audit::differences::CENT;
use crate::features::audit::finding::Certainty;
use crate::law::efd::icms_ipi::{c800, c850};

const LAW: &str = "Guia Prático da EFD ICMS/IPI, registros C800 e C850";

/// What a group of items has in common: CST with its origin, CFOP, rate.
type Group = (String, String, Decimal);

/// Check 34: the total of a coupon, and its ICMS by CST, CFOP and rate.
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
    // An item of the Simples has a CSOSN, of which the books have a CST, and a service has neither.
    if note.items.iter().any(|item| item.cst.is_empty()) {
        return;
    }
    let mut charged: BTreeMap<Group, (Decimal, u32)> = BTreeMap::new();
    for item in &note.items {
        let rate = item.aliquota.saturating_add(item.aliquota_fcp).normalize();
        let (sum, count) = charged.entry((item.cst.clone(), item.cfop.clone(), rate)).or_default();
        (*sum, *count) = (sum.saturating_add(item.icms), *count + 1);
    }
    let mut booked: BTreeMap<Group, Decimal> = BTreeMap::new();
    for child in entry.all("C850") {
        let text = |at: usize| child.record.text(at).to_owned();
        let rate = child.record.amount(c850::ALIQ_ICMS).normalize();
        let sum = booked.entry((text(c850::CST_ICMS), text(c850::CFOP), rate)).or_default();
        *sum = sum.saturating_add(child.record.amount(c850::VL_ICMS));
    }
    for group in charged.keys().chain(booked.keys()).collect::<BTreeSet<_>>() {
        let (of_items, count) = charged.get(group).copied().unwrap_or_default();
        let of_book = booked.get(group).copied().unwrap_or_default();
        if of_book.saturating_sub(of_items).abs() > CENT.saturating_mul(Decimal::from(count.max(1))) {
            let (cst, cfop, rate) = group;
            let rate = crate::base::value::with_comma(*rate);
            let detail = format!("o ICMS do CST {cst}, CFOP {cfop}, a {rate}% não é a soma dos itens do cupom");
            let line = entry.line("icms").differing(Certainty::ErroDoDocumento, "icms_do_cupom", detail);
            findings.push(line.with_amounts(of_book, of_items).by_law(LAW));
        }
    }
}
