//! Routes each request to its handler, and puts a request id on every answer.

use std::sync::{Arc, Mutex};

use hyper::body::{Body, Incoming};
use hyper::header::{ALLOW, CONNECTION, CONTENT_LENGTH, HeaderValue};
use hyper::{Method, Request};

use super::app::App;
use super::call::CallGuard;
use super::limits::MAX_HEAD_BYTES;
use super::respond::{self, HttpResponse, X_REQUEST_ID};
use super::routes::{ApiOperation, Found, RouteOperation};
use super::{calculate, changelog, correcoes, framing, listas, refusal, regras, request_body, tratamento, usage};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::sentence::Reader;
use crate::base::value::{Tributo, looks_secret};
use crate::core::calls::{Caller, Charge, KnownKey};
use crate::law::labels;
use crate::page::{self, files};

/// Longest request id of a caller that is accepted.
const MAX_REQUEST_ID_BYTES: usize = 128;

impl App {
    /// Answers one request, on a connection of which that key is known.
    pub(super) async fn respond(&self, request: Request<Incoming>, known_key: &Mutex<KnownKey>) -> HttpResponse {
        let request_id = self.request_id(&request);
        let head_only = request.method() == Method::HEAD;
        let path = request.uri().path();
        let mut answer = if let Err(problem) = framing::check(&request) {
            request_body::pass_over(request).await;
            refusal(&problem, &request_id)
        } else if path == "/v1" || path.starts_with("/v1/") {
            self.respond_v1(request, known_key, Found::in_api, &request_id).await
        } else if Found::in_page(path).is_some() {
            self.respond_v1(request, known_key, Found::in_page, &request_id).await
        } else {
            let answer = self.route_open(&request, &request_id);
            request_body::pass_over(request).await;
            answer.unwrap_or_else(|problem| refusal(&problem, &request_id))
        };
        if head_only {
            leave_out_body(&mut answer);
        }
        if let Ok(value) = HeaderValue::try_from(request_id) {
            answer.headers_mut().insert(X_REQUEST_ID.clone(), value);
        }
        answer
    }

    /// Answers a call of the API, or a look-up of the page, within the limits of its account. The call is logged.
    async fn respond_v1(
        &self,
        request: Request<Incoming>,
        known_key: &Mutex<KnownKey>,
        find: fn(&str) -> Option<Found>,
        request_id: &str,
    ) -> HttpResponse {
        let mut call = CallGuard::begin(&self.service, known_key, request.method(), request.uri().path());
        let reader = respond::reader(request.headers());
        let mut answer = match self.route_v1(request, find, request_id, &mut call).await {
            Ok(answer) => answer,
            Err(problem) => {
                call.outcome.tributo = problem.tributo;
                call.outcome.rule_id = problem.regra.as_ref().map(|regra| regra.rule_id.to_string().into());
                let named = labels::named(problem.tributo.map(Tributo::as_str));
                let problem = if reader == Reader::Person { problem.for_person(&named) } else { *problem };
                refusal(&problem, request_id)
            }
        };
        call.answered(&mut answer);
        answer
    }

    async fn route_v1(
        &self,
        request: Request<Incoming>,
        find: fn(&str) -> Option<Found>,
        request_id: &str,
        call: &mut CallGuard<'_>,
    ) -> Result<HttpResponse, Box<Problem>> {
        let route = find(request.uri().path());
        let charge = route.as_ref().map_or(Charge::Quota, |route| route.charge);
        let answer = match (self.authorize(&request, charge, call), route) {
            (Err(problem), route) => {
                if route.is_some_and(|route| route.calculates(request.method())) {
                    call.outcome.payload = request_body::pass_over(request).await;
                    return Err(problem);
                }
                Err(problem)
            }
            (Ok(_), None) => Err(no_such_route(&request)),
            (Ok(_), Some(route)) if !route.takes(request.method()) => Ok(method_not_allowed(route.allow, request_id)),
            (Ok(caller), Some(route)) => match route.operation {
                RouteOperation::Api(ApiOperation::Calculate) => {
                    return calculate::handle(self, &caller, request, &mut call.outcome).await;
                }
                RouteOperation::Page(operation) => {
                    // Boxed: its state is several times that of a calculation, and a request's is moved when it begins.
                    return Box::pin(page::handle(operation, self, &caller, request, &mut call.outcome)).await;
                }
                RouteOperation::Api(ApiOperation::Lista) => {
                    return Box::pin(listas::one(self, &caller, request, &mut call.outcome)).await;
                }
                RouteOperation::Api(ApiOperation::Listas) => listas::all(self, &caller, &request).await,
                RouteOperation::Api(ApiOperation::MudancasDeLista) => listas::changes(self, &caller, &request).await,
                RouteOperation::Api(ApiOperation::Regras) => regras::handle(self, &caller, &request).await,
                RouteOperation::Api(ApiOperation::Changelog) => changelog::handle(self, &caller, &request).await,
                RouteOperation::Api(ApiOperation::Usage) => usage::handle(self, &caller, &request).await,
                RouteOperation::Api(ApiOperation::Tratamento) => tratamento::handle(self, &caller, &request).await,
                RouteOperation::Api(ApiOperation::Correcoes) => correcoes::handle(self, &caller, &request).await,
            },
        };
        // No handler above reads a body.
        request_body::pass_over(request).await;
        answer
    }

