//! Writing a table row by row, as CSV or XLSX, to a new file or to stdout.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};

use super::files::{cannot_write, has_extension};
use crate::admin::AdminError;
use crate::sheet::{Cell, ColumnKind, CsvWriter, TableColumn, TableHead, XlsxWriter};

/// Where a table goes.
pub(super) enum TableTarget {
    /// To stdout, as an XLSX or a CSV.
    Stdout { is_xlsx: bool },
    /// To a new file, which its name says the form of.
    New(PathBuf),
}

/// What writes the rows.
pub(super) enum TableOutput {
    Csv(Box<CsvWriter<Box<dyn Write>>>),
    /// With its file; without one it goes to stdout.
    Xlsx(Box<XlsxWriter>, Option<File>),
}

/// A table of these columns.
pub(super) fn head(name: &str, columns: &[(&str, ColumnKind)]) -> TableHead {
    let column = |(name, kind): &(&str, ColumnKind)| TableColumn {
        name: (*name).to_owned(),
        kind: *kind,
        choices: Vec::new(),
        width: 20,
    };
    TableHead { name: name.to_owned(), columns: columns.iter().map(column).collect(), frozen: (1, 1) }
}

/// A cell of text; empty for an empty one.
pub(super) fn text(value: &(impl ToString + ?Sized)) -> Cell {
    let text = value.to_string();
    if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
}

/// Prints a whole table as a CSV.
pub(super) fn print_csv(head: &TableHead, rows: impl Iterator<Item = Vec<Cell>>) -> Result<(), AdminError> {
    let target = TableTarget::Stdout { is_xlsx: false };
    let mut table = target.begin(head)?;
    for row in rows {
        table.row(&row).map_err(|e| target.failed(&e))?;
    }
    table.finish().map_err(|e| target.failed(&e))
}

impl TableTarget {
    /// A file to create: it must not exist, since a list is never overwritten.
    pub(super) fn new_file(out: &Path) -> Result<TableTarget, AdminError> {
        if !has_extension(out, &["csv", "xlsx"]) {
            return Err(AdminError::new(format!("{} must end with .csv or .xlsx", out.display())));
        }
        if out.exists() {
            return Err(AdminError::new(format!("{} already exists; choose another name", out.display())));
        }
        Ok(TableTarget::New(out.to_owned()))
    }

    /// Creates the output and writes the header.
    pub(super) fn begin(&self, head: &TableHead) -> Result<TableOutput, AdminError> {
        let csv = |out: Box<dyn Write>| CsvWriter::new(out, head).map(|csv| TableOutput::Csv(Box::new(csv)));
        let xlsx = |file| Ok(TableOutput::Xlsx(Box::new(XlsxWriter::new(head)?), file));
        let begun = match self {
            TableTarget::Stdout { is_xlsx: true } => xlsx(None),
            TableTarget::Stdout { is_xlsx: false } => csv(Box::new(io::stdout())),
            TableTarget::New(path) => OpenOptions::new().write(true).create_new(true).open(path).and_then(|file| {
                if has_extension(path, &["xlsx"]) { xlsx(Some(file)) } else { csv(Box::new(BufWriter::new(file))) }
            }),
        };
        begun.map_err(|e| self.failed(&e))
    }

    /// The error of an output that failed.
    pub(super) fn failed(&self, error: &io::Error) -> AdminError {
        match self {
            TableTarget::Stdout { .. } => AdminError::new(format!("cannot write to stdout: {error}")),
            TableTarget::New(path) => cannot_write(path, error),
        }
    }

    /// Removes a file that was begun.
    pub(super) fn discard(&self) {
        if let TableTarget::New(path) = self {
            // It may not have been created.
            let _ = fs::remove_file(path);
        }
    }
}

impl TableOutput {
    /// True if cells keep their types.
    pub(super) fn is_typed(&self) -> bool {
        matches!(self, TableOutput::Xlsx(..))
    }

    pub(super) fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        match self {
            TableOutput::Csv(csv) => csv.row(cells),
            TableOutput::Xlsx(xlsx, _) => xlsx.row(cells),
        }
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            TableOutput::Csv(csv) => csv.finish(),
            TableOutput::Xlsx(xlsx, Some(mut file)) => {
                xlsx.finish(&mut file)?;
                file.sync_all()
            }
            TableOutput::Xlsx(xlsx, None) => {
                let mut whole = Cursor::new(Vec::new());
                xlsx.finish(&mut whole)?;
                io::stdout().write_all(whole.get_ref())
            }
        }
    }
}
