//! Tables as accountants keep them: CSV and XLSX, read row by row and written.
//!
//! This module knows files, rows and cells, and nothing of taxes. The bytes are hostile input: a file never costs more
//! memory than the limits here allow, and what cannot be read is an error with its row and column, in Portuguese.
//!
//! A cell keeps the type that its file gives it ([`Cell`]), and the reader of a field asks for what the field needs:
//! [`Cell::decimal_by`], [`Cell::percent`], [`Cell::date`], [`Cell::boolean`], [`Cell::text`]. Texts and typed cells are
//! accepted alike, so a CSV and an XLSX of the same table read the same.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic ends a call; only a test is meant to panic, at the place where it fails"
)]

mod cell;
mod column;
mod csv;
mod csv_writer;
mod number;
mod shape;
mod write;
mod xlsx;

use std::fmt;
use std::io::{self, BufReader, Read, Seek};
use std::ops::ControlFlow;

use taxd_base as base;

pub use crate::base::sentence::Reader;
pub use cell::Cell;
pub use column::{Column, table, table_head, table_row};
pub use csv_writer::{CsvWriter, write_csv};
pub use number::{DecimalEvidence, DecimalMark, parse_date, parse_number, parse_number_by};
pub use shape::{digits_of_code, is_number, lost_zero, typed_value};
pub use write::{ColumnKind, TOTAL, Table, TableColumn, TableHead, XlsxWriter, write_xlsx};

/// Most columns of a row, as in the spreadsheet programs.
pub const MAX_COLUMNS: usize = 16_384;
/// Most rows of an XLSX, as in the spreadsheet programs.
pub const MAX_ROWS: u32 = 1_048_576;
/// Most characters of a cell, as in the spreadsheet programs.
pub const MAX_CELL: usize = 32_767;
/// Most bytes of the text of a cell in an XLSX.
const MAX_CELL_BYTES: usize = MAX_CELL * 4;
/// Most bytes of the texts of a row, and of an element of an XLSX.
const MAX_ROW_BYTES: u64 = 16 * 1024 * 1024;
/// First bytes of an XLSX, which is an archive.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";
/// First bytes of the format of Excel before 2007, and of an XLSX with a password.
const OLE_MAGIC: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SheetLimits {
    /// Bytes of the worksheet of an XLSX once it is expanded. It is read as a stream: they bound the time.
    pub worksheet_bytes: u64,
    /// Bytes of memory of the shared strings of an XLSX, each with a fixed cost.
    pub strings_bytes: u64,
    /// Bytes of the texts of a row, which is in memory.
    pub row_bytes: u64,
}

impl Default for SheetLimits {
    fn default() -> Self {
        SheetLimits {
            worksheet_bytes: 4 * 1024 * 1024 * 1024,
            strings_bytes: 64 * 1024 * 1024,
            row_bytes: MAX_ROW_BYTES,
        }
    }
}

/// A row that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// Its number as the spreadsheet program shows it, from 1. Blank rows count.
    pub number: u32,
    /// Its cells from column A to the last one that is not empty.
    pub cells: Vec<Cell<'a>>,
}

impl<'a> Row<'a> {
    /// The same row, which borrows nothing.
    pub fn into_owned(self) -> Row<'static> {
        Row { number: self.number, cells: self.cells.into_iter().map(Cell::into_owned).collect() }
    }

    /// About how many bytes of memory its cells take.
    pub fn size_bytes(&self) -> usize {
        let texts = self.cells.iter().map(|cell| if let Cell::Text(text) = cell { text.len() } else { 0 });
        self.cells.len() * size_of::<Cell>() + texts.sum::<usize>()
    }

    /// The cell of a column, from 0; empty beyond the last one.
    pub fn cell(&self, column: usize) -> &Cell<'a> {
        self.cells.get(column).unwrap_or(&Cell::Empty)
    }
}

/// The letters of a column, from 0: `A`, `Z`, `AA`.
pub fn column_letters(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + u8::try_from((rest - 1) % 26).unwrap_or_default()));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// Why a file cannot be read as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetError {
    /// The row, from 1, if the fault is in one.
    pub row: Option<u32>,
    /// The column, from 0, if the fault is in one.
    pub column: Option<usize>,
    /// What is wrong and what to do, in Portuguese.
    pub detail: String,
}

