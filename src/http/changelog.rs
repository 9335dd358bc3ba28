//! `GET /v1/changelog` (contract, section 4.3; design, section 2).

use std::sync::{Arc, LazyLock};

use hyper::body::Incoming;
use hyper::header::{HeaderValue, LINK};
use hyper::{HeaderMap, Request};

use super::app::App;
use super::cursor;
use super::etag;
use super::query::{self, Query};
use super::respond::{self, HttpResponse};
use crate::base::document::{Field, Shape};
use crate::base::problem::Problem;
use crate::base::value::{Date, Timestamp};
use crate::core::calls::Caller;
use crate::core::engine::{Engine, Filter, filter};

const DESDE: Field = query::parameter("desde", "Só os eventos publicados deste dia em diante (UTC)", Shape::Date, None);
/// Those filters of `GET /v1/regras` that this address takes too: each describes the rule of an event.
const FILTERS: [&str; 3] = ["tributo", "uf", "ncm"];

fn filters() -> impl Iterator<Item = &'static Field> {
    filter::FIELDS.iter().filter(|field| FILTERS.contains(&field.name))
}

pub(super) fn parameters() -> &'static [Field] {
    static PARAMETERS: LazyLock<Vec<Field>> = LazyLock::new(|| {
        std::iter::once(DESDE).chain(filters().copied()).chain([query::LIMIT, cursor::CURSOR]).collect()
    });
    &PARAMETERS
}

struct Asked {
    desde: Option<Date>,
    filter: Option<Filter>,
    /// The filters as the link to the next page has them.
    filter_text: String,
    limit: usize,
    before: Option<u64>,
}

impl Asked {
    fn read(text: &str) -> Result<Asked, Box<Problem>> {
        let mut q = Query::parse(text);
        let desde = q.take(&DESDE, Date::parse);
        let mut filter = Filter::default();
        let mut filter_text = form_urlencoded::Serializer::new(String::new());
        let mut filtered = false;
        for field in filters() {
            q.take(field, |text| {
                filtered = true;
                filter_text.append_pair(field.name, text);
                filter.set(field.name, text)
            });
        }
        let limit = q.take_whole(&query::LIMIT);
        let before = q.take(&cursor::CURSOR, cursor::read);
        q.finish()?;
        let filter = filtered.then_some(filter);
        Ok(Asked { desde, filter, filter_text: filter_text.finish(), limit, before })
    }
}

/// Answers a page of events, latest first.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: &Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let text = request.uri().query().unwrap_or_default().to_owned();
    let asked = Asked::read(&text)?;
    // Before the tag is compared: a 304 also promises that no event was missed.
    app.service.engine().changelog_is_complete().await;
    let (service, headers) = (Arc::clone(&app.service), request.headers().clone());
    app.blocking.page(app.memory(caller), move || page(service.engine(), &headers, &text, &asked)).await
}

fn page(engine: &Engine, headers: &HeaderMap, query_text: &str, asked: &Asked) -> Result<HttpResponse, Box<Problem>> {
    let state = engine.state_of_rules().map_err(|e| respond::store_failed(&e))?;
    let tag = etag::of(&["changelog", query_text, &state]);
    if etag::matches(headers, &tag) {
        return Ok(etag::not_modified(&tag));
    }
    let Asked { desde, filter, filter_text, limit, before } = asked;
    let since = desde.map(Timestamp::start_of);
    let page = engine.changelog_of(filter.as_ref(), since, *before, *limit).map_err(|e| respond::store_failed(&e))?;
    let mut answer = respond::json(format!("[{}]", page.items.join(",")).into_bytes());
    if let Some(next) = page.next {
        let desde = desde.map(|d| format!("desde={d}&")).unwrap_or_default();
        let filters = if filter_text.is_empty() { String::new() } else { format!("{filter_text}&") };
        let link =
            format!("</v1/changelog?{desde}{filters}limit={limit}&cursor={}>; rel=\"next\"", cursor::write(next));
        if let Ok(link) = HeaderValue::from_str(&link) {
            answer.headers_mut().insert(LINK, link);
        }
    }
    Ok(etag::tagged(answer, &tag))
}
