//! Attacks on memory: however many callers send slowly or do not read, the server stays small.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{good, still_well};
use crate::support::{DataDir, Raw, Reply, Server, live_key, taxd};

/// Most resident memory of a server at any time, in KiB. The pages of the program count, and a debug build has many.
const MOST_KIB: u64 = 224 * 1024;
/// Descriptors that an attack takes here; the server takes as many.
const DESCRIPTORS: u64 = 5_000;
/// Each attack wants all descriptors and both processors of a small machine.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Has so many connections send the bytes, lets `until` wait for the end, and checks what it cost.
fn attack(
    args: &[&str],
    connections: usize,
    request: impl Fn(&Server) -> Vec<u8>,
    until: impl FnOnce(&DataDir, Vec<Raw>),
) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|soft| soft < DESCRIPTORS) {
        let raised = Rlimit { current: Some(DESCRIPTORS), maximum: limit.maximum };
        setrlimit(Resource::Nofile, raised).expect("the attack needs 5,000 open files (ulimit -Hn)");
    }
    let dir = DataDir::ready();
    let server = dir.serve(args);
    let (start, request) = (Instant::now(), request(&server));
    let mut crowd: Vec<Raw> = Vec::with_capacity(connections);
    for _ in 0..connections {
        let mut raw = server.raw();
        raw.send_part(&request);
        crowd.push(raw);
    }
    still_well(&server);
    until(&dir, crowd);
    // On a new connection: the one kept from before may have come to its idle end meanwhile.
    let body = good().to_string();
    let call = server.head(&format!("Content-Length: {}\r\n\r\n", body.len())) + &body;
    assert_eq!(server.raw().send(call).reply().envelope()["valor"], "180.00");
    let highest = server.memory_kib("VmHWM");
    eprintln!("{connections} connections: {} MiB at most, {:?}", highest / 1024, start.elapsed());
    assert!(highest <= MOST_KIB, "{highest} KiB");
}

/// The server ends every connection by itself.
fn all_end(_: &DataDir, crowd: Vec<Raw>) {
    for mut raw in crowd {
        raw.read_to_close();
    }
}

