//! `POST /sandbox/v1/lista`: the rows of a CSV or XLSX, or of a text pasted from a spreadsheet, each calculated.
//!
//! The answer is JSON lines: the columns and how each was matched; a line for each row, in the order of the file, with
//! its own cells and its result; the totals. With `so_colunas` only the columns, the first rows and the data that these
//! lack, which uses no quota.

pub mod cell;
mod head;
mod lacking;
pub mod modelo;
pub mod planilha;
mod question;
mod rows;

use hyper::Request;
use hyper::body::Incoming;
use serde::Serialize;

use self::cell::CellJson;
use self::head::{ListHead, OpenList};
use self::question::ListFile;
pub(crate) use self::question::ListQuestion;
use crate::base::problem::Problem;
use crate::base::value::Timestamp;
use crate::core::calls::{Caller, LISTA};
use crate::core::service::Service;
use crate::http::body_writer::BodyWriter;
use crate::http::upload::{FileQuestion, file_digest};

/// A row that was not calculated.
#[derive(Serialize)]
struct ShownRow {
    linha: u32,
    celulas: Vec<Option<CellJson>>,
}

impl FileQuestion for ListQuestion {
    fn read(request: &Request<Incoming>, now: Timestamp) -> Result<ListQuestion, Box<Problem>> {
        ListQuestion::of(request.uri().query().unwrap_or_default(), now)
    }

    fn known_at(&self) -> Option<Timestamp> {
        self.known_at
    }

    fn content_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn answer(
        self,
        bytes: &[u8],
        service: &Service,
        caller: &Caller,
        writer: &mut BodyWriter,
    ) -> Result<(), Box<Problem>> {
        let file = ListFile::of(bytes, writer.turn())?;
        let open = self.open(&file)?;
        let sheets = file.worksheets()?;
        let mut head = ListHead::of(self.asked, self.is_of_one(), &open, sheets);
        if self.only_columns {
            head.faltam = lacking::fields(&self, &open, service.engine());
        }
        let digest = file_digest(service, [LISTA.as_bytes(), self.query.as_bytes(), bytes])?;
        if writer.line(&head).is_err() {
            return Ok(());
        }
        if self.only_columns {
            show(&open, writer);
            return Ok(());
        }
        let bill = service.calls().bill(caller, digest);
        rows::calculate(&self, &file, open, service, (caller, bill), writer);
        Ok(())
    }
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
