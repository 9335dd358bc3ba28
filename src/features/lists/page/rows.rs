//! The rows of a list, calculated in batches and sent as they are made.

use std::io::{self, Write as _};
use std::sync::Arc;

use rust_decimal::Decimal;
use serde::Serialize;

use super::head::{OpenList, own_cells};
use super::question::{ListFile, ListQuestion};
use crate::base::document::Object;
use crate::base::problem::{Candidato, Problem, TipoRecusa};
use crate::base::sentence::{Reader, in_words};
use crate::base::value::format_decimal;
use crate::core::calls::{Bill, Caller};
use crate::core::service::Service;
use crate::features::calc::replies;
use crate::features::codes::page::tipi::Products;
use crate::features::lists::page::cell::CellJson;
use crate::features::lists::{Asked, Ended, INCOMPLETE, RepliedRow, RowBatch, RowReply, RowSink, each_batch};
use crate::features::tratamento;
use crate::http::body_writer::BodyWriter;
use crate::http::refusal;
use crate::law::{labels, operation};
use crate::sheet::{Cell, Row};

/// Rows calculated together: few, so that the page sees them come.
const BATCH: usize = 128;
/// Most memory of the rows that are calculated together, in bytes.
const MAX_BATCH_BYTES: usize = 1024 * 1024;

#[derive(Serialize)]
struct ListRow<'r> {
    linha: u32,
    celulas: Vec<Option<CellJson>>,
    /// As the columns of the head.
    resultado: Vec<Option<CellJson>>,
    /// The name of the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    codigo: Option<&'static str>,
    /// The payload, if the cells could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pedido: Option<&'r Object<'static>>,
    /// What a refusal says beside its candidates.
    #[serde(skip_serializing_if = "Option::is_none")]
    resumo: Option<String>,
    /// The values of a further field that would resolve it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    candidatos: &'r [Candidato],
    /// The fields that it lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faltam: Vec<&'r str>,
    /// The TIPI of the day does not have the product.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fora_da_tipi: bool,
}

/// The last line of a list that was calculated to its end.
#[derive(Serialize)]
struct ListEnd {
    total: ListTotal,
}

#[derive(Default, Serialize)]
struct ListTotal {
    linhas: u32,
    calculadas: u32,
    recusadas: u32,
    /// Calculations that used up quota.
    cobradas: u64,
    /// The sum of the amounts; `None` if it is too large to be written.
    soma: Option<String>,
}

/// The last line of a list that ended early.
#[derive(Serialize)]
struct ListFailure<'p> {
    falha: &'p str,
}

/// Why the rows end early.
enum Stop {
    /// Nobody reads the answer any more.
    ReaderLeft,
    Failed(Box<Problem>),
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Stop {
        Stop::ReaderLeft
    }
}

impl From<serde_json::Error> for Stop {
    fn from(error: serde_json::Error) -> Stop {
        Stop::Failed(Box::new(Problem::failure("A lista não pôde ser calculada até o fim; avise o operador.", error)))
    }
}

/// The rows on their way to the page.
struct ListRun<'r> {
    asked: Asked,
    question: &'r ListQuestion,
    open: OpenList,
    /// The column of the results with the amount.
    amount: Option<usize>,
    service: &'r Service,
    products: Products<'r>,
    caller: &'r Caller,
    bill: Bill<'r>,
    writer: &'r mut BodyWriter,
    total: ListTotal,
    sum: Option<Decimal>,
}

