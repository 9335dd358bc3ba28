//! A table declared once: for programs, for people, and for the terminal.
//!
//! A column has its name, its head, its kind and its cell in one place, so that none of them can be out of step with the
//! others, whatever the reader.

use std::borrow::Borrow;

use super::{Cell, ColumnKind, Table, TableColumn, TableHead};
use crate::base::sentence::Reader;

/// Width of a column of a spreadsheet that states none, in characters.
const WIDTH: usize = 16;

/// A column of a table whose rows are of the type `R`.
pub struct Column<R> {
    /// Its name for programs; empty for a column that only people have.
    pub name: &'static str,
    /// Its head for people; empty for a column that only programs have.
    pub label: &'static str,
    /// How a spreadsheet program shows its cells.
    pub kind: ColumnKind,
    /// Width in characters.
    pub width: usize,
    pub cell: fn(&R) -> Cell<'_>,
    /// The cell for people, if they read another one.
    said: Option<fn(&R) -> Cell<'_>>,
}

impl<R> Column<R> {
    /// A column of both readers with the same cell.
    pub const fn new(name: &'static str, label: &'static str, kind: ColumnKind, cell: fn(&R) -> Cell<'_>) -> Column<R> {
        Column { name, label, kind, width: WIDTH, cell, said: None }
    }

    /// A column of both readers of which people read another cell: a label for a word, a sentence with labels in it.
    pub const fn said(
        name: &'static str,
        label: &'static str,
        kind: ColumnKind,
        cell: fn(&R) -> Cell<'_>,
        said: fn(&R) -> Cell<'_>,
    ) -> Column<R> {
        Column { name, label, kind, width: WIDTH, cell, said: Some(said) }
    }

    /// The column with another width, in characters.
    pub const fn wide(self, width: usize) -> Column<R> {
        Column { width, ..self }
    }

    /// Its head; empty if the reader has no such column.
    pub const fn head(&self, reader: Reader) -> &'static str {
        match reader {
            Reader::Program => self.name,
            Reader::Person => self.label,
        }
    }

    fn cell_for<'r>(&self, row: &'r R, reader: Reader) -> Cell<'r> {
        match (reader, self.said) {
            (Reader::Person, Some(said)) => said(row),
            _ => (self.cell)(row),
        }
    }
}

/// A whole table of rows.
pub fn table<R>(name: &str, columns: &[Column<R>], rows: impl Iterator<Item: Borrow<R>>, reader: Reader) -> Table {
    let owned = |row: Vec<Cell<'_>>| row.into_iter().map(Cell::into_owned).collect();
    let rows = rows.map(|row| owned(table_row(columns, row.borrow(), reader))).collect();
    Table { head: table_head(name, columns, reader), rows }
}

fn columns_of<R>(columns: &[Column<R>], reader: Reader) -> impl Iterator<Item = &Column<R>> {
    columns.iter().filter(move |column| !column.head(reader).is_empty())
}

/// The columns that a reader has, in a worksheet of that name whose header stays in sight.
pub fn table_head<R>(name: &str, columns: &[Column<R>], reader: Reader) -> TableHead {
    let column = |column: &Column<R>| TableColumn {
        name: column.head(reader).to_owned(),
        kind: column.kind,
        choices: Vec::new(),
        width: column.width,
    };
    TableHead { name: name.to_owned(), columns: columns_of(columns, reader).map(column).collect(), frozen: (1, 0) }
}

pub fn table_row<'r, R>(columns: &[Column<R>], row: &'r R, reader: Reader) -> Vec<Cell<'r>> {
    // Made at once as long as all columns, of which few have no cell: a row that grows is copied several times.
    let mut cells = Vec::with_capacity(columns.len());
    cells.extend(columns_of(columns, reader).map(|column| column.cell_for(row, reader)));
    cells
}
