//! The rows of an official spreadsheet, with the columns found by the names of their header.

use std::fs::File;
use std::io::Seek;
use std::ops::ControlFlow;

use crate::base::value::fold;
use crate::sheet::{self, Cell, Row, SheetError};

/// Rows above the header: titles and the list of amendments.
const MAX_ROWS_ABOVE: usize = 100;
/// Most rows of a table, several times what the State publishes.
const MAX_ROWS: usize = 200_000;

/// The rows of the first worksheet that has every required column.
pub(super) struct SheetTable<const N: usize> {
    /// The texts above the header.
    pub(super) above: Vec<String>,
    /// The rows below the header that are not blank.
    pub(super) rows: Vec<TableRow<N>>,
}

/// A row, of which only the columns are in memory: an official table may have two hundred others.
pub(super) struct TableRow<const N: usize> {
    /// Its number as the spreadsheet program shows it.
    pub(super) number: u32,
    /// The cells in the order of the columns.
    pub(super) cells: [Cell<'static>; N],
}

impl<const N: usize> SheetTable<N> {
    /// Reads the table from a CSV or an XLSX. A column is found by its name in the header without case, accents and
    /// punctuation. Fails if no worksheet has the first `required` columns.
    pub(super) fn read(mut file: &File, columns: &[&str; N], required: usize) -> Result<SheetTable<N>, SheetError> {
        for name in sheet::worksheets(file)? {
            file.rewind()?;
            if let Some(table) = SheetTable::of_worksheet(file, name.as_deref(), columns, required)? {
                return Ok(table);
            }
        }
        let names = columns.get(..required).unwrap_or(columns);
        Err(SheetError::file(format!(
            "O arquivo não é a tabela: nenhuma linha traz os títulos {}, nas primeiras {MAX_ROWS_ABOVE} de cada planilha.",
            names.join(", ")
        )))
    }

    fn of_worksheet(
        file: &File,
        name: Option<&str>,
        columns: &[&str; N],
        required: usize,
    ) -> Result<Option<SheetTable<N>>, SheetError> {
        let mut above = Vec::new();
        let mut places = None;
        let mut rows = Vec::new();
        let mut before = 0;
        sheet::read(file, name, &mut |row| {
            let Some(places) = places else {
                places = header(&row, columns, required);
                above.extend(row.cells.iter().filter_map(|cell| Some(cell.text().ok()?.into_owned())));
                before += 1;
                return if before < MAX_ROWS_ABOVE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
            };
            let cells = places
                .map(|place: Option<usize>| place.map_or(Cell::Empty, |place| row.cell(place).clone().into_owned()));
            rows.push(TableRow { number: row.number, cells });
            if rows.len() <= MAX_ROWS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if rows.len() > MAX_ROWS {
            return Err(SheetError::file(format!("O arquivo tem mais de {MAX_ROWS} linhas: não é a tabela.")));
        }
        Ok(places.map(|_| SheetTable { above, rows }))
    }
}

/// The places of the columns, if the row is the header.
fn header<const N: usize>(row: &Row, columns: &[&str; N], required: usize) -> Option<[Option<usize>; N]> {
    let names: Vec<String> =
        row.cells.iter().map(|cell| cell.text().map_or_else(|_| String::new(), |t| fold(&t))).collect();
    let places = columns.map(|column| {
        let wanted = fold(column);
        names.iter().position(|name| *name == wanted)
    });
    places.iter().take(required).all(Option::is_some).then_some(places)
}
