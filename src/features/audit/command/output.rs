//! The report on stdout.

use std::io::{self, BufWriter, Stdout, Write};

use super::Format;
use crate::cli::output;
use crate::cli::table_output::{TableOutput, TableTarget};
use crate::features::AdminError;
use crate::features::audit::{AuditLine, AuditReport, table_head, table_row};
use crate::sheet::Reader;

/// Writes the lines as they come; the text only at the end, since a page adds them up.
pub(super) struct Writer {
    sink: Sink,
    only_differences: bool,
    strict: bool,
    differs: bool,
}

enum Sink {
    Text(Box<AuditReport>),
    Table(TableOutput),
    Json(BufWriter<Stdout>),
}

impl Writer {
    pub(super) fn new(format: Format, only_differences: bool, strict: bool) -> Result<Writer, AdminError> {
        let sink = match format {
            Format::Text => Sink::Text(Box::default()),
            Format::Json => Sink::Json(BufWriter::new(io::stdout())),
            Format::Csv | Format::Xlsx => Sink::Table(
                TableTarget::Stdout { is_xlsx: format == Format::Xlsx }.begin(&table_head(Reader::Program))?,
            ),
        };
        Ok(Writer { sink, only_differences, strict, differs: false })
    }

    /// Writes the lines. Returns false if the reader has gone.
    pub(super) fn write(&mut self, lines: Vec<AuditLine>) -> Result<bool, AdminError> {
        for line in lines {
            let reported = line.is_finding();
            self.differs |= line.is_sure_finding() || (self.strict && reported);
            let written = match &mut self.sink {
                // The pages count every line, and hide what does not differ only when they are written.
                Sink::Text(report) => {
                    report.add(line.without_answer());
                    Ok(())
                }
                _ if self.only_differences && !reported => Ok(()),
                Sink::Json(out) => {
                    serde_json::to_writer(&mut *out, &line).map_err(io::Error::from).and_then(|()| out.write_all(b"\n"))
                }
                Sink::Table(table) => table.row(&table_row(&line, Reader::Program)),
            };
            match written {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(false),
                written => written.map_err(|e| output::stdout_failed(&e))?,
            }
        }
        Ok(true)
    }

    /// Whether a line differs for sure, or differs at all if the run is strict, or could not be read.
    pub(super) fn differs(&self) -> bool {
        self.differs
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> Result<(), AdminError> {
        let flushed = match self.sink {
            Sink::Text(report) => return output::line(&report.text(self.only_differences)),
            Sink::Json(mut out) => out.flush(),
            Sink::Table(table) => table.finish(),
        };
        match flushed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(output::stdout_failed(&error)),
            _ => Ok(()),
        }
    }
}
