//! The columns that are added to a list.

use super::cells::UnreadCell;
use super::operations::{operation_cells, operation_columns};
use super::results::{RESULT_COLUMNS, result_cells};
use crate::law::tax::{Entry, REGISTRY};
use crate::sheet::{Cell, ColumnKind, Row, column_letters};

/// The number of the row in the list. It differs from that in the output if the header is not the first row.
const ROW_COLUMN: (&str, ColumnKind) = ("taxd_linha", ColumnKind::Integer);

/// The end of a head in a file for people: a column of the list itself may have the same label.
const HEAD_MARK: &str = " (taxd)";

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
    if LONG.iter().any(|long| *long == name || result_head(long) == name) {
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

/// True for a column that an earlier run added, in a file for programs or for people.
pub(super) fn is_result(name: &str) -> bool {
    if !name.starts_with("taxd_") && !name.ends_with(HEAD_MARK) {
        return false;
    }
    let is_it = |result: &str| result == name || result_head(result) == name;
    is_it(ROW_COLUMN.0)
        || RESULT_COLUMNS.iter().any(|(result, _)| is_it(result))
        || operation_columns().iter().any(|(result, _)| is_it(result))
}

/// The head of a column of the results in a file for people.
#[must_use]
pub fn result_head(name: &str) -> String {
    result_label(name) + HEAD_MARK
}

/// What people call a column of the results.
#[must_use]
pub fn result_label(name: &str) -> String {
    let own = name.strip_prefix("taxd_").unwrap_or(name);
    let of_tax = |entry: &'static Entry| {
        Some((entry, own.strip_prefix(entry.tributo.as_str())?.strip_prefix('_')?))
            .filter(|(_, rest)| !rest.contains('_'))
    };
    if let Some((entry, rest)) = REGISTRY.iter().find_map(of_tax) {
        let part = if rest == "valor" { rest.to_owned() } else { result_label(rest).to_lowercase() };
        return format!("{}: {part}", entry.sigla);
    }
    match own {
        "aliquota" => "Alíquota (%)",
        "citacao_legal" => "Citação legal",
        "vigente_de" => "O taxd responde desde",
        "vigente_ate" => "Deixa de responder em",
        "conferencia" => "Conferência",
        "tributos_por_fora" => "Tributos por fora",
        "valor_documento" => "Valor do documento",
        "tributos" => "Soma dos tributos",
        "recolhido_pelo_vendedor" => "Recolhido pelo vendedor",
        "recolhido_pelo_comprador" => "Recolhido pelo comprador",
        "regra" => "Regra",
        "valor" => "Valor calculado",
        "base" => "Base de cálculo",
        "avisos" => "Avisos",
        "erro" => "Erro",
        "motivo" => "Motivo",
        "linha" => "Linha",
        other => other,
    }
    .to_owned()
}
