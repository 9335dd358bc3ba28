//! The columns that are added to a list.

use super::cells::UnreadCell;
use super::operations::{operation_cells, operation_columns};
use super::results::{RESULT_COLUMNS, result_cells};
use crate::sheet::{Cell, ColumnKind, Row, column_letters};

/// The number of the row in the list. It differs from that in the output if the header is not the first row.
const ROW_COLUMN: (&str, ColumnKind) = ("taxd_linha", ColumnKind::Integer);

/// What is asked of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// One tax.
    Tax,
    /// Every tax of an operation.
    Operation,
}

/// Columns of sentences.
const LONG: [&str; 3] = ["taxd_citacao_legal", "taxd_avisos", "taxd_erro"];

/// A width in which a column can be read, in characters.
#[must_use]
pub fn column_width(name: &str, kind: ColumnKind) -> usize {
    if LONG.contains(&name) {
        return 60;
    }
    name.chars().count().clamp(if kind == ColumnKind::Text { 20 } else { 14 }, 40)
}

impl Asked {
    /// The columns that are added, in order. The last one is the error.
    #[must_use]
    pub fn columns(self) -> Vec<(String, ColumnKind)> {
        let added = match self {
            Asked::Tax => RESULT_COLUMNS.map(|(name, kind)| (name.to_owned(), kind)).to_vec(),
            Asked::Operation => operation_columns(),
        };
        let row = (ROW_COLUMN.0.to_owned(), ROW_COLUMN.1);
        std::iter::once(row).chain(added).collect()
    }

    /// The cells of a row and its result: the JSON text of an answer or of a problem document.
    pub fn cells(self, row: &Row, answer: &[u8]) -> Result<Vec<Cell>, serde_json::Error> {
        let mut cells = vec![Cell::Number(row.number.into())];
        match self {
            Asked::Tax => cells.extend(result_cells(answer)?),
            Asked::Operation => cells.extend(operation_cells(answer)?),
        }
        Ok(cells)
    }

    /// The cells of a row that could not be read.
    #[must_use]
    pub fn fault_cells(self, row: &Row, faults: &[UnreadCell]) -> Vec<Cell> {
        let mut cells = vec![Cell::Empty; self.columns().len()];
        if let [number, .., error] = cells.as_mut_slice() {
            *number = Cell::Number(row.number.into());
            *error = Cell::Text(fault_text(faults));
        }
        cells
    }
}

/// Each fault of a row, with its field and column.
fn fault_text(faults: &[UnreadCell]) -> String {
    let sentence = |UnreadCell { column, campo, detail }: &UnreadCell| match (campo, column.map(column_letters)) {
        (Some(campo), Some(letters)) => format!("`{campo}` (coluna {letters}): {detail}"),
        (Some(campo), None) => format!("`{campo}`: {detail}"),
        (None, Some(letters)) => format!("Coluna {letters}: {detail}"),
        (None, None) => detail.clone(),
    };
    faults.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

/// True for a column that an earlier run added.
pub(super) fn is_result(name: &str) -> bool {
    name.starts_with("taxd_")
        && (name == ROW_COLUMN.0
            || RESULT_COLUMNS.iter().any(|(result, _)| *result == name)
            || operation_columns().iter().any(|(result, _)| result == name))
}
