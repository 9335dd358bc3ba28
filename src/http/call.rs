//! A `/v1` call from its head to its answer: who makes it (contract, section 5), whether it
//! may pass (section 8), and that it is counted and logged, whatever becomes of it.

use std::sync::Arc;
use std::time::Instant;

use hyper::header::{HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{HeaderMap, Method, StatusCode};

use super::refusal;
use super::request_body::RequestBody;
use super::respond::HttpResponse;
use crate::calls::{Allowance, Call, Caller, clean_path, sanitised};
use crate::problem::Problem;
use crate::service::Service;
use crate::value::{Timestamp, Tributo};

static X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
static RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
static RATE_REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
static RATE_RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// Status under which a call is logged whose caller went away before the answer.
const CLIENT_CLOSED: u16 = 499;

/// Longest payload that waits for the log as it was sent.
const MAX_WAITING_PAYLOAD_BYTES: usize = 2 * 1024;

/// What a handler tells of the call that it answers, for the log.
#[derive(Default)]
pub(super) struct CallOutcome {
    /// The payload as it came.
    pub(super) payload: RequestBody,
    /// Whether the answer came from the result cache.
    pub(super) cached: bool,
    /// Whether the caller went away while it was sending.
    pub(super) caller_left: bool,
    /// The rule that answered or refused.
    pub(super) rule_id: Option<Arc<str>>,
    /// The tax that was asked for, where one was.
    pub(super) tributo: Option<Tributo>,
}

/// A call under way. It is logged when it is dropped: answered, or given up by its caller.
pub(super) struct CallGuard<'s> {
    service: &'s Service,
    started: Instant,
    at: Timestamp,
    method: &'static str,
    path: Box<str>,
    caller: Option<Arc<Caller>>,
    /// Nothing is left to a caller that is not known.
    allowance: Allowance,
    status: u16,
    pub(super) outcome: CallOutcome,
}

impl<'s> CallGuard<'s> {
    /// Begins to measure a call.
    pub(super) fn begin(service: &'s Service, method: &Method, path: &str) -> CallGuard<'s> {
        CallGuard {
            service,
            started: Instant::now(),
            at: service.calls().now(),
            method: name_of(method),
            path: clean_path(path).into(),
            caller: None,
            allowance: Allowance::default(),
            status: CLIENT_CLOSED,
            outcome: CallOutcome::default(),
        }
    }

    /// Finds out who calls. The same answer, for the same work, to a key that is unknown,
    /// revoked or at its end; a call with one of the last two is its account's all the same.
    pub(super) fn identify(&mut self, headers: &HeaderMap) -> Result<Arc<Caller>, Box<Problem>> {
        let Some(value) = headers.get(&X_API_KEY) else {
            return Err(Box::new(refusal::key_missing()));
        };
        let (caller, good) = self.service.calls().identify(&String::from_utf8_lossy(value.as_bytes()));
        self.caller.clone_from(&caller);
        if let Some(caller) = caller.filter(|_| good) {
            return Ok(caller);
        }
        Err(Box::new(refusal::key_not_accepted()))
    }

    /// Lets the call pass within the limits of its account.
    pub(super) fn admit(&mut self, caller: &Caller) -> Result<(), Box<Problem>> {
        let (allowance, admitted) = self.service.calls().admit(caller);
        self.allowance = allowance;
        admitted.map_err(|refused| Box::new(refusal::not_admitted(refused, allowance)))
    }

    /// Looks up what is left to the caller, for a call that is refused for another reason.
    pub(super) fn look(&mut self) {
        if let Some(caller) = &self.caller {
            self.allowance = self.service.calls().peek(caller);
        }
    }

    /// Ends the call with its answer, which then says what is left of the limits.
    pub(super) fn answered(mut self, answer: &mut HttpResponse) {
        let status = answer.status();
        self.status = if self.outcome.caller_left { CLIENT_CLOSED } else { status.as_u16() };
        let headers = answer.headers_mut();
        headers.insert(RATE_LIMIT.clone(), HeaderValue::from(self.allowance.limit));
        headers.insert(RATE_REMAINING.clone(), HeaderValue::from(self.allowance.remaining));
        headers.insert(RATE_RESET.clone(), HeaderValue::from(self.allowance.reset_s));
        if status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(RETRY_AFTER, HeaderValue::from(self.allowance.reset_s));
        }
    }
}

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        let latency_us = u32::try_from(self.started.elapsed().as_micros()).unwrap_or(u32::MAX);
        let calls = self.service.calls();
        calls.traffic().count(self.outcome.tributo, self.status, latency_us, self.outcome.cached);
        let Some(caller) = &self.caller else { return };
        let call = Call {
            seq: 0,
            at: self.at,
            key_id: Arc::clone(&caller.key_id),
            method: self.method,
            path: std::mem::take(&mut self.path),
            status: self.status,
            latency_us,
            cached: self.outcome.cached,
            rule_id: self.outcome.rule_id.take(),
            payload: kept_payload(std::mem::take(&mut self.outcome.payload.bytes)),
        };
        calls.record(caller, call);
    }
}

/// A payload as it waits to be logged: one longer than the contract's are at once reduced to
/// what will be kept of it.
fn kept_payload(payload: Vec<u8>) -> Box<[u8]> {
    if payload.len() <= MAX_WAITING_PAYLOAD_BYTES {
        payload.into_boxed_slice()
    } else {
        sanitised(&payload).into_bytes().into_boxed_slice()
    }
}

/// The name of a method of HTTP; one that a caller made up is not repeated.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OUTRO",
    }
}
