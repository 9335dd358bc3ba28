//! `GET /sandbox/v1/modelo`: a list to fill in, with the columns of a tax and an example row.

use std::io::{self, Cursor};

use hyper::Request;
use hyper::body::Incoming;

use super::planilha::FileForm;
use super::question::{OfRows, TRIBUTO};
use crate::base::problem::{ErrorCode, Problem};
use crate::core::calls::Caller;
use crate::features::lists;
use crate::http::app::App;
use crate::http::respond::{self, HttpResponse};
use crate::page::lookup::Lookup;
use crate::sheet::{self, CsvWriter, Table};

pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let (_, (of_rows, form)) = Lookup::read(request, |q| (OfRows::take(q), FileForm::take(q))).await?;
    let missing = || Problem::of_field(ErrorCode::ParametroInvalido, TRIBUTO.name, "Diga o tributo do modelo.");
    let of_rows = of_rows.ok_or_else(|| Box::new(missing()))?;
    app.blocking.page(app.memory(caller), move || file(&lists::template(of_rows.asked(), of_rows.tax()), form)).await
}

/// With days as people write them: a spreadsheet program in Portuguese opens it, and the list reads them.
fn write_csv(table: &Table, out: &mut impl io::Write) -> io::Result<()> {
    let mut csv = CsvWriter::new(out, &table.head)?.for_people();
    for row in &table.rows {
        csv.row(row)?;
    }
    csv.finish()
}

fn file(table: &Table, form: FileForm) -> Result<HttpResponse, Box<Problem>> {
    let mut whole = Cursor::new(Vec::new());
    let written = match form {
        FileForm::Xlsx => sheet::write_xlsx(std::slice::from_ref(table), &mut whole),
        FileForm::Csv => write_csv(table, &mut whole),
    };
    written.map_err(|e| Box::new(Problem::failure("O modelo não pôde ser escrito; avise o operador.", e)))?;
    Ok(respond::streamed(form.content_type(), whole.into_inner().into()))
}