/// Calculates every row, which `bill` is charged for, and sends it. Stops when nobody reads any more, or when the service
/// stops.
pub(super) fn calculate(
    question: &ListQuestion,
    file: &ListFile<'_>,
    open: OpenList,
    service: &Service,
    (caller, bill): (&Caller, Bill<'_>),
    writer: &mut BodyWriter,
) {
    let asked = question.asked;
    let of_amount = if asked == Asked::Operation { "taxd_tributos" } else { "taxd_valor" };
    let mut run = ListRun {
        asked,
        question,
        open,
        amount: asked.columns().iter().position(|column| column.name == of_amount),
        service,
        products: Products::of(service.engine(), question.known_at),
        caller,
        bill,
        writer,
        total: ListTotal::default(),
        sum: Some(Decimal::ZERO),
    };
    let same = std::mem::take(&mut run.open.same);
    let read = each_batch(&mut run, |take| {
        question.rows(file, &mut |mut row| {
            same.extend(&mut row);
            take(row)
        })
    });
    let done = match read {
        // The same bytes were read before.
        Err(Ended::Unreadable(error)) => {
            let problem = Problem::failure(error.to_string(), "a second reading failed");
            run.fail(&problem)
        }
        Err(Ended::Stopped(Stop::Failed(problem))) => run.fail(&problem),
        Err(Ended::Stopped(Stop::ReaderLeft)) => Ok(()),
        Ok(_) => {
            run.total.soma = run.sum.map(format_decimal);
            run.total.cobradas = run.bill.charged();
            run.writer.line(&ListEnd { total: run.total })
        }
    };
    // A reader that has gone needs no end.
    drop(done);
}

impl RowSink for ListRun<'_> {
    type Error = Stop;

    fn begin(&mut self, _: &Row<'_>) -> Result<RowBatch, Stop> {
        Ok(RowBatch::of(Arc::clone(&self.open.list), self.asked, (BATCH, MAX_BATCH_BYTES)))
    }

    /// Calculates the rows of the batch and sends them.
    fn each(&mut self, batch: &mut RowBatch) -> Result<(), Stop> {
        if self.service.is_stopping() {
            return Err(Stop::Failed(Box::new(refusal::stopping())));
        }
        let mut asked = batch.take(|payload| self.admit(payload));
        asked.questions.conhecido_em = self.question.known_at;
        asked.questions.supondo.clone_from(&self.question.supondo);
        let replies = replies(self.service.engine(), &asked.questions);
        for replied in asked.replied(&replies) {
            self.send(&replied)?;
        }
        self.writer.flush()?;
        Ok(())
    }
}

impl ListRun<'_> {
    /// Uses up a call of the quota for a payload that is calculated. Refuses one that is not.
    fn admit(&mut self, payload: &Object<'_>) -> Result<(), Box<Problem>> {
        // As in the part Operação, an operation that is not calculated uses up nothing.
        if self.asked == Asked::Operation && operation::check(payload).is_err() {
            return Ok(());
        }
        self.bill.charge().map_err(|refused| {
            Box::new(refusal::not_admitted(refused, self.service.calls().until_next_month(self.caller)))
        })
    }

    /// Ends the answer with the sentence of a failure.
    fn fail(&mut self, problem: &Problem) -> io::Result<()> {
        if let Some(cause) = &problem.cause {
            tracing::error!(cause, "a list could not be calculated to its end");
        }
        let tributo = self.question.tributo.map(|entry| entry.tributo.as_str());
        let falha = problem.detail.for_person(&labels::named(tributo));
        self.writer.line(&ListFailure { falha: &falha })
    }

    fn send(&mut self, replied: &RepliedRow<'_>) -> Result<(), Stop> {
        let RepliedRow { row, payload, ref reply, .. } = *replied;
        let cells = replied.cells(Reader::Person);
        self.total.linhas += 1;
        if let Some(Cell::Number(amount)) = self.amount.and_then(|column| cells.get(column)) {
            self.sum = self.sum.and_then(|sum| sum.checked_add(*amount));
        }
        let is_calculated = cells.last().is_some_and(Cell::is_empty);
        *(if is_calculated { &mut self.total.calculadas } else { &mut self.total.recusadas }) += 1;
        let named = labels::named(self.open.list.tributo_of(row));
        let in_words = |cell| if let Cell::Text(text) = cell { Cell::of(in_words(&text, &named)) } else { cell };
        let (codigo, refusal) = match reply {
            RowReply::Refused(problem) => (Some(problem.codigo.as_str()), Some(*problem)),
            RowReply::Operation(apuracao) => ((!apuracao.completo).then_some(INCOMPLETE), None),
            RowReply::Treatment(treatment) => (tratamento::table::is_partly(treatment).then_some(INCOMPLETE), None),
            RowReply::Tax(_) | RowReply::Unread(_) => (None, None),
        };
        // A value of one further field would resolve it.
        let choice = refusal.filter(|problem| {
            problem.codigo.tipo_recusa() == Some(TipoRecusa::FaltaDado) && !problem.candidatos.is_empty()
        });
        let line = ListRow {
            linha: row.number,
            celulas: own_cells(&self.open.list, &self.open.columns, row),
            resultado: cells
                .into_iter()
                .zip(self.asked.columns())
                .map(|(cell, column)| CellJson::of(in_words(cell), column.kind))
                .collect(),
            codigo,
            pedido: payload,
            resumo: choice.and_then(|problem| problem.detail.beside_candidates(&named)),
            candidatos: choice.map_or(&[], |problem| &problem.candidatos),
            faltam: refusal.map(Problem::missing_fields).unwrap_or_default(),
            fora_da_tipi: payload.is_some_and(|payload| self.products.lack(payload)),
        };
        Ok(self.writer.line_later(&line)?)
    }
}
