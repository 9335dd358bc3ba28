//! Rules as the rows of a table.

mod built_in;
mod faults;
mod files;

use taxd::features::rule_sheets::{CellFault, Layout, Made, read};
use taxd_law::tax;
use taxd_sheet::{Cell, Row};

pub fn layout(tributo: &str) -> Layout {
    Layout::of(tax::find(tributo).unwrap())
}

/// Rows as a file gives them, with these rows below a header of all columns.
pub fn sheet(layout: &Layout, rows: &[Vec<Cell<'static>>]) -> Vec<Row<'static>> {
    let header = layout.columns.iter().map(|column| Cell::Text(column.name.clone().into())).collect();
    let rows = std::iter::once(header).chain(rows.iter().cloned());
    rows.zip(1..).map(|(cells, number)| Row { number, cells }).collect()
}

/// Rows of texts, the first one of the names of the columns.
pub fn texts(rows: &[&[&str]]) -> Result<Made, Vec<CellFault>> {
    let cells = |row: &[&str]| row.iter().map(|text| Cell::Text((*text).to_owned().into())).collect();
    let rows: Vec<Row> = rows.iter().zip(1..).map(|(row, number)| Row { number, cells: cells(row) }).collect();
    read(&rows)
}
