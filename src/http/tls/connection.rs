//! One connection over TLS.

use std::io;
use std::sync::Arc;

use hyper_util::server::graceful::Watcher;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::Tls;
use crate::http::router::App;
use crate::http::server::{ConnectionLimits, REFUSAL_TIMEOUT, answer, http1, unserved};
use crate::http::stream::Stream;
use crate::http::{refusal, respond};

/// What rustls keeps of an answer that waits for its caller.
const MAX_BUFFERED_BYTES: usize = 16 * 1024;

/// What a connection began with.
enum Handshake {
    Secured(Box<TlsStream<Stream>>),
    /// HTTP without TLS: somebody forgot the `s` of `https`.
    Plain(Stream),
}

/// Serves a connection to its end.
pub(in crate::http) async fn converse(
    stream: Stream,
    tls: Arc<Tls>,
    app: Arc<App>,
    limits: ConnectionLimits,
    watcher: Watcher,
    mut stopping: watch::Receiver<bool>,
) {
    let activity = stream.activity();
    let begun = tokio::select! {
        begun = timeout(limits.header_timeout, begin(stream, &tls.acceptor)) => begun,
        // Nobody has asked for anything yet.
        _ = stopping.wait_for(|stopping| *stopping) => return,
    };
    let result = match begun {
        Err(_) => return tracing::debug!("a TLS handshake took too long"),
        Ok(Err(error)) => return tracing::debug!(%error, "a TLS handshake failed"),
        Ok(Ok(Handshake::Plain(stream))) => {
            tracing::debug!("a connection without TLS is told so");
            let bytes = respond::unserved(&refusal::https_needed(), &app.new_request_id());
            return answer(stream.lingering(), &bytes).await;
        }
        Ok(Ok(Handshake::Secured(stream))) => watcher.watch(http1(*stream, app, &limits, activity)).await,
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn begin(stream: Stream, acceptor: &TlsAcceptor) -> io::Result<Handshake> {
    let mut first = [0];
    stream.peek(&mut first).await?;
    // The first byte of a handshake is 0x16, that of HTTP a letter of its method.
    if first.iter().all(u8::is_ascii_uppercase) {
        return Ok(Handshake::Plain(stream));
    }
    Ok(Handshake::Secured(Box::new(accept(stream, acceptor).await?)))
}

async fn accept(stream: Stream, acceptor: &TlsAcceptor) -> io::Result<TlsStream<Stream>> {
    acceptor.accept_with(stream.lingering(), |tls| tls.set_buffer_limit(Some(MAX_BUFFERED_BYTES))).await
}

/// Sends an answer to a caller that is not served, over TLS.
pub(in crate::http) async fn refuse(stream: TcpStream, tls: &Tls, bytes: &[u8]) {
    match timeout(REFUSAL_TIMEOUT, accept(unserved(stream), &tls.acceptor)).await {
        Ok(Ok(stream)) => answer(stream, bytes).await,
        Ok(Err(error)) => tracing::debug!(%error, "a refusal could not be sent"),
        Err(_) => tracing::debug!("a refusal could not be sent in time"),
    }
}
