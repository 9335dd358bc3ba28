//! `GET /sandbox/v1/procura`: the rules of `GET /v1/regras` by numbered pages, with their count, and those of a product
//! before those of all products.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{HeaderMap, Request};

use crate::calls::Caller;
use crate::document::{Field, Shape};
use crate::engine::{Engine, Filter, filter};
use crate::http::app::App;
use crate::http::query::{self, Query};
use crate::http::respond::{self, HttpResponse};
use crate::http::{etag, request_body};
use crate::problem::Problem;

/// The page, from 1.
const PAGINA: Field = query::parameter("pagina", "Página", Shape::Int { min: 1, max: 1_000_000 }, Some("1"));

/// Answers a page of rules.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let text = request.uri().query().unwrap_or_default().to_owned();
    let headers = request.headers().clone();
    request_body::pass_over(request).await;
    let mut q = Query::parse(&text);
    let mut asked = Filter::default();
    for field in filter::FIELDS.iter() {
        q.take(field, |text| asked.set(field.name, text));
    }
    let limit = q.take_whole(&query::LIMIT);
    let before = q.take_whole(&PAGINA).saturating_sub(1);
    q.finish()?;
    let service = Arc::clone(&app.service);
    let skip = before.saturating_mul(limit);
    app.blocking.page(app.memory(caller), move || page(service.engine(), &headers, &text, &asked, skip, limit)).await
}

fn page(
    engine: &Engine,
    headers: &HeaderMap,
    query_text: &str,
    filter: &Filter,
    skip: usize,
    limit: usize,
) -> Result<HttpResponse, Box<Problem>> {
    let today = engine.now().day();
    let state = engine.state_of_listings().map_err(|e| respond::store_failed(&e))?;
    let tag = etag::of(&["procura", query_text, &state, &today.to_string()]);
    if etag::matches(headers, &tag) {
        return Ok(etag::not_modified(&tag));
    }
    let found = engine.regras_closest(filter, today, skip, limit).map_err(|e| respond::store_failed(&e))?;
    let body =
        format!("{{\"regras\":[{}],\"total\":{},\"gerais\":{}}}", found.items.join(","), found.total, found.gerais);
    Ok(etag::tagged(respond::json(body.into_bytes()), &tag))
}
