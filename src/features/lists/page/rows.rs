//! The rows of a list, calculated in batches and sent as they are made.

use std::io::{self, Write as _};
use std::ops::ControlFlow;

use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::value::RawValue;

use super::head::{OpenList, own_cells};
use super::question::{ListFile, ListQuestion};
use crate::base::problem::Problem;
use crate::base::value::format_decimal;
use crate::core::calls::{Bill, Caller};
use crate::core::service::Service;
use crate::features::calc::{CalcCommand, calc_lines};
use crate::features::codes::page::tipi::Products;
use crate::features::lists::page::cell::CellJson;
use crate::features::lists::{Asked, DECIMAL_OPTION, UnreadCell};
use crate::http::body_writer::BodyWriter;
use crate::http::refusal;
use crate::law::operation;
use crate::sheet::{Cell, Row};

/// Rows calculated together: few, so that the page sees them come.
const BATCH: usize = 128;
/// Operations calculated together: the answer of each has every tax.
const OPERATIONS: usize = BATCH / 8;
/// Most memory of the rows that are calculated together, in bytes.
const MAX_BATCH_BYTES: usize = 1024 * 1024;
/// What the page says instead of [`DECIMAL_OPTION`].
const DECIMAL_ON_PAGE: &str = " Ou diga em \"Separador decimal\" qual é o da lista toda.";

/// A row and its result.
#[derive(Serialize)]
struct ListRow<'r> {
    linha: u32,
    celulas: Vec<Option<CellJson>>,
    /// As the columns of the head.
    resultado: Vec<Option<CellJson>>,
    /// The name of the refusal, with which the error begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    codigo: Option<&'r str>,
    /// The payload, if the cells could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pedido: Option<&'r RawValue>,
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
enum Ended {
    /// Nobody reads the answer any more.
    ReaderLeft,
    Failed(Box<Problem>),
}

impl From<io::Error> for Ended {
    fn from(_: io::Error) -> Ended {
        Ended::ReaderLeft
    }
}

impl From<serde_json::Error> for Ended {
    fn from(error: serde_json::Error) -> Ended {
        Ended::Failed(Box::new(Problem::failure("A lista não pôde ser calculada até o fim; avise o operador.", error)))
    }
}

/// What becomes of a row.
enum Fate {
    Calculated(Vec<u8>),
    Unread(Vec<UnreadCell>),
    /// The quota ended before it.
    Uncharged(Box<Problem>),
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
    batch: Vec<Row>,
    batch_bytes: usize,
    total: ListTotal,
    sum: Option<Decimal>,
}

/// Calculates every row, which `bill` is charged for, and sends it. Stops when nobody reads any more, or when the service
/// stops.
pub(crate) fn calculate(
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
        batch: Vec::new(),
        batch_bytes: 0,
        total: ListTotal::default(),
        sum: Some(Decimal::ZERO),
    };
    let done = match run.rows(file) {
        Err(Ended::Failed(problem)) => {
            if let Some(cause) = &problem.cause {
                tracing::error!(cause, "a list could not be calculated to its end");
            }
            run.writer.line(&ListFailure { falha: &problem.detail })
        }
        Err(Ended::ReaderLeft) => Ok(()),
        Ok(()) => {
            run.total.soma = run.sum.map(format_decimal);
            run.total.cobradas = run.bill.charged();
            run.writer.line(&ListEnd { total: run.total })
        }
    };
    // A reader that has gone needs no end.
    drop(done);
}

