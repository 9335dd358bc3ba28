//! `POST /sandbox/v1/documentos`: fiscal documents against the law in force on their dates.
//!
//! The body is an XML, a ZIP, or a form (`multipart/form-data`) of several of both, with what is said of the companies
//! in its field `empresa`, as the file of `taxd audit --empresa`. The answer is the report of `taxd audit`: JSON lines,
//! sent while it is made, each with its cells for a spreadsheet. The files are in memory while they are read, a ZIP within a
//! ZIP in a temporary file without a name, and kept nowhere.
//!
//! Each document that is calculated uses up one call of the quota, however many items and taxes it has. One that cannot
//! be read, is cancelled or occurs twice uses none, and neither do the same files again for a while. When the quota is used up the report ends, and says so.

pub mod files;
pub mod report;

use std::io;

use hyper::Request;
use hyper::body::Incoming;
use tokio::sync::OwnedSemaphorePermit;

use self::files::{LIMITS, Sent, memory_bytes, shown};
use self::report::ReportWriter;
use crate::base::document::{Field, Shape};
use crate::base::problem::{ErrorCode, FieldError, Problem};
use crate::base::sentence::{Reader, Sentence};
use crate::base::value::{Date, Timestamp};
use crate::core::calls::{Bill, Caller, DOCUMENTOS, FileDigest};
use crate::core::service::Service;
use crate::features::audit::{AuditLine, Companies, Input, Inputs, Payloads, Run, SegregatedMonth, Surface, named};
use crate::features::calc::{Questions, replies, tax_answers};
use crate::http::body_writer::BodyWriter;
use crate::http::calculate::past_instant;
use crate::http::query::{self, Query};
use crate::http::turn::{Turn, WorkMemory};
use crate::http::upload::{FileQuestion, file_digest};
use crate::http::{multipart, refusal};
use crate::law::nfe::XmlFault;
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

const DESDE: Field = query::parameter("desde", "Só documentos emitidos neste dia ou depois", Shape::Date, None);
const CONHECIDO_EM: Field =
    query::parameter("conhecido_em", "Instante, que não está no futuro, cujas regras respondem", Shape::Instant, None);
const SO_DIVERGENCIAS: Field = query::parameter(
    "so_divergencias",
    "Só diferenças, e arquivos e campos que não se leem",
    Shape::Bool,
    Some("false"),
);

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
        let files = sent.files();
        let total = Inputs::total(&files, LIMITS);
        let turn = writer.turn().clone();
        let mut report = ReportWriter::begin(self.only_differences, companies.names().clone(), writer)?;
        report.progress(0, total)?;
        let run = Run { companies, desde: self.desde, limits: LIMITS };
        let known_at = self.known_at;
        let mut audit = OnPage { known_at, service, caller, bill, turn, report, total, calculated: 0 };
        let stopped = match run.over(&files, &mut audit) {
            Ok(()) => None,
            Err(Stop::Output(error)) => return Err(error),
            Err(Stop::Refused(problem)) => {
                let detail = format!("daqui em diante nada foi conferido. {}", problem.detail);
                let fault = XmlFault { line: 1, codigo: problem.codigo.as_str(), detail };
                audit.report.line(AuditLine::unreadable("relatório incompleto", &fault))?;
                Some(problem)
            }
        };
        audit.report.finish(audit.calculated, audit.bill.charged(), stopped.as_deref())
    }
}

/// Reads what is said of the companies. The fields of a refusal are the lines at fault.
fn companies(file: &[u8]) -> Result<Companies, Box<Problem>> {
    Companies::parse(file).map_err(|faults| {
        let fault = |(line, detail): (usize, Sentence)| FieldError {
            campo: line.to_string(),
            codigo: ErrorCode::PayloadInvalido,
            detail: Sentence::both(detail.as_str(), detail.for_person(&named(None))),
        };
        let erros: Vec<FieldError> = faults.into_iter().map(fault).collect();
        let detail = "Os dados das empresas têm erros; corrija-os e envie de novo.";
        Box::new(Problem { erros, ..Problem::new(ErrorCode::PayloadInvalido, detail) })
    })
}

/// The page, which asks the engine of the service at the cost of the caller.
struct OnPage<'s> {
    known_at: Option<Timestamp>,
    service: &'s Service,
    caller: &'s Caller,
    bill: Bill<'s>,
    turn: Turn,
    report: ReportWriter<'s>,
    /// Files, each entry of an archive one.
    total: usize,
    /// Documents that were calculated.
    calculated: u64,
}

impl Surface for OnPage<'_> {
    type Stop = Stop;
    type Held = OwnedSemaphorePermit;
    /// One at a time: other accounts need the cores, and the memory.
    const BATCH: (usize, usize) = (1, 1);

    fn begin(&mut self, batch: &mut [Input]) -> Result<WorkMemory, Stop> {
        self.check_stopping()?;
        self.turn.pass();
        for input in batch.iter_mut() {
            input.name = shown(&input.name);
        }
        Ok(self.turn.memory(batch.iter().map(memory_bytes).sum())?)
    }

    /// Uses up a call for a document that asks something. Fails if there is none left, or if the server stops.
    fn admit(&mut self, asks: bool) -> Result<(), Stop> {
        self.report.check_reader()?;
        self.check_stopping()?;
        let until = || self.service.calls().until_next_month(self.caller);
        if asks {
            self.bill.charge().map_err(|refused| Box::new(refusal::not_admitted(refused, until())))?;
            self.calculated += 1;
        }
        Ok(())
    }

    fn ask(&mut self, payloads: Payloads, steps: bool) -> Result<Vec<RuleResult<TaxAnswer>>, Stop> {
        let questions = Questions {
            payloads,
            memoria: steps,
            conhecido_em: self.known_at,
            leitor: Reader::Person,
            ..Questions::default()
        };
        Ok(tax_answers(replies(self.service.engine(), &questions)))
    }

    fn line(&mut self, line: AuditLine) -> Result<(), Stop> {
        Ok(self.report.line(line)?)
    }

    fn segregated(&mut self, month: SegregatedMonth) -> Result<(), Stop> {
        Ok(self.report.segregated(month)?)
    }

    fn progress(&mut self, inputs: Option<&Inputs<'_>>) -> Result<(), Stop> {
        Ok(self.report.progress(inputs.map_or(0, Inputs::passed), self.total)?)
    }
}

impl OnPage<'_> {
    fn check_stopping(&self) -> Result<(), Box<Problem>> {
        if self.service.is_stopping() { Err(Box::new(refusal::stopping())) } else { Ok(()) }
    }
}
