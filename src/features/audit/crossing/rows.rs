//! Rows of the EFD-Contribuições: what has a CST, a base and a rate of PIS or COFINS, below a document or as the document.
//!
//! The places in each register are data: the checks see each row once for each of the two contributions.

use rust_decimal::Decimal;

use super::entry::{BookEntry, Child};
use crate::features::audit::finding::AuditLine;
use crate::law::codes::{NaturezaCfop, natureza};
use crate::law::efd::contribuicoes::{a170, c170, c175, c181, c185, c191, c195, c870, d101, d105, d201, d205, f100};
use crate::law::efd::{EfdKind, EfdRecord};

/// Where a register has a contribution: places of the CFOP, the value and its discount (zero if it has none), the CST, the
/// base, the rate and the amount.
#[derive(Debug)]
pub(super) struct RowLayout {
    pub(super) register: &'static str,
    tributo: &'static str,
    /// Zero if the register has none.
    pub(super) cfop: usize,
    value: usize,
    discount: usize,
    cst: usize,
    base: usize,
    rate: usize,
    amount: usize,
}

const fn row(
    register: &'static str,
    tributo: &'static str,
    [cfop, value, discount]: [usize; 3],
    [cst, base, rate, amount]: [usize; 4],
) -> RowLayout {
    RowLayout { register, tributo, cfop, value, discount, cst, base, rate, amount }
}

