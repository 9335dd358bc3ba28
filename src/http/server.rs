//! The server: it listens, admits connections within their limits, and stops after the requests in flight.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::app::App;
use super::blocking::BlockingPool;
use super::connection::{self, accept_forever, http1, supervise, unserved};
use super::limits::ConnectionLimits;
use super::listen::ListenAddress;
use super::respond;
use super::stream::Stream;
use super::tls::{self, Tls};
use super::upload::Files;
use crate::core::service::{ConnectionSlot, ConnectionSlots, MemoryBudget, OpenConnection, Origin, Service};

/// Memory for large requests and answers in flight, in bytes.
const MAX_IN_FLIGHT_BYTES: usize = 32 * 1024 * 1024;
/// Connections over the limit that are answered 503 at once. Each takes a descriptor, and over TLS a handshake.
const MAX_REFUSED_AT_ONCE: usize = 64;
/// How long requests in flight may take to finish after a stop is asked for.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);

/// A server that is bound and not yet serving.
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    limits: ConnectionLimits,
    tls: Option<Arc<Tls>>,
}

/// What admits a new connection, and ends it.
struct Admission {
    slots: Arc<ConnectionSlots>,
    /// A permit for each connection that is being answered 503.
    refusals: Arc<Semaphore>,
    /// Ends served connections after their requests in flight.
    graceful: GracefulShutdown,
    /// Becomes true on the stop. Ends TLS handshakes, which `graceful` does not know.
    stopping: watch::Sender<bool>,
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
            files: Files::new(),
            memory_budget: MemoryBudget::new(MAX_IN_FLIGHT_BYTES),
            id_prefix,
            id_count: AtomicU64::new(0),
        });
        Ok(Server { listener, app, limits, tls: None })
    }

    /// Returns the server, speaking TLS only.
    pub fn with_tls(self, tls: Arc<Tls>) -> Server {
        Server { tls: Some(tls), ..self }
    }

    /// Returns the bound address, with the port that the system chose if 0 was asked for.
    pub fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is ready; then finishes the requests in flight, within [`DRAIN_LIMIT`].
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let admission = Admission {
            slots: ConnectionSlots::new(self.limits.max_connections),
            refusals: Arc::new(Semaphore::new(MAX_REFUSED_AT_ONCE)),
            graceful: GracefulShutdown::new(),
            stopping: watch::channel(false).0,
        };
        tokio::select! {
            () = accept_forever(&self.listener, "a connection could not be accepted; callers wait", |stream, peer| {
                self.admit(stream, peer, &admission);
            }) => {}
            () = stop => {}
        }
        drop(self.listener);
        self.app.service.begin_stop();
        admission.stopping.send_replace(true);
        // Log only after every connection was asked to close: scripts wait for this line.
        let drained = async {
            tokio::join!(biased; admission.graceful.shutdown(), async {
                tracing::debug!("stopping: finishing what is in flight");
            });
        };
        if timeout(DRAIN_LIMIT, drained).await.is_err() {
            tracing::warn!(limit_s = DRAIN_LIMIT.as_secs(), "some connections did not finish and are cut off");
        }
    }

    /// Serves a new connection on a task of its own, or refuses it.
    fn admit(&self, stream: TcpStream, peer: SocketAddr, admission: &Admission) {
        let Some(slot) = admission.slots.acquire(Origin::from(peer.ip())) else {
            return self.refuse(stream, admission);
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
        let open = self.app.service.connections().serve();
        let (app, limits, activity) = (Arc::clone(&self.app), self.limits, Arc::clone(&slot.activity));
        let stream = Stream::new(stream, limits.reading_window(), Arc::clone(&activity));
        if let Some(tls) = &self.tls {
            let (watcher, stopping) = (admission.graceful.watcher(), admission.stopping.subscribe());
            let connection = tls::serve(stream, Arc::clone(tls), app, limits, watcher, stopping);
            return self.spawn(connection, slot, open);
        }
        let connection = admission.graceful.watch(http1(stream, app, activity));
        let connection = async {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
        };
        self.spawn(connection, slot, open);
    }

    /// Runs a connection on a task of its own. Its slot is free again when it ends or is evicted.
    fn spawn(&self, connection: impl Future<Output = ()> + Send + 'static, slot: ConnectionSlot, open: OpenConnection) {
        let header_timeout = self.limits.header_timeout;
        tokio::spawn(async move {
            supervise(connection, &slot.activity, header_timeout).await;
            drop((slot, open));
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
                None => connection::refuse(unserved(stream), &answer).await,
                Some(tls) => tls::refuse(stream, &tls, &answer).await,
            }
            drop(permit);
        });
    }
}
