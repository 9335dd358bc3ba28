//! `GET /v1/changelog` (contract, section 4.3; design, section 2).

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{HeaderValue, LINK};

use super::etag;
use super::query::{self, Query};
use super::respond::{self, Answer};
use crate::engine::Engine;
use crate::problem::Problem;
use crate::value::{Data, Instante};

/// Events in a page where the caller does not say (contract, section 8).
const DEFAULT_LIMIT: usize = 100;

/// Answers a page of events, the latest first.
pub(super) fn handle(engine: &Engine, request: &Request<Incoming>) -> Result<Answer, Box<Problem>> {
    let text = request.uri().query().unwrap_or_default();
    let mut q = Query::parse(text);
    let desde = q.take("desde", Data::parse);
    let limit = q.take("limit", query::limit).unwrap_or(DEFAULT_LIMIT);
    let before = q.take("cursor", query::cursor);
    q.finish()?;

    let publication = engine.last_publication().map_err(|e| respond::store_failed(&e))?;
    let tag = etag::of(&["changelog", text, &publication.to_string()]);
    if etag::matches(request.headers(), &tag) {
        return Ok(etag::not_modified(&tag));
    }
    let since = desde.and_then(Instante::start_of);
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
