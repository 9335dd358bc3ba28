//! Writes an XLSX with typed cells, row by row; `csv_writer` writes a CSV.

use std::io::{self, Seek, Write};

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use rust_xlsxwriter::{
    Color, DataValidation, DataValidationErrorStyle, ExcelDateTime, Format, FormatAlign, Formula, IgnoreError,
    Workbook, Worksheet, XlsxError,
};
use serde::{Deserialize, Serialize};

use super::{Cell, MAX_CELL, MAX_COLUMNS, MAX_ROWS, column_letters};
use crate::base::defect::caught;
use crate::base::value::Date;

/// Rows that have the format of their column and its list of words, filled or not.
const PREPARED_ROWS: u32 = 10_000;
/// Most characters of the words of a list, which the format has in one text.
const MAX_CHOICES: usize = 255;
/// The first cell of the row of totals.
pub const TOTAL: &str = "Total (taxd)";
const HEADER_COLOR: Color = Color::RGB(0x00DD_E7F2);

/// How the cells of a column are shown, and typed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnKind {
    /// As they are written: a code keeps its first zero.
    #[serde(rename = "texto")]
    Text,
    /// Numbers with two places or more.
    #[serde(rename = "decimal")]
    Decimal,
    #[serde(rename = "inteiro")]
    Integer,
    #[serde(rename = "data")]
    Date,
}

#[derive(Debug, Clone)]
pub struct TableColumn {
    pub name: String,
    pub kind: ColumnKind,
    /// Words to choose from; any other is accepted after a warning.
    pub choices: Vec<String>,
    /// Width in characters.
    pub width: usize,
}

/// The columns of a table to write.
#[derive(Debug, Clone)]
pub struct TableHead {
    /// Name of its worksheet.
    pub name: String,
    pub columns: Vec<TableColumn>,
    /// Rows from the top, the header included, and columns from the left that stay in sight.
    pub frozen: (u32, u16),
}

/// A table that is made whole before it is written.
#[derive(Debug, Clone)]
pub struct Table {
    pub head: TableHead,
    /// Its rows, each with a cell for each column.
    pub rows: Vec<Vec<Cell<'static>>>,
}

/// Writes an XLSX with a worksheet for each table.
pub fn write_xlsx(tables: &[Table], out: &mut (impl Write + Seek + Send)) -> io::Result<()> {
    let mut workbook = Workbook::new();
    tables.iter().try_for_each(|table| add_whole(&mut workbook, table))?;
    workbook.save_to_writer(out).map_err(io::Error::other)
}

/// Adds a worksheet after the others.
fn add_whole(workbook: &mut Workbook, table: &Table) -> io::Result<()> {
    let sheet = workbook.add_worksheet();
    let mut open = OpenSheet::begin(sheet, &table.head, Formats::new(true))?;
    table.rows.iter().try_for_each(|row| open.row(sheet, row))?;
    open.end(sheet).map_err(io::Error::other)
}

/// The error of a table that the format has no room for.
fn no_room(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Writes an XLSX of one worksheet row by row, in bounded memory: typed cells, a header that stays in sight, filters,
/// widths, and lists of words to choose from. Whole tables may be around it ([`XlsxWriter::around`]).
pub struct XlsxWriter {
    workbook: Workbook,
    open: OpenSheet,
    before: Vec<Table>,
    after: Vec<Table>,
}

impl XlsxWriter {
    pub fn new(head: &TableHead) -> io::Result<XlsxWriter> {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet_with_constant_memory().map_err(io::Error::other)?;
        let open = OpenSheet::begin(sheet, head, Formats::new(false))?;
        Ok(XlsxWriter { workbook, open, before: Vec::new(), after: Vec::new() })
    }

    /// Puts below the last row the sum of each of these columns, from 0, of the rows that a filter leaves.
    pub fn summing(&mut self, columns: impl IntoIterator<Item = usize>) {
        let columns = columns.into_iter().filter_map(|column| u16::try_from(column).ok());
        self.open.sums = columns.map(|column| (column, Decimal::ZERO)).collect();
    }

    /// Puts tables before and after that of the rows, each on a worksheet of its own. A spreadsheet program opens with the
    /// first one.
    pub fn around(&mut self, before: Vec<Table>, after: Vec<Table>) {
        (self.before, self.after) = (before, after);
    }

    /// Writes a row. Fails beyond the last row that the format has, and if the temporary file of the rows is on a full
    /// disk.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        spooled(|| self.open.row(self.workbook.worksheet_from_index(0).map_err(io::Error::other)?, cells))
    }

    /// Writes the file.
    pub fn finish(self, out: &mut (impl Write + Seek + Send)) -> io::Result<()> {
        spooled(|| self.finished(out))
    }

    fn finished(mut self, out: &mut (impl Write + Seek + Send)) -> io::Result<()> {
        let sheet = self.workbook.worksheet_from_index(0).map_err(io::Error::other)?;
        self.open.end(sheet).map_err(io::Error::other)?;
        for table in self.before.iter().chain(&self.after) {
            add_whole(&mut self.workbook, table)?;
        }
        if let Some(first) = self.workbook.worksheets_mut().get_mut(..=self.before.len()) {
            first.rotate_left(1);
        }
        self.workbook.save_to_writer(out).map_err(io::Error::other)
    }
}

