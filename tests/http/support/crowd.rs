//! Hundreds of connections that repeat one request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use taxd::core::service::lower_priority;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use super::Client;
use super::server::PATIENCE;

/// The connections repeat their request until the value is dropped. They run at a lower priority than the test:
/// real callers run on other machines and take no processor time from the server.
pub struct Crowd {
    answered: Arc<AtomicUsize>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Crowd {
    /// Starts `connections` connections that get a path with a key. An answer other than 200 fails the test.
    pub fn gather(client: &Client, connections: usize, key: &str, path: &str) -> Crowd {
        let request = format!("GET {path} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {key}\r\n\r\n");
        let (port, answered) = (client.port, Arc::new(AtomicUsize::new(0)));
        let (stop, stopped) = oneshot::channel();
        let counted = Arc::clone(&answered);
        let thread = std::thread::spawn(move || {
            lower_priority();
            let runtime = Builder::new_current_thread().enable_io().build().unwrap();
            let tasks: Vec<_> = (0..connections)
                .map(|_| runtime.spawn(ask(port, request.clone().into_bytes(), Arc::clone(&counted))))
                .collect();
            runtime.block_on(stopped).unwrap();
            for task in tasks.into_iter().filter(tokio::task::JoinHandle::is_finished) {
                runtime.block_on(task).unwrap();
            }
        });
        Crowd { answered, stop: Some(stop), thread: Some(thread) }
    }

    /// Returns the number of answers so far.
    pub fn answered(&self) -> usize {
        self.answered.load(Ordering::SeqCst)
    }

    /// Waits for `more` further answers.
    #[track_caller]
    pub fn wait_for(&self, more: usize) {
        let (begin, until) = (Instant::now(), self.answered() + more);
        while self.answered() < until {
            assert!(begin.elapsed() < PATIENCE, "{} answers", self.answered());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let told = self.stop.take().is_some_and(|stop| stop.send(()).is_ok());
        let ended = self.thread.take().is_some_and(|thread| thread.join().is_ok());
        assert!(told && ended || std::thread::panicking(), "a connection of the crowd failed");
    }
}

/// Repeats the request and reads every answer.
async fn ask(port: u16, request: Vec<u8>, answered: Arc<AtomicUsize>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let mut chunk = vec![0; 1 << 16];
    loop {
        stream.write_all(&request).await.unwrap();
        let mut answer = Vec::new();
        let end = loop {
            if let Some(end) = answer.windows(4).position(|w| w == b"\r\n\r\n") {
                break end + 4;
            }
            let read = stream.read(&mut chunk).await.unwrap();
            assert!(read > 0, "the server ended a connection");
            answer.extend_from_slice(&chunk[..read]);
        };
        let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200"), "{head}");
        let length = head.split_once("content-length: ").unwrap().1.split_once('\r').unwrap().0;
        let mut missing = length.parse::<usize>().unwrap() + end - answer.len();
        while missing > 0 {
            let read = stream.read(&mut chunk).await.unwrap();
            assert!(read > 0, "the server ended a connection");
            missing -= read;
        }
        answered.fetch_add(1, Ordering::SeqCst);
    }
}
