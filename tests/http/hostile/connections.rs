//! Connections: pipelined, too many, or kept by a client that does not read.

use std::time::{Duration, Instant};

use super::{good, still_well};
use crate::support::{DataDir, Server};

#[test]
fn pipelined_requests_are_answered_in_order() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
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

#[test]
fn one_connection_too_many_is_told_so() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--max-connections", "1"]);
    let mut held = server.raw();
    assert_eq!(held.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
    for _ in 0..20 {
        let mut raw = server.raw();
        let answer = raw.send(server.head("Content-Length: 2\r\n\r\n{}")).reply();
        assert_eq!(answer.status, 503);
        let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!(seconds >= 1);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        assert_eq!(answer.json()["codigo"], "sobrecarga");
        assert!(raw.read_to_close().0.is_empty());
    }
    assert_eq!(held.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
    drop(held);
    assert!(serves_within(&server, Duration::from_secs(5)), "the place is not given back");
}

#[test]
fn the_answer_to_one_too_many_has_a_request_id() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--max-connections", "1"]);
    let mut held = server.raw();
    assert_eq!(held.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
    // Design, section 2: every answer has X-Request-Id.
    server.raw().send("GET /sandbox HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().problem(503, "sobrecarga");
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
