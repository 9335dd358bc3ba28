//! `GET /sandbox/v1/procura`: the rules of `GET /v1/regras` by numbered pages, with their count, and those of a product
//! before those of all products.

use hyper::Request;
use hyper::body::Incoming;

use crate::base::document::{Field, Shape};
use crate::base::problem::Problem;
use crate::core::calls::Caller;
use crate::core::engine::{Engine, Filter, filter};
use crate::http::app::App;
use crate::http::query::{self, Query};
use crate::http::respond::{self, HttpResponse};
use crate::page::lookup::Lookup;

/// The page, from 1.
const PAGINA: Field = query::parameter("pagina", "Página", Shape::Int { min: 1, max: 1_000_000 }, Some("1"));

pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let (lookup, (asked, skip, limit)) = Lookup::read(request, read).await?;
    let make = move |engine: &Engine, today| {
        let found = engine.regras_closest(&asked, today, skip, limit).map_err(|e| respond::store_failed(&e))?;
        let body =
            format!("{{\"regras\":[{}],\"total\":{},\"gerais\":{}}}", found.items.join(","), found.total, found.gerais);
        Ok(respond::json(body.into_bytes()))
    };
    lookup.answer_in(app, caller, "procura", Engine::state_of_listings, make).await
}

/// The filter, the rules before the page, and how many a page has.
fn read(q: &mut Query) -> (Filter, usize, usize) {
    let mut asked = Filter::default();
    for field in filter::FIELDS.iter() {
        q.take(field, |text| asked.set(field.name, text));
    }
    let limit = q.take_whole(&query::LIMIT);
    let before = q.take_whole(&PAGINA).saturating_sub(1);
    (asked, before.saturating_mul(limit), limit)
}
