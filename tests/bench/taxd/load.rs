//! The load: prepared requests, sent over keep-alive connections, one at a time on each.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::client::{ANSWER_BYTES, Client, Reply, get};
use crate::template::{AMOUNT_BYTES, Template, write_amount};

/// Connections of the closed loop.
pub const CONNECTIONS: usize = 32;

/// Prepared requests, shared by all connections in turn.
pub struct Mix {
    requests: Vec<Vec<u8>>,
    /// Offset of the amount in each request, if every call needs a new amount.
    amounts_at: Option<Vec<usize>>,
    next: AtomicU64,
}

impl Mix {
    /// Prepares calls of `key`. With `fresh`, each call has an amount that was never sent before.
    pub fn new(templates: &[Template], key: &str, fresh: bool) -> Arc<Mix> {
        let requests = templates.iter().map(|t| call(&t.json, key)).collect::<Vec<_>>();
        let places = requests.iter().zip(templates).map(|(r, t)| r.len() - t.json.len() + t.amount_at).collect();
        Arc::new(Mix { requests, amounts_at: fresh.then_some(places), next: AtomicU64::new(0) })
    }

    /// Prepares a GET of one path with `key`.
    pub fn get(path: &str, key: &str) -> Arc<Mix> {
        Arc::new(Mix { requests: vec![get(path, key).into_bytes()], amounts_at: None, next: AtomicU64::new(0) })
    }

    /// Writes the next request into `out`.
    fn next(&self, out: &mut Vec<u8>) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let index = usize::try_from(number).expect("64 bits") % self.requests.len();
        out.clear();
        out.extend_from_slice(&self.requests[index]);
        if let Some(places) = &self.amounts_at {
            write_amount(&mut out[places[index]..places[index] + AMOUNT_BYTES], number);
        }
    }
}

/// Returns the request that posts a payload with `key`.
pub fn call(json: &str, key: &str) -> Vec<u8> {
    let length = json.len();
    let head = format!(
        "POST /v1/calculate HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    (head + json).into_bytes()
}

/// Result of a load.
pub struct Outcome {
    pub ok: u64,
    /// Answers with any status but 200.
    pub refused: u64,
    /// Bytes of all answers, including heads.
    pub bytes: u64,
    pub elapsed: Duration,
    latency_ns: Histogram<u64>,
}

impl Outcome {
    fn new() -> Outcome {
        let latency_ns = Histogram::new_with_bounds(1_000, 60_000_000_000, 3).expect("bounds of a histogram");
        Outcome { ok: 0, refused: 0, bytes: 0, elapsed: Duration::ZERO, latency_ns }
    }

    fn note(&mut self, reply: &Reply, latency: Duration) {
        let count = if reply.status == 200 { &mut self.ok } else { &mut self.refused };
        *count += 1;
        self.bytes += reply.length as u64;
        self.latency_ns.saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
    }

    fn join(parts: impl IntoIterator<Item = Outcome>, elapsed: Duration) -> Outcome {
        let mut all = Outcome::new();
        for part in parts {
            all.ok += part.ok;
            all.refused += part.refused;
            all.bytes += part.bytes;
            all.latency_ns.add(&part.latency_ns).expect("histograms of one shape");
        }
        all.elapsed = elapsed;
        assert_eq!(all.refused, 0, "{} of {} calls were not answered 200", all.refused, all.refused + all.ok);
        all
    }

    /// Returns the calls per second.
    #[expect(clippy::cast_precision_loss, reason = "a figure to be shown")]
    pub fn rate(&self) -> f64 {
        self.ok as f64 / self.elapsed.as_secs_f64()
    }

    /// Returns the latency, in milliseconds, that this share of the calls did not exceed.
    #[expect(clippy::cast_precision_loss, reason = "a figure to be shown")]
    pub fn latency_ms(&self, quantile: f64) -> f64 {
        self.latency_ns.value_at_quantile(quantile) as f64 / 1e6
    }
}

/// When a load ends.
pub struct Until {
    end: Instant,
    stopped: AtomicBool,
}

impl Until {
    /// After a time, or when it is [stopped](Self::stop).
    pub fn after(time: Duration) -> Arc<Until> {
        Arc::new(Until { end: Instant::now() + time, stopped: AtomicBool::new(false) })
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || Instant::now() >= self.end
    }
}

/// Runs a closed loop: every connection sends its next request after the answer to the previous one.
pub fn closed_loop(address: SocketAddr, mix: &Arc<Mix>, until: &Arc<Until>, connections: usize) -> Outcome {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(connections);
    let started = Instant::now();
    let parts: Vec<Outcome> = thread::scope(|scope| {
        let share = |i: usize| connections / threads + usize::from(i < connections % threads);
        let workers: Vec<_> = (0..threads).map(|i| scope.spawn(move || drive(address, mix, share(i), until))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a load thread")).collect()
    });
    Outcome::join(parts, started.elapsed())
}

/// Runs the connections of one thread.
fn drive(address: SocketAddr, mix: &Arc<Mix>, connections: usize, until: &Arc<Until>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
    let tasks: Vec<_> =
        (0..connections).map(|_| runtime.spawn(converse(address, Arc::clone(mix), Arc::clone(until)))).collect();
    let parts = tasks.into_iter().map(|task| runtime.block_on(task).expect("a connection's task"));
    Outcome::join(parts, Duration::ZERO)
}

async fn converse(address: SocketAddr, mix: Arc<Mix>, until: Arc<Until>) -> Outcome {
    let mut stream = tokio::net::TcpStream::connect(address).await.expect("a connection");
    stream.set_nodelay(true).expect("TCP_NODELAY");
    let (mut outcome, mut request, mut answer) = (Outcome::new(), Vec::new(), vec![0; ANSWER_BYTES]);
    while !until.over() {
        mix.next(&mut request);
        let sent = Instant::now();
        stream.write_all(&request).await.expect("a request is taken");
        let mut filled = 0;
        let reply = loop {
            let read = stream.read(&mut answer[filled..]).await.expect("an answer");
            assert!(read > 0, "the server ended a connection, or its answer has more than {ANSWER_BYTES} bytes");
            filled += read;
            if let Some(reply) = Reply::read(&answer[..filled]) {
                break reply;
            }
        };
        outcome.note(&reply, sent.elapsed());
    }
    outcome
}

/// Runs an open loop: a fixed rate of calls, however long the answers take. A latency counts from the time at
/// which its request was due, so a stall counts for every request that it delays. Each connection has a
/// blocking thread, because the timers of tokio are whole milliseconds.
pub fn open_loop(address: SocketAddr, mix: &Mix, calls_per_second: f64, time: Duration) -> Outcome {
    let pause = Duration::from_secs_f64(1.0 / calls_per_second);
    let connections = u32::try_from(CONNECTIONS).expect("a few");
    let begin = Instant::now() + Duration::from_millis(100);
    let parts: Vec<Outcome> = thread::scope(|scope| {
        let connection =
            |i: u32| scope.spawn(move || on_time(address, mix, begin + pause * i, pause * connections, begin + time));
        let workers: Vec<_> = (0..connections).map(connection).collect();
        workers.into_iter().map(|worker| worker.join().expect("a load thread")).collect()
    });
    Outcome::join(parts, time)
}

fn on_time(address: SocketAddr, mix: &Mix, mut due: Instant, pause: Duration, end: Instant) -> Outcome {
    let mut client = Client::connect(address);
    let (mut outcome, mut request) = (Outcome::new(), Vec::new());
    while due < end {
        mix.next(&mut request);
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let reply = client.call(&request);
        outcome.note(&reply, due.elapsed());
        due += pause;
    }
    outcome
}
