//! `POST /sandbox/v1/lista`: the rows of a CSV or XLSX, or of a text pasted from a spreadsheet, each calculated.
//!
//! The answer is JSON lines: the columns and how each was matched; a line for each row, in the order of the file, with
//! its own cells and its result; the totals. With `so_colunas` only the columns and the first rows, which uses no quota.

mod head;
mod question;
mod rows;

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde::Serialize;

use self::head::{ListHead, OpenList};
use self::question::ListQuestion;
use super::cell::CellJson;
use crate::calls::Caller;
use crate::http::app::App;
use crate::http::call::CallOutcome;
use crate::http::request_body;
use crate::http::respond::HttpResponse;
use crate::http::upload::BodyWriter;
use crate::problem::Problem;

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
    let (service, charged) = (Arc::clone(&app.service), Arc::clone(caller));
    app.answer_file(caller, request, outcome, "application/x-ndjson", move |bytes, writer| {
        let open = question.open(bytes)?;
        let sheets = question::worksheets(bytes)?;
        if writer.line(&ListHead::of(question.asked, question.is_of_one(), &open, sheets)).is_err() {
            return Ok(());
        }
        if question.only_columns {
            show(&open, writer);
            return Ok(());
        }
        rows::calculate(&question, bytes, open.list, &open.columns, &service, &charged, writer);
        Ok(())
    })
    .await
}

/// Sends the first rows. A reader that has gone needs none.
fn show(open: &OpenList, writer: &mut BodyWriter) {
    for row in &open.first {
        let shown = ShownRow { linha: row.number, celulas: head::own_cells(&open.list, &open.columns, row) };
        if writer.line(&shown).is_err() {
            return;
        }
    }
}