/// Waits until the server has answered so many calls, while nobody reads an answer.
fn answered(calls: u64) -> impl FnOnce(&DataDir, Vec<Raw>) {
    move |dir, _unread| {
        let start = Instant::now();
        while taxd(dir, ["status", "--json"]).ok().json()["accounts"]["calls"].as_u64().unwrap() < calls {
            assert!(start.elapsed() < Duration::from_mins(1), "they are not answered");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn page(server: &Server) -> String {
    format!("GET /v1/regras?limit=500 HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\n\r\n", server.key)
}

/// Each connection once kept 128 KiB: 4,000 took 586 MiB.
#[test]
fn heads_that_do_not_end() {
    let head = |_: &Server| format!("GET /sandbox HTTP/1.1\r\nHost: taxd\r\nX-A: {}", "a".repeat(23_000)).into_bytes();
    attack(&["--header-timeout", "6"], 4_000, head, all_end);
}

#[test]
fn heads_that_have_only_begun() {
    attack(&["--header-timeout", "4"], 4_000, |_| b"GET /sandbox HTTP/1.1\r\nHost: taxd\r\n".to_vec(), all_end);
}

#[test]
fn bodies_that_do_not_end() {
    let body = |server: &Server| (server.head("Content-Length: 65536\r\n\r\n") + &" ".repeat(65_000)).into_bytes();
    attack(&["--body-timeout", "4", "--header-timeout", "4"], 3_000, body, |_, crowd| {
        let answers: Vec<Reply> = crowd.into_iter().filter_map(|mut raw| raw.read_reply()).collect();
        let refused = answers.iter().filter(|answer| answer.status == 503);
        let refused = refused.inspect(|answer| drop(answer.problem(503, "sobrecarga"))).count();
        assert!(refused > 1_000, "{refused} of {} had no room", answers.len());
    });
}

#[test]
fn bodies_in_chunks_that_do_not_end() {
    let body = |server: &Server| {
        let chunk = " ".repeat(8_000);
        (server.head("Transfer-Encoding: chunked\r\n\r\n") + &format!("1f40\r\n{chunk}\r\n").repeat(8)).into_bytes()
    };
    attack(&["--body-timeout", "4", "--header-timeout", "4"], 2_000, body, all_end);
}

/// 2,000 connections with a page of half a MiB each once took 625 MiB. All but the 512 that an account may wait
/// for are refused at once.
#[test]
fn pages_that_nobody_reads() {
    attack(&[], 2_000, |server| page(server).into_bytes(), answered(1_500));
}

/// Those that are not read are given up after a second, so that the next ones are made.
#[test]
fn pages_asked_for_twenty_at_a_time() {
    attack(&["--body-timeout", "1"], 500, |server| page(server).repeat(20).into_bytes(), answered(100));
}

/// The memory is shared out: an account that does not read waits for itself alone.
#[test]
fn pages_that_one_account_does_not_read_cost_no_other_account_its_own() {
    let dir = DataDir::ready();
    let (server, other) = (dir.serve(&[]), live_key(&dir));
    let mut crowd: Vec<Raw> = (0..200).map(|_| server.raw()).collect();
    for raw in &mut crowd {
        raw.send(page(&server));
    }
    for _ in 0..3 {
        assert_eq!(server.get_as(&other, "/v1/regras?limit=500").status, 200);
        still_well(&server);
    }
    drop(crowd);
    assert_eq!(server.get_own("/v1/regras?limit=500").status, 200, "what was unread is given back");
}

#[test]
fn large_bodies_that_do_not_end_refuse_others_of_their_account_alone() {
    let dir = DataDir::ready();
    let (server, other) = (dir.serve(&["--body-timeout", "8"]), live_key(&dir));
    let large = format!("{}{}", good(), " ".repeat(60_000));
    // As many as the account's quarter of 32 MiB has room for.
    let head = server.head(&format!("Expect: 100-continue\r\nContent-Length: {}\r\n\r\n", large.len()));
    let mut crowd: Vec<Raw> = (0..128).map(|_| server.raw()).collect();
    for raw in &mut crowd {
        raw.send(&head);
    }
    for raw in &mut crowd {
        assert_eq!(raw.reply().status, 100, "the body is asked for");
    }
    assert_eq!(server.post_as(&other, "/v1/calculate", &large).envelope()["valor"], "180.00");
    still_well(&server);
    // Many clients send every body in chunks, however small: those need no memory of the account.
    let mut chunked = server.raw();
    let small = good().to_string();
    chunked.send(
        server.head("Transfer-Encoding: chunked\r\n\r\n") + &format!("{:x}\r\n{small}\r\n0\r\n\r\n", small.len()),
    );
    assert_eq!(chunked.reply().envelope()["valor"], "180.00");
    let answered_meanwhile = crowd.remove(0).send(&large).reply();
    assert_eq!(answered_meanwhile.status, 200, "the memory was still held by the others");
    for mut raw in crowd {
        raw.reply().problem(408, "tempo_esgotado");
    }
    assert_eq!(server.post("/v1/calculate", &large).envelope()["valor"], "180.00");
}

/// An answer without a body is a few hundred bytes for forty: hyper keeps making them while none is read.
#[test]
fn answers_without_a_body_that_nobody_reads() {
    let server = DataDir::served();
    still_well(&server);
    let before = server.memory_kib("VmRSS");
    let requests = "HEAD /sandbox HTTP/1.1\r\nHost: taxd\r\n\r\n".repeat(1_000);
    let mut crowd: Vec<Raw> = (0..8).map(|_| server.raw()).collect();
    for raw in &mut crowd {
        let sent = raw.pump(requests.as_bytes(), 64 * 1024 * 1024);
        assert!(sent < 64 * 1024 * 1024, "{sent} bytes of requests were read");
    }
    let grown = server.memory_kib("VmRSS").saturating_sub(before);
    assert!(grown < 32 * 1024, "{grown} KiB more");
    still_well(&server);
}
