//! What the documents of a book add up to.

use rust_decimal::Decimal;

use super::entry::{BookEntry, Child};
use crate::law::efd::EfdKind;
use crate::law::efd::icms_ipi::{c190, c590, c850, c890, d190, d590, d730};

/// The records with ICMS by CFOP: the register, the place of the CFOP and that of the ICMS.
const WITH_ICMS: &[(&str, usize, usize)] = &[
    ("C190", c190::CFOP, c190::VL_ICMS),
    ("C590", c590::CFOP, c590::VL_ICMS),
    ("C850", c850::CFOP, c850::VL_ICMS),
    ("C890", c890::CFOP, c890::VL_ICMS),
    ("D190", d190::CFOP, d190::VL_ICMS),
    ("D590", d590::CFOP, d590::VL_ICMS),
    ("D730", d730::CFOP, d730::VL_ICMS),
];

/// ICMS that documents add up to.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct IcmsOfDocuments {
    pub(super) regular: Decimal,
    /// Of documents that are booked late (`COD_SIT` 01 and 07).
    pub(super) late: Decimal,
}

/// They are added one document at a time, by access key.
#[derive(Debug, Default)]
pub(super) struct BookSums {
    pub(super) debits: IcmsOfDocuments,
    pub(super) credits: IcmsOfDocuments,
}

impl BookSums {
    pub(super) fn add(&mut self, entry: &BookEntry<'_>) {
        if entry.book.header.kind == EfdKind::IcmsIpi {
            entry.children.iter().for_each(|child| self.add_icms(entry, child));
        }
    }

    fn add_icms(&mut self, entry: &BookEntry<'_>, child: &Child<'_>) {
        let with_icms = WITH_ICMS.iter().find(|(register, ..)| *register == child.record.name());
        let Some((_, cfop, icms)) = with_icms else { return };
        // A transfer of a credit or of a debit counts on the other side.
        let sums = match child.record.text(*cfop) {
            "1605" => &mut self.debits,
            "5605" => &mut self.credits,
            cfop if cfop.starts_with(['1', '2', '3']) => &mut self.credits,
            _ => &mut self.debits,
        };
        let is_late = matches!(entry.situation(), "01" | "07");
        let sum = if is_late { &mut sums.late } else { &mut sums.regular };
        *sum = sum.saturating_add(child.record.amount(*icms));
    }
}
