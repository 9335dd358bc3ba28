//! `GET /metrics`, `/health` and `/ready`, on a listener apart from the API.
//!
//! A supervisor may restart the service if `/health` is not 200. A load balancer should send no callers while
//! `/ready` is 503: while the data file cannot be read, and after the service was asked to stop.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::ACCEPT;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use super::connection::{accept_forever, start_request, supervise};
use super::listen::ListenAddress;
use super::respond::{self, HttpResponse};
use super::stream::Stream;
use crate::core::service::{ConnectionActivity, ConnectionSlots, Origin, Service, TextFormat, metrics};
use crate::core::store::StoreResult;

/// The answer to any other request.
const THERE_IS: &str = "GET /metrics, /health or /ready";
/// Connections served at once: enough for a few scrapers and health checks. A further one evicts an idle one.
const MAX_CONNECTIONS: usize = 64;
/// Time for a request to arrive, and for its answer to be read.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A listener that is bound and not yet serving.
pub struct MetricsServer {
    listener: TcpListener,
    service: Arc<Service>,
}

impl MetricsServer {
    #[expect(clippy::unused_async, reason = "the listener belongs to the runtime that this must run on")]
    pub async fn bind(address: ListenAddress, service: Arc<Service>) -> std::io::Result<MetricsServer> {
        Ok(MetricsServer { listener: TcpListener::from_std(address.bind()?)?, service })
    }

    /// Returns the bound address, with the port that the system chose if 0 was asked for.
    pub fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the future is dropped.
    pub async fn serve(self) {
        let slots = ConnectionSlots::new(MAX_CONNECTIONS);
        accept_forever(&self.listener, "a connection to the metrics could not be accepted", |stream, peer| {
            let Some(slot) = slots.acquire(Origin::from(peer.ip())) else { return };
            let service = Arc::clone(&self.service);
            tokio::spawn(async move {
                let connection = serve_connection(stream, service, Arc::clone(&slot.activity));
                supervise(connection, &slot.activity, TIMEOUT).await;
            });
        })
        .await;
    }
}

async fn serve_connection(stream: TcpStream, service: Arc<Service>, activity: Arc<ConnectionActivity>) {
    let stream = Stream::new(stream, TIMEOUT, Arc::clone(&activity));
    let answer = service_fn(move |request| {
        let (service, activity) = (Arc::clone(&service), Arc::clone(&activity));
        async move {
            let in_flight = start_request(&activity).await;
            let mut answer = answer(&service, &request).await;
            answer.body_mut().answers(in_flight);
            Ok::<_, Infallible>(answer)
        }
    });
    let connection = http1::Builder::new().header_read_timeout(None).serve_connection(TokioIo::new(stream), answer);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection to the metrics ended early");
    }
}

async fn answer(service: &Arc<Service>, request: &Request<Incoming>) -> HttpResponse {
    if request.method() != Method::GET {
        return plain(StatusCode::METHOD_NOT_ALLOWED, THERE_IS);
    }
    let made: fn(&Service, &str) -> StoreResult<HttpResponse> = match request.uri().path() {
        "/ready" if service.is_stopping() => return plain(StatusCode::SERVICE_UNAVAILABLE, "stopping"),
        "/ready" => ready,
        "/health" => health,
        "/metrics" => statistics,
        _ => return plain(StatusCode::NOT_FOUND, THERE_IS),
    };
    let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default().to_owned();
    let service = Arc::clone(service);
    // They read the data file.
    match tokio::task::spawn_blocking(move || made(&service, &accept)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            if !error.is_outage() {
                tracing::error!(%error, "the statistics for a monitoring request could not be read; it is answered 503");
            }
            plain(StatusCode::SERVICE_UNAVAILABLE, &format!("failing: {error}"))
        }
        Err(error) => {
            tracing::error!(%error, "the statistics for a monitoring request could not be made; it is answered 503");
            plain(StatusCode::SERVICE_UNAVAILABLE, "failing: the statistics could not be made")
        }
    }
}

fn plain(status: StatusCode, text: &str) -> HttpResponse {
    respond::with_type(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

fn ready(service: &Service, _accept: &str) -> StoreResult<HttpResponse> {
    service.store().probe()?;
    Ok(plain(StatusCode::OK, "ready"))
}

/// Answers 200 also in any trouble that a restart would not end.
fn health(service: &Service, _accept: &str) -> StoreResult<HttpResponse> {
    let health = service.health()?;
    let status = if health.is_failing() { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    Ok(plain(status, &health.to_string()))
}

fn statistics(service: &Service, accept: &str) -> StoreResult<HttpResponse> {
    let text_format = TextFormat::accepted(accept);
    Ok(respond::with_type(StatusCode::OK, text_format.content_type(), metrics(service.statistics()?, text_format)))
}
