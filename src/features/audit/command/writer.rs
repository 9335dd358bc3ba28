//! The report on stdout.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use super::Format;
use super::clients::ClientFiles;
use crate::cli::table_output::{TableOutput, TableTarget};
use crate::features::AdminError;
use crate::features::audit::{AuditLine, AuditReport, CompanyNames, Layer, SegregatedMonth, table_head, table_row};
use crate::sheet::Reader;

/// Writes the lines as they come; the text only at the end, since a page adds them up.
pub(super) enum Writer {
    Text(Box<AuditReport>),
    /// A text for each company to paste into a message.
    Message(Box<AuditReport>),
    /// The rows, and what an XLSX adds up on its other worksheets.
    Table(TableOutput, Box<AuditReport>),
    Json(BufWriter<Stdout>),
    Clients(Box<ClientFiles>),
}

impl Writer {
    pub(super) fn new(format: Format, names: CompanyNames) -> Result<Writer, AdminError> {
        Ok(match format {
            Format::Text => Writer::Text(Box::new(AuditReport::default().named(names))),
            Format::Mensagem => Writer::Message(Box::new(AuditReport::of_sums().named(names))),
            Format::Json => Writer::Json(BufWriter::new(io::stdout())),
            Format::Csv | Format::Xlsx => Writer::Table(
                TableTarget::Stdout { is_xlsx: format == Format::Xlsx }.begin(&table_head(Reader::Program))?,
                Box::new(AuditReport::of_sums().named(names)),
            ),
        })
    }

    /// Writes a line. The pages of the text count every line, and hide what does not differ only when they are written.
    pub(super) fn line(&mut self, line: AuditLine, only_differences: bool) -> io::Result<()> {
        match self {
            Writer::Text(report) => report.add(line.without_answer()),
            Writer::Message(report) => report.add(line.without_answer().for_person()),
            Writer::Clients(files) => files.line(line)?,
            _ if only_differences && !line.is_finding() => {}
            Writer::Json(out) => {
                serde_json::to_writer(&mut *out, &line)?;
                out.write_all(b"\n")?;
            }
            Writer::Table(table, sums) => {
                table.row(&table_row(&line, Reader::Program))?;
                if table.is_typed() && line.camada != Layer::Segregacao {
                    sums.add(line.without_answer());
                }
            }
        }
        Ok(())
    }

    /// Writes the revenue of a month: a section of the text, and lines of the other forms.
    pub(super) fn segregated(&mut self, month: SegregatedMonth) -> io::Result<()> {
        match self {
            Writer::Text(report) => report.add_segregated(month),
            Writer::Message(_) => {}
            Writer::Clients(files) => files.segregated(month),
            Writer::Json(_) | Writer::Table(..) => {
                if let Writer::Table(_, sums) = self {
                    sums.add_segregated(month.clone());
                }
                month.lines().into_iter().try_for_each(|line| self.line(line, false))?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(self, only_differences: bool, is_json: bool) -> io::Result<()> {
        match self {
            Writer::Text(report) => writeln!(io::stdout().lock(), "{}", report.text(only_differences)),
            Writer::Message(report) => {
                let companies = report.companies().filter(|company| !company.is_empty());
                let messages: Vec<String> = companies.map(|company| report.message(company)).collect();
                write!(io::stdout().lock(), "{}", messages.join("\n---\n\n"))
            }
            Writer::Clients(files) => files.finish(is_json),
            Writer::Json(mut out) => out.flush(),
            Writer::Table(mut table, sums) => {
                if table.is_typed() {
                    let worksheets = sums.worksheets(None, Reader::Program, only_differences);
                    table.around(worksheets.before, worksheets.after);
                }
                table.finish()
            }
        }
    }
}

/// Lines that are given to the thread of the report together.
const LINES: usize = 256;
/// Parts of the report that wait for their turn.
const WAITING: usize = 4;

enum Part {
    Lines(Vec<AuditLine>),
    Month(SegregatedMonth),
}

/// A report that is written by a thread of its own, so that further documents are read and calculated meanwhile.
pub(super) struct ReportThread {
    lines: Vec<AuditLine>,
    /// `None` after the end, which the thread learns by it.
    parts: Option<SyncSender<Part>>,
    thread: JoinHandle<io::Result<Writer>>,
}

impl ReportThread {
    pub(super) fn begin(writer: Writer, only_differences: bool) -> ReportThread {
        let (parts, received) = sync_channel(WAITING);
        let thread = thread::spawn(move || write_all(writer, &received, only_differences));
        ReportThread { lines: Vec::new(), parts: Some(parts), thread }
    }

    /// Takes a line. Returns false if no further one can be written; [`end`](Self::end) says why.
    pub(super) fn line(&mut self, line: AuditLine) -> bool {
        self.lines.push(line);
        self.lines.len() < LINES || self.give_lines()
    }

    /// Takes the revenue of a month, as a line.
    pub(super) fn segregated(&mut self, month: SegregatedMonth) -> bool {
        self.give_lines() && self.give(Part::Month(month))
    }

    /// Waits until everything is written that was given. Returns the writer, or why it failed.
    pub(super) fn end(mut self) -> io::Result<Writer> {
        self.give_lines();
        drop(self.parts.take());
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn give_lines(&mut self) -> bool {
        let lines = std::mem::replace(&mut self.lines, Vec::with_capacity(LINES));
        self.give(Part::Lines(lines))
    }

    fn give(&self, part: Part) -> bool {
        self.parts.as_ref().is_some_and(|parts| parts.send(part).is_ok())
    }
}

fn write_all(mut writer: Writer, parts: &Receiver<Part>, only_differences: bool) -> io::Result<Writer> {
    for part in parts {
        match part {
            Part::Lines(lines) => lines.into_iter().try_for_each(|line| writer.line(line, only_differences))?,
            Part::Month(month) => writer.segregated(month)?,
        }
    }
    Ok(writer)
}
