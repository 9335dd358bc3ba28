//! Writing a table row by row, as CSV or XLSX, to a new file or to stdout.

use std::io::{self, BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};

use super::files::{NewFile, cannot_write, has_extension, require_new};
use super::output;
use crate::features::AdminError;
use crate::sheet::{Cell, Column, CsvWriter, Reader, Table, TableHead, XlsxWriter, table_head, table_row};

pub(crate) enum TableTarget {
    /// To stdout, as an XLSX or a CSV.
    Stdout { is_xlsx: bool },
    /// To a new file, which its name says the form of.
    New(PathBuf),
}

/// What writes the rows. Dropped before its end, it leaves no file.
pub(crate) struct TableOutput {
    rows: RowWriter,
    /// `None` for stdout.
    file: Option<NewFile>,
}

enum RowWriter {
    Csv(Box<CsvWriter<Box<dyn Write + Send>>>),
    Xlsx(Box<XlsxWriter>),
}

/// Prints a whole table as a CSV for programs.
pub(crate) fn print_csv<R>(columns: &[Column<R>], rows: impl Iterator<Item = R>) -> Result<(), AdminError> {
    let target = TableTarget::Stdout { is_xlsx: false };
    let print = |mut table: TableOutput| {
        for row in rows {
            table.row(&table_row(columns, &row, Reader::Program))?;
        }
        table.finish()
    };
    match target.open(&table_head("taxd", columns, Reader::Program)).and_then(print) {
        Err(error) if !target.reader_is_gone(&error) => Err(target.failed(&error)),
        _ => Ok(()),
    }
}

impl TableTarget {
    /// A file to create: it must not exist, since a list is never overwritten.
    pub(crate) fn new_file(out: &Path) -> Result<TableTarget, AdminError> {
        if !has_extension(out, &["csv", "xlsx"]) {
            return Err(AdminError::new(format!("{} must end with .csv or .xlsx", out.display())));
        }
        require_new(out)?;
        Ok(TableTarget::New(out.to_owned()))
    }

    /// Creates the output and writes the header.
    pub(crate) fn begin(&self, head: &TableHead) -> Result<TableOutput, AdminError> {
        self.open(head).map_err(|e| self.failed(&e))
    }

    fn open(&self, head: &TableHead) -> io::Result<TableOutput> {
        let (is_xlsx, file) = match self {
            TableTarget::Stdout { is_xlsx } => (*is_xlsx, None),
            TableTarget::New(path) => (has_extension(path, &["xlsx"]), Some(NewFile::begin(path)?)),
        };
        let rows = if is_xlsx {
            RowWriter::Xlsx(Box::new(XlsxWriter::new(head)?))
        } else {
            let out: Box<dyn Write + Send> = match &file {
                Some(file) => Box::new(BufWriter::new(file.writer()?)),
                None => Box::new(io::stdout()),
            };
            RowWriter::Csv(Box::new(CsvWriter::new(out, head)?))
        };
        Ok(TableOutput { rows, file })
    }

    /// True for the error of a reader of stdout that has gone (`| head`).
    pub(crate) fn reader_is_gone(&self, error: &io::Error) -> bool {
        matches!(self, TableTarget::Stdout { .. }) && error.kind() == io::ErrorKind::BrokenPipe
    }

    /// The error of an output that failed.
    pub(crate) fn failed(&self, error: &io::Error) -> AdminError {
        match self {
            TableTarget::Stdout { .. } => output::stdout_failed(error),
            TableTarget::New(path) => cannot_write(path, error),
        }
    }
}

impl TableOutput {
    /// True if cells keep their types.
    pub(crate) fn is_typed(&self) -> bool {
        matches!(self.rows, RowWriter::Xlsx(_))
    }

    pub(crate) fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        match &mut self.rows {
            RowWriter::Csv(csv) => csv.row(cells),
            RowWriter::Xlsx(xlsx) => xlsx.row(cells),
        }
    }

    /// Puts the sums of these columns, from 0, below the rows; a CSV has no place for them.
    pub(crate) fn summing(&mut self, columns: impl IntoIterator<Item = usize>) {
        if let RowWriter::Xlsx(xlsx) = &mut self.rows {
            xlsx.summing(columns);
        }
    }

    /// Puts tables before and after the rows, each on a worksheet of its own; a CSV has no place for them.
    pub(crate) fn around(&mut self, before: Vec<Table>, after: Vec<Table>) {
        if let RowWriter::Xlsx(xlsx) = &mut self.rows {
            xlsx.around(before, after);
        }
    }

    /// Writes what is left, and gives a file its name.
    pub(crate) fn finish(self) -> io::Result<()> {
        match (self.rows, &self.file) {
            (RowWriter::Csv(csv), _) => csv.finish()?,
            (RowWriter::Xlsx(xlsx), Some(file)) => xlsx.finish(&mut file.writer()?)?,
            (RowWriter::Xlsx(xlsx), None) => {
                let mut whole = Cursor::new(Vec::new());
                xlsx.finish(&mut whole)?;
                io::stdout().write_all(whole.get_ref())?;
            }
        }
        self.file.map_or(Ok(()), NewFile::persist)
    }
}
