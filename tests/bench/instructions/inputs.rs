//! The cost of hostile input: every request of the fuzz tests is sent to a server in this process, inside one
//! function that callgrind watches.
//!
//! Server and caller share one thread, and only that thread is counted: it reads, refuses or calculates, and
//! writes. Listings run on other threads, which delay no calculation.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use taxd::core::engine::Engine;
use taxd::core::service::Service;
use taxd::features::accounts::{OverrideChanges, create as create_account};
use taxd::features::control::data_dir;
use taxd::features::keys::create as create_key;
use taxd::http::{ConnectionLimits, ListenAddress, Server};
use taxd::law::tax;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

use crate::callgrind;
use crate::fuzz::{Input, damaged, large, queries};

/// First argument of the watched process; the second is the data directory.
pub const ARGUMENT: &str = "inputs";
/// Full name of the watched function.
const WATCHED: &str = concat!(module_path!(), "::watched_by_callgrind");
/// Instructions that a request may take: 5 ms at four thousand million instructions a second (3 GHz, 1.3 a
/// cycle; calculations reach twice that).
const BOUND: u64 = 20_000_000;
/// Small requests counted together.
const TOGETHER: usize = 32;
/// How many of the most expensive inputs are printed.
const SHOWN: usize = 12;

/// The units of counting: one large input, or several small ones that must keep the bound together.
fn groups() -> Vec<(String, Vec<Input>)> {
    let examples: Vec<Value> =
        tax::REGISTRY.iter().map(|entry| serde_json::from_str(entry.exemplo).expect("an example is JSON")).collect();
    let payloads: Vec<Vec<u8>> = examples.iter().map(|example| example.to_string().into_bytes()).collect();
    let alone = large(&examples).into_iter().chain(queries()).map(|input| (input.name.clone(), vec![input]));
    let mut groups: Vec<_> = alone.collect();
    let mut small = damaged(&payloads).peekable();
    while let Some(first) = small.peek() {
        let name = format!("{} and the {} after it", first.name, TOGETHER - 1);
        groups.push((name, small.by_ref().take(TOGETHER).collect()));
    }
    groups
}

/// Counts all groups, prints the most expensive ones, and returns those over [`BOUND`].
pub fn over_the_bound(dir: &Path) -> Vec<String> {
    let counts = callgrind::count(&[ARGUMENT, &dir.to_string_lossy()], WATCHED, dir);
    let groups = groups();
    assert_eq!(counts.len(), groups.len(), "callgrind saw as many requests as were sent");
    let mut by_cost: Vec<(u64, String)> =
        counts.into_iter().zip(groups).map(|(count, (name, _))| (count, name)).collect();
    by_cost.sort_unstable_by(|a, b| b.cmp(a));
    println!("\n| of {} hostile inputs the dearest | instructions, at most {BOUND} |\n|---|---|", by_cost.len());
    for (count, name) in by_cost.iter().take(SHOWN) {
        println!("| {name} | {count} |");
    }
    by_cost.into_iter().take_while(|(count, _)| *count > BOUND).map(|(_, name)| name).collect()
}

/// Runs the watched process.
pub fn run(dir: &Path) {
    let engine = Engine::new(data_dir::open(dir).expect("the data file"), 0);
    let service = Arc::new(Service::open(engine).expect("accounts can be read"));
    let key = new_key(&service);
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let limits = ConnectionLimits {
        header_timeout: Duration::from_hours(1),
        body_timeout: Duration::from_hours(1),
        max_connections: 16,
    };
    let listen = ListenAddress::One(([127, 0, 0, 1], 0).into());
    let bound = runtime.block_on(Server::bind(listen, service, limits, "t".to_owned()));
    let server = bound.expect("a port");
    let address = server.local_addr().expect("a bound port");
    runtime.spawn(server.serve(std::future::pending()));
    let connect = || {
        runtime.block_on(async {
            let stream = TcpStream::connect(address).await.expect("a connection");
            // Accepts the connection before counting starts.
            tokio::task::yield_now().await;
            stream
        })
    };
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    // Work done once, on first use, is not part of an input's cost.
    let warm = large(&[]).into_iter().chain(queries());
    let warm: Vec<Vec<u8>> = warm.map(|input| input.request(&key)).collect();
    let mut stream = connect();
    for request in warm {
        if exchange(&runtime, &mut stream, &[request], &mut statuses).is_err() {
            stream = connect();
        }
    }
    for (name, inputs) in groups() {
        let requests: Vec<Vec<u8>> = inputs.iter().map(|input| input.request(&key)).collect();
        if watched_by_callgrind(&runtime, &mut stream, &requests, &mut statuses).is_err() {
            println!("{name}: the connection was ended");
            stream = connect();
        }
    }
    let other: Vec<&u16> = statuses.keys().filter(|status| !matches!(status, 200 | 400 | 404 | 422)).collect();
    assert!(other.is_empty(), "answers by status: {statuses:?}");
}

/// Creates an account without limits; returns its key.
fn new_key(service: &Arc<Service>) -> String {
    let made = create_account(service, "Um", "enterprise", OverrideChanges::default()).expect("an account");
    create_key(service, &made.account.client_id, "live", None).expect("a key").key
}

#[inline(never)]
fn watched_by_callgrind(
    runtime: &Runtime,
    stream: &mut TcpStream,
    requests: &[Vec<u8>],
    statuses: &mut BTreeMap<u16, usize>,
) -> io::Result<()> {
    exchange(runtime, stream, requests, statuses)
}

/// Sends requests and reads their answers, one by one.
fn exchange(
    runtime: &Runtime,
    stream: &mut TcpStream,
    requests: &[Vec<u8>],
    statuses: &mut BTreeMap<u16, usize>,
) -> io::Result<()> {
    runtime.block_on(async {
        let mut answer = Vec::with_capacity(1024 * 1024);
        for request in requests {
            stream.write_all(request).await?;
            answer.clear();
            *statuses.entry(read(stream, &mut answer).await?).or_default() += 1;
        }
        Ok(())
    })
}

/// Reads one answer and returns its status.
async fn read(stream: &mut TcpStream, answer: &mut Vec<u8>) -> io::Result<u16> {
    let end = loop {
        if let Some(end) = answer.windows(4).position(|w| w == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status line");
    let length = head.split_once("content-length: ").and_then(|(_, rest)| rest.split_once('\r')).expect("a length").0;
    let whole = end + length.parse::<usize>().expect("a length");
    while answer.len() < whole {
        if stream.read_buf(answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(status)
}
