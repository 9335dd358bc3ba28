//! HTTP/2 on a connection, within the bounds that HTTP/1.1 has by itself.
//!
//! hyper closes no connection of HTTP/2 on which nothing is asked, and waits for ever for a caller who
//! lets an answer lie behind its window, where a stalled write would not show. So every exchange is
//! followed here from its request to the last byte of its answer.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Body, Buf, Bytes, Frame, SizeHint};
use hyper::header::CONNECTION;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::router::App;
use super::server::Limits;

/// Requests of one connection that are answered at once.
const MAX_STREAMS: u32 = 100;
/// Largest head that is read at all, as HTTP/2 counts it; the router refuses a smaller one with a document.
const MAX_HEAD_BYTES: u32 = 64 * 1024;
/// What a caller may send of one body, and of all of a connection, before somebody has read it.
const STREAM_WINDOW_BYTES: u32 = 64 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 512 * 1024;
/// How long a connection without a request is kept once it is told that it ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves a connection to its end. `_watcher` makes a stop wait for it.
pub(super) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    app: Arc<App>,
    limits: Limits,
    _watcher: Watcher,
    mut stopping: watch::Receiver<bool>,
) -> hyper::Result<()> {
    let traffic = Arc::new(Traffic::begin());
    let followed = Arc::clone(&traffic);
    let service = service_fn(move |request| {
        let (app, exchange) = (Arc::clone(&app), Exchange::begin(&followed));
        async move {
            let mut answer = app.respond(request).await;
            // A word of HTTP/1.1; here a stream ends alone.
            answer.headers_mut().remove(CONNECTION);
            exchange.progressed();
            Ok::<_, Infallible>(answer.map(|body| Answered { body, exchange: Some(exchange) }))
        }
    });
    let mut connection = pin!(
        http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_STREAMS)
            .max_header_list_size(MAX_HEAD_BYTES)
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .serve_connection(TokioIo::new(stream), service)
    );
    // So often that no limit is passed by more than half.
    let pause = limits.header_timeout.min(limits.body_timeout) / 2;
    let mut ending = false;
    loop {
        tokio::select! {
            result = connection.as_mut() => return result,
            _ = stopping.wait_for(|stopping| *stopping), if !ending => {
                ending = true;
                connection.as_mut().graceful_shutdown();
            }
            () = tokio::time::sleep(if ending { FAREWELL } else { pause }) => {
                match traffic.state(&limits) {
                    State::Stalled => {
                        tracing::debug!("a caller does not take its answers");
                        return Ok(());
                    }
                    State::Quiet(since) if ending && since >= FAREWELL => return Ok(()),
                    State::Quiet(since) if since > limits.header_timeout => {
                        ending = true;
                        connection.as_mut().graceful_shutdown();
                    }
                    State::Quiet(_) | State::Busy => {}
                }
            }
        }
    }
}

/// What goes on on a connection.
struct Traffic(Mutex<Exchanges>);

struct Exchanges {
    /// Requests that are not wholly answered.
    open: usize,
    /// Of those, the ones with an answer, by number; and when the caller last took something of it.
    answers: HashMap<u64, Instant>,
    /// Number of the next exchange.
    next: u64,
    /// When the last exchange ended.
    quiet_since: Instant,
}

/// How a connection stands.
enum State {
    /// Something is being done.
    Busy,
    /// Nothing is asked, for so long.
    Quiet(Duration),
    /// There is an answer that is not taken.
    Stalled,
}

impl Traffic {
    fn begin() -> Traffic {
        Traffic(Mutex::new(Exchanges { open: 0, answers: HashMap::new(), next: 0, quiet_since: Instant::now() }))
    }

    fn lock(&self) -> MutexGuard<'_, Exchanges> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self, limits: &Limits) -> State {
        let exchanges = self.lock();
        if exchanges.answers.values().any(|taken| taken.elapsed() > limits.body_timeout) {
            return State::Stalled;
        }
        if exchanges.open == 0 { State::Quiet(exchanges.quiet_since.elapsed()) } else { State::Busy }
    }
}

/// A request from its head to the last byte of its answer, which ends it when it is dropped.
struct Exchange {
    traffic: Arc<Traffic>,
    number: u64,
}

impl Exchange {
    fn begin(traffic: &Arc<Traffic>) -> Exchange {
        let mut exchanges = traffic.lock();
        exchanges.open += 1;
        exchanges.next += 1;
        Exchange { traffic: Arc::clone(traffic), number: exchanges.next }
    }

    /// There is an answer, or the caller took something of it.
    fn progressed(&self) {
        self.traffic.lock().answers.insert(self.number, Instant::now());
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut exchanges = self.traffic.lock();
        exchanges.open -= 1;
        exchanges.answers.remove(&self.number);
        exchanges.quiet_since = Instant::now();
    }
}

/// The body of an answer, which takes its exchange along.
struct Answered {
    body: Full<Bytes>,
    exchange: Option<Exchange>,
}

impl Body for Answered {
    type Data = Piece;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Piece>, Infallible>>> {
        let answered = self.get_mut();
        let frame = Pin::new(&mut answered.body).poll_frame(context);
        // All of it is one piece.
        frame.map_ok(|frame| frame.map_data(|bytes| Piece { bytes, exchange: answered.exchange.take() }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// What is still to be sent of a body. It is kept until the last byte is out.
struct Piece {
    bytes: Bytes,
    exchange: Option<Exchange>,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        if let Some(exchange) = &self.exchange {
            exchange.progressed();
        }
    }
}
