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
use tokio::time::timeout;

use super::blocking::BlockingPool;
use super::listen::ListenAddress;
use super::respond;
use super::router::App;
use super::stream::Stream;
use super::tls::{self, Tls};
use crate::service::{ConnectionActivity, ConnectionSlots, MemoryBudget, Origin, Service};

/// Largest request head that is read at all; the router refuses a much smaller one with a document.
const MAX_BUFFERED_HEAD_BYTES: usize = 24 * 1024;
/// What large requests and answers in flight may take.
const MAX_IN_FLIGHT_BYTES: usize = 32 * 1024 * 1024;
/// Refusals of connections beyond the limit that are sent at once. Each takes a descriptor, and over TLS a handshake.
const MAX_REFUSED_AT_ONCE: usize = 64;
/// How long requests in flight may take to finish after a stop is asked for.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);
/// How long a refusal may take to be sent to a caller that is not served.
pub(super) const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a failed accept, so that a lack of descriptors does not become a busy loop.
pub(super) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What one connection may take.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Time for a request's head to arrive; also how long an idle connection is kept.
    pub header_timeout: Duration,
    /// Time for a request's body to arrive, and for an answer to be taken.
    pub body_timeout: Duration,
    /// Connections served at once. One more takes the place of an idle one, or is answered 503.
    pub max_connections: usize,
}

/// A server that is bound and not yet serving.
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    limits: ConnectionLimits,
    tls: Option<Arc<Tls>>,
}

impl Server {
    /// Binds the address. `id_prefix` begins the ids of requests that bring none.
    #[expect(clippy::unused_async, reason = "the listener belongs to the runtime that this must run on")]
    pub async fn bind(
        address: ListenAddress,
        service: Arc<Service>,
        limits: ConnectionLimits,
        id_prefix: String,
    ) -> std::io::Result<Server> {
        let listener = TcpListener::from_std(address.bind()?)?;
        let app = Arc::new(App {
            service,
            body_timeout: limits.body_timeout,
            blocking: BlockingPool::new(),
            memory_budget: MemoryBudget::new(MAX_IN_FLIGHT_BYTES),
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
        let admission = Admission {
            places: ConnectionSlots::new(self.limits.max_connections),
            refusals: Arc::new(Semaphore::new(MAX_REFUSED_AT_ONCE)),
        };
        let (stopping, _) = watch::channel(false);
        let mut stop = std::pin::pin!(stop);
        let mut failing = false;
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = &mut stop => break,
            };
            match accepted {
                Ok((stream, peer)) => {
                    failing = false;
                    self.begin(stream, peer, &graceful, &stopping, &admission);
                }
                Err(error) => {
                    // One line for all that fail in a row.
                    if !std::mem::replace(&mut failing, true) {
                        tracing::warn!(%error, "a connection could not be accepted; callers wait");
                    }
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(self.listener);
        self.app.service.begin_stop();
        stopping.send_replace(true);
        tracing::debug!("stopping: finishing what is in flight");
        if timeout(DRAIN_LIMIT, graceful.shutdown()).await.is_err() {
            tracing::warn!(limit_s = DRAIN_LIMIT.as_secs(), "some connections did not finish and are cut off");
        }
    }

    fn begin(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        graceful: &GracefulShutdown,
        stopping: &watch::Sender<bool>,
        admission: &Admission,
    ) {
        let Some(place) = admission.places.enter(Origin::from(peer.ip())) else {
            return self.refuse(stream, admission);
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
        let served = self.app.service.connections().serve();
        let (app, limits) = (Arc::clone(&self.app), self.limits);
        let activity = Arc::clone(&place.activity);
        if let Some(tls) = &self.tls {
            let (watcher, stopping) = (graceful.watcher(), stopping.subscribe());
            let stream = Stream::new(stream, limits.body_timeout, Arc::clone(&activity));
            let connection = tls::converse(stream, Arc::clone(tls), app, limits, watcher, stopping);
            tokio::spawn(async move {
                until_evicted(connection, &activity).await;
                drop((place, served));
            });
            return;
        }
        let stream = Stream::new(stream, limits.body_timeout, Arc::clone(&activity));
        let connection = graceful.watch(http1(stream, app, &limits, Arc::clone(&activity)));
        tokio::spawn(async move {
            let connection = async {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection ended early");
                }
            };
            until_evicted(connection, &activity).await;
            drop((place, served));
        });
    }

    /// Answers 503 to a connection over the limit, unless too many of those answers are already being sent.
    fn refuse(&self, stream: TcpStream, admission: &Admission) {
        self.app.service.connections().refuse();
        let Ok(permit) = Arc::clone(&admission.refusals).try_acquire_owned() else { return };
        let answer = respond::overloaded(&self.app.new_request_id());
        let tls = self.tls.clone();
        tokio::spawn(async move {
            match tls {
                None => self::answer(unserved(stream), &answer).await,
                Some(tls) => tls::refuse(stream, &tls, &answer).await,
            }
            drop(permit);
        });
    }
}

/// The stream of a connection that is not served.
pub(super) fn unserved(stream: TcpStream) -> Stream {
    Stream::new(stream, REFUSAL_TIMEOUT, Arc::default()).lingering()
}

/// Sends a whole answer and ends the connection.
pub(super) async fn answer(mut stream: impl AsyncWrite + Unpin, bytes: &[u8]) {
    let sent = async {
        stream.write_all(bytes).await?;
        stream.shutdown().await
    };
    if let Ok(Err(error)) = timeout(REFUSAL_TIMEOUT, sent).await {
        tracing::debug!(%error, "a refusal could not be sent");
    }
}

/// What a new connection has to pass.
struct Admission {
    places: Arc<ConnectionSlots>,
    refusals: Arc<Semaphore>,
}

/// Serves a connection to its end, or until it has to give way to another one.
pub(super) async fn until_evicted(connection: impl Future<Output = ()>, activity: &ConnectionActivity) {
    tokio::select! {
        () = connection => {}
        () = activity.evicted() => tracing::debug!("a connection gave way to a new one"),
    }
}

/// HTTP/1.1 on a stream.
pub(super) fn http1<I>(
    stream: I,
    app: Arc<App>,
    limits: &ConnectionLimits,
    activity: Arc<ConnectionActivity>,
) -> impl GracefulConnection<Error = hyper::Error> + use<I>
where
    I: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let service = service_fn(move |request| {
        let (app, activity) = (Arc::clone(&app), Arc::clone(&activity));
        // In a box of its own: hyper keeps room for the future on every idle connection.
        Box::pin(async move {
            let in_flight = activity.request();
            // Answers without a body could be asked for without end by a caller that reads none.
            activity.read().await;
            let mut answer = app.respond(request).await;
            answer.body_mut().answers(in_flight);
            Ok::<_, Infallible>(answer)
        })
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(MAX_BUFFERED_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
}
