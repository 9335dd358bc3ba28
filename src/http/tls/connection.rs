//! One connection over TLS.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::server::graceful::Watcher;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::Tls;
use crate::http::router::App;
use crate::http::server::{Limits, http1};
use crate::http::stream::Stream;
use crate::http::{refusal, respond};

/// How long somebody who is not served may take to be told so.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);

/// What a connection began with.
enum Begun {
    Secured(Box<TlsStream<Stream>>),
    /// HTTP without TLS: somebody forgot the `s` of `https`.
    Plain(TcpStream),
}

/// Serves a connection to its end.
pub(in crate::http) async fn converse(
    stream: TcpStream,
    tls: Arc<Tls>,
    app: Arc<App>,
    limits: Limits,
    watcher: Watcher,
    mut stopping: watch::Receiver<bool>,
) {
    let begun = tokio::select! {
        begun = timeout(limits.header_timeout, begin(stream, &tls.acceptor, limits.body_timeout)) => begun,
        // Nobody has asked for anything yet.
        _ = stopping.wait_for(|stopping| *stopping) => return,
    };
    let result = match begun {
        Err(_) => return tracing::debug!("a TLS handshake took too long"),
        Ok(Err(error)) => return tracing::debug!(%error, "a TLS handshake failed"),
        Ok(Ok(Begun::Plain(stream))) => {
            tracing::debug!("a connection without TLS is told so");
            return answer_plain(stream, &app.new_request_id()).await;
        }
        Ok(Ok(Begun::Secured(stream))) => watcher.watch(http1(*stream, app, &limits)).await,
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn begin(stream: TcpStream, acceptor: &TlsAcceptor, write_timeout: Duration) -> io::Result<Begun> {
    let mut first = [0];
    stream.peek(&mut first).await?;
    // The first byte of a handshake is 0x16, that of HTTP a letter of its method.
    if first.iter().all(u8::is_ascii_uppercase) {
        return Ok(Begun::Plain(stream));
    }
    let secured = acceptor.accept(Stream::lingering(stream, write_timeout)).await?;
    Ok(Begun::Secured(Box::new(secured)))
}

/// Tells a caller that speaks HTTP without TLS what to write.
async fn answer_plain(stream: TcpStream, request_id: &str) {
    let mut stream = Stream::lingering(stream, REFUSAL_TIMEOUT);
    let answer = respond::unserved(&refusal::https_needed(), request_id);
    let told = async {
        stream.write_all(&answer).await?;
        stream.shutdown().await
    };
    if let Ok(Err(error)) = timeout(REFUSAL_TIMEOUT, told).await {
        tracing::debug!(%error, "a caller without TLS could not be told so");
    }
}

/// Tells a caller beyond the limit that it is one too many, where not too many are being told.
pub(in crate::http) async fn refuse(stream: TcpStream, tls: Arc<Tls>, request_id: String) {
    let Ok(_permit) = tls.refusals.try_acquire() else { return };
    let told = async {
        let mut stream = tls.acceptor.accept(Stream::lingering(stream, REFUSAL_TIMEOUT)).await?;
        stream.write_all(&respond::overloaded(&request_id)).await?;
        stream.shutdown().await
    };
    if let Ok(Err(error)) = timeout(REFUSAL_TIMEOUT, told).await {
        tracing::debug!(%error, "an overload answer could not be sent");
    }
}
