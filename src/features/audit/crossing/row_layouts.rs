//! Where the rows of the EFD-Contribuições have their contributions, as data.

use crate::law::efd::EfdKind;
use crate::law::efd::contribuicoes::{a170, c170, c175, c181, c185, c191, c195, c870, d101, d105, d201, d205, f100};

/// Where a register has a contribution: places of the CFOP, the value and its discount (zero if it has none), the CST, the
/// base, the rate and the amount.
#[derive(Debug)]
pub(super) struct RowLayout {
    pub(super) register: &'static str,
    pub(super) tributo: &'static str,
    /// Zero if the register has none.
    pub(super) cfop: usize,
    pub(super) value: usize,
    pub(super) discount: usize,
    pub(super) cst: usize,
    pub(super) base: usize,
    pub(super) rate: usize,
    pub(super) amount: usize,
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

/// The places of a register of the EFD-Contribuições, one for each of the contributions that it has.
pub(super) fn rows_of(kind: EfdKind, register: &str) -> &'static [RowLayout] {
    let mut registers = ROWS.chunk_by(|one, other| one.register == other.register);
    let is_it = |rows: &&[RowLayout]| rows.first().is_some_and(|row| row.register == register);
    let found = if kind == EfdKind::Contribuicoes { registers.find(is_it) } else { None };
    found.unwrap_or_default()
}
