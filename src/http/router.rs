//! From a request to its handler, and a request id on every answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{ALLOW, CONNECTION, HeaderValue};
use hyper::{Method, Request};

use super::respond::{self, Answer, X_REQUEST_ID};
use super::{auth, calculate, changelog, regras, sandbox};
use crate::problem::{Codigo, Problem};
use crate::service::Service;

/// Largest request head; a call of the contract has a few hundred bytes of it.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Longest request id that is kept as the caller sent it.
const MAX_REQUEST_ID_BYTES: usize = 128;

/// What every request shares.
pub(super) struct App {
    pub(super) service: Arc<Service>,
    pub(super) body_timeout: Duration,
    /// Set once the service is asked to stop: what is under way is finished, nothing new begun.
    pub(super) stopping: AtomicBool,
    /// Random start and a count: ids that differ between requests and between runs.
    pub(super) id_prefix: String,
    pub(super) id_count: AtomicU64,
}

impl App {
    /// Answers one request.
    pub(super) async fn respond(&self, request: Request<Incoming>) -> Answer {
        let request_id = self.request_id(&request);
        let head_only = request.method() == Method::HEAD;
        let mut answer = match self.route(request, &request_id).await {
            Ok(answer) => answer,
            Err(problem) => {
                let mut answer = respond::problem(&problem, &request_id);
                if let Codigo::CorpoGrandeDemais | Codigo::TempoEsgotado | Codigo::CabecalhoGrandeDemais =
                    problem.codigo
                {
                    // The rest of the body may still be on its way: this connection is done.
                    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                answer
            }
        };
        if head_only {
            *answer.body_mut() = http_body_util::Full::default();
        }
        if let Ok(value) = HeaderValue::from_str(&request_id) {
            answer.headers_mut().insert(X_REQUEST_ID.clone(), value);
        }
        answer
    }

    async fn route(&self, request: Request<Incoming>, request_id: &str) -> Result<Answer, Box<Problem>> {
        if self.stopping.load(Ordering::SeqCst) {
            let detail = "O serviço está encerrando; repita o pedido em instantes.";
            return Err(Box::new(Problem::new(Codigo::Encerrando, detail)));
        }
        check_head(&request)?;
        let path = request.uri().path().to_owned();
        if let Some(asset) = sandbox::asset(&path) {
            return match *request.method() {
                Method::GET | Method::HEAD => Ok(asset.respond(request.headers())),
                _ => Ok(method_not_allowed("GET, HEAD", request_id)),
            };
        }
        if path == "/v1" || path.starts_with("/v1/") {
            auth::check(self.service.engine(), request.headers())?;
        }
        match (path.as_str(), request.method()) {
            ("/v1/calculate", &Method::POST) => {
                calculate::handle(self.service.engine(), request, self.body_timeout).await
            }
            ("/v1/regras", &Method::GET | &Method::HEAD) => regras::handle(self.service.engine(), &request),
            ("/v1/changelog", &Method::GET | &Method::HEAD) => changelog::handle(self.service.engine(), &request),
            ("/v1/regras" | "/v1/changelog", _) => Ok(method_not_allowed("GET, HEAD", request_id)),
            ("/v1/calculate", _) => Ok(method_not_allowed("POST", request_id)),
            _ => {
                let shown: String = path.chars().take(100).collect();
                let detail =
                    format!("Não há nada em {shown}; o cálculo é POST /v1/calculate e a página de teste, /sandbox.");
                Err(Box::new(Problem::new(Codigo::RotaInexistente, detail)))
            }
        }
    }

    /// The caller's own id where it is well formed, else a new one.
    fn request_id(&self, request: &Request<Incoming>) -> String {
        let sent = request.headers().get(&X_REQUEST_ID).and_then(|v| v.to_str().ok()).filter(|id| {
            let fits = (1..=MAX_REQUEST_ID_BYTES).contains(&id.len());
            fits && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        });
        match sent {
            Some(id) => id.to_owned(),
            None => self.new_request_id(),
        }
    }

    /// An id that no other request has.
    pub(super) fn new_request_id(&self) -> String {
        format!("{}-{:x}", self.id_prefix, self.id_count.fetch_add(1, Ordering::Relaxed))
    }
}

/// Refuses a head that no caller of the contract sends.
fn check_head(request: &Request<Incoming>) -> Result<(), Box<Problem>> {
    let headers: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if headers + request.uri().path_and_query().map_or(0, |p| p.as_str().len()) <= MAX_HEAD_BYTES {
        return Ok(());
    }
    let detail = format!("O endereço e os cabeçalhos passam de {} KiB.", MAX_HEAD_BYTES / 1024);
    Err(Box::new(Problem::new(Codigo::CabecalhoGrandeDemais, detail)))
}

fn method_not_allowed(allow: &'static str, request_id: &str) -> Answer {
    let detail = format!("Este endereço aceita {allow}.");
    let mut answer = respond::problem(&Problem::new(Codigo::MetodoNaoPermitido, detail), request_id);
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    answer
}