/// Does a part of the work on rows in a temporary file. The library panics if that cannot be written.
fn spooled<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    caught(work).unwrap_or_else(|defect| {
        let dir = std::env::temp_dir();
        let why = "the rows of the XLSX could not be kept in a temporary file below";
        Err(io::Error::other(format!("{why} {}, whose disk may be full ({defect})", dir.display())))
    })
}

/// Fails for a text that is longer than the format has room for in a cell. The header is row 0.
fn check_length(text: &str, row: u32, column: u16) -> io::Result<()> {
    if text.len() <= MAX_CELL || text.encode_utf16().count() <= MAX_CELL {
        return Ok(());
    }
    Err(no_room(format!(
        "row {}, column {}: the text is longer than the {MAX_CELL} characters of an XLSX cell; write a CSV",
        row + 1,
        column_letters(usize::from(column))
    )))
}

/// A worksheet that is being written.
struct OpenSheet {
    kinds: Vec<ColumnKind>,
    formats: Formats,
    frozen: (u32, u16),
    /// The last row that was written, from 0; the header is 0.
    last: u32,
    /// The columns that have a total, and their sums so far.
    sums: Vec<(u16, Decimal)>,
}

impl OpenSheet {
    /// Fails for more columns than the format has, and for a name that a cell has no room for.
    fn begin(sheet: &mut Worksheet, head: &TableHead, formats: Formats) -> io::Result<OpenSheet> {
        let count = head.columns.len();
        if count > MAX_COLUMNS {
            return Err(no_room(format!(
                "the table has {count} columns, and an XLSX ends at column {} ({MAX_COLUMNS}); write a CSV",
                column_letters(MAX_COLUMNS - 1)
            )));
        }
        for (place, column) in (0_u16..).zip(&head.columns) {
            check_length(&column.name, 0, place)?;
        }
        let kinds = head.columns.iter().map(|column| column.kind).collect();
        let open = OpenSheet { kinds, formats, frozen: head.frozen, last: 0, sums: Vec::new() };
        open.write_head(sheet, head).map_err(io::Error::other)?;
        Ok(open)
    }

    fn write_head(&self, sheet: &mut Worksheet, head: &TableHead) -> Result<(), XlsxError> {
        let formats = &self.formats;
        sheet.set_name(&head.name)?;
        let top =
            Format::new().set_bold().set_background_color(HEADER_COLOR).set_text_wrap().set_align(FormatAlign::Top);
        for (place, column) in (0_u16..).zip(&head.columns) {
            sheet.set_column_width(place, u16::try_from(column.width).unwrap_or(u16::MAX))?;
            sheet.set_column_format(place, formats.of_kind(column.kind))?;
            sheet.write_string_with_format(0, place, &column.name, &top)?;
            let length: usize = column.choices.iter().map(|choice| choice.len() + 1).sum();
            if !column.choices.is_empty() && length <= MAX_CHOICES {
                let list = DataValidation::new()
                    .allow_list_strings(&column.choices)?
                    .set_error_style(DataValidationErrorStyle::Warning);
                sheet.add_data_validation(head.frozen.0, place, PREPARED_ROWS, place, &list)?;
            }
        }
        Ok(())
    }

