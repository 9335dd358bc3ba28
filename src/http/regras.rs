//! `GET /v1/regras` (contract, section 4.2; design, section 2).

use hyper::Request;
use hyper::body::Incoming;

use super::etag;
use super::query::{self, Query};
use super::respond::{self, Answer};
use crate::engine::{Engine, Filter};
use crate::problem::{Codigo, Problem};

/// Rules in a page where the caller does not say.
const DEFAULT_LIMIT: usize = 100;

/// Answers a page of rules.
pub(super) fn handle(engine: &Engine, request: &Request<Incoming>) -> Result<Answer, Box<Problem>> {
    let text = request.uri().query().unwrap_or_default();
    let mut q = Query::parse(text);
    let mut filter = Filter::default();
    for name in Filter::NAMES {
        q.take(name, |text| filter.set(name, text));
    }
    let limit = q.take("limit", query::limit).unwrap_or(DEFAULT_LIMIT);
    let after = q.take("cursor", query::cursor).unwrap_or(0);
    q.finish()?;

    let today = engine.now().day().map_err(|e| Problem::new(Codigo::ErroInterno, e))?;
    let publication = engine.listed_publication().map_err(|e| respond::store_failed(&e))?;
    let tag = etag::of(&["regras", text, &publication.to_string(), &today.to_string()]);
    if etag::matches(request.headers(), &tag) {
        return Ok(etag::not_modified(&tag));
    }
    let page = engine.regras(&filter, today, after, limit).map_err(|e| respond::store_failed(&e))?;
    let next = page.next.map_or("null".to_owned(), |n| format!("\"{}\"", query::write_cursor(n)));
    let body = format!("{{\"regras\":[{}],\"proximo\":{next}}}", page.items.join(","));
    Ok(etag::tagged(respond::json(body.into_bytes()), &tag))
}
