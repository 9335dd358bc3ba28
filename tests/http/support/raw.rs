//! A TCP connection that sends whatever it is told: HTTP, half of it, or none.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::Reply;

const PATIENCE: Duration = Duration::from_secs(30);

/// The connection, and what was read beyond the last answer.
pub struct Raw {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl Raw {
    pub(super) fn connect(port: u16) -> Raw {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Raw { stream, rest: Vec::new() }
    }

    /// Sends bytes; a peer that has closed is met when reading.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Raw {
        match self.stream.write_all(bytes.as_ref()) {
            Err(e) if !matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => panic!("{e}"),
            _ => self,
        }
    }

    /// Sends the bytes again and again until the peer takes no more, by closing or by not reading.
    pub fn pump(&mut self, bytes: &[u8], most: usize) -> usize {
        self.stream.set_write_timeout(Some(Duration::from_millis(700))).unwrap();
        let mut sent = 0;
        while sent < most {
            match self.stream.write(&bytes[sent % bytes.len()..]) {
                Ok(n) => sent += n,
                Err(_) => break,
            }
        }
        self.stream.set_write_timeout(Some(PATIENCE)).unwrap();
        sent
    }

    /// Says that nothing more will be sent.
    pub fn finish(&mut self) -> &mut Raw {
        match self.stream.shutdown(Shutdown::Write) {
            Err(e) if e.kind() != ErrorKind::NotConnected => panic!("{e}"),
            _ => self,
        }
    }

    /// Reads what is there until the peer closes, and how long that took.
    pub fn read_to_close(&mut self) -> (Vec<u8>, Duration) {
        let start = Instant::now();
        let mut all = std::mem::take(&mut self.rest);
        let mut chunk = vec![0; 1 << 16];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(n) => all.extend_from_slice(&chunk[..n]),
                Err(e) if e.kind() == ErrorKind::ConnectionReset => break,
                Err(e) => panic!("the connection stays open: {e}"),
            }
        }
        (all, start.elapsed())
    }

    /// Reads one answer. `None` where the connection ends before one begins.
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
        let length = headers.iter().find(|(n, _)| n == "content-length").map_or(0, |(_, v)| v.parse().unwrap());
        while self.rest.len() < length {
            assert!(self.fill(), "the body breaks off");
        }
        let body = self.rest.drain(..length).collect();
        Some(Reply { status, headers, body })
    }

    /// The one answer that the connection must bring.
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
            Err(e) if e.kind() == ErrorKind::ConnectionReset => false,
            Err(e) => panic!("no answer: {e}"),
        }
    }
}
