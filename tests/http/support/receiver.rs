//! An HTTPS receiver of webhooks that can misbehave.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use ring::hmac;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

use super::certificates::{self, issue};

/// Time after which a test that waits for deliveries fails.
const PATIENCE: Duration = Duration::from_mins(2);
/// Time for which a silent receiver keeps its connections open.
const SILENCE: Duration = Duration::from_mins(2);
/// Pause between the bytes of a slow receiver.
const DRIP: Duration = Duration::from_millis(200);

/// The certificates of receivers.
pub struct Authority {
    /// The root certificate, for `--webhook-ca`.
    pub pem: String,
    /// The TLS configuration of a receiver.
    pub config: Arc<ServerConfig>,
}

/// Returns the authority of all receivers of this process, with a certificate of localhost.
pub fn authority() -> &'static Authority {
    static AUTHORITY: OnceLock<Authority> = OnceLock::new();
    AUTHORITY.get_or_init(|| Authority { pem: certificates::root_pem(), config: issue(|_| {}).server_config() })
}

/// Returns a self-signed certificate of localhost, as an authority or not.
pub fn self_signed(is_authority: bool) -> Authority {
    let own = certificates::self_signed(is_authority);
    Authority { pem: own.certificate.pem(), config: own.server_config() }
}

/// HMAC-SHA256, as a receiver computes it.
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message).as_ref().to_vec()
}

/// HMAC-SHA256 in hexadecimal.
pub fn hmac_hex(key: &[u8], message: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&hmac_sha256(key, message))
}

/// Reaction of a receiver to a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A status, at once.
    Status(u16),
    /// A status, after a pause.
    After(Duration, u16),
    /// A redirect to another address.
    Redirect(String),
    /// No answer.
    Silence,
    /// A head that is sent byte by byte and never ends.
    DripHead,
    /// A 200 with a body that is sent byte by byte and never ends.
    DripBody,
    /// A 200 with a body of that many bytes.
    Long(usize),
    /// Bytes that are not HTTP.
    Garbage,
    /// The connection is closed.
    Close,
}

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct Received {
    pub at: Instant,
    pub head: String,
    pub body: Vec<u8>,
    /// Number of its connection.
    pub connection: usize,
}

impl Received {
    /// Returns the header of that name. Fails unless there is exactly one.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let mut found = self.head.lines().filter_map(|line| line.split_once(": "));
        let value = found.find(|(n, _)| n.eq_ignore_ascii_case(name));
        value.unwrap_or_else(|| panic!("no {name}: {}", self.head)).1
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns the `rule_id` of the event.
    pub fn rule_id(&self) -> String {
        self.json()["rule_id"].as_str().unwrap().to_owned()
    }
}

#[derive(Default)]
struct Inbox {
    received: Mutex<Vec<Received>>,
    grown: Condvar,
}

/// A receiver. It listens until the process ends.
pub struct Receiver {
    pub port: u16,
    inbox: Arc<Inbox>,
}

impl Receiver {
    /// Starts a receiver. `answer` gets each request and the number of earlier ones.
    pub fn start(answer: impl Fn(&Received, usize) -> Answer + Send + Sync + 'static) -> Receiver {
        Receiver::start_as(Arc::clone(&authority().config), answer)
    }

    /// Starts a receiver with a certificate of another authority.
    pub fn start_as(
        config: Arc<ServerConfig>,
        answer: impl Fn(&Received, usize) -> Answer + Send + Sync + 'static,
    ) -> Receiver {
        let answer = Arc::new(answer);
        Receiver::listen(move |stream, number, inbox| {
            stream.set_nodelay(true).unwrap();
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            // Ignored: the other side closed the connection.
            let _ = serve(&mut StreamOwned::new(connection, stream), number, inbox, answer.as_ref());
        })
    }

    /// Answers every request with this status.
    pub fn answering(status: u16) -> Receiver {
        Receiver::start(move |_, _| Answer::Status(status))
    }

    /// Accepts connections and sends nothing, not even a TLS handshake.
    pub fn mute() -> Receiver {
        Receiver::listen(|stream, _, _| {
            thread::sleep(SILENCE);
            drop(stream);
        })
    }

    /// Begins a TLS record and sends it byte by byte.
    pub fn dripping_tls() -> Receiver {
        Receiver::listen(|mut stream, _, _| {
            let endless = [22, 3, 3, 0x3F, 0xFF].into_iter().chain(std::iter::repeat(2));
            for byte in endless {
                if stream.write_all(&[byte]).is_err() {
                    return;
                }
                thread::sleep(DRIP);
            }
        })
    }