    /// Identifies the caller and admits the call, before any of its body is read.
    fn authorize(
        &self,
        request: &Request<Incoming>,
        charge: Charge,
        call: &mut CallGuard<'_>,
    ) -> Result<Arc<Caller>, Box<Problem>> {
        let caller = call.identify(request.headers())?;
        self.refuse_if_stopping().inspect_err(|_| call.look())?;
        call.admit(&caller, charge)?;
        check_head(request)?;
        Ok(caller)
    }

    /// Answers a request outside the API: the sandbox page, without a key.
    fn route_open(&self, request: &Request<Incoming>, request_id: &str) -> Result<HttpResponse, Box<Problem>> {
        self.refuse_if_stopping()?;
        check_head(request)?;
        if let Some(target) = files::redirected(request.uri().path()) {
            return Ok(respond::redirect(target));
        }
        match files::asset(request.uri().path()) {
            Some(asset) => match *request.method() {
                Method::GET | Method::HEAD => Ok(asset.respond(request.headers())),
                _ => Ok(method_not_allowed("GET, HEAD", request_id)),
            },
            None => Err(no_such_route(request)),
        }
    }

    fn refuse_if_stopping(&self) -> Result<(), Box<Problem>> {
        if self.service.is_stopping() {
            return Err(Box::new(refusal::stopping()));
        }
        Ok(())
    }

    /// Returns the caller's own request id, if it is well formed and not a key; else a new one.
    fn request_id(&self, request: &Request<Incoming>) -> String {
        let sent = request.headers().get(&X_REQUEST_ID).and_then(|v| v.to_str().ok()).filter(|id| {
            let fits = (1..=MAX_REQUEST_ID_BYTES).contains(&id.len());
            fits && !looks_secret(id)
                && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        });
        match sent {
            Some(id) => id.to_owned(),
            None => self.new_request_id(),
        }
    }
}

/// Turns the answer to GET into that to HEAD: without its body, but with its length (RFC 9110, section 9.3.2).
fn leave_out_body(answer: &mut HttpResponse) {
    // The length of an answer that is made while it is sent is not known.
    if let Some(length) = std::mem::take(answer.body_mut()).size_hint().exact().filter(|length| *length > 0) {
        answer.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
}

/// Fails if the head is longer than [`MAX_HEAD_BYTES`].
fn check_head(request: &Request<Incoming>) -> Result<(), Box<Problem>> {
    let headers: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if headers + request.uri().path_and_query().map_or(0, |p| p.as_str().len()) <= MAX_HEAD_BYTES {
        return Ok(());
    }
    Err(Box::new(refusal::head_too_large()))
}

/// Writes a refusal, and logs its cause.
fn refusal(problem: &Problem, request_id: &str) -> HttpResponse {
    if let Some(cause) = &problem.cause {
        tracing::error!(request_id, cause, "a request could not be answered");
    }
    let mut answer = respond::problem(problem, request_id);
    if let ErrorCode::CorpoGrandeDemais
    | ErrorCode::TempoEsgotado
    | ErrorCode::CabecalhoGrandeDemais
    | ErrorCode::PedidoMalformado = problem.codigo
    {
        // The rest of the body may still arrive, so the connection cannot be used again.
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

fn no_such_route(request: &Request<Incoming>) -> Box<Problem> {
    Box::new(refusal::no_such_route(request.uri().path()))
}

fn method_not_allowed(allow: &'static str, request_id: &str) -> HttpResponse {
    let mut answer = respond::problem(&refusal::method_not_allowed(allow), request_id);
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    answer
}
