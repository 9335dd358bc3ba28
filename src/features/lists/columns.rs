//! Which columns a list gains, and in which order. What a result writes in them is `result_columns.rs`.

use std::sync::{Arc, LazyLock};

use super::cells::UnreadCell;
use super::operations::{of_tax, operation_cells, totals, withheld_columns};
use super::reply::RowReply;
use super::result_columns::{self, REFUSED, SITUATION, SUPPOSED, refused, result_cells};
use crate::base::document::Object;
use crate::base::sentence::Reader;
use crate::features::calc::Questions;
use crate::features::tratamento;
use crate::law::operation::{TRIBUTOS, TributoApurado};
use crate::law::tax;
use crate::sheet::{Cell, Column, ColumnKind, Row, column_letters};

/// The end of a head in a file for people: a column of the list itself may have the same label.
const HEAD_MARK: &str = " (taxd)";
/// Columns of sentences.
const LONG: [&str; 3] = ["taxd_citacao_legal", "taxd_avisos", "taxd_erro"];

/// A column that a row gains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Its name in a file for programs.
    pub name: String,
    /// What people call it.
    pub label: String,
    pub kind: ColumnKind,
}

/// Endings of the names of amounts whose sum means something: what is due, the base, and the totals of an operation.
const SUMMED: [&str; 9] = [
    "valor",
    "base",
    "tributos_por_fora",
    "valor_documento",
    "tributos",
    "recolhido_pelo_vendedor",
    "recolhido_pelo_comprador",
    "retencoes",
    "liquido_a_pagar",
];

impl ResultColumn {
    fn new(name: &str, label: &str, kind: ColumnKind) -> ResultColumn {
        ResultColumn { name: name.to_owned(), label: label.to_owned(), kind }
    }

    /// Whether a total of its rows means something.
    pub fn is_summed(&self) -> bool {
        let named = |name: &str| SUMMED.iter().any(|end| name == *end || name.ends_with("_valor"));
        self.kind == ColumnKind::Decimal && self.name.strip_prefix("taxd_").is_some_and(named)
    }

    fn of<R>(column: &Column<R>) -> ResultColumn {
        ResultColumn::new(column.name, column.label, column.kind)
    }

    /// A column of a tax of an operation.
    fn of_tax(tributo: &str, column: &Column<TributoApurado>) -> ResultColumn {
        let sigla = tax::find(tributo).map_or(tributo, |entry| entry.sigla);
        let (name, label) = (format!("taxd_{tributo}_{}", column.name), format!("{sigla}: {}", column.label));
        ResultColumn { name, label, kind: column.kind }
    }

    /// Its head in a file for people.
    pub fn head(&self) -> String {
        format!("{}{HEAD_MARK}", self.label)
    }

    /// True for its name, and for its head in a file for people.
    fn is_named(&self, name: &str) -> bool {
        self.name == name || name.strip_suffix(HEAD_MARK) == Some(&self.label)
    }
}

