//! The report on documents, as it is sent: JSON lines while it is made, or a table.

use std::io;

use serde::Serialize;

use crate::base::problem::Problem;
use crate::core::calls::FREE_MINUTES;
use crate::features::audit::{AuditLine, AuditReport, AuditSummary, table_head, table_row};
use crate::http::body_writer::BodyWriter;
use crate::sheet::{CsvWriter, Reader, XlsxWriter};

/// Lines that are sent with their calculation step by step, whatever they found. Of later ones only those that differ.
const LINES_WITH_STEPS: usize = 2_000;

/// The form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Csv,
    Xlsx,
}

/// A line of JSON.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Event<'e> {
    /// Files that were read, of how many.
    Progresso { lidos: usize, total: usize },
    /// A line of the report.
    Linha(&'e AuditLine),
    /// The end: without it, the report is not whole.
    Fim(End),
}

#[derive(Serialize)]
struct End {
    /// Documents that were calculated.
    documentos: u64,
    /// Calls that they used up: none of documents that were sent a short time ago.
    cobrados: u64,
    /// For how many minutes the same files are free.
    gratis_min: u64,
    /// Why the rest was not checked.
    interrompido: Option<String>,
    #[serde(flatten)]
    resumo: AuditSummary,
}

/// Writes the report. Its functions fail only if the reader has gone, or an XLSX has no room.
pub(crate) struct ReportWriter<'w> {
    sink: Sink<'w>,
    only_differences: bool,
}

enum Sink<'w> {
    Json { out: &'w mut BodyWriter, sums: Box<AuditReport>, sent: usize },
    Csv(Box<CsvWriter<&'w mut BodyWriter>>),
    Xlsx(Box<XlsxWriter>, &'w mut BodyWriter),
}

impl Form {
    pub(crate) fn parse(text: &str) -> Result<Form, String> {
        match text {
            "json" => Ok(Form::Json),
            "csv" => Ok(Form::Csv),
            "xlsx" => Ok(Form::Xlsx),
            _ => Err("Use json, csv ou xlsx.".to_owned()),
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Form::Json => "application/x-ndjson",
            Form::Csv => "text/csv; charset=utf-8",
            Form::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }
}

impl<'w> ReportWriter<'w> {
    pub(crate) fn begin(form: Form, only_differences: bool, out: &'w mut BodyWriter) -> io::Result<ReportWriter<'w>> {
        let sink = match form {
            Form::Json => Sink::Json { out, sums: Box::new(AuditReport::of_sums()), sent: 0 },
            Form::Csv => Sink::Csv(Box::new(CsvWriter::new(out, &table_head(Reader::Person))?.for_people())),
            Form::Xlsx => Sink::Xlsx(Box::new(XlsxWriter::new(&table_head(Reader::Person))?), out),
        };
        Ok(ReportWriter { sink, only_differences })
    }

    /// Whether lines need the calculation step by step.
    pub(crate) fn shows_steps(&self) -> bool {
        matches!(self.sink, Sink::Json { .. })
    }

    /// Says how far the work is. Fails if the reader has gone.
    pub(crate) fn progress(&mut self, lidos: usize, total: usize) -> io::Result<()> {
        match &mut self.sink {
            Sink::Json { out, .. } => out.line(&Event::Progresso { lidos, total }),
            Sink::Csv(_) | Sink::Xlsx(..) => self.check_reader(),
        }
    }

    /// Fails if the reader has gone: a report of differences only may write nothing for a long time.
    pub(crate) fn check_reader(&self) -> io::Result<()> {
        let out = match &self.sink {
            Sink::Json { out, .. } | Sink::Xlsx(_, out) => out,
            Sink::Csv(csv) => csv.get_ref(),
        };
        if out.reader_has_gone() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }

    pub(crate) fn line(&mut self, mut line: AuditLine) -> io::Result<()> {
        let shown = !self.only_differences || line.is_finding();
        match &mut self.sink {
            Sink::Json { out, sums, sent } => {
                if shown {
                    *sent += 1;
                    if *sent > LINES_WITH_STEPS && !line.veredito.differs() {
                        line.memoria = None;
                    }
                    out.line_later(&Event::Linha(&line))?;
                }
                sums.add(line);
                Ok(())
            }
            _ if !shown => Ok(()),
            Sink::Csv(csv) => csv.row(&table_row(&line, Reader::Person)),
            Sink::Xlsx(xlsx, _) => xlsx.row(&table_row(&line, Reader::Person)),
        }
    }

    /// Writes what is left.
    pub(crate) fn finish(self, documentos: u64, cobrados: u64, interrompido: Option<&Problem>) -> io::Result<()> {
        match self.sink {
            Sink::Json { out, sums, .. } => {
                let interrompido = interrompido.map(|problem| problem.detail.clone());
                out.line(&Event::Fim(End {
                    documentos,
                    cobrados,
                    gratis_min: FREE_MINUTES,
                    interrompido,
                    resumo: sums.summary(),
                }))
            }
            Sink::Csv(csv) => csv.finish(),
            Sink::Xlsx(xlsx, out) => out.whole(|file| xlsx.finish(file)),
        }
    }
}
