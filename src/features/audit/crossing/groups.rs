//! The records of a document by CST, CFOP and rate (C190), against its items in the books and in the note.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::entry::{BookEntry, Child, CrossedLines};
use crate::features::audit::differences::CENT;
use crate::features::audit::finding::Certainty;
use crate::law::efd::icms_ipi::{c170, c190};

/// CST, CFOP and rate.
type GroupKey<'e> = (&'e str, &'e str, Decimal);

/// Amounts of a group, in the order of [`AMOUNTS`].
#[derive(Debug, Default, Clone, Copy)]
struct Amounts {
    figures: [Decimal; 5],
    items: u32,
}

/// What the records add up: its tax, its name, its place in C190 and in C170.
const AMOUNTS: [(&str, &str, usize, usize); 5] = [
    ("icms", "VL_BC_ICMS", c190::VL_BC_ICMS, c170::VL_BC_ICMS),
    ("icms", "VL_ICMS", c190::VL_ICMS, c170::VL_ICMS),
    ("icms_st", "VL_BC_ICMS_ST", c190::VL_BC_ICMS_ST, c170::VL_BC_ICMS_ST),
    ("icms_st", "VL_ICMS_ST", c190::VL_ICMS_ST, c170::VL_ICMS_ST),
    ("ipi", "VL_IPI", c190::VL_IPI, c170::VL_IPI),
];

impl Amounts {
    fn add(&mut self, figures: [Decimal; 5]) {
        for (sum, figure) in self.figures.iter_mut().zip(figures) {
            *sum = sum.saturating_add(figure);
        }
        self.items += 1;
    }

    /// What may differ by the rounding of each item.
    fn tolerance(self) -> Decimal {
        CENT.saturating_mul(Decimal::from(self.items.max(1)))
    }
}

/// The records of a register in groups, by the places of CST, CFOP and rate.
fn grouped<'e>(
    entry: &BookEntry<'e>,
    register: &str,
    [cst, cfop, rate]: [usize; 3],
    places: [usize; 5],
) -> BTreeMap<GroupKey<'e>, Amounts> {
    let mut groups: BTreeMap<GroupKey<'e>, Amounts> = BTreeMap::new();
    for Child { record, .. } in entry.all(register) {
        let key = (record.text(cst), record.text(cfop), record.amount(rate));
        groups.entry(key).or_default().add(places.map(|at| record.amount(at)));
    }
    groups
}

/// Check 17: each C190 has what the items (C170) of its CST, CFOP and rate add up to.
pub(super) fn items(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    if !entry.is_icms("C100") || entry.all("C170").next().is_none() || entry.is_cancelled() {
        return;
    }
    let of_items =
        grouped(entry, "C170", [c170::CST_ICMS, c170::CFOP, c170::ALIQ_ICMS], AMOUNTS.map(|(_, _, _, at)| at));
    for child in entry.all("C190") {
        let record = &child.record;
        let key = (record.text(c190::CST_ICMS), record.text(c190::CFOP), record.amount(c190::ALIQ_ICMS));
        let items = of_items.get(&key).copied().unwrap_or_default();
        let wrong = AMOUNTS
            .into_iter()
            .zip(items.figures)
            .find(|((_, _, at, _), sum)| record.amount(*at).saturating_sub(*sum).abs() > items.tolerance());
        let Some(((tributo, name, at, _), sum)) = wrong else { continue };
        let detail = format!("{name} do C190 não é a soma dos itens (C170) do mesmo CST, CFOP e alíquota");
        let line = entry.line_of(child, tributo).differing(Certainty::ErroDoDocumento, "grupos_e_itens", detail);
        findings.push(line.with_amounts(record.amount(at), sum).by_law("Guia Prático da EFD ICMS/IPI, registro C190"));
    }
}
