//! `POST /sandbox/v1/documentos`: fiscal documents against the law in force on their dates.
//!
//! The body is an XML, a ZIP, or a form (`multipart/form-data`) of several of both, with what is said of the companies
//! in its field `empresa`, as the file of `taxd audit --empresa`. The answer is the report of `taxd audit`: JSON lines,
//! sent while it is made, each with its cells for a spreadsheet. The files are in memory while they are read, and kept
//! nowhere.
//!
//! Each document that is calculated uses up one call of the quota, however many items and taxes it has. One that cannot
//! be read, is cancelled or occurs twice uses none, and neither do the same files again for a while. When the quota is used up the report ends, and says so.

pub mod files;
pub mod report;

use std::collections::HashSet;
use std::convert::Infallible;
use std::io;

use hyper::Request;
use hyper::body::Incoming;

use self::files::{Sent, XML_LIMITS, memory_bytes};
use self::report::ReportWriter;
use crate::base::document::{Field, Shape};
use crate::base::problem::{ErrorCode, FieldError, Problem};
use crate::base::value::{Date, Timestamp};
use crate::core::calls::{Bill, Caller, DOCUMENTOS, FileDigest};
use crate::core::service::Service;
use crate::features::audit::{AuditLine, BATCH_LINES, Companies, PlannedLine, Run, RunState, cancelled_in, in_batches};
use crate::features::calc::{Questions, replies, tax_answers};
use crate::http::body_writer::BodyWriter;
use crate::http::calculate::past_instant;
use crate::http::query::{self, Query};
use crate::http::turn::Turn;
use crate::http::upload::{FileQuestion, file_digest};
use crate::http::{multipart, refusal};
use crate::law::nfe::XmlFault;

const DESDE: Field = query::parameter("desde", "Só documentos emitidos neste dia ou depois", Shape::Date, None);
const CONHECIDO_EM: Field =
    query::parameter("conhecido_em", "Instante, que não está no futuro, cujas regras respondem", Shape::Instant, None);
const SO_DIVERGENCIAS: Field = query::parameter(
    "so_divergencias",
    "Só diferenças, e arquivos e campos que não se leem",
    Shape::Bool,
    Some("false"),
);

/// Files that are audited together.
const BATCH_FILES: usize = 32;

pub(crate) struct DocumentsQuestion {
    desde: Option<Date>,
    known_at: Option<Timestamp>,
    only_differences: bool,
    boundary: Option<String>,
}

/// Why the report ends before its files.
enum Stop {
    /// Its reader has gone.
    Output(io::Error),
    /// A limit of the account, or the stop of the server.
    Refused(Box<Problem>),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Output(error)
    }
}

impl From<Box<Problem>> for Stop {
    fn from(problem: Box<Problem>) -> Stop {
        Stop::Refused(problem)
    }
}

impl FileQuestion for DocumentsQuestion {
    fn read(request: &Request<Incoming>, now: Timestamp) -> Result<DocumentsQuestion, Box<Problem>> {
        let mut q = Query::parse(request.uri().query().unwrap_or_default());
        let desde = q.take(&DESDE, Date::parse);
        let known_at = q.take(&CONHECIDO_EM, |text| past_instant(text, now));
        let only_differences = q.take(&SO_DIVERGENCIAS, query::boolean).unwrap_or(false);
        q.finish()?;
        let boundary = multipart::boundary(request.headers());
        Ok(DocumentsQuestion { desde, known_at, only_differences, boundary })
    }

    fn known_at(&self) -> Option<Timestamp> {
        self.known_at
    }

    fn content_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn answer(
        self,
        body: &[u8],
        service: &Service,
        caller: &Caller,
        writer: &mut BodyWriter,
    ) -> Result<(), Box<Problem>> {
        let sent = Sent::of(body, self.boundary.as_deref())?;
        let companies = companies(&sent.companies)?;
        let bill = service.calls().bill(caller, self.digest(&sent, service)?);
        // It fails only if the reader has gone, who needs no end.
        drop(self.report(&sent, companies, service, (caller, bill), writer));
        Ok(())
    }
}

impl DocumentsQuestion {
    /// What the amounts of the report depend on, whatever its form and the boundary between the files.
    fn digest(&self, sent: &Sent<'_>, service: &Service) -> Result<FileDigest, Box<Problem>> {
        let days = [self.desde.map(|day| day.to_string()), self.known_at.map(|instant| instant.to_string())];
        let asked = days.iter().map(|day| day.as_deref().unwrap_or_default().as_bytes());
        file_digest(service, std::iter::once(DOCUMENTOS.as_bytes()).chain(asked).chain(sent.parts()))
    }

