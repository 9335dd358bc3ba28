//! A receiver of taxd's rule-change webhooks, to run or to copy from.
//!
//! ```sh
//! cargo run --example receiver -- 127.0.0.1:8443 cert.pem key.pem secret.txt
//! ```
//!
//! `secret.txt` holds the secret of the subscription; while a secret is being replaced, the old
//! and the new one, a line each. Behind a proxy that ends TLS, only `receive` is of interest.

use std::collections::HashSet;
use std::convert::Infallible;
use std::error::Error;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use ring::hmac;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// A delivery has a few hundred bytes.
const MAX_BODY_BYTES: usize = 16 * 1024;

/// What is known between deliveries.
pub struct Receiver {
    /// One key; two while a secret is being replaced.
    keys: Vec<hmac::Key>,
    /// Versions that were heard of. A real receiver keeps them with its cache.
    seen: Mutex<HashSet<String>>,
    /// Where the work is done, after the answer.
    work: Sender<Value>,
}

impl Receiver {
    /// A receiver that knows these secrets and hands over each new event.
    pub fn new<'a>(secrets: impl Iterator<Item = &'a str>, work: Sender<Value>) -> Receiver {
        let keys = secrets.map(|secret| hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes())).collect();
        Receiver { keys, seen: Mutex::default(), work }
    }

    /// What to answer to a delivery, from its `X-Service-Signature` and the raw bytes of its body.
    pub fn receive(&self, signature: Option<&str>, body: &[u8]) -> StatusCode {
        // Over the bytes as they came, before anything is parsed; `verify` takes the same time
        // for every wrong signature.
        let tag = signature.and_then(from_hex).unwrap_or_default();
        if !self.keys.iter().any(|key| hmac::verify(key, body, &tag).is_ok()) {
            return StatusCode::UNAUTHORIZED;
        }
        let Ok(event) = serde_json::from_slice::<Value>(body) else { return StatusCode::BAD_REQUEST };
        // Actions to come, and the sample of `taxd subscription test`, are none of our business.
        if event.get("acao").and_then(Value::as_str) != Some("publicada") {
            return StatusCode::NO_CONTENT;
        }
        let Some(rule_id) = event.get("rule_id").and_then(Value::as_str) else { return StatusCode::BAD_REQUEST };
        // The same event may arrive more than once.
        let is_new = self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(rule_id.to_owned());
        if is_new && self.work.send(event).is_err() {
            // Whoever does the work is gone: the delivery is to come again.
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        StatusCode::NO_CONTENT
    }

    async fn respond(&self, request: Request<Incoming>) -> Response<Empty<Bytes>> {
        let (head, body) = request.into_parts();
        let status = if head.method == Method::POST {
            let signature = head.headers.get("X-Service-Signature").and_then(|value| value.to_str().ok());
            match Limited::new(body, MAX_BODY_BYTES).collect().await {
                Ok(body) => self.receive(signature, &body.to_bytes()),
                Err(_) => StatusCode::BAD_REQUEST,
            }
        } else {
            StatusCode::METHOD_NOT_ALLOWED
        };
        let mut response = Response::new(Empty::new());
        *response.status_mut() = status;
        response
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(text.get(i..i + 2)?, 16).ok()).collect()
}

/// Answers deliveries for as long as the process lives.
pub async fn serve(listener: TcpListener, tls: Arc<ServerConfig>, receiver: Arc<Receiver>) {
    let acceptor = TlsAcceptor::from(tls);
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (acceptor, receiver) = (acceptor.clone(), Arc::clone(&receiver));
        tokio::spawn(async move {
            let handshake = tokio::time::timeout(Duration::from_secs(10), acceptor.accept(stream));
            let Ok(Ok(stream)) = handshake.await else { return };
            let service = service_fn(|request| async { Ok::<_, Infallible>(receiver.respond(request).await) });
            let connection =
                http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                eprintln!("a connection ended early: {error}");
            }
        });
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [address, certificate, key, secret] = args.as_slice() else {
        return Err("usage: receiver ADDRESS CERT.pem KEY.pem SECRET.txt".into());
    };
    let chain = CertificateDer::pem_file_iter(certificate)?.collect::<Result<Vec<_>, _>>()?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_file(key)?)?;
    let (work, events) = mpsc::channel();
    let receiver = Receiver::new(std::fs::read_to_string(secret)?.lines(), work);
    std::thread::spawn(move || {
        for event in events {
            println!("forget what was cached for the scope of {event}");
        }
    });
    let listener = TcpListener::bind(address).await?;
    println!("listening on https://{}", listener.local_addr()?);
    serve(listener, Arc::new(tls), Arc::new(receiver)).await;
    Ok(())
}