    /// Returns an address without a listener.
    pub fn down() -> u16 {
        TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
    }

    fn listen(each: impl Fn(TcpStream, usize, &Inbox) + Send + Sync + 'static) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let inbox = Arc::new(Inbox::default());
        let (shared, each) = (Arc::clone(&inbox), Arc::new(each));
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let (inbox, each) = (Arc::clone(&shared), Arc::clone(&each));
                thread::spawn(move || each(stream, number, &inbox));
            }
        });
        Receiver { port, inbox }
    }

    /// Returns the URL.
    pub fn url(&self) -> String {
        format!("https://localhost:{}/webhook?token=abc", self.port)
    }

    /// Returns the requests so far.
    pub fn received(&self) -> Vec<Received> {
        self.inbox.received.lock().unwrap().clone()
    }

    /// Returns the number of requests so far.
    pub fn count(&self) -> usize {
        self.inbox.received.lock().unwrap().len()
    }

    /// Waits for that many requests.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        self.wait_until(|received| received.len() >= count)
    }

    /// Waits until the requests are as wanted.
    #[track_caller]
    pub fn wait_until(&self, wanted: impl Fn(&[Received]) -> bool) -> Vec<Received> {
        let received = self.inbox.received.lock().unwrap();
        let waited = self.inbox.grown.wait_timeout_while(received, PATIENCE, |r| !wanted(r)).unwrap();
        assert!(!waited.1.timed_out(), "{} arrived, and what is waited for is not among them", waited.0.len());
        waited.0.clone()
    }
}

fn serve(
    stream: &mut StreamOwned<ServerConnection, TcpStream>,
    connection: usize,
    inbox: &Inbox,
    answer: &dyn Fn(&Received, usize) -> Answer,
) -> std::io::Result<()> {
    while let Some((head, body)) = read_request(stream)? {
        let request = Received { at: Instant::now(), head, body, connection };
        let before = {
            let mut received = inbox.received.lock().unwrap();
            received.push(request.clone());
            received.len() - 1
        };
        inbox.grown.notify_all();
        let status = match answer(&request, before) {
            Answer::Status(status) => status,
            Answer::After(pause, status) => {
                thread::sleep(pause);
                status
            }
            Answer::Redirect(to) => {
                write!(stream, "HTTP/1.1 301 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n")?;
                continue;
            }
            Answer::Silence => {
                thread::sleep(SILENCE);
                return Ok(());
            }
            Answer::DripHead => return drip(stream, "HTTP/1.1 200 OK\r\nX-Drip: ", true),
            Answer::DripBody => return drip(stream, "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", false),
            Answer::Long(bytes) => {
                write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\n\r\n")?;
                stream.write_all(&vec![b'x'; bytes])?;
                continue;
            }
            Answer::Garbage => {
                stream.write_all(b"this is no HTTP\r\n\r\n")?;
                return stream.flush();
            }
            Answer::Close => return Ok(()),
        };
        stream.write_all(format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\nok").as_bytes())?;
    }
    Ok(())
}

/// Sends the beginning, at once or byte by byte, then one byte after the other without end.
fn drip(stream: &mut impl Write, beginning: &str, slowly: bool) -> std::io::Result<()> {
    if !slowly {
        stream.write_all(beginning.as_bytes())?;
    }
    let slow = if slowly { beginning } else { "" };
    for byte in slow.bytes().chain(std::iter::repeat(b'x')) {
        stream.write_all(&[byte])?;
        stream.flush()?;
        thread::sleep(DRIP);
    }
    Ok(())
}

/// Reads head and body of the next request. Returns `None` at the end of the connection.
fn read_request(stream: &mut impl Read) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break end;
        }
        match stream.read(&mut chunk)? {
            0 => return Ok(None),
            n => bytes.extend_from_slice(&chunk[..n]),
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut body = bytes[end + 4..].to_vec();
    let length = head.lines().find_map(|l| l.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let length: usize = length.unwrap_or_else(|| panic!("no length: {head}"));
    while body.len() < length {
        match stream.read(&mut chunk)? {
            0 => return Ok(None),
            n => body.extend_from_slice(&chunk[..n]),
        }
    }
    Ok(Some((head, body)))
}
