//! A connection of HTTP/2 over TLS, frame by frame where a test wants that.

use std::time::Duration;

use h2::SendStream;
use h2::client::{Builder, ResponseFuture, SendRequest};
use hyper::body::Bytes;
use hyper::{Method, Request};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::Reply;
use super::certificates::{ALL_VERSIONS, client_config};

/// Longest that an answer may take before the test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(30);

/// The connection.
pub struct Http2 {
    pub runtime: Runtime,
    sender: SendRequest<Bytes>,
    connection: Option<JoinHandle<Result<(), h2::Error>>>,
}

/// A request that was sent, at least in part.
pub struct Sent {
    answer: ResponseFuture,
    pub body: SendStream<Bytes>,
}

impl Http2 {
    pub fn connect(port: u16) -> Http2 {
        Http2::connect_by(port, &Builder::new())
    }

    /// The same with settings of the test's own.
    pub fn connect_by(port: u16, builder: &Builder) -> Http2 {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (sender, connection) = runtime.block_on(async {
            let tcp = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            tcp.set_nodelay(true).unwrap();
            let connector = TlsConnector::from(client_config(ALL_VERSIONS, &["h2", "http/1.1"]));
            let stream = connector.connect(ServerName::try_from("localhost").unwrap(), tcp).await.unwrap();
            assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()), "HTTP/2 is preferred");
            let (sender, connection) = builder.handshake(stream).await.unwrap();
            (sender, tokio::spawn(connection))
        });
        Http2 { runtime, sender, connection: Some(connection) }
    }

    /// Sends a head; with `end`, all of the request.
    pub fn send(&mut self, method: Method, path: &str, headers: &[(&str, &str)], end: bool) -> Result<Sent, h2::Error> {
        let uri = format!("https://localhost{path}");
        let request = Request::builder().method(method).uri(uri);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let sender = self.sender.clone();
        let mut ready = self.runtime.block_on(sender.ready())?;
        let (answer, body) = ready.send_request(request.body(()).unwrap(), end)?;
        Ok(Sent { answer, body })
    }

    /// Sends a calculation's head.
    pub fn begin(&mut self, key: &str) -> Sent {
        let headers = [("x-api-key", key), ("content-type", "application/json")];
        self.send(Method::POST, "/v1/calculate", &headers, false).unwrap()
    }

    /// Posts a calculation.
    #[track_caller]
    pub fn calculate(&mut self, key: &str, body: impl Into<Bytes>) -> Reply {
        let mut sent = self.begin(key);
        sent.body.send_data(body.into(), true).unwrap();
        self.answer(sent).unwrap()
    }

    /// Gets a path.
    #[track_caller]
    pub fn get(&mut self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let sent = self.send(Method::GET, path, headers, true).unwrap();
        self.answer(sent).unwrap()
    }

    /// The whole answer.
    #[track_caller]
    pub fn answer(&self, sent: Sent) -> Result<Reply, h2::Error> {
        let reading = async {
            let (head, mut body) = sent.answer.await?.into_parts();
            let mut read = Vec::new();
            while let Some(chunk) = body.data().await {
                let chunk = chunk?;
                body.flow_control().release_capacity(chunk.len())?;
                read.extend_from_slice(&chunk);
            }
            let header = |(n, v): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
                (n.as_str().to_owned(), v.to_str().unwrap().to_owned())
            };
            let headers = head.headers.iter().map(header).collect();
            Ok(Reply { status: head.status.as_u16(), headers, body: read })
        };
        self.runtime.block_on(async { timeout(PATIENCE, reading).await.expect("no answer") })
    }

    /// The head of an answer alone: its body is left unread for as long as the value is kept.
    #[track_caller]
    pub fn answer_unread(&self, sent: Sent) -> h2::RecvStream {
        let head = self.runtime.block_on(async { timeout(PATIENCE, sent.answer).await.expect("no answer") });
        head.unwrap().into_body()
    }

    /// Waits until the server ends the connection; what it came to.
    #[track_caller]
    pub fn wait_for_end(&mut self) -> Result<(), h2::Error> {
        let connection = self.connection.take().expect("it is waited for once");
        self.runtime.block_on(async { timeout(PATIENCE, connection).await.expect("it stays open").unwrap() })
    }
}