const ROWS: &[RowLayout] = &[
    {
        use a170::{ALIQ_PIS, CST_PIS, VL_BC_PIS, VL_DESC, VL_ITEM, VL_PIS};
        row("A170", "pis", [0, VL_ITEM, VL_DESC], [CST_PIS, VL_BC_PIS, ALIQ_PIS, VL_PIS])
    },
    {
        use a170::{ALIQ_COFINS, CST_COFINS, VL_BC_COFINS, VL_COFINS, VL_DESC, VL_ITEM};
        row("A170", "cofins", [0, VL_ITEM, VL_DESC], [CST_COFINS, VL_BC_COFINS, ALIQ_COFINS, VL_COFINS])
    },
    {
        use c170::{ALIQ_PIS, CFOP, CST_PIS, VL_BC_PIS, VL_DESC, VL_ITEM, VL_PIS};
        row("C170", "pis", [CFOP, VL_ITEM, VL_DESC], [CST_PIS, VL_BC_PIS, ALIQ_PIS, VL_PIS])
    },
    {
        use c170::{ALIQ_COFINS, CFOP, CST_COFINS, VL_BC_COFINS, VL_COFINS, VL_DESC, VL_ITEM};
        row("C170", "cofins", [CFOP, VL_ITEM, VL_DESC], [CST_COFINS, VL_BC_COFINS, ALIQ_COFINS, VL_COFINS])
    },
    {
        use c175::{ALIQ_PIS, CFOP, CST_PIS, VL_BC_PIS, VL_DESC, VL_OPR, VL_PIS};
        row("C175", "pis", [CFOP, VL_OPR, VL_DESC], [CST_PIS, VL_BC_PIS, ALIQ_PIS, VL_PIS])
    },
    {
        use c175::{ALIQ_COFINS, CFOP, CST_COFINS, VL_BC_COFINS, VL_COFINS, VL_DESC, VL_OPR};
        row("C175", "cofins", [CFOP, VL_OPR, VL_DESC], [CST_COFINS, VL_BC_COFINS, ALIQ_COFINS, VL_COFINS])
    },
    {
        use c181::{ALIQ_PIS, CFOP, CST_PIS, VL_BC_PIS, VL_DESC, VL_ITEM, VL_PIS};
        row("C181", "pis", [CFOP, VL_ITEM, VL_DESC], [CST_PIS, VL_BC_PIS, ALIQ_PIS, VL_PIS])
    },
    {
        use c185::{ALIQ_COFINS, CFOP, CST_COFINS, VL_BC_COFINS, VL_COFINS, VL_DESC, VL_ITEM};
        row("C185", "cofins", [CFOP, VL_ITEM, VL_DESC], [CST_COFINS, VL_BC_COFINS, ALIQ_COFINS, VL_COFINS])
    },
    {
        use c191::{ALIQ_PIS, CFOP, CST_PIS, VL_BC_PIS, VL_DESC, VL_ITEM, VL_PIS};
        row("C191", "pis", [CFOP, VL_ITEM, VL_DESC], [CST_PIS, VL_BC_PIS, ALIQ_PIS, VL_PIS])
    },
    {
        use c195::{ALIQ_COFINS, CFOP, CST_COFINS, VL_BC_COFINS, VL_COFINS, VL_DESC, VL_ITEM};
        row("C195", "cofins", [CFOP, VL_ITEM, VL_DESC], [CST_COFINS, VL_BC_COFINS, ALIQ_COFINS, VL_COFINS])
    },
    {
        use c870::{ALIQ_PIS, CFOP, CST_PIS, VL_BC_PIS, VL_DESC, VL_ITEM, VL_PIS};
        row("C870", "pis", [CFOP, VL_ITEM, VL_DESC], [CST_PIS, VL_BC_PIS, ALIQ_PIS, VL_PIS])
    },
    {
        use c870::{ALIQ_COFINS, CFOP, CST_COFINS, VL_BC_COFINS, VL_COFINS, VL_DESC, VL_ITEM};
        row("C870", "cofins", [CFOP, VL_ITEM, VL_DESC], [CST_COFINS, VL_BC_COFINS, ALIQ_COFINS, VL_COFINS])
    },
    {
        use d101::{ALIQ_PIS, CST_PIS, VL_BC_PIS, VL_ITEM, VL_PIS};
        row("D101", "pis", [0, VL_ITEM, 0], [CST_PIS, VL_BC_PIS, ALIQ_PIS, VL_PIS])
    },
    {
        use d105::{ALIQ_COFINS, CST_COFINS, VL_BC_COFINS, VL_COFINS, VL_ITEM};
        row("D105", "cofins", [0, VL_ITEM, 0], [CST_COFINS, VL_BC_COFINS, ALIQ_COFINS, VL_COFINS])
    },
    {
        use d201::{ALIQ_PIS, CST_PIS, VL_BC_PIS, VL_ITEM, VL_PIS};
        row("D201", "pis", [0, VL_ITEM, 0], [CST_PIS, VL_BC_PIS, ALIQ_PIS, VL_PIS])
    },
    {
        use d205::{ALIQ_COFINS, CST_COFINS, VL_BC_COFINS, VL_COFINS, VL_ITEM};
        row("D205", "cofins", [0, VL_ITEM, 0], [CST_COFINS, VL_BC_COFINS, ALIQ_COFINS, VL_COFINS])
    },
    {
        use f100::{ALIQ_PIS, CST_PIS, VL_BC_PIS, VL_OPER, VL_PIS};
        row("F100", "pis", [0, VL_OPER, 0], [CST_PIS, VL_BC_PIS, ALIQ_PIS, VL_PIS])
    },
    {
        use f100::{ALIQ_COFINS, CST_COFINS, VL_BC_COFINS, VL_COFINS, VL_OPER};
        row("F100", "cofins", [0, VL_OPER, 0], [CST_COFINS, VL_BC_COFINS, ALIQ_COFINS, VL_COFINS])
    },
];

/// A contribution of a row of a document.
pub(super) struct ContributionRow<'s, 'e> {
    pub(super) entry: &'s BookEntry<'e>,
    /// `None` if the record of the document itself is the row.
    pub(super) child: Option<&'s Child<'e>>,
    pub(super) layout: &'static RowLayout,
}

/// The rows of a document of the EFD-Contribuições that is not cancelled.
pub(super) fn rows<'s, 'e>(entry: &'s BookEntry<'e>) -> impl Iterator<Item = ContributionRow<'s, 'e>> {
    let is_read = entry.book.header.kind == EfdKind::Contribuicoes && !entry.is_cancelled();
    let records =
        std::iter::once((None, &entry.own)).chain(entry.children.iter().map(|child| (Some(child), &child.record)));
    records.filter(move |_| is_read).flat_map(move |(child, record)| {
        let of_register = ROWS.iter().filter(|layout| layout.register == record.name());
        of_register.map(move |layout| ContributionRow { entry, child, layout })
    })
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
