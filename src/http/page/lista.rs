//! `POST /sandbox/v1/lista`: the rows of a CSV or XLSX, or of a text pasted from a spreadsheet, each calculated.
//!
//! The answer is JSON lines: the columns and how each was matched; a line for each row, in the order of the file, with
//! its own cells and its result; the totals. With `so_colunas` only the columns and the first rows, which uses no quota.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde::Serialize;

use super::cell::CellJson;
use super::lista_head::{KeptColumn, ListHead};
use super::lista_rows;
use crate::calls::Caller;
use crate::document::{Field, Shape};
use crate::http::app::App;
use crate::http::calculate::past_instant;
use crate::http::call::CallOutcome;
use crate::http::query::{self, Query};
use crate::http::request_body;
use crate::http::respond::HttpResponse;
use crate::http::upload::BodyWriter;
use crate::lists::{Asked, List};
use crate::problem::{ErrorCode, Problem};
use crate::sheet::{self, Cell, DecimalEvidence, DecimalMark, Row, SheetError, SheetLimits, TakeRow, column_letters};
use crate::tax::{self, Entry};
use crate::value::{Timestamp, fold};

/// Most rows of a list; `taxd calc` has no limit.
const MAX_ROWS: u32 = 100_000;
/// Most columns of a list: each is a control of the page.
const MAX_LIST_COLUMNS: usize = 256;
/// Rows that are shown beside the columns.
const SHOWN_ROWS: usize = 3;
/// An XLSX is at most so large once it is expanded.
const LIMITS: SheetLimits = SheetLimits { worksheet_bytes: 256 * 1024 * 1024, strings_bytes: 32 * 1024 * 1024 };
/// The name of a list of operations among those of the taxes.
pub(super) const OPERACAO: &str = "operacao";
/// The column that says which tax a row asks for.
pub(super) const COLUMN_OF_TRIBUTO: &str = "tributo";

const fn optional(name: &'static str, label: &'static str, shape: Shape) -> Field {
    query::parameter(name, label, shape, None)
}

const TRIBUTO: Field =
    optional("tributo", "Tributo de todas as linhas, ou operacao; sem ele, a coluna tributo o diz", Shape::Text);
const COLUNAS: Field =
    optional("colunas", "Campo de cada coluna, separados por vírgula; vazio se ela não é um", Shape::Text);
const DECIMAL: Field =
    optional("decimal", "Separador decimal dos textos, se não se quer que seja descoberto", Shape::Text);
const ABA: Field = optional("aba", "Planilha de um XLSX; sem ela, a primeira que aparece", Shape::Text);
const CONHECIDO_EM: Field =
    optional("conhecido_em", "Instante, que não está no futuro, cujas regras respondem", Shape::Instant);
const SO_COLUNAS: Field =
    query::parameter("so_colunas", "Só as colunas e as primeiras linhas", Shape::Bool, Some("false"));

/// What is asked of a list.
pub(super) struct ListQuestion {
    pub(super) asked: Asked,
    pub(super) tributo: Option<&'static Entry>,
    /// The field of each column from the first, which replaces its name; empty if it is none.
    columns: Option<Vec<String>>,
    mark: Option<DecimalMark>,
    worksheet: Option<String>,
    pub(super) known_at: Option<Timestamp>,
    only_columns: bool,
}

/// A list whose header was read, and whose rows were counted.
pub(super) struct OpenList {
    pub(super) list: List,
    pub(super) columns: Vec<KeptColumn>,
    pub(super) mark: DecimalMark,
    pub(super) rows: u32,
    first: Vec<Row>,
}

/// A row that was not calculated.
#[derive(Serialize)]
struct ShownRow {
    linha: u32,
    celulas: Vec<Option<CellJson>>,
}

/// Answers the list in the body.
pub(super) async fn handle(
    app: &App,
    caller: &Arc<Caller>,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    let question = match ListQuestion::read(&request, app.service.engine().now()) {
        Ok(question) => question,
        Err(problem) => {
            request_body::pass_over(request).await;
            return Err(problem);
        }
    };
    if let Some(instant) = question.known_at {
        app.service.engine().answers_are_final(instant).await;
    }
    let (service, caller) = (Arc::clone(&app.service), Arc::clone(caller));
    app.answer_file(request, outcome, "application/x-ndjson", move |bytes, writer| {
        let mut open = question.open(bytes)?;
        if !question.only_columns {
            open.list = open.list.checked().map_err(refused)?;
        }
        let sheets = sheet::worksheets(Cursor::new(bytes)).map_err(|error| refused(error.to_string()))?;
        if writer.line(&ListHead::of(&question, &open, sheets)).is_err() {
            return Ok(());
        }
        if question.only_columns {
            show(&open, writer);
            return Ok(());
        }
        lista_rows::calculate(&question, bytes, open.list, &open.columns, &service, &caller, writer);
        Ok(())
    })
    .await
}

fn refused(detail: impl Into<String>) -> Box<Problem> {
    Box::new(Problem::new(ErrorCode::PayloadInvalido, detail))
}

