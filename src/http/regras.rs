//! `GET /v1/regras` (contract, section 4.2; design, section 2).

use std::sync::{Arc, LazyLock};

use hyper::body::Incoming;
use hyper::{HeaderMap, Request};

use super::app::App;
use super::cursor;
use super::etag;
use super::query::{self, Query};
use super::respond::{self, HttpResponse};
use crate::base::document::Field;
use crate::base::problem::Problem;
use crate::core::calls::Caller;
use crate::core::engine::{Engine, Filter, filter};

/// The parameters of the query: the filters, and the page.
pub(super) fn parameters() -> &'static [Field] {
    static PARAMETERS: LazyLock<Vec<Field>> =
        LazyLock::new(|| filter::FIELDS.iter().copied().chain([query::LIMIT, cursor::CURSOR]).collect());
    &PARAMETERS
}

pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: &Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let text = request.uri().query().unwrap_or_default().to_owned();
    let mut q = Query::parse(&text);
    let mut asked = Filter::default();
    for field in filter::FIELDS.iter() {
        q.take(field, |text| asked.set(field.name, text));
    }
    let limit = q.take_whole(&query::LIMIT);
    let after = q.take(&cursor::CURSOR, cursor::read).unwrap_or(0);
    q.finish()?;
    let (service, headers) = (Arc::clone(&app.service), request.headers().clone());
    app.blocking.page(app.memory(caller), move || page(service.engine(), &headers, &text, &asked, limit, after)).await
}

fn page(
    engine: &Engine,
    headers: &HeaderMap,
    query_text: &str,
    filter: &Filter,
    limit: usize,
    after: u64,
) -> Result<HttpResponse, Box<Problem>> {
    let today = engine.now().day();
    let state = engine.state_of_listings().map_err(|e| respond::store_failed(&e))?;
    let tag = etag::of(&["regras", query_text, &state, &today.to_string()]);
    if etag::matches(headers, &tag) {
        return Ok(etag::not_modified(&tag));
    }
    let page = engine.regras(filter, today, after, limit).map_err(|e| respond::store_failed(&e))?;
    let next = page.next.map_or("null".to_owned(), |n| format!("\"{}\"", cursor::write(n)));
    let body = format!("{{\"regras\":[{}],\"proximo\":{next}}}", page.items.join(","));
    Ok(etag::tagged(respond::json(body.into_bytes()), &tag))
}
