//! `GET /sandbox/v1/unidades`: the fiscal units of a State that have an established value on a day.

use hyper::Request;
use hyper::body::Incoming;

use super::lookup::Lookup;
use crate::calls::Caller;
use crate::codes::{UnidadeFiscal, unidades_fiscais};
use crate::document::{Field, Shape, Words};
use crate::http::app::App;
use crate::http::query;
use crate::http::respond::{self, HttpResponse};
use crate::problem::Problem;
use crate::value::{Date, Uf};

const UF: Field = query::parameter("uf", "UF", Shape::OneOf(Words::bare(Uf::WORDS)), None);
const DATA: Field = query::parameter("data", "Dia em que a unidade vale", Shape::Date, None);

/// Answers the units. None if the State or the day is missing, or if no value is established.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let known = |text: &str| Uf::from_abbreviation(text).ok_or_else(|| format!("Use {}.", UF.shape.describe()));
    let (_, asked) = Lookup::read(request, |q| q.take(&UF, known).zip(q.take(&DATA, Date::parse))).await?;
    let page = move || {
        let units: Vec<&UnidadeFiscal> = asked.into_iter().flat_map(|(uf, data)| unidades_fiscais(uf, data)).collect();
        Ok(respond::json(serde_json::json!({ "unidades": units }).to_string().into_bytes()))
    };
    app.blocking.page(app.memory(caller), page).await
}