impl SheetError {
    /// A fault of the file as a whole.
    pub fn file(detail: impl Into<String>) -> SheetError {
        SheetError { row: None, column: None, detail: detail.into() }
    }

    fn row(row: u32, detail: impl Into<String>) -> SheetError {
        SheetError { row: Some(row), column: None, detail: detail.into() }
    }

    /// A row with more text than `most` bytes.
    fn long_row(row: u32, most: u64, advice: &str) -> SheetError {
        SheetError::row(row, format!("A linha passa de {} MiB; {advice}.", most / (1024 * 1024)))
    }
}

impl fmt::Display for SheetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.row {
            write!(f, "linha {row}")?;
            if let Some(column) = self.column {
                write!(f, ", coluna {}", column_letters(column))?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.detail)
    }
}

impl std::error::Error for SheetError {}

impl From<io::Error> for SheetError {
    fn from(error: io::Error) -> Self {
        SheetError::from(&error)
    }
}

impl From<&io::Error> for SheetError {
    fn from(error: &io::Error) -> Self {
        // The limits of this module are errors of the reader below, and carry their own sentence.
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<SheetError>());
        inner.cloned().unwrap_or_else(|| SheetError::file(format!("A leitura do arquivo falhou: {error}.")))
    }
}

/// Receives the rows of a table; `Break` ends the reading.
pub type TakeRow<'t> = dyn FnMut(Row<'_>) -> ControlFlow<()> + 't;

/// Reads a CSV or an XLSX, whichever the first bytes say. `worksheet` names the worksheet of an XLSX; without a name it
/// is the first visible one.
pub fn read(file: impl Read + Seek, worksheet: Option<&str>, take: &mut TakeRow<'_>) -> Result<(), SheetError> {
    read_within(file, worksheet, SheetLimits::default(), take)
}

/// The same within narrower limits, for files of strangers.
pub fn read_within(
    mut file: impl Read + Seek,
    worksheet: Option<&str>,
    limits: SheetLimits,
    take: &mut TakeRow<'_>,
) -> Result<(), SheetError> {
    if is_xlsx(&mut file)? {
        return xlsx::read(file, worksheet, limits, take);
    }
    if let Some(name) = worksheet {
        return Err(SheetError::file(format!("O arquivo é um CSV, que não tem a planilha \"{name}\".")));
    }
    csv::read(file, limits.row_bytes, take)
}

/// The separator of a CSV; `None` for an XLSX. The file is at its beginning again.
pub fn separator(file: &mut (impl Read + Seek)) -> Result<Option<char>, SheetError> {
    if is_xlsx(file)? {
        return Ok(None);
    }
    let separator = csv::separator(&mut BufReader::new(&mut *file))?;
    file.rewind()?;
    Ok(Some(char::from(separator)))
}

/// The bytes that the shared strings of an XLSX expand to, as its directory says; 0 for a CSV. The file is at its
/// beginning again.
pub fn strings_bytes(file: &mut (impl Read + Seek)) -> Result<u64, SheetError> {
    if !is_xlsx(file)? {
        return Ok(0);
    }
    let bytes = xlsx::strings_bytes(&mut *file)?;
    file.rewind()?;
    Ok(bytes)
}

/// The names of the worksheets that are shown, in order; one without a name for a CSV.
pub fn worksheets(mut file: impl Read + Seek) -> Result<Vec<Option<String>>, SheetError> {
    if is_xlsx(&mut file)? { Ok(xlsx::worksheets(file)?.into_iter().map(Some).collect()) } else { Ok(vec![None]) }
}

/// True for an XLSX, by its first bytes. The file is at its beginning again.
fn is_xlsx(file: &mut (impl Read + Seek)) -> Result<bool, SheetError> {
    let mut magic = Vec::new();
    file.by_ref().take(4).read_to_end(&mut magic)?;
    file.rewind()?;
    if magic == OLE_MAGIC {
        return Err(SheetError::file(
            "O arquivo está no formato antigo do Excel (.xls) ou tem senha; salve-o sem senha como .xlsx ou CSV.",
        ));
    }
    Ok(magic == ZIP_MAGIC)
}
