//! The worksheet of the differences by product.

use rust_decimal::Decimal;

use super::plain::label;
use super::{PageOfMonth, ProductCause};
use crate::features::audit::balance::Balance;
use crate::features::audit::table::subject;
use crate::sheet::ColumnKind::{self, Integer, Text};
use crate::sheet::{self, Cell, Column, Reader, Table};

/// A row of the worksheet: the company, the month, the product with its cause, and what its lines add up to.
type ProductRow<'r> = (&'r str, &'r str, &'r ProductCause, &'r Balance);

fn columns<'r>() -> [Column<ProductRow<'r>>; 11] {
    [
        Column::new("empresa", "Empresa (CNPJ)", Text, |(empresa, ..)| Cell::of(*empresa)),
        Column::new("mes", "Mês", Text, |(_, month, ..)| Cell::of(*month)),
        Column::said(
            "tributo",
            "Tributo",
            Text,
            |(_, _, of, _)| Cell::of(of.0),
            |(_, _, of, _)| Cell::of(subject(of.0)),
        ),
        Column::new("ncm", "NCM ou subitem", Text, |(_, _, of, _)| Cell::of(&of.1)),
        Column::new("produto", "Produto", Text, |(_, _, of, _)| Cell::of(&of.2)),
        Column::said("codigo", "Causa", Text, |(_, _, of, _)| Cell::of(&of.3), |(_, _, of, _)| Cell::of(label(&of.3))),
        Column::new("linhas", "Linhas", Integer, |(.., balance)| Cell::whole(balance.differs)),
        Column::new("a_maior", "A maior (R$)", ColumnKind::Decimal, |(.., balance)| sum(balance.sure.over)),
        Column::new("a_menor", "A menor (R$)", ColumnKind::Decimal, |(.., balance)| sum(balance.sure.under)),
        Column::new("a_maior_conferir", "A conferir, a maior (R$)", ColumnKind::Decimal, |(.., balance)| {
            sum(balance.to_check.over)
        }),
        Column::new("a_menor_conferir", "A conferir, a menor (R$)", ColumnKind::Decimal, |(.., balance)| {
            sum(balance.to_check.under)
        }),
    ]
}

/// No cell for a side on which there is nothing.
pub(super) fn sum<'a>(value: Decimal) -> Cell<'a> {
    if value.is_zero() { Cell::Empty } else { Cell::Number(value) }
}

pub(super) fn table<'r>(pages: impl Iterator<Item = (&'r str, &'r PageOfMonth)>, reader: Reader) -> Table {
    let rows = pages.flat_map(|(month, page)| {
        let row = move |(of, balance): (&'r ProductCause, &'r Balance)| (page.empresa.as_str(), month, of, balance);
        page.products().into_iter().map(row)
    });
    sheet::table("Por produto", &columns(), rows, reader)
}