    fn report(
        &self,
        sent: &Sent<'_>,
        companies: Companies,
        service: &Service,
        (caller, bill): (&Caller, Bill<'_>),
        writer: &mut BodyWriter,
    ) -> io::Result<()> {
        let total = sent.total();
        let turn = writer.turn().clone();
        let mut report = ReportWriter::begin(self.only_differences, writer)?;
        report.progress(0, total)?;
        let run = Run { companies, cancelled: HashSet::new(), desde: self.desde, limits: XML_LIMITS };
        let mut audit = Audit {
            run,
            known_at: self.known_at,
            service,
            caller,
            bill,
            turn,
            state: RunState::default(),
            calculated: 0,
        };
        let done = audit.find_cancelled(sent, total, &mut report);
        let stopped = match done.and_then(|()| audit.files(sent, total, &mut report)) {
            Ok(()) => None,
            Err(Stop::Output(error)) => return Err(error),
            Err(Stop::Refused(problem)) => {
                let detail = format!("daqui em diante nada foi conferido. {}", problem.detail);
                let fault = XmlFault { line: 1, codigo: problem.codigo.as_str(), detail };
                report.line(AuditLine::unreadable("relatório incompleto", &fault))?;
                Some(problem)
            }
        };
        report.finish(audit.calculated, audit.bill.charged(), stopped.as_deref())
    }
}

/// Reads what is said of the companies. The fields of a refusal are the lines at fault.
fn companies(text: &str) -> Result<Companies, Box<Problem>> {
    Companies::parse(text).map_err(|faults| {
        let fault = |(line, detail): (usize, String)| FieldError {
            campo: line.to_string(),
            codigo: ErrorCode::PayloadInvalido,
            detail,
        };
        let erros: Vec<FieldError> = faults.into_iter().map(fault).collect();
        let detail = "Os dados das empresas têm erros; corrija-os e envie de novo.";
        Box::new(Problem { erros, ..Problem::new(ErrorCode::PayloadInvalido, detail) })
    })
}

struct Audit<'s> {
    run: Run,
    known_at: Option<Timestamp>,
    service: &'s Service,
    caller: &'s Caller,
    bill: Bill<'s>,
    turn: Turn,
    state: RunState,
    /// Documents that were calculated.
    calculated: u64,
}

impl Audit<'_> {
    /// Finds the documents that an event in some file cancels.
    fn find_cancelled(&mut self, sent: &Sent<'_>, total: usize, report: &mut ReportWriter<'_>) -> Result<(), Stop> {
        for (number, input) in sent.files().enumerate() {
            if number % BATCH_FILES == BATCH_FILES - 1 {
                report.progress(0, total)?;
            }
            if self.service.is_stopping() {
                break;
            }
            self.turn.pass();
            let _memory = self.turn.memory(memory_bytes(&input))?;
            self.run.cancelled.extend(cancelled_in(&input, XML_LIMITS));
        }
        Ok(())
    }

    fn files(&mut self, sent: &Sent<'_>, total: usize, report: &mut ReportWriter<'_>) -> Result<(), Stop> {
        let mut files = sent.files();
        let mut lines = Vec::new();
        let mut waiting = 0;
        while let Some(input) = files.next() {
            self.turn.pass();
            let memory = self.turn.memory(memory_bytes(&input))?;
            for document in self.run.planned(&input) {
                let document = self.state.first_only(document);
                let asks = document.iter().any(|line| matches!(line, PlannedLine::Question(_)));
                report.check_reader()?;
                if let Err(refused) = self.admit(asks) {
                    self.write(std::mem::take(&mut lines), report)?;
                    return Err(Stop::Refused(refused));
                }
                self.calculated += u64::from(asks);
                lines.extend(document);
                if lines.len() >= BATCH_LINES {
                    self.write(std::mem::take(&mut lines), report)?;
                }
            }
            waiting += 1;
            // What a large file made is written before the next one is read.
            if waiting == BATCH_FILES || memory.is_some() {
                waiting = 0;
                self.write(std::mem::take(&mut lines), report)?;
                report.progress(files.passed(), total)?;
            }
        }
        self.write(lines, report)?;
        Ok(report.progress(total, total)?)
    }

    /// Uses up a call for a document that asks something. Fails if there is none left, or if the server stops.
    fn admit(&mut self, asks: bool) -> Result<(), Box<Problem>> {
        if self.service.is_stopping() {
            return Err(Box::new(refusal::stopping()));
        }
        let calls = self.service.calls();
        let charged = if asks { self.bill.charge() } else { Ok(()) };
        charged.map_err(|refused| Box::new(refusal::not_admitted(refused, calls.until_next_month(self.caller))))
    }

    /// Has the lines answered, and writes them.
    fn write(&mut self, lines: Vec<PlannedLine>, report: &mut ReportWriter<'_>) -> io::Result<()> {
        let conhecido_em = self.known_at;
        for batch in in_batches(lines) {
            let ask = |payloads| {
                let questions = Questions { payloads, memoria: true, conhecido_em, ..Questions::default() };
                Ok::<_, Infallible>(tax_answers(replies(self.service.engine(), &questions)))
            };
            let Ok(results) = self.state.answered(batch, ask);
            results.into_iter().try_for_each(|line| report.line(line))?;
        }
        Ok(())
    }
}