impl ListQuestion {
    fn read(request: &Request<Incoming>, now: Timestamp) -> Result<ListQuestion, Box<Problem>> {
        let mut q = Query::parse(request.uri().query().unwrap_or_default());
        let tributo = q.take(&TRIBUTO, |name| match name {
            OPERACAO => Ok(None),
            name => tax::parse(name).map(Some),
        });
        let columns = q.take(&COLUNAS, |names| Ok(names.split(',').map(str::to_owned).collect()));
        let mark = q.take(&DECIMAL, |mark| match mark {
            "virgula" => Ok(DecimalMark::Comma),
            "ponto" => Ok(DecimalMark::Point),
            _ => Err("Use virgula ou ponto.".to_owned()),
        });
        let worksheet = q.take(&ABA, |name| Ok(name.to_owned()));
        let known_at = q.take(&CONHECIDO_EM, |text| past_instant(text, now));
        let only_columns = q.take(&SO_COLUNAS, query::boolean).unwrap_or(false);
        q.finish()?;
        let asked = if matches!(tributo, Some(None)) { Asked::Operation } else { Asked::Tax };
        Ok(ListQuestion { asked, tributo: tributo.flatten(), columns, mark, worksheet, known_at, only_columns })
    }

    /// Reads the rows of the file.
    pub(super) fn rows(&self, bytes: &[u8], take: &mut TakeRow<'_>) -> Result<(), SheetError> {
        sheet::read_within(Cursor::new(bytes), self.worksheet.as_deref(), LIMITS, take)
    }

    /// Reads the header and goes through all rows: what cannot be read, or is too much, is refused before anything is
    /// calculated, and the numbers of all rows decide the decimal mark.
    fn open(&self, bytes: &[u8]) -> Result<OpenList, Box<Problem>> {
        let mut open: Option<Result<(List, Vec<KeptColumn>), String>> = None;
        let mut evidence = DecimalEvidence::default();
        let (mut rows, mut first) = (0, Vec::new());
        let read = self.rows(bytes, &mut |row| {
            match &open {
                None => open = Some(self.header(&row)),
                Some(Ok((list, _))) => {
                    list.see_numbers(&row, &mut evidence);
                    rows += 1;
                    if self.only_columns && first.len() < SHOWN_ROWS {
                        first.push(row);
                    }
                }
                Some(Err(_)) => {}
            }
            if matches!(open, Some(Err(_))) || rows > MAX_ROWS {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        read.map_err(|error| refused(error.to_string()))?;
        if rows > MAX_ROWS {
            return Err(refused(
                "A lista tem mais de 100.000 linhas, o máximo desta página; divida-a, ou use `taxd calc` no servidor.",
            ));
        }
        let open = open.ok_or_else(|| refused("A lista está vazia; a primeira linha dá nome às colunas."))?;
        let (list, columns) = open.map_err(refused)?;
        let mark = match (self.mark, sheet::separator(&mut Cursor::new(bytes))) {
            (Some(mark), _) => mark,
            (None, Ok(separator)) => DecimalMark::of_csv(separator, evidence),
            (None, Err(error)) => return Err(refused(error.to_string())),
        };
        Ok(OpenList { list: list.with_decimal_mark(mark), columns, mark, rows, first })
    }

    /// The header with the fields that were chosen for its columns. The error is a sentence.
    fn header(&self, row: &Row) -> Result<(List, Vec<KeptColumn>), String> {
        if row.cells.len() > MAX_LIST_COLUMNS {
            return Err(format!("A lista tem mais de {MAX_LIST_COLUMNS} colunas; deixe as que interessam."));
        }
        let mut named = row.clone();
        for (cell, chosen) in named.cells.iter_mut().zip(self.columns.iter().flatten()) {
            *cell = Cell::Text(chosen.clone());
        }
        let is_tributo = |cell: &Cell| cell.text().is_ok_and(|name| fold(&name) == COLUMN_OF_TRIBUTO);
        let of_tributo = named.cells.iter().position(is_tributo);
        if self.asked == Asked::Tax {
            match (self.tributo, of_tributo) {
                (Some(_), Some(column)) => {
                    return Err(format!(
                        "A coluna {} diz o tributo de cada linha: escolha \"o da coluna Tributo\", ou retire a coluna.",
                        column_letters(column)
                    ));
                }
                (None, None) => {
                    return Err("Nenhuma coluna se chama Tributo: escolha o tributo de todas as linhas.".to_owned());
                }
                _ => {}
            }
        }
        let list = List::draft(&named, self.asked, self.tributo)?;
        let columns = KeptColumn::all(row, &list, of_tributo);
        Ok((list, columns))
    }
}

/// Sends the first rows. A reader that has gone needs none.
fn show(open: &OpenList, writer: &mut BodyWriter) {
    for row in &open.first {
        let shown = ShownRow { linha: row.number, celulas: own_cells(&open.list, &open.columns, row) };
        if writer.line(&shown).is_err() {
            return;
        }
    }
}

/// The cells of the row itself.
pub(super) fn own_cells(list: &List, columns: &[KeptColumn], row: &Row) -> Vec<Option<CellJson>> {
    list.kept_cells(row, true).zip(columns).map(|(cell, column)| CellJson::of(cell, column.tipo)).collect()
}