impl ListRun<'_> {
    fn rows(&mut self, file: &ListFile<'_>) -> Result<(), Ended> {
        let mut is_header = true;
        let mut ended = Ok(());
        let question = self.question;
        let read = question.rows(file, &mut |mut row| {
            if std::mem::take(&mut is_header) {
                return ControlFlow::Continue(());
            }
            self.open.same.extend(&mut row);
            self.batch_bytes += row.size_bytes();
            self.batch.push(row);
            let most = if self.asked == Asked::Operation { OPERATIONS } else { BATCH };
            if self.batch.len() >= most || self.batch_bytes >= MAX_BATCH_BYTES {
                ended = self.calculate();
            }
            if ended.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        ended?;
        // The same bytes were read before.
        read.map_err(|error| Ended::Failed(Box::new(Problem::failure(error.to_string(), "a second reading failed"))))?;
        self.calculate()
    }

    /// Calculates the rows of the batch and sends them.
    fn calculate(&mut self) -> Result<(), Ended> {
        if self.service.is_stopping() {
            return Err(Ended::Failed(Box::new(refusal::stopping())));
        }
        let batch = std::mem::take(&mut self.batch);
        self.batch_bytes = 0;
        let fates: Vec<Fate> = batch.iter().map(|row| self.fate(row)).collect();
        let payload = |fate: &Fate| if let Fate::Calculated(payload) = fate { Some(payload.clone()) } else { None };
        let command = CalcCommand {
            payloads: fates.iter().filter_map(payload).collect(),
            operacao: self.asked == Asked::Operation,
            conhecido_em: self.question.known_at,
            ..CalcCommand::default()
        };
        let mut answers = calc_lines(self.service.engine(), &command).into_iter();
        for (row, fate) in batch.iter().zip(&fates) {
            let (cells, payload) = match fate {
                Fate::Calculated(payload) => {
                    (self.asked.cells(row, &answers.next().unwrap_or_default())?, Some(payload))
                }
                Fate::Unread(faults) => (self.asked.fault_cells(row, faults), None),
                Fate::Uncharged(problem) => {
                    let document = serde_json::to_vec(&problem.document(None))?;
                    (self.asked.cells(row, &document)?, None)
                }
            };
            self.send(row, cells, payload.map(Vec::as_slice), matches!(fate, Fate::Unread(_)))?;
        }
        self.writer.flush()?;
        Ok(())
    }

    /// The payload of a row, for which a call of the quota was used up if it is calculated; or why there is none.
    fn fate(&mut self, row: &Row) -> Fate {
        let payload = match self.open.list.payload(row) {
            Ok(payload) => payload,
            Err(faults) => return Fate::Unread(faults),
        };
        // As in the part Operação, an operation that is not calculated uses up nothing.
        if self.asked == Asked::Operation && operation::check(&payload).is_err() {
            return Fate::Calculated(payload);
        }
        match self.bill.charge() {
            Ok(()) => Fate::Calculated(payload),
            Err(refused) => {
                let calls = self.service.calls();
                Fate::Uncharged(Box::new(refusal::not_admitted(refused, calls.until_next_month(self.caller))))
            }
        }
    }

    fn send(&mut self, row: &Row, mut cells: Vec<Cell>, payload: Option<&[u8]>, is_unread: bool) -> Result<(), Ended> {
        self.total.linhas += 1;
        if let Some(Cell::Number(amount)) = self.amount.and_then(|column| cells.get(column)) {
            self.sum = self.sum.and_then(|sum| sum.checked_add(*amount));
        }
        let mut error = String::new();
        if let Some(Cell::Text(text)) = cells.last_mut() {
            if is_unread {
                *text = text.replace(DECIMAL_OPTION, DECIMAL_ON_PAGE);
            }
            error.clone_from(text);
        }
        *(if error.is_empty() { &mut self.total.calculadas } else { &mut self.total.recusadas }) += 1;
        let code = if is_unread { None } else { error.split_once(": ").map(|(code, _)| code) };
        let line = ListRow {
            linha: row.number,
            celulas: own_cells(&self.open.list, &self.open.columns, row),
            resultado: cells
                .into_iter()
                .zip(self.asked.columns())
                .map(|(cell, column)| CellJson::of(cell, column.kind))
                .collect(),
            codigo: code,
            pedido: payload.map(serde_json::from_slice).transpose()?,
            fora_da_tipi: payload.is_some_and(|payload| self.products.lack(payload)),
        };
        Ok(self.writer.line_later(&line)?)
    }
}
