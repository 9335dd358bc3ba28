//! Listening, limits of a connection, and a stop that finishes what is in flight.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::aside::Aside;
use super::listen::Listen;
use super::respond;
use super::router::App;
use super::stream::Stream;
use super::tls::{self, Tls};
use crate::service::Service;

/// Largest request head that is read at all; the router refuses a much smaller one with a document.
const MAX_BUFFERED_HEAD_BYTES: usize = 128 * 1024;
/// How long requests in flight may take to finish after a stop is asked for.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);
/// Pause after a failed accept, so that a lack of descriptors does not become a busy loop.
pub(super) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What one connection may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time for a request's head to arrive; also how long an idle connection is kept.
    pub header_timeout: Duration,
    /// Time for a request's body to arrive, and for an answer to be taken.
    pub body_timeout: Duration,
    /// Connections served at once; one more is answered 503.
    pub max_connections: usize,
}

/// A server that is bound and not yet serving.
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    limits: Limits,
    tls: Option<Arc<Tls>>,
}

impl Server {
    /// Binds the address. `id_prefix` begins the ids of requests that bring none.
    #[expect(clippy::unused_async, reason = "the listener belongs to the runtime that this must run on")]
    pub async fn bind(
        address: Listen,
        service: Arc<Service>,
        limits: Limits,
        id_prefix: String,
    ) -> std::io::Result<Server> {
        let listener = TcpListener::from_std(address.bind()?)?;
        let app = Arc::new(App {
            service,
            body_timeout: limits.body_timeout,
            aside: Aside::new(),
            id_prefix,
            id_count: AtomicU64::new(0),
        });
        Ok(Server { listener, app, limits, tls: None })
    }

    /// The same, speaking TLS alone.
    #[must_use]
    pub fn with_tls(self, tls: Arc<Tls>) -> Server {
        Server { tls: Some(tls), ..self }
    }

    /// The address it is bound to, its port chosen by the system where 0 was asked for.
    pub fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is ready; then finishes what is in flight.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let graceful = GracefulShutdown::new();
        let slots = Arc::new(Semaphore::new(self.limits.max_connections));
        let (stopping, _) = watch::channel(false);
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = &mut stop => break,
            };
            match accepted {
                Ok((stream, _)) => self.begin(stream, &graceful, &stopping, &slots),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(self.listener);
        self.app.service.begin_stop();
        stopping.send_replace(true);
        tracing::debug!("stopping: finishing what is in flight");
        if tokio::time::timeout(DRAIN_LIMIT, graceful.shutdown()).await.is_err() {
            tracing::warn!(limit_s = DRAIN_LIMIT.as_secs(), "some connections did not finish and are cut off");
        }
    }

    fn begin(
        &self,
        stream: TcpStream,
        graceful: &GracefulShutdown,
        stopping: &watch::Sender<bool>,
        slots: &Arc<Semaphore>,
    ) {
        let Ok(slot) = Arc::clone(slots).try_acquire_owned() else {
            self.app.service.connections().refuse();
            let request_id = self.app.new_request_id();
            match &self.tls {
                None => tokio::spawn(refuse(stream, request_id)),
                Some(tls) => tokio::spawn(tls::refuse(stream, Arc::clone(tls), request_id)),
            };
            return;
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
        let served = self.app.service.connections().serve();
        let app = Arc::clone(&self.app);
        if let Some(tls) = &self.tls {
            let (watcher, stopping) = (graceful.watcher(), stopping.subscribe());
            let connection = tls::converse(stream, Arc::clone(tls), app, self.limits, watcher, stopping);
            tokio::spawn(async move {
                connection.await;
                drop((slot, served));
            });
            return;
        }
        let connection = graceful.watch(http1(Stream::new(stream, self.limits.body_timeout), app, &self.limits));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop((slot, served));
        });
    }
}

/// HTTP/1.1 on a stream.
pub(super) fn http1<I>(
    stream: I,
    app: Arc<App>,
    limits: &Limits,
) -> impl GracefulConnection<Error = hyper::Error> + use<I>
where
    I: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let service = service_fn(move |request| {
        let app = Arc::clone(&app);
        async move { Ok::<_, Infallible>(app.respond(request).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(MAX_BUFFERED_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
}

/// Tells a caller beyond the limit that it is one too many.
async fn refuse(mut stream: TcpStream, request_id: String) {
    let answer = async {
        stream.write_all(&respond::overloaded(&request_id)).await?;
        stream.shutdown().await
    };
    if let Ok(Err(error)) = tokio::time::timeout(Duration::from_secs(1), answer).await {
        tracing::debug!(%error, "an overload answer could not be sent");
    }
}
