//! Data of a list that its file does not have, and that are the same in all rows.

use std::collections::BTreeMap;

use crate::base::document::Field;
use crate::features::lists::List;
use crate::features::lists::page::cell::CellJson;
use crate::sheet::{Cell, ColumnKind, Row};

/// The values by the names of their fields, as the contract writes them.
pub(super) type SameValues = BTreeMap<String, String>;

/// Reads the parameter: an object of texts.
pub(super) fn parse(text: &str) -> Result<SameValues, String> {
    serde_json::from_str(text)
        .map_err(|_| "Use um objeto JSON de textos, como {\"data_operacao\":\"2026-03-10\"}.".to_owned())
}

/// The columns that each row gains, after those of the file.
#[derive(Default)]
pub(super) struct SameColumns {
    /// Columns of the header of the file.
    width: usize,
    cells: Vec<Cell>,
}

impl SameColumns {
    /// The header with a column for each value, named as its field.
    pub(super) fn header(row: &Row, values: &SameValues) -> Row {
        let names = values.keys().cloned().map(Cell::Text);
        Row { number: row.number, cells: row.cells.iter().cloned().chain(names).collect() }
    }

    /// The columns of a header of `width` columns. The error is a sentence.
    pub(super) fn of(width: usize, values: &SameValues, list: &List) -> Result<SameColumns, String> {
        let cell = |(name, text): (&String, &String)| {
            let field = field(list, name).ok_or_else(|| format!("`{name}` não é um campo desta lista."))?;
            Ok(CellJson::Plain(text.clone()).read(ColumnKind::of(&field.shape)))
        };
        Ok(SameColumns { width, cells: values.iter().map(cell).collect::<Result<_, String>>()? })
    }

    /// Adds the cells to a row of the file. Cells beyond its header stay beyond them, where they are a fault.
    pub(super) fn extend(&self, row: &mut Row) {
        if self.cells.is_empty() {
            return;
        }
        let beyond = row.cells.split_off(row.cells.len().min(self.width));
        row.cells.resize(self.width, Cell::Empty);
        row.cells.extend(self.cells.iter().cloned().chain(beyond));
    }

    /// The header with what people call the fields.
    pub(super) fn labelled(&self, mut header: Row, list: &List) -> Row {
        for cell in header.cells.iter_mut().skip(self.width) {
            if let Cell::Text(name) = cell
                && let Some(field) = field(list, name)
            {
                *cell = Cell::Text(field.label.to_owned());
            }
        }
        header
    }
}

fn field(list: &List, name: &str) -> Option<&'static Field> {
    list.fields().into_iter().find(|field| field.name == name)
}
