//! The one way to write a result, and the one way to write a refusal.

use hyper::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Response, StatusCode};

use super::refusal;
use super::response_body::ResponseBody;
use crate::base::problem::Problem;
use crate::base::sentence::Reader;
use crate::core::store::StoreError;

pub(crate) type HttpResponse = Response<ResponseBody>;

/// The header by which the page asks for the words of people beside those of the contract.
static TAXD_LEITOR: HeaderName = HeaderName::from_static("taxd-leitor");

/// Returns who reads the answer to a request.
pub(super) fn reader(headers: &HeaderMap) -> Reader {
    if headers.get(&TAXD_LEITOR).is_some_and(|value| value == "pessoa") { Reader::Person } else { Reader::Program }
}

/// The header with the id of a request, which the logs repeat.
pub(super) static X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Headers of an ordinary answer. A map of six that gets its seventh moves all of them.
const USUAL_HEADERS: usize = 8;

/// `Retry-After` of a 503, in seconds.
const RETRY_AFTER_SECONDS: &str = "2";

/// Returns an answer with that content type, which browsers must not guess otherwise.
pub(crate) fn with_type(status: StatusCode, content_type: &'static str, body: impl Into<ResponseBody>) -> HttpResponse {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.reserve(USUAL_HEADERS);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Returns a redirection to another path of this server.
pub(super) fn redirect(target: &'static str) -> HttpResponse {
    let mut response = with_type(StatusCode::FOUND, "text/plain; charset=utf-8", Vec::new());
    response.headers_mut().insert(LOCATION, HeaderValue::from_static(target));
    response
}

/// Returns a result as JSON. It depends on the caller's key, so no proxy may cache it.
pub(crate) fn json(body: impl Into<ResponseBody>) -> HttpResponse {
    streamed("application/json", body.into())
}

/// Returns a result that is sent while it is made.
pub(crate) fn streamed(content_type: &'static str, body: ResponseBody) -> HttpResponse {
    let mut response = with_type(StatusCode::OK, content_type, body);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns a refusal as a problem document.
pub(super) fn problem(problem: &Problem, request_id: &str) -> HttpResponse {
    let body = serde_json::to_vec(&problem.document(Some(request_id))).unwrap_or_default();
    let status = StatusCode::from_u16(problem.codigo.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = with_type(status, "application/problem+json", body);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_SECONDS));
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey header=\"X-API-Key\""));
    }
    response
}

/// Returns the refusal of a call that the store failed, with the cause for the log.
pub(crate) fn store_failed(error: &StoreError) -> Box<Problem> {
    if error.is_outage() {
        return Box::new(Problem::unavailable());
    }
    Box::new(Problem { cause: Some(error.to_string()), ..refusal::store_failed() })
}

/// Returns the bytes of a refusal for a connection over the limit.
pub(super) fn overloaded(request_id: &str) -> Vec<u8> {
    unserved(&refusal::too_many_connections(), request_id)
}

/// Returns the bytes of a whole HTTP/1.1 answer, for a connection that hyper does not serve.
pub(super) fn unserved(refused: &Problem, request_id: &str) -> Vec<u8> {
    let answer = problem(refused, request_id);
    let body = serde_json::to_vec(&refused.document(Some(request_id))).unwrap_or_default();
    let mut bytes = format!("HTTP/1.1 {}\r\n", answer.status()).into_bytes();
    for (name, value) in answer.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    let rest = format!("x-request-id: {request_id}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    bytes.extend(rest.into_bytes());
    bytes.extend(body);
    bytes
}