/// The columns of the results of one tax, of those of an operation and of a treatment: the number of the row in the list, which differs
/// from that in the output if the header is not the first row, then the result, the error last.
static COLUMNS: LazyLock<[Vec<ResultColumn>; 3]> = LazyLock::new(|| {
    let row = || std::iter::once(ResultColumn::new("taxd_linha", "Linha", ColumnKind::Integer));
    let columns = result_columns::columns();
    let ends = |column: &&Column<_>| ["taxd_avisos", "taxd_erro"].contains(&column.name);
    let last = columns.iter().filter(ends);
    let supposed = columns.iter().filter(|column| column.name == SUPPOSED);
    let of_taxes = TRIBUTOS.iter().flat_map(|tributo| of_tax().map(|column| ResultColumn::of_tax(tributo, &column)));
    let withheld = withheld_columns().map(|(name, label)| ResultColumn::new(&name, &label, ColumnKind::Decimal));
    let treatment = tratamento::table::columns();
    let totals = totals().map(|total| ResultColumn::new(&format!("taxd_{}", total.name), total.label, total.kind));
    [
        row().chain(columns.iter().map(ResultColumn::of)).collect(),
        row()
            .chain(of_taxes)
            .chain(withheld)
            .chain(totals)
            .chain(supposed.chain(last.clone()).map(ResultColumn::of))
            .collect(),
        row().chain(treatment.iter().map(ResultColumn::of)).chain(last.map(ResultColumn::of)).collect(),
    ]
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Tax,
    Operation,
    Treatment,
}

/// A width in which a column can be read, in characters.
pub fn column_width(name: &str, kind: ColumnKind) -> usize {
    let is_long = |column: &ResultColumn| column.is_named(name) && LONG.contains(&column.name.as_str());
    if COLUMNS.iter().flatten().any(is_long) {
        return 60;
    }
    name.chars().count().clamp(if kind == ColumnKind::Text { 20 } else { 14 }, 40)
}

impl Asked {
    /// What a list asks of these payloads.
    pub(super) fn questions(self, payloads: Vec<Arc<Object<'static>>>) -> Questions {
        let (operacao, tratamento) = (self == Asked::Operation, self == Asked::Treatment);
        Questions { payloads, operacao, tratamento, ..Questions::default() }
    }

    /// The columns that are added, in order. The first one is the number of the row, the last one the error.
    pub fn columns(self) -> &'static [ResultColumn] {
        let [of_tax, of_operation, of_treatment] = &*COLUMNS;
        match self {
            Asked::Tax => of_tax,
            Asked::Operation => of_operation,
            Asked::Treatment => of_treatment,
        }
    }

    /// The cells that a row gains by its reply.
    pub fn cells<'a>(self, row: &Row<'_>, reply: &'a RowReply<'_>, reader: Reader) -> Vec<Cell<'a>> {
        let result = match reply {
            RowReply::Operation(apuracao) => operation_cells(apuracao, reader),
            RowReply::Treatment(treatment) => tratamento::table::cells(treatment, reader),
            RowReply::Unread(faults) => return self.refused_cells(row, fault_text(faults, reader)),
            RowReply::Refused(problem) if self != Asked::Tax => {
                return self.refused_cells(row, refused(problem, reader));
            }
            RowReply::Tax(_) | RowReply::Refused(_) => result_cells(reply, reader),
        };
        std::iter::once(Cell::Number(row.number.into())).chain(result).collect()
    }

    /// The cells of a row that has an error alone.
    fn refused_cells<'a>(self, row: &Row<'_>, text: String) -> Vec<Cell<'a>> {
        let mut cells = vec![Cell::Empty; self.columns().len()];
        if let [number, .., error] = cells.as_mut_slice() {
            (*number, *error) = (Cell::Number(row.number.into()), Cell::of(text));
        }
        let place = self.columns().iter().position(|column| column.name == SITUATION);
        if let Some(cell) = place.and_then(|place| cells.get_mut(place)) {
            *cell = Cell::of(REFUSED);
        }
        cells
    }
}

/// Each fault of a row, with its field and column.
fn fault_text(faults: &[UnreadCell], reader: Reader) -> String {
    let sentence = |UnreadCell { column, campo, detail }: &UnreadCell| {
        let detail = detail.read_by(reader);
        match (campo, column.map(column_letters)) {
            (Some(campo), Some(letters)) => format!("`{campo}` (coluna {letters}): {detail}"),
            (Some(campo), None) => format!("`{campo}`: {detail}"),
            (None, Some(letters)) => format!("Coluna {letters}: {detail}"),
            (None, None) => detail.to_owned(),
        }
    };
    faults.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

/// True for a column that an earlier run added, in a file for programs or for people.
pub(super) fn is_result(name: &str) -> bool {
    let may_be = name.starts_with("taxd_") || name.ends_with(HEAD_MARK);
    may_be && COLUMNS.iter().flatten().any(|column| column.is_named(name))
}
