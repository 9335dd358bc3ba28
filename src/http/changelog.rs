//! `GET /v1/changelog` (contract, section 4.3; design, section 2).

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{HeaderValue, LINK};
use hyper::{HeaderMap, Request};

use super::app::App;
use super::etag;
use super::query::{self, Query};
use super::respond::{self, HttpResponse};
use crate::calls::Caller;
use crate::document::{Field, Shape};
use crate::engine::Engine;
use crate::problem::Problem;
use crate::value::{Date, Timestamp};

const DESDE: Field = query::parameter("desde", "Só os eventos publicados deste dia em diante (UTC)", Shape::Date, None);
/// The parameters of the query.
pub(super) const PARAMETERS: [Field; 3] = [DESDE, query::LIMIT, query::CURSOR];

/// Answers a page of events, latest first.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: &Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let text = request.uri().query().unwrap_or_default().to_owned();
    let mut q = Query::parse(&text);
    let desde = q.take(&DESDE, Date::parse);
    let limit = q.take_whole(&query::LIMIT);
    let before = q.take(&query::CURSOR, query::cursor);
    q.finish()?;
    // Before the tag is compared: a 304 also promises that no event was missed.
    app.service.engine().changelog_is_complete().await;
    let (service, headers) = (Arc::clone(&app.service), request.headers().clone());
    app.blocking.page(app.memory(caller), move || page(service.engine(), &headers, &text, desde, limit, before)).await
}

fn page(
    engine: &Engine,
    headers: &HeaderMap,
    query_text: &str,
    desde: Option<Date>,
    limit: usize,
    before: Option<u64>,
) -> Result<HttpResponse, Box<Problem>> {
    let state = engine.state_of_rules().map_err(|e| respond::store_failed(&e))?;
    let tag = etag::of(&["changelog", query_text, &state]);
    if etag::matches(headers, &tag) {
        return Ok(etag::not_modified(&tag));
    }
    let since = desde.map(Timestamp::start_of);
    let page = engine.changelog(since, before, limit).map_err(|e| respond::store_failed(&e))?;
    let mut answer = respond::json(format!("[{}]", page.items.join(",")).into_bytes());
    if let Some(next) = page.next {
        let desde = desde.map(|d| format!("desde={d}&")).unwrap_or_default();
        let link = format!("</v1/changelog?{desde}limit={limit}&cursor={}>; rel=\"next\"", query::write_cursor(next));
        if let Ok(link) = HeaderValue::from_str(&link) {
            answer.headers_mut().insert(LINK, link);
        }
    }
    Ok(etag::tagged(answer, &tag))
}
