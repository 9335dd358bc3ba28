//! Rows of the EFD-Contribuições: what has a CST, a base and a rate of PIS or COFINS, below a document or as the document.
//! The checks see each row once for each of the two contributions.

use std::iter;

use rust_decimal::Decimal;

use super::entry::{BookEntry, Child};
use super::row_layouts::RowLayout;
use crate::features::audit::finding::AuditLine;
use crate::law::codes::{NaturezaCfop, natureza};
use crate::law::efd::EfdRecord;

/// A contribution of a row of a document.
pub(super) struct ContributionRow<'s, 'e> {
    pub(super) entry: &'s BookEntry<'e>,
    /// `None` if the record of the document itself is the row.
    pub(super) child: Option<&'s Child<'e>>,
    pub(super) layout: &'static RowLayout,
}

/// The rows of a document of the EFD-Contribuições that is not cancelled.
pub(super) fn rows<'s, 'e>(entry: &'s BookEntry<'e>) -> impl Iterator<Item = ContributionRow<'s, 'e>> {
    let of_children = entry.children.iter().map(|child| (Some(child), child.rows));
    let records = iter::once((None, entry.rows)).chain(of_children).filter(|_| !entry.is_cancelled());
    records.flat_map(move |(child, rows)| rows.iter().map(move |layout| ContributionRow { entry, child, layout }))
}

/// Whether a document is revenue of the declarant, rather than a purchase.
pub(super) fn is_revenue(entry: &BookEntry<'_>) -> bool {
    match entry.own.name() {
        "C180" | "C860" | "D200" => true,
        "C190" => false,
        // `IND_OPER` is the second field of each of the others.
        _ => entry.own.text(2) != "0",
    }
}

/// Codes of purchases with a credit (IN RFB 1.009/2010, tables II and III).
pub(super) fn gives_credit(cst: &str) -> bool {
    matches!(cst, "50" | "51" | "52" | "53" | "54" | "55" | "56")
}

impl<'s, 'e> ContributionRow<'s, 'e> {
    pub(super) fn record(&self) -> &'s EfdRecord<'e> {
        self.child.map_or(&self.entry.own, |child| &child.record)
    }

    pub(super) fn tributo(&self) -> &'static str {
        self.layout.tributo
    }

    pub(super) fn cst(&self) -> &'e str {
        self.record().text(self.layout.cst)
    }

    pub(super) fn base(&self) -> Decimal {
        self.record().amount(self.layout.base)
    }

    /// In percent points.
    pub(super) fn rate(&self) -> Decimal {
        self.record().amount(self.layout.rate)
    }

    pub(super) fn amount(&self) -> Decimal {
        self.record().amount(self.layout.amount)
    }

    /// The value, and the same without its discount.
    pub(super) fn values(&self) -> [Decimal; 2] {
        let value = self.record().amount(self.layout.value);
        [value, value.saturating_sub(self.record().amount(self.layout.discount))]
    }

    /// `None` if the row has no CFOP, or one that is not in the table.
    pub(super) fn natureza(&self) -> Option<&'static NaturezaCfop> {
        natureza(self.record().text(self.layout.cfop))
    }

    pub(super) fn line(&self) -> AuditLine {
        match self.child {
            Some(child) => self.entry.line_of(child, self.tributo()),
            None => self.entry.line(self.tributo()),
        }
    }
}
