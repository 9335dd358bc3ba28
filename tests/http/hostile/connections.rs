//! Connections: pipelined, too many, or kept by a client that does not read.

use std::time::{Duration, Instant};

use super::{good, still_well};
use crate::support::{DataDir, Raw, Server};

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = DataDir::served();
    let bodies = [good().to_string(), "{".to_owned(), "{}".to_owned(), good().to_string()];
    let all: String = bodies
        .iter()
        .enumerate()
        .map(|(i, body)| server.head(&format!("X-Request-Id: no-{i}\r\nContent-Length: {}\r\n\r\n{body}", body.len())))
        .collect();
    let mut raw = server.raw();
    raw.send(all);
    for (i, status) in [200, 400, 422, 200].into_iter().enumerate() {
        let answer = raw.reply();
        assert_eq!((answer.status, answer.header("x-request-id")), (status, Some(format!("no-{i}").as_str())));
    }
}

/// Waits until the server serves a new connection; false if it does not in that time.
fn serves_within(server: &Server, limit: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < limit {
        let mut raw = server.raw();
        raw.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\nConnection: close\r\n\r\n");
        if raw.read_reply().is_some_and(|answer| answer.status == 200) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

const GET: &str = "GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n";

#[test]
fn one_connection_too_many_is_answered_503() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--max-connections", "1"]);
    let mut held = server.in_flight(server.raw());
    for _ in 0..20 {
        let mut raw = server.raw();
        let answer = raw.send(server.head("Content-Length: 2\r\n\r\n{}")).reply();
        // Design, section 2: every answer has X-Request-Id.
        answer.problem(503, "sobrecarga");
        let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!(seconds >= 1);
        assert!(raw.read_to_close().0.is_empty());
    }
    held.send("{}").reply().problem(422, "campo_obrigatorio");
    drop(held);
    assert!(serves_within(&server, Duration::from_secs(5)), "the place is not given back");
}

/// A host that kept connections open without asking anything once kept everybody else out.
#[test]
fn an_idle_connection_gives_way_to_a_new_one() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--max-connections", "8"]);
    let mut other = Raw::connect_from([127, 0, 0, 2], server.port);
    assert_eq!(other.send(GET).reply().status, 200);
    // One after the other, so that the order in which they are idle is known.
    let mut crowd: Vec<Raw> = (0..7).map(|_| server.raw()).collect();
    for raw in &mut crowd {
        assert_eq!(raw.send(GET).reply().status, 200);
    }
    for _ in 0..5 {
        crowd.push(server.raw());
        assert_eq!(crowd.last_mut().unwrap().send(GET).reply().status, 200);
    }
    assert!(crowd.drain(..5).all(|mut gone| gone.read_to_close().0.is_empty()), "the longest idle ones end");
    for raw in crowd.iter_mut().chain([&mut other]) {
        assert_eq!(raw.send(GET).reply().status, 200, "the others stay, and so does the other address");
    }
    // A head that never ends is idle too.
    let mut half: Vec<Raw> = (0..8).map(|_| server.raw()).collect();
    for raw in &mut half {
        raw.send("GET /sandbox HTTP/1.1\r\n");
    }
    assert!(serves_within(&server, Duration::from_secs(5)));
}

#[test]
fn an_address_beyond_its_share_gives_up_its_oldest_request_to_another() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--max-connections", "8"]);
    let mut crowd: Vec<Raw> = (0..8).map(|_| server.in_flight(server.raw())).collect();
    server.raw().send(GET).reply().problem(503, "sobrecarga");
    let mut other = Raw::connect_from([127, 0, 0, 2], server.port);
    assert_eq!(other.send(GET).reply().status, 200);
    assert!(crowd.remove(0).read_to_close().0.is_empty());
    for raw in &mut crowd {
        raw.send("{}").reply().problem(422, "campo_obrigatorio");
    }
}

#[test]
fn a_client_that_never_reads_gives_its_place_back() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--max-connections", "1", "--header-timeout", "1", "--body-timeout", "1"]);
    let mut deaf = server.raw();
    // No key is needed for this: requests without end, and not one answer is read.
    let requests = "GET /sandbox/tributos.json HTTP/1.1\r\nHost: taxd\r\n\r\n".repeat(1_000);
    deaf.pump(requests.as_bytes(), 64 * 1024 * 1024);
    assert!(serves_within(&server, Duration::from_secs(12)), "one client that does not read keeps its place for good");
    drop(deaf);
}

/// A byte now and then once kept the place, and the answer in memory, for as long as the caller liked.
#[test]
fn a_client_that_reads_a_byte_now_and_then_gives_its_place_back() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--body-timeout", "1"]);
    let mut slow = server.raw();
    slow.pump("GET /sandbox/tributos.json HTTP/1.1\r\nHost: taxd\r\n\r\n".repeat(1_000).as_bytes(), 64 * 1024 * 1024);
    let start = Instant::now();
    while !server.log().contains("a connection ended early") {
        slow.read_some(100);
        assert!(start.elapsed() < Duration::from_secs(20), "100 bytes now and then keep the connection");
        std::thread::sleep(Duration::from_millis(50));
    }
    still_well(&server);
}

#[test]
fn a_client_that_reads_slowly_but_steadily_gets_all() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--body-timeout", "2"]);
    let page = format!("GET /v1/regras?limit=500 HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\n", server.key);
    let whole = server.get_own("/v1/regras?limit=500").body.len();
    let mut slow = server.raw();
    slow.send(format!("{page}\r\n").repeat(5)).send(format!("{page}Connection: close\r\n\r\n"));
    let (start, mut read) = (Instant::now(), 0);
    while let Some(count) = slow.read_some(32 * 1024) {
        read += count;
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(read > 6 * whole, "{read} bytes of six times {whole}");
    assert!(start.elapsed() > Duration::from_secs(2), "{:?} is no test of the window", start.elapsed());
}

#[test]
fn connections_that_come_and_go_leave_nothing_behind() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--max-connections", "8"]);
    for i in 0..400 {
        let mut raw = server.raw();
        match i % 4 {
            0 => drop(raw),
            1 => {
                raw.send("GET /sand");
            }
            2 => {
                raw.send(server.head("Content-Length: 50\r\n\r\n{\"tri"));
            }
            _ => {
                raw.send(server.head("Content-Length: 2\r\n\r\n{}"));
            }
        }
    }
    assert!(serves_within(&server, Duration::from_secs(10)));
    still_well(&server);
}
