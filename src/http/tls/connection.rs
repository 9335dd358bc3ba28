//! One connection over TLS, from its first byte to HTTP/1.1.

use std::io;
use std::sync::Arc;

use hyper_util::server::graceful::Watcher;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::Tls;
use crate::http::app::App;
use crate::http::connection::{self, http1, unserved};
use crate::http::limits::{ConnectionLimits, REFUSAL_TIMEOUT};
use crate::http::stream::Stream;
use crate::http::{refusal, respond};

/// How many bytes of an answer rustls buffers while the caller does not read.
const MAX_BUFFERED_BYTES: usize = 16 * 1024;

enum Handshake {
    Secured(Box<TlsStream<Stream>>),
    /// The caller speaks HTTP without TLS: the `s` of `https` is missing.
    Plain(Stream),
}

/// Serves a connection to its end.
pub(in crate::http) async fn serve(
    stream: Stream,
    tls: Arc<Tls>,
    app: Arc<App>,
    limits: ConnectionLimits,
    watcher: Watcher,
    mut stopping: watch::Receiver<bool>,
) {
    let activity = stream.activity();
    let handshake = tokio::select! {
        handshake = timeout(limits.header_timeout, begin(stream, &tls.acceptor)) => handshake,
        // No request has arrived yet.
        _ = stopping.wait_for(|stopping| *stopping) => return,
    };
    let result = match handshake {
        Err(_) => return tracing::debug!("a TLS handshake took too long"),
        Ok(Err(error)) => return tracing::debug!(%error, "a TLS handshake failed"),
        Ok(Ok(Handshake::Plain(stream))) => {
            tracing::debug!("a caller without TLS is answered that this address needs HTTPS");
            let bytes = respond::unserved(&refusal::https_needed(), &app.new_request_id());
            return connection::refuse(stream.lingering(), &bytes).await;
        }
        Ok(Ok(Handshake::Secured(stream))) => {
            activity.begin_waiting();
            watcher.watch(http1(*stream, app, activity)).await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn begin(stream: Stream, acceptor: &TlsAcceptor) -> io::Result<Handshake> {
    let mut first = [0];
    stream.peek(&mut first).await?;
    // A TLS handshake begins with the byte 0x16, HTTP with a letter of its method.
    if first.iter().all(u8::is_ascii_uppercase) {
        return Ok(Handshake::Plain(stream));
    }
    Ok(Handshake::Secured(Box::new(accept(stream, acceptor).await?)))
}

async fn accept(stream: Stream, acceptor: &TlsAcceptor) -> io::Result<TlsStream<Stream>> {
    acceptor.accept_with(stream.lingering(), |tls| tls.set_buffer_limit(Some(MAX_BUFFERED_BYTES))).await
}

/// Sends a refusal over TLS, on a connection that is not served.
pub(in crate::http) async fn refuse(stream: TcpStream, tls: &Tls, bytes: &[u8]) {
    match timeout(REFUSAL_TIMEOUT, accept(unserved(stream), &tls.acceptor)).await {
        Ok(Ok(stream)) => connection::refuse(stream, bytes).await,
        Ok(Err(error)) => tracing::debug!(%error, "a refusal could not be sent"),
        Err(_) => tracing::debug!("a refusal could not be sent in time"),
    }
}
