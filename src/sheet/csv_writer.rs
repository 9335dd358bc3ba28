//! Writes a CSV as Brazilian programs open it.

use std::borrow::Cow;
use std::io::{self, Write};

use super::csv::{guarded, is_code};
use super::{Cell, Table, TableHead};
use crate::base::value::{DecimalText, with_comma};

/// Bytes of a CSV that are written together.
const BUFFER_BYTES: usize = 64 * 1024;

pub fn write_csv(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = CsvWriter::new(out, &table.head)?;
    for row in &table.rows {
        csv.row(row)?;
    }
    csv.finish()
}

/// Writes a CSV row by row: `;` between cells, decimal comma, UTF-8 with a byte order mark. A text that a spreadsheet
/// program would run as a formula has an apostrophe before it.
///
/// The crate `csv` writes the same bytes in three times as many instructions, most of them a search byte by byte for what
/// needs quotes.
pub struct CsvWriter<W: Write> {
    out: W,
    /// Rows that are not written yet.
    rows: Vec<u8>,
    /// For people who open it, not for programs.
    for_people: bool,
}

impl<W: Write> CsvWriter<W> {
    pub fn new(out: W, head: &TableHead) -> io::Result<CsvWriter<W>> {
        let mut csv = CsvWriter { out, rows: "\u{feff}".into(), for_people: false };
        head.columns.iter().for_each(|column| csv.field(guarded(&column.name).as_bytes()));
        csv.end_row()?;
        Ok(csv)
    }

    /// The same for a file that people open: days as Brazilians write them, and codes as texts (`="03049900"`), of which
    /// a spreadsheet program keeps every zero.
    pub fn for_people(mut self) -> CsvWriter<W> {
        self.for_people = true;
        self
    }

    pub fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for cell in cells {
            match cell {
                // Most cells of a report are empty, or figures and days, which need no quotes and no memory on the heap.
                Cell::Empty => self.plain(b""),
                Cell::Number(number) => self.plain(DecimalText::with_comma(*number).as_bytes()),
                Cell::Date(day) if !self.for_people => self.plain(day.text().as_bytes()),
                _ => self.field(csv_text(cell, self.for_people).as_bytes()),
            }
        }
        self.end_row()
    }

    /// Adds a field that needs no quotes, and the separator after it.
    fn plain(&mut self, text: &[u8]) {
        self.rows.extend_from_slice(text);
        self.rows.push(b';');
    }

    /// Adds a field, and the separator after it.
    fn field(&mut self, text: &[u8]) {
        // Without an early end the search goes over many bytes at once.
        let is_special = |byte: u8| matches!(byte, b';' | b'"' | b'\n' | b'\r');
        if !text.iter().fold(false, |found, byte| found | is_special(*byte)) {
            return self.plain(text);
        }
        if text.contains(&b'"') {
            self.rows.push(b'"');
            for (i, part) in text.split(|byte| *byte == b'"').enumerate() {
                self.rows.extend_from_slice(if i == 0 { b"" } else { b"\"\"" });
                self.rows.extend_from_slice(part);
            }
            self.rows.push(b'"');
        } else {
            for part in [b"\"", text, b"\""] {
                self.rows.extend_from_slice(part);
            }
        }
        self.rows.push(b';');
    }

    fn end_row(&mut self) -> io::Result<()> {
        // One empty cell alone would be a blank line, which readers pass over.
        if matches!(self.rows.as_slice(), [b';'] | [.., b'\n', b';']) {
            self.rows.truncate(self.rows.len() - 1);
            self.rows.extend_from_slice(b"\"\";");
        }
        if let Some(last) = self.rows.last_mut() {
            *last = b'\n';
        }
        if self.rows.len() < BUFFER_BYTES {
            return Ok(());
        }
        self.write_rows()
    }

    fn write_rows(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.rows);
        self.rows.clear();
        written
    }

    /// Writes what is left in the buffer.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_rows()?;
        self.out.flush()
    }
}

/// A command that fails still shows the rows before its fault.
impl<W: Write> Drop for CsvWriter<W> {
    fn drop(&mut self) {
        let _ = self.write_rows();
    }
}

fn csv_text<'c>(cell: &'c Cell<'_>, for_people: bool) -> Cow<'c, str> {
    match cell {
        Cell::Number(number) => with_comma(*number).into(),
        Cell::Percent(points) => (with_comma(*points) + "%").into(),
        Cell::Bool(value) => if *value { "sim" } else { "não" }.into(),
        Cell::Text(code) if for_people && is_code(code) => format!("=\"{code}\"").into(),
        Cell::Text(text) => guarded(text),
        Cell::Date(day) if for_people => day.dmy().into(),
        Cell::Date(day) => day.to_string().into(),
        Cell::Empty | Cell::Invalid(_) => "".into(),
    }
}
