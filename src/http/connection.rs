//! One connection: how it is accepted, served over HTTP/1.1, evicted or refused.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulConnection;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::app::App;
use super::limits::{MAX_BUFFERED_HEAD_BYTES, REFUSAL_TIMEOUT};
use super::stream::Stream;
use crate::core::calls::KnownKey;
use crate::core::service::{ConnectionActivity, RequestInFlight};

/// Pause after a failed accept, so that a lack of descriptors does not become a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections and passes each to `handle`, until the future is dropped. Logs `failure` once for all
/// accepts that fail in a row.
pub(super) async fn accept_forever(
    listener: &TcpListener,
    failure: &'static str,
    mut handle: impl FnMut(TcpStream, SocketAddr),
) {
    let mut failing = false;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                failing = false;
                handle(stream, peer);
            }
            Err(error) => {
                if !std::mem::replace(&mut failing, true) {
                    tracing::warn!(%error, "{failure}");
                }
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Serves a connection to its end, until it is evicted, or until the head of its next request is overdue.
pub(super) async fn supervise(
    connection: impl Future<Output = ()>,
    activity: &ConnectionActivity,
    header_timeout: Duration,
) {
    tokio::select! {
        // An evicted connection must not be polled again: a request that has just arrived would start. One whose head
        // has just arrived is not overdue.
        biased;
        () = activity.evicted() => tracing::debug!("an idle connection was closed to make room for a new one"),
        () = connection => {}
        () = activity.overdue(header_timeout) => tracing::debug!("a connection without a request was closed"),
    }
}

/// Starts a request. Never returns if the connection was evicted: it is about to be dropped, and a request that
/// started would be cut in the middle.
pub(super) async fn start_request(activity: &Arc<ConnectionActivity>) -> RequestInFlight {
    match activity.request() {
        Some(in_flight) => in_flight,
        None => std::future::pending().await,
    }
}

/// What the requests of a connection share.
struct Shared {
    app: Arc<App>,
    activity: Arc<ConnectionActivity>,
    known_key: Mutex<KnownKey>,
}

/// Returns a connection that speaks HTTP/1.1 on the stream. [`supervise`] limits the time for its heads.
pub(super) fn http1<I>(
    stream: I,
    app: Arc<App>,
    activity: Arc<ConnectionActivity>,
) -> impl GracefulConnection<Error = hyper::Error> + use<I>
where
    I: AsyncRead + AsyncWrite + Unpin + 'static,
{
    // One count of users for all of it, which no other connection touches.
    let shared = Arc::new(Shared { app, activity, known_key: Mutex::default() });
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        // Boxed: hyper reserves the size of this future on every idle connection.
        Box::pin(async move {
            let in_flight = start_request(&shared.activity).await;
            // Else a caller that reads nothing could ask for answers without a body for ever.
            shared.activity.read().await;
            let mut answer = shared.app.respond(request, &shared.known_key).await;
            answer.body_mut().answers(in_flight);
            Ok::<_, Infallible>(answer)
        })
    });
    http1::Builder::new()
        .header_read_timeout(None)
        .max_buf_size(MAX_BUFFERED_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
}

/// Returns the stream of a connection that is not served.
pub(super) fn unserved(stream: TcpStream) -> Stream {
    Stream::new(stream, REFUSAL_TIMEOUT, Arc::default()).lingering()
}

/// Sends a refusal and closes the connection.
pub(super) async fn refuse(mut stream: impl AsyncWrite + Unpin, bytes: &[u8]) {
    let sent = async {
        stream.write_all(bytes).await?;
        stream.shutdown().await
    };
    if let Ok(Err(error)) = timeout(REFUSAL_TIMEOUT, sent).await {
        tracing::debug!(%error, "a refusal could not be sent");
    }
}
