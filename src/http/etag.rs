//! `ETag` and 304 for what changes only with a publication (or with the day, or with taxd itself).

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, ETAG, HeaderValue, IF_NONE_MATCH};

use super::respond::{self, HttpResponse};
use crate::value::sha256_hex;

/// A tag for everything that an answer of this taxd depends on.
pub(super) fn of(parts: &[&str]) -> String {
    of_bytes([env!("CARGO_PKG_VERSION"), &parts.join("\n")].join("\n").as_bytes())
}

/// A tag for the bytes of a file.
pub(super) fn of_bytes(bytes: &[u8]) -> String {
    format!("\"{:.24}\"", sha256_hex(bytes))
}

/// True when the caller says that it has the tagged answer.
pub(super) fn matches(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|v| v.to_str().ok());
    known.flat_map(|list| list.split(',')).any(|one| {
        let one = one.trim();
        one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag
    })
}

/// Adds the tag to an answer, which the caller alone may then keep and must ask about again.
pub(super) fn tagged(mut answer: HttpResponse, tag: &str) -> HttpResponse {
    if let Ok(value) = HeaderValue::from_str(tag) {
        answer.headers_mut().insert(ETAG, value);
    }
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    answer
}

/// "You have it."
pub(super) fn not_modified(tag: &str) -> HttpResponse {
    tagged(respond::with_type(StatusCode::NOT_MODIFIED, "application/json", Vec::new()), tag)
}
