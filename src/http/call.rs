//! A `/v1` call from its head to its answer: identifies the caller (contract, section 5), applies the limits of
//! the account (section 8), and counts and logs the call, also one that its caller gives up.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hyper::header::{HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{HeaderMap, Method, StatusCode};

use super::refusal;
use super::request_body::RequestBody;
use super::respond::HttpResponse;
use crate::base::problem::Problem;
use crate::base::value::{Timestamp, Tributo};
use crate::core::calls::{Allowance, Call, CallPayload, Caller, Charge, KnownKey, SUPOSTO, clean_path, sanitised_at};
use crate::core::service::Service;

static X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
static RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
static RATE_REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
static RATE_RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// Logged as the status of a call whose caller disconnected before the answer.
const CLIENT_CLOSED: u16 = 499;

/// Longest payload that is kept unchanged until the log is written, in bytes.
const MAX_WAITING_PAYLOAD_BYTES: usize = 2 * 1024;

/// What a handler reports of its call, for the log.
#[derive(Default)]
pub(crate) struct CallOutcome {
    /// The payload as it was sent.
    pub(crate) payload: RequestBody,
    /// What the log will have of the payload, if it was parsed.
    pub(super) request: Option<Arc<str>>,
    /// True if the answer came from the result cache.
    pub(super) cached: bool,
    /// True if figures were supposed: the answer, which is not law, is counted, and its rule is not logged.
    pub(super) supposed: bool,
    /// True if the caller disconnected while it was sending.
    pub(super) caller_left: bool,
    /// The rule that answered or refused.
    pub(super) rule_id: Option<Arc<str>>,
    /// What the limits leave, if the quota was used up within the call.
    pub(crate) used_up: Option<Allowance>,
    /// The tax that was asked for, if the call got so far.
    pub(super) tributo: Option<Tributo>,
}

/// A call under way. Its drop counts and logs it, so that no call is missed: hyper drops the call of a caller
/// that disconnects.
pub(super) struct CallGuard<'s> {
    service: &'s Service,
    known_key: &'s Mutex<KnownKey>,
    started: Instant,
    at: Timestamp,
    method: &'static str,
    path: Box<str>,
    caller: Option<Arc<Caller>>,
    /// What the limits leave; zero for an unknown caller.
    allowance: Allowance,
    status: u16,
    pub(super) outcome: CallOutcome,
}

impl<'s> CallGuard<'s> {
    /// Starts a call, on a connection of which that key is known.
    pub(super) fn begin(
        service: &'s Service,
        known_key: &'s Mutex<KnownKey>,
        method: &Method,
        path: &str,
    ) -> CallGuard<'s> {
        CallGuard {
            service,
            known_key,
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

    /// Returns the caller by the key. Fails with the same refusal, after the same work, for a key that is unknown,
    /// revoked or expired. A call with one of the last two is still logged for its account.
    pub(super) fn identify(&mut self, headers: &HeaderMap) -> Result<Arc<Caller>, Box<Problem>> {
        let Some(value) = headers.get(&X_API_KEY) else {
            return Err(Box::new(refusal::key_missing()));
        };
        let mut known = self.known_key.lock().unwrap_or_else(PoisonError::into_inner);
        let (caller, good) = self.service.calls().identify(value.as_bytes(), &mut known, self.at);
        drop(known);
        self.caller.clone_from(&caller);
        if let Some(caller) = caller.filter(|_| good) {
            return Ok(caller);
        }
        Err(Box::new(refusal::key_not_accepted()))
    }

    /// Counts the call against the limits of its account. Fails beyond one of them.
    pub(super) fn admit(&mut self, caller: &Caller, charge: Charge) -> Result<(), Box<Problem>> {
        let (allowance, admitted) = self.service.calls().admit(caller, charge, self.at);
        self.allowance = allowance;
        admitted.map_err(|refused| Box::new(refusal::not_admitted(refused, allowance)))
    }

    /// Reads the remaining allowance for the response headers, without charging this refused call.
    pub(super) fn look(&mut self) {
        if let Some(caller) = &self.caller {
            self.allowance = self.service.calls().peek(caller);
        }
    }

    /// Ends the call, and writes what the limits leave into the headers of its answer.
    pub(super) fn answered(mut self, answer: &mut HttpResponse) {
        let status = answer.status();
        self.status = if self.outcome.caller_left { CLIENT_CLOSED } else { status.as_u16() };
        let allowance = self.outcome.used_up.unwrap_or(self.allowance);
        let headers = answer.headers_mut();
        headers.insert(RATE_LIMIT.clone(), HeaderValue::from(allowance.limit));
        headers.insert(RATE_REMAINING.clone(), HeaderValue::from(allowance.remaining));
        headers.insert(RATE_RESET.clone(), HeaderValue::from(allowance.reset_s));
        if status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(RETRY_AFTER, HeaderValue::from(allowance.reset_s));
        }
    }
}

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        let latency_us = u32::try_from(self.started.elapsed().as_micros()).unwrap_or(u32::MAX);
        let calls = self.service.calls();
        calls.traffic().count(self.outcome.tributo, self.status, latency_us, self.outcome.cached);
        let Some(caller) = &self.caller else { return };
        if self.outcome.supposed {
            self.path = [&*self.path, SUPOSTO].concat().into();
            self.outcome.rule_id = None;
        }
        let payload = match self.outcome.request.take() {
            Some(request) => CallPayload::Sanitised(request),
            None => kept_payload(&self.path, std::mem::take(&mut self.outcome.payload.bytes)),
        };
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
            payload,
        };
        calls.record(caller, call);
    }
}

/// Returns a payload as it is kept until the log is written. One longer than those of the contract is reduced
/// at once to what the log will have of it.
fn kept_payload(path: &str, payload: Vec<u8>) -> CallPayload {
    if payload.len() <= MAX_WAITING_PAYLOAD_BYTES {
        CallPayload::Sent(payload.into_boxed_slice())
    } else {
        CallPayload::Sanitised(sanitised_at(path, &payload).into())
    }
}

/// Returns the name of a method. One that HTTP does not define becomes `OUTRO`, so that callers cannot write to
/// the log.
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
