//! A blocking connection, and the part of HTTP that reading its answers needs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Buffer size of an answer.
pub const ANSWER_BYTES: usize = 1024 * 1024;
/// Time limit of an answer; exceeding it ends the run.
const PATIENCE: Duration = Duration::from_mins(1);

/// An answer as far as the benchmark needs it.
pub struct Reply {
    pub status: u16,
    /// Length in bytes, including the head.
    pub length: usize,
}

impl Reply {
    /// Parses an answer; `None` if it is not complete yet.
    pub fn read(bytes: &[u8]) -> Option<Reply> {
        let head = bytes.windows(4).position(|w| w == b"\r\n\r\n")?;
        let status = std::str::from_utf8(bytes.get(9..12)?).ok()?.parse().expect("a status line");
        let name = b"content-length: ";
        let field = bytes[..head].windows(name.len()).position(|w| w.eq_ignore_ascii_case(name)).expect("a length");
        let digits = bytes[field + name.len()..].iter().take_while(|b| b.is_ascii_digit());
        let length = head + 4 + digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0'));
        (bytes.len() >= length).then_some(Reply { status, length })
    }
}

/// A keep-alive connection.
pub struct Client {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("TCP_NODELAY");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        Client { stream, answer: vec![0; ANSWER_BYTES] }
    }

    /// Sends a request and waits for its answer.
    pub fn call(&mut self, request: &[u8]) -> Reply {
        self.stream.write_all(request).expect("a request is taken");
        let mut filled = 0;
        loop {
            let read = self.stream.read(&mut self.answer[filled..]).expect("an answer");
            assert!(read > 0, "the server ended a connection, or its answer has more than {ANSWER_BYTES} bytes");
            filled += read;
            if let Some(reply) = Reply::read(&self.answer[..filled]) {
                return reply;
            }
        }
    }

    /// Gets a path and waits for its answer.
    pub fn get(&mut self, path: &str, key: &str) -> Reply {
        self.call(get(path, key).as_bytes())
    }
}

/// A request for a path.
pub fn get(path: &str, key: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {key}\r\n\r\n")
}
