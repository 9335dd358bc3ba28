//! The report on stdout.

use std::io::{self, BufWriter, Stdout, Write};

use super::Format;
use crate::cli::table_output::{TableOutput, TableTarget};
use crate::features::AdminError;
use crate::features::audit::{AuditLine, AuditReport, SegregatedMonth, table_head, table_row};
use crate::sheet::Reader;

/// Writes the lines as they come; the text only at the end, since a page adds them up.
pub(super) enum Writer {
    Text(Box<AuditReport>),
    Table(TableOutput),
    Json(BufWriter<Stdout>),
}

impl Writer {
    pub(super) fn new(format: Format) -> Result<Writer, AdminError> {
        Ok(match format {
            Format::Text => Writer::Text(Box::default()),
            Format::Json => Writer::Json(BufWriter::new(io::stdout())),
            Format::Csv | Format::Xlsx => Writer::Table(
                TableTarget::Stdout { is_xlsx: format == Format::Xlsx }.begin(&table_head(Reader::Program))?,
            ),
        })
    }

    /// Writes a line. The pages of the text count every line, and hide what does not differ only when they are written.
    pub(super) fn line(&mut self, line: AuditLine, only_differences: bool) -> io::Result<()> {
        match self {
            Writer::Text(report) => report.add(line.without_answer()),
            _ if only_differences && !line.is_finding() => {}
            Writer::Json(out) => {
                serde_json::to_writer(&mut *out, &line)?;
                out.write_all(b"\n")?;
            }
            Writer::Table(table) => table.row(&table_row(&line, Reader::Program))?,
        }
        Ok(())
    }

    /// Writes the revenue of a month: a section of the text, and lines of the other forms.
    pub(super) fn segregated(&mut self, month: SegregatedMonth) -> io::Result<()> {
        match self {
            Writer::Text(report) => report.add_segregated(month),
            Writer::Json(_) | Writer::Table(_) => {
                month.lines().into_iter().try_for_each(|line| self.line(line, false))?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(self, only_differences: bool) -> io::Result<()> {
        match self {
            Writer::Text(report) => writeln!(io::stdout().lock(), "{}", report.text(only_differences)),
            Writer::Json(mut out) => out.flush(),
            Writer::Table(table) => table.finish(),
        }
    }
}