    fn row(&mut self, sheet: &mut Worksheet, cells: &[Cell<'_>]) -> io::Result<()> {
        self.last += 1;
        if self.last >= MAX_ROWS {
            return Err(no_room(format!("an XLSX has at most {MAX_ROWS} rows; write a CSV")));
        }
        for ((place, cell), kind) in (0_u16..).zip(cells).zip(&self.kinds) {
            if let Cell::Text(text) = cell {
                check_length(text, self.last, place)?;
            }
            self.formats.write(sheet, (self.last, place), cell, *kind).map_err(io::Error::other)?;
        }
        for (place, sum) in &mut self.sums {
            if let Some(Cell::Number(amount)) = cells.get(usize::from(*place)) {
                *sum = sum.saturating_add(*amount);
            }
        }
        Ok(())
    }

    /// Writes the totals below the rows. A table without rows, and one that fills the worksheet, has none.
    fn totals(&self, sheet: &mut Worksheet) -> Result<(), XlsxError> {
        let row = self.last + 1;
        if self.sums.is_empty() || self.last == 0 || row >= MAX_ROWS {
            return Ok(());
        }
        if self.sums.iter().all(|(place, _)| *place > 0) {
            sheet.write_string_with_format(row, 0, TOTAL, &self.formats.text.clone().set_bold())?;
        }
        let format = self.formats.decimal.clone().set_bold();
        for (place, sum) in &self.sums {
            let letters = column_letters(usize::from(*place));
            // 9 is the sum. The header is the first row of the worksheet, whose rows count from 1.
            let formula = Formula::new(format!("=SUBTOTAL(9,{letters}2:{letters}{row})")).set_result(sum.to_string());
            sheet.write_formula_with_format(row, *place, formula, &format)?;
        }
        Ok(())
    }

    fn end(&self, sheet: &mut Worksheet) -> Result<(), XlsxError> {
        self.totals(sheet)?;
        let last = u16::try_from(self.kinds.len()).unwrap_or(u16::MAX).saturating_sub(1);
        // Codes are texts on purpose: without this each has a warning in Excel.
        for place in (0_u16..).zip(&self.kinds).filter(|(_, kind)| **kind == ColumnKind::Text).map(|(place, _)| place) {
            sheet.ignore_error_range(0, place, self.last.max(1), place, IgnoreError::NumberStoredAsText)?;
        }
        sheet.autofilter(self.frozen.0.saturating_sub(1), 0, self.last.max(1), last)?;
        sheet.set_freeze_panes(self.frozen.0, self.frozen.1)?;
        Ok(())
    }
}

/// The formats of cells, made once.
struct Formats {
    text: Format,
    decimal: Format,
    date: Format,
    percent: Format,
    /// Of numbers with so many decimal places.
    places: Vec<Format>,
}

impl Formats {
    /// With `wraps`, long texts are broken into lines. Rows that are streamed get no height, and their lines would overlap.
    fn new(wraps: bool) -> Formats {
        let format = |code: &str| Format::new().set_num_format(code).set_align(FormatAlign::Top);
        // A decimal has at most 28 places.
        let places = (0..=28).map(|places| match places {
            0 => format("0"),
            places => format(&format!("0.{}", "0".repeat(places))),
        });
        Formats {
            text: if wraps { format("@").set_text_wrap() } else { format("@") },
            decimal: format("#,##0.00########"),
            date: format("dd/mm/yyyy"),
            percent: format("0.00%"),
            places: places.collect(),
        }
    }

    fn of_kind(&self, kind: ColumnKind) -> &Format {
        match kind {
            ColumnKind::Text => &self.text,
            ColumnKind::Decimal => &self.decimal,
            ColumnKind::Integer => self.places.first().unwrap_or(&self.decimal),
            ColumnKind::Date => &self.date,
        }
    }

    fn write(
        &self,
        sheet: &mut Worksheet,
        (row, column): (u32, u16),
        cell: &Cell<'_>,
        kind: ColumnKind,
    ) -> Result<(), XlsxError> {
        match cell {
            Cell::Empty | Cell::Invalid(_) => {}
            Cell::Text(text) => drop(sheet.write_string_with_format(row, column, text.as_ref(), &self.text)?),
            Cell::Bool(value) => drop(sheet.write_boolean(row, column, *value)?),
            Cell::Number(number) => {
                // The places that the value has are shown, and read back.
                let format = match (kind, usize::try_from(number.scale()).unwrap_or_default()) {
                    (ColumnKind::Decimal, 2) => &self.decimal,
                    (_, places) => self.places.get(places).unwrap_or(&self.decimal),
                };
                sheet.write_number_with_format(row, column, number.to_f64().unwrap_or_default(), format)?;
            }
            Cell::Percent(points) => {
                let fraction = points.to_f64().unwrap_or_default() / 100.0;
                sheet.write_number_with_format(row, column, fraction, &self.percent)?;
            }
            Cell::Date(day) => {
                match excel_date(*day) {
                    Some(date) => sheet.write_datetime_with_format(row, column, &date, &self.date)?,
                    // The format has no day before 1900.
                    None => sheet.write_string(row, column, day.to_string())?,
                };
            }
        }
        Ok(())
    }
}

fn excel_date(day: Date) -> Option<ExcelDateTime> {
    let ordinal = day.ordinal();
    let part = |value: u32| u8::try_from(value % 100).unwrap_or_default();
    ExcelDateTime::from_ymd(u16::try_from(ordinal / 10_000).unwrap_or_default(), part(ordinal / 100), part(ordinal))
        .ok()
}
