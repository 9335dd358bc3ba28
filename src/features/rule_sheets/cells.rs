//! The cells of one rule to its members.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use super::layout::{Layout, Placement};
use super::value::{from_cell, from_list_cell, with_two_places};
use super::write::begins_item;
use crate::base::document::Shape;
use crate::law::tax::Entry;
use crate::sheet::{Cell, Row};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellFault {
    /// The row, as the spreadsheet program shows it.
    pub row: u32,
    /// The column, from 0; `None` if the table lacks it.
    pub column: Option<usize>,
    pub name: String,
    /// What is wrong and what to do, in Portuguese.
    pub detail: String,
}

/// The row and column of each member of a rule that a cell gave, by its path.
pub(super) type Places = BTreeMap<String, (u32, usize)>;

/// Where the columns of a tax are in the table.
pub(super) struct TaxColumns {
    pub(super) layout: Layout,
    /// Place of each column of the layout.
    at: Vec<Option<usize>>,
    places: HashSet<usize>,
}

impl TaxColumns {
    /// The columns of the tax; `columns` has the place of each name of the header.
    pub(super) fn of(entry: &Entry, columns: &HashMap<String, usize>) -> TaxColumns {
        let layout = Layout::of(entry);
        let at: Vec<_> = layout.columns.iter().map(|column| columns.get(&column.name).copied()).collect();
        let places = at.iter().flatten().copied().collect();
        TaxColumns { layout, at, places }
    }

    pub(super) fn has(&self, place: usize) -> bool {
        self.places.contains(&place)
    }
}

/// The cells of one rule, and what was taken of them.
pub(super) struct RuleCells<'a> {
    columns: &'a TaxColumns,
    rows: &'a [&'a Row<'a>],
    /// The cells of the rows, in the order of the columns of the tax.
    cells: Vec<Vec<Cell<'a>>>,
    used: HashSet<(usize, usize)>,
    places: Places,
    faults: Vec<CellFault>,
}

impl<'a> RuleCells<'a> {
    /// Reads the rule that the rows are: its members, where each of them is, and the faults of its cells.
    pub(super) fn rule(
        columns: &'a TaxColumns,
        rows: &'a [&'a Row<'a>],
    ) -> (Map<String, Value>, Places, Vec<CellFault>) {
        let cells_of = |row: &&'a Row<'_>| {
            columns.at.iter().map(|at| at.map_or(Cell::Empty, |at| row.cell(at).borrowed())).collect()
        };
        let mut taken = RuleCells {
            columns,
            rows,
            cells: rows.iter().map(cells_of).collect(),
            used: HashSet::new(),
            places: Places::new(),
            faults: Vec::new(),
        };
        let rule = taken.members(&columns.layout.rule, (0, rows.len()), "").unwrap_or_default();
        taken.check_used();
        (rule, taken.places, taken.faults)
    }

    /// The members of an object between two rows; `None` without one.
    fn members(
        &mut self,
        members: &[(&'static str, Placement)],
        rows: (usize, usize),
        path: &str,
    ) -> Option<Map<String, Value>> {
        let mut object = Map::new();
        for (name, kind) in members {
            let here = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
            if let Some(value) = self.value(kind, rows, &here) {
                object.insert((*name).to_owned(), value);
            }
        }
        (!object.is_empty()).then_some(object)
    }

    fn value(&mut self, kind: &Placement, (first, end): (usize, usize), path: &str) -> Option<Value> {
        match kind {
            Placement::Cell(column) => self.cell(first, *column, path, from_cell),
            Placement::List(column) => self.cell(first, *column, path, from_list_cell),
            Placement::Members(members) => self.members(members, (first, end), path).map(Value::Object),
            Placement::Rows(item) => {
                let begins = |row: &usize| self.cells.get(*row).is_some_and(|cells| begins_item(item, cells));
                let starts: Vec<usize> = (first..end).filter(begins).collect();
                let ends = starts.iter().skip(1).copied().chain([end]);
                let spans: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
                let mut items = Vec::with_capacity(spans.len());
                for (i, span) in spans.into_iter().enumerate() {
                    items.extend(self.value(item, span, &format!("{path}[{i}]")));
                }
                (!items.is_empty()).then_some(Value::Array(items))
            }
        }
    }

    fn cell(
        &mut self,
        row: usize,
        column: usize,
        path: &str,
        read: fn(&Shape, &Cell) -> Result<Value, String>,
    ) -> Option<Value> {
        let cell = self.cells.get(row)?.get(column).filter(|cell| !cell.is_empty())?;
        let declared = self.columns.layout.columns.get(column)?;
        let (place, number) = (self.columns.at.get(column).copied().flatten()?, self.rows.get(row)?.number);
        self.used.insert((row, column));
        self.places.insert(path.to_owned(), (number, place));
        match read(&declared.shape, cell) {
            // The figures of examples are compared as numbers.
            Ok(value) if path.starts_with("conteudo.") => Some(with_two_places(&declared.shape, value)),
            Ok(value) => Some(value),
            Err(detail) => {
                let name = declared.name.clone();
                self.faults.push(CellFault { row: number, column: Some(place), name, detail });
                None
            }
        }
    }

    /// Reports cells that belong to no item: below the first row of a rule, or of the item that they are in.
    fn check_used(&mut self) {
        for (row, cells) in self.cells.iter().enumerate() {
            for (column, _) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let (Some(declared), Some(number)) = (self.columns.layout.columns.get(column), self.rows.get(row))
                else {
                    continue;
                };
                if !self.used.contains(&(row, column)) {
                    let detail = if declared.name.contains("[]") {
                        "A célula não pertence a nenhum item: preencha também as outras colunas do item nesta linha ou acima."
                    } else {
                        "Esta coluna só se preenche na primeira linha da regra, a que tem rule_code."
                    };
                    self.faults.push(CellFault {
                        row: number.number,
                        column: self.columns.at.get(column).copied().flatten(),
                        name: declared.name.clone(),
                        detail: detail.to_owned(),
                    });
                }
            }
        }
    }
}
