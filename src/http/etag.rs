//! `ETag` and 304, for answers that change only with a publication, with the day, or with the version of taxd.

use hyper::header::{CACHE_CONTROL, ETAG, HeaderValue, IF_NONE_MATCH};
use hyper::{HeaderMap, StatusCode};

use super::respond::{self, HttpResponse};
use crate::base::value::sha256_hex;

/// Returns the tag of an answer that depends on these parts and on the version of taxd.
pub(crate) fn of(parts: &[&str]) -> String {
    of_bytes([env!("CARGO_PKG_VERSION"), &parts.join("\n")].join("\n").as_bytes())
}

/// Returns the tag of these bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    format!("\"{:.24}\"", sha256_hex(bytes))
}

/// True if `If-None-Match` has the tag.
pub(crate) fn matches(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|v| v.to_str().ok());
    known.flat_map(|list| list.split(',')).any(|one| {
        let one = one.trim();
        one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag
    })
}

/// Adds the tag to an answer, which only the caller may then cache and must revalidate each time.
pub(crate) fn tagged(mut answer: HttpResponse, tag: &str) -> HttpResponse {
    if let Ok(value) = HeaderValue::from_str(tag) {
        answer.headers_mut().insert(ETAG, value);
    }
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    answer
}

pub(crate) fn not_modified(tag: &str) -> HttpResponse {
    tagged(respond::with_type(StatusCode::NOT_MODIFIED, "application/json", Vec::new()), tag)
}
