//! What a caller says of a list beside its file: data that are the same in all rows, and the fields that columns are.

use std::collections::BTreeMap;

use super::cells;

use super::header::{List, TRIBUTO};
use super::names::fold_name;
use crate::base::document::{Field, Shape, nearest};
use crate::base::value::shorten;
use crate::features::typed;
use crate::sheet::{Cell, DecimalMark, Row, column_letters};

/// The values by the names of their fields.
pub type SameValues = BTreeMap<String, String>;

/// Reads a parameter of the page: an object of texts, as the contract writes them.
pub(super) fn parse(text: &str) -> Result<SameValues, String> {
    serde_json::from_str(text)
        .map_err(|_| "Use um objeto JSON de textos, como {\"data_operacao\":\"2026-03-10\"}.".to_owned())
}

/// The columns that each row gains, after those of the file.
#[derive(Debug, Default)]
pub struct SameColumns {
    /// Columns of the header of the file.
    width: usize,
    cells: Vec<Cell<'static>>,
}

impl SameColumns {
    /// The header with a column for each value, named as its field.
    pub fn header(row: &Row<'_>, values: &SameValues) -> Row<'static> {
        let names = values.keys().map(|name| Cell::Text(name.clone().into()));
        let own = row.cells.iter().cloned().map(Cell::into_owned);
        Row { number: row.number, cells: own.chain(names).collect() }
    }

    /// The columns of a header of `width` columns, their texts read by `read`. The error is a sentence.
    pub(super) fn of(
        width: usize,
        values: &SameValues,
        list: &List,
        read: impl Fn(&Field, &str) -> Cell<'static>,
    ) -> Result<SameColumns, String> {
        let cell = |(name, text): (&String, &String)| {
            let field = field(list, name).ok_or_else(|| no_field(list, name))?;
            let own =
                list.kept_fields().find(|(column, own)| *column < width && own.is_some_and(|own| own.name == *name));
            match own {
                Some((column, _)) => Err(format!(
                    "A coluna {} já é o campo `{name}`; retire o valor que vale para todas as linhas, ou a coluna.",
                    column_letters(column)
                )),
                None => Ok(read(field, text)),
            }
        };
        Ok(SameColumns { width, cells: values.iter().map(cell).collect::<Result<_, String>>()? })
    }

    /// The columns of values as people type them: `1/11/26`, `1.234,56`, `sim`.
    pub fn typed(width: usize, values: &SameValues, list: &List) -> Result<SameColumns, String> {
        SameColumns::of(width, values, list, |field, text| {
            let text = match (field.shape, typed::day(text)) {
                (Shape::Date, Ok(day)) => day,
                _ => text.to_owned(),
            };
            cells::typed(Cell::Text(text.into()), field.shape, false, DecimalMark::Usual)
        })
    }

    /// Adds the cells to a row of the file. Cells beyond its header stay beyond them, where they are a fault.
    pub fn extend(&self, row: &mut Row<'_>) {
        if self.cells.is_empty() {
            return;
        }
        let beyond = row.cells.split_off(row.cells.len().min(self.width));
        row.cells.resize(self.width, Cell::Empty);
        row.cells.extend(self.cells.iter().cloned().chain(beyond));
    }

    /// The header with what people call the fields.
    pub(super) fn labelled<'r>(&self, mut header: Row<'r>, list: &List) -> Row<'r> {
        for cell in header.cells.iter_mut().skip(self.width) {
            if let Cell::Text(name) = cell
                && let Some(field) = field(list, name)
            {
                *cell = Cell::of(field.label);
            }
        }
        header
    }
}

/// The header with the names of fields in place of those that its columns have; a column without a field loses its name.
/// A column is named as in the file, or by its letters. The error is a sentence.
pub fn renamed(header: &Row<'_>, fields: &[(String, String)]) -> Result<Row<'static>, String> {
    let mut renamed = header.clone().into_owned();
    for (column, campo) in fields {
        let wanted = fold_name(column);
        let named = |cell: &Cell<'_>| cell.text().is_ok_and(|name| fold_name(&name) == wanted);
        let by_letters = || (0..header.cells.len()).find(|place| column_letters(*place).eq_ignore_ascii_case(column));
        let place = header.cells.iter().position(named).or_else(by_letters);
        let Some(cell) = place.and_then(|place| renamed.cells.get_mut(place)) else {
            let names: Vec<String> = header
                .cells
                .iter()
                .filter_map(|cell| cell.text().ok())
                .map(|name| format!("\"{}\"", shorten(&name)))
                .collect();
            return Err(format!(
                "Nenhuma coluna se chama \"{}\"; as colunas são: {}.",
                shorten(column),
                names.join(", ")
            ));
        };
        *cell = Cell::Text(campo.clone().into());
    }
    Ok(renamed)
}

impl List {
    /// Refuses columns that were said to be a field which the list does not have.
    pub fn has_fields(&self, fields: &[(String, String)]) -> Result<(), String> {
        let unknown = fields.iter().map(|(_, campo)| campo.as_str());
        let is_known = |campo: &&str| campo.is_empty() || *campo == TRIBUTO || field(self, campo).is_some();
        unknown.filter(|campo| !is_known(campo)).map(|campo| Err(no_field(self, campo))).next().unwrap_or(Ok(()))
    }
}

fn field(list: &List, name: &str) -> Option<&'static Field> {
    list.fields().into_iter().find(|field| field.name == name)
}

fn no_field(list: &List, name: &str) -> String {
    let names: Vec<&str> = list.fields().iter().map(|field| field.name).collect();
    let next = match nearest(name, names.iter().copied()) {
        Some(near) => format!("Você quis dizer `{near}`?"),
        None => format!("Os campos são: {}.", names.join(", ")),
    };
    format!("`{}` não é um campo desta lista. {next}", shorten(name))
}
