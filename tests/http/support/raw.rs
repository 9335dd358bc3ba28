//! A connection over TCP or TLS that sends any bytes: HTTP, incomplete HTTP, or neither.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned, SupportedProtocolVersion};

use super::Reply;
use super::certificates::{ALL_VERSIONS, client_config};

const PATIENCE: Duration = Duration::from_secs(30);

/// The transport.
trait Wire: Read + Write + Send {
    fn tcp(&self) -> &TcpStream;
}

impl Wire for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl Wire for StreamOwned<ClientConnection, TcpStream> {
    fn tcp(&self) -> &TcpStream {
        &self.sock
    }
}

/// The connection, and the bytes read beyond the last answer.
pub struct Raw {
    stream: Box<dyn Wire>,
    rest: Vec<u8>,
    /// Whether the last request was a HEAD: its answer has no body, whatever `Content-Length` is.
    head_only: bool,
}

fn tcp(port: u16) -> TcpStream {
    ready(TcpStream::connect(("127.0.0.1", port)).unwrap())
}

fn ready(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

impl Raw {
    pub(super) fn connect(port: u16) -> Raw {
        Raw { stream: Box::new(tcp(port)), rest: Vec::new(), head_only: false }
    }

    /// Connects from another address of this machine, such as 127.0.0.2.
    pub fn connect_from(source: [u8; 4], port: u16) -> Raw {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let stream = runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind((source, 0).into()).unwrap();
            socket.connect(([127, 0, 0, 1], port).into()).await.unwrap().into_std().unwrap()
        });
        stream.set_nonblocking(false).unwrap();
        Raw { stream: Box::new(ready(stream)), rest: Vec::new(), head_only: false }
    }

    /// Connects over TLS in one of these versions and completes the handshake. Offers HTTP/1.1 only.
    pub fn connect_tls(port: u16, versions: &[&'static SupportedProtocolVersion]) -> std::io::Result<Raw> {
        Raw::connect_tls_offering(port, versions, &["http/1.1"])
    }

    /// Connects over TLS and offers these protocols.
    pub fn connect_tls_offering(
        port: u16,
        versions: &[&'static SupportedProtocolVersion],
        protocols: &[&str],
    ) -> std::io::Result<Raw> {
        let name = ServerName::try_from("localhost").unwrap();
        let mut connection = ClientConnection::new(client_config(versions, protocols), name).unwrap();
        let mut tcp = tcp(port);
        connection.complete_io(&mut tcp)?;
        Ok(Raw { stream: Box::new(StreamOwned::new(connection, tcp)), rest: Vec::new(), head_only: false })
    }

    /// Returns the certificate of the server.
    pub fn certificate_shown(port: u16) -> Vec<u8> {
        let name = ServerName::try_from("localhost").unwrap();
        let mut connection = ClientConnection::new(client_config(ALL_VERSIONS, &[]), name).unwrap();
        connection.complete_io(&mut tcp(port)).unwrap();
        connection.peer_certificates().unwrap()[0].to_vec()
    }

    /// Sends bytes. Ignores errors: reading reports a closed connection.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Raw {
        self.head_only = bytes.as_ref().starts_with(b"HEAD ");
        match self.stream.write_all(bytes.as_ref()) {
            Err(e) if !matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => panic!("{e}"),
            _ => self,
        }
    }

    /// Repeats the bytes until the peer closes the connection or stops reading.
    pub fn pump(&mut self, bytes: &[u8], most: usize) -> usize {
        self.stream.tcp().set_write_timeout(Some(Duration::from_millis(700))).unwrap();
        let mut sent = 0;
        while sent < most {
            match self.stream.write(&bytes[sent % bytes.len()..]) {
                Ok(n) => sent += n,
                Err(_) => break,
            }
        }
        self.stream.tcp().set_write_timeout(Some(PATIENCE)).unwrap();
        sent
    }

    /// Closes the sending side.
    pub fn finish(&mut self) -> &mut Raw {
        match self.stream.tcp().shutdown(Shutdown::Write) {
            Err(e) if e.kind() != ErrorKind::NotConnected => panic!("{e}"),
            _ => self,
        }
    }

    /// Sends as much as the peer takes without blocking.
    pub fn send_part(&mut self, bytes: &[u8]) {
        self.stream.tcp().set_nonblocking(true).unwrap();
        let sent = self.stream.write(bytes);
        assert!(sent.is_ok() || is_end(sent.as_ref().unwrap_err()), "{sent:?}");
        self.stream.tcp().set_nonblocking(false).unwrap();
    }

    /// Reads at most `most` bytes. Returns `None` at the end of the connection.
    pub fn read_some(&mut self, most: usize) -> Option<usize> {
        let mut chunk = vec![0; most];
        match self.stream.read(&mut chunk) {
            Ok(0) => None,
            Ok(n) => Some(n),
            Err(e) if is_end(&e) => None,
            Err(e) => panic!("{e}"),
        }
    }

    /// Reads until the peer closes. Returns the bytes and the time that it took.
    pub fn read_to_close(&mut self) -> (Vec<u8>, Duration) {
        let start = Instant::now();
        let mut all = std::mem::take(&mut self.rest);
        let mut chunk = vec![0; 1 << 16];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(n) => all.extend_from_slice(&chunk[..n]),
                Err(e) if is_end(&e) => break,
                Err(e) => panic!("the connection stays open: {e}"),
            }
        }
        (all, start.elapsed())
    }

    /// Reads an answer whose end is that of its last chunk, or of its announced length, however long it takes up to
    /// `patience`. Returns its bytes and the time that it took.
    pub fn read_whole(&mut self, patience: Duration) -> (Vec<u8>, Duration) {
        let start = Instant::now();
        self.stream.tcp().set_read_timeout(Some(patience)).unwrap();
        let mut announced = None;
        loop {
            let head = self.rest.windows(4).position(|w| w == b"\r\n\r\n");
            if let (Some(end), None) = (head, announced) {
                let head = String::from_utf8_lossy(&self.rest[..end]).to_ascii_lowercase();
                let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
                announced = Some(length.map(|length| end + 4 + length.parse::<usize>().unwrap()));
            }
            let is_whole = match announced {
                Some(Some(length)) => self.rest.len() >= length,
                Some(None) => self.rest.ends_with(b"\r\n0\r\n\r\n"),
                None => false,
            };
            if is_whole || !self.fill() {
                return (std::mem::take(&mut self.rest), start.elapsed());
            }
        }
    }

    /// Reads one answer. Returns `None` if the connection ends before it.
    pub fn read_reply(&mut self) -> Option<Reply> {
        let end = loop {
            if let Some(end) = self.rest.windows(4).position(|w| w == b"\r\n\r\n") {
                break end;
            }
            if !self.fill() {
                assert!(self.rest.is_empty(), "half an answer: {}", String::from_utf8_lossy(&self.rest));
                return None;
            }
        };
        let head = String::from_utf8(self.rest[..end].to_vec()).unwrap();
        self.rest.drain(..end + 4);
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|l| l.split(' ').nth(1)).and_then(|s| s.parse().ok()).unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|l| l.split_once(':').map(|(n, v)| (n.to_ascii_lowercase(), v.trim().to_owned())).unwrap())
            .collect();
        let length = headers.iter().find(|(n, _)| n == "content-length").filter(|_| !self.head_only);
        let length = length.map_or(0, |(_, v)| v.parse().unwrap());
        while self.rest.len() < length {
            assert!(self.fill(), "the body breaks off");
        }
        let body = self.rest.drain(..length).collect();
        Some(Reply { status, headers, body })
    }

    /// Reads one answer. Fails if the connection ends before it.
    #[track_caller]
    pub fn reply(&mut self) -> Reply {
        self.read_reply().expect("the connection was closed without an answer")
    }

    fn fill(&mut self) -> bool {
        let mut chunk = [0; 1 << 14];
        match self.stream.read(&mut chunk) {
            Ok(0) => false,
            Ok(n) => {
                self.rest.extend_from_slice(&chunk[..n]);
                true
            }
            Err(e) if is_end(&e) => false,
            Err(e) => panic!("no answer: {e}"),
        }
    }
}

/// Whether the error is the end of a connection, including TLS without a `close_notify`.
fn is_end(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof)
}
