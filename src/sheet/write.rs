//! Writes tables: a CSV as Brazilian programs open it, and an XLSX with typed cells.

use std::io::{self, Write};

use rust_decimal::prelude::ToPrimitive;
use rust_xlsxwriter::{
    Color, DataValidation, DataValidationErrorStyle, ExcelDateTime, Format, FormatAlign, Workbook, Worksheet, XlsxError,
};

use super::csv::guarded;
use super::{Cell, MAX_COLUMNS};
use crate::value::format_decimal;

/// Rows that have the format of their column and its list of words, filled or not.
const PREPARED_ROWS: u32 = 10_000;
/// Most characters of the words of a list, which the format has in one text.
const MAX_CHOICES: usize = 255;
/// Background of the header.
const HEADER_COLOR: Color = Color::RGB(0x00DD_E7F2);

/// How the cells of a column are shown, and typed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// As they are written: a code keeps its first zero.
    Text,
    /// Numbers with two places or more.
    Decimal,
    /// Whole numbers.
    Integer,
    /// Days.
    Date,
}

/// A column to write.
#[derive(Debug, Clone)]
pub struct TableColumn {
    /// Its name in the header.
    pub name: String,
    /// How its cells are shown.
    pub kind: ColumnKind,
    /// Words to choose from; any other is accepted after a warning.
    pub choices: Vec<String>,
    /// Width in characters.
    pub width: usize,
}

/// A table to write: a header, and the rows below it.
#[derive(Debug, Clone)]
pub struct Table {
    /// Name of its worksheet.
    pub name: String,
    /// Its columns.
    pub columns: Vec<TableColumn>,
    /// Its rows, each with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Rows from the top, the header included, and columns from the left that stay in sight.
    pub frozen: (u32, u16),
}

/// Writes a CSV: `;` between cells, decimal comma, UTF-8 with a byte order mark. A text that a spreadsheet program would
/// run as a formula has an apostrophe before it.
pub fn write_csv(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    out.write_all("\u{feff}".as_bytes())?;
    let mut writer = ::csv::WriterBuilder::new().delimiter(b';').flexible(true).from_writer(out);
    writer.write_record(table.columns.iter().map(|column| column.name.as_str()))?;
    for row in &table.rows {
        writer.write_record(row.iter().map(csv_text))?;
    }
    writer.flush()
}

fn csv_text(cell: &Cell) -> String {
    match cell {
        Cell::Number(number) => format_decimal(*number).replace('.', ","),
        Cell::Percent(points) => format!("{}%", format_decimal(*points).replace('.', ",")),
        Cell::Bool(value) => if *value { "sim" } else { "não" }.to_owned(),
        Cell::Text(text) => guarded(text),
        Cell::Date(day) => day.to_string(),
        Cell::Empty | Cell::Invalid(_) => String::new(),
    }
}

/// Writes an XLSX with a worksheet for each table: typed cells, a header that stays in sight, filters, widths, and lists
/// of words to choose from.
pub fn write_xlsx(tables: &[Table], out: &mut (impl Write + io::Seek + Send)) -> io::Result<()> {
    let mut workbook = Workbook::new();
    for table in tables {
        fill(workbook.add_worksheet(), table).map_err(io::Error::other)?;
    }
    workbook.save_to_writer(out).map_err(io::Error::other)
}

fn fill(sheet: &mut Worksheet, table: &Table) -> Result<(), XlsxError> {
    sheet.set_name(&table.name)?;
    let header =
        Format::new().set_bold().set_background_color(HEADER_COLOR).set_text_wrap().set_align(FormatAlign::Top);
    for (place, column) in table.columns.iter().take(MAX_COLUMNS).enumerate() {
        let Ok(place) = u16::try_from(place) else { break };
        sheet.set_column_width(place, u16::try_from(column.width).unwrap_or(u16::MAX))?;
        sheet.set_column_format(place, &column.kind.format())?;
        sheet.write_string_with_format(0, place, &column.name, &header)?;
        let length: usize = column.choices.iter().map(|choice| choice.len() + 1).sum();
        if !column.choices.is_empty() && length <= MAX_CHOICES {
            let list = DataValidation::new()
                .allow_list_strings(&column.choices)?
                .set_error_style(DataValidationErrorStyle::Warning);
            sheet.add_data_validation(table.frozen.0, place, PREPARED_ROWS, place, &list)?;
        }
    }
    let mut number = 0;
    for row in &table.rows {
        number += 1;
        for ((place, cell), column) in (0..).zip(row).zip(&table.columns) {
            write_cell(sheet, (number, place), cell, column.kind)?;
        }
    }
    let last = u16::try_from(table.columns.len()).unwrap_or(u16::MAX).saturating_sub(1);
    sheet.autofilter(table.frozen.0.saturating_sub(1), 0, number.max(1), last)?;
    sheet.set_freeze_panes(table.frozen.0, table.frozen.1)?;
    Ok(())
}

impl ColumnKind {
    fn format(self) -> Format {
        let code = match self {
            ColumnKind::Text => "@",
            ColumnKind::Decimal => "0.00########",
            ColumnKind::Integer => "0",
            ColumnKind::Date => "dd/mm/yyyy",
        };
        let format = Format::new().set_num_format(code).set_align(FormatAlign::Top);
        if self == ColumnKind::Text { format.set_text_wrap() } else { format }
    }
}

fn write_cell(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    cell: &Cell,
    kind: ColumnKind,
) -> Result<(), XlsxError> {
    match cell {
        Cell::Empty | Cell::Invalid(_) => {}
        Cell::Text(text) => drop(sheet.write_string_with_format(row, column, text, &ColumnKind::Text.format())?),
        Cell::Bool(value) => drop(sheet.write_boolean(row, column, *value)?),
        Cell::Number(number) => {
            // The places that the value has are shown, and read back.
            let places = usize::try_from(number.scale()).unwrap_or_default();
            let format = match (kind, places) {
                (ColumnKind::Decimal, 2) => kind.format(),
                (_, 0) => ColumnKind::Integer.format(),
                (_, places) => ColumnKind::Integer.format().set_num_format(format!("0.{}", "0".repeat(places))),
            };
            sheet.write_number_with_format(row, column, number.to_f64().unwrap_or_default(), &format)?;
        }
        Cell::Percent(points) => {
            let fraction = points.to_f64().unwrap_or_default() / 100.0;
            sheet.write_number_with_format(row, column, fraction, &Format::new().set_num_format("0.00%"))?;
        }
        Cell::Date(day) => {
            let ordinal = day.ordinal();
            let part = |value: u32| u8::try_from(value % 100).unwrap_or_default();
            let year = u16::try_from(ordinal / 10_000).unwrap_or_default();
            match ExcelDateTime::from_ymd(year, part(ordinal / 100), part(ordinal)) {
                Ok(date) => sheet.write_datetime_with_format(row, column, &date, &ColumnKind::Date.format())?,
                // The format has no day before 1900.
                Err(_) => sheet.write_string(row, column, day.to_string())?,
            };
        }
    }
    Ok(())
}
