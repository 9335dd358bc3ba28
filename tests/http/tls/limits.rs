//! Limits of a connection, over TLS.

use std::time::{Duration, Instant};

use super::{Secured, good, still_well};

const LIMIT: usize = 64 * 1024;

#[test]
fn a_body_over_the_limit_is_a_413() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    let mut raw = server.raw_tls();
    let answer = raw.send(server.head(&format!("Content-Length: {}\r\n\r\n", LIMIT + 1))).send(" ".repeat(LIMIT + 1));
    answer.reply().problem(413, "corpo_grande_demais");
    assert!(raw.read_to_close().0.is_empty());
    let mut body = good().to_string();
    body.push_str(&" ".repeat(LIMIT - body.len()));
    let mut raw = server.raw_tls();
    let answer = raw.send(server.head(&format!("Content-Length: {LIMIT}\r\n\r\n{body}"))).reply();
    assert_eq!(answer.envelope()["valor"], "180.00");
}

#[test]
fn a_body_that_does_not_come_is_a_408() {
    let secured = Secured::new();
    let server = secured.serve(&["--body-timeout", "1"]);
    let mut slow = server.raw_tls();
    slow.send(server.head("Content-Length: 2\r\n\r\n{"));
    // Beside it others are answered.
    still_well(&server);
    let start = Instant::now();
    slow.reply().problem(408, "tempo_esgotado");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_head_over_the_limit_is_a_431() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    let mut raw = server.raw_tls();
    let head = format!("GET /sandbox HTTP/1.1\r\nHost: taxd\r\nX-A: {}\r\n\r\n", "a".repeat(20_000));
    raw.send(head).reply().problem(431, "cabecalho_grande_demais");
    still_well(&server);
}

#[test]
fn one_connection_too_many_is_answered_503_over_tls() {
    let secured = Secured::new();
    let server = secured.serve(&["--max-connections", "1"]);
    let mut held = server.in_flight(server.raw_tls());
    for _ in 0..10 {
        let mut raw = server.raw_tls();
        let answer = raw.send("GET /sandbox HTTP/1.1\r\nHost: taxd\r\n\r\n").reply();
        answer.problem(503, "sobrecarga");
        assert_eq!(answer.header("retry-after"), Some("2"));
        assert!(raw.read_to_close().0.is_empty());
    }
    held.send("{}").reply().problem(422, "campo_obrigatorio");
    let mut next = server.raw_tls();
    assert_eq!(
        next.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status,
        200,
        "one that is idle gives way"
    );
}

/// A connection that says nothing is closed: after its handshake, after a request.
#[test]
fn a_connection_without_a_request_is_not_kept() {
    let secured = Secured::new();
    let server = secured.serve(&["--header-timeout", "1"]);
    let soon = |start: Instant| assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    for asks in [false, true] {
        let start = Instant::now();
        let mut raw = server.raw_tls();
        if asks {
            assert_eq!(raw.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
        }
        assert!(raw.read_to_close().0.is_empty());
        soon(start);
    }
}

#[test]
fn who_does_not_read_gives_its_place_back() {
    let secured = Secured::new();
    let server = secured.serve(&["--max-connections", "1", "--header-timeout", "1", "--body-timeout", "1"]);
    let mut deaf = server.raw_tls();
    let requests = "GET /sandbox/tributos.json HTTP/1.1\r\nHost: taxd\r\n\r\n".repeat(1_000);
    deaf.pump(requests.as_bytes(), 64 * 1024 * 1024);
    server.wait_for_log("a connection ended early");
    still_well(&server);
}
