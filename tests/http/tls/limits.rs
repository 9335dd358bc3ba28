//! Limits of a connection, over TLS and over HTTP/2.

use std::time::{Duration, Instant};

use hyper::Method;

use super::{Secured, good, still_well};
use crate::support::{Http2, Raw};

const LIMIT: usize = 64 * 1024;

#[test]
fn a_body_over_the_limit_is_a_413() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    let mut raw = server.raw_tls();
    let answer = raw.send(server.head(&format!("Content-Length: {}\r\n\r\n", LIMIT + 1))).send(" ".repeat(LIMIT + 1));
    answer.reply().problem(413, "corpo_grande_demais");
    assert!(raw.read_to_close().0.is_empty());
    let mut h2 = Http2::connect(server.port);
    let answer = h2.calculate(&server.key, " ".repeat(LIMIT + 1));
    answer.problem(413, "corpo_grande_demais");
    assert_eq!(answer.header("connection"), None, "a word of HTTP/1.1");
    // The same connection goes on, and a body at the limit passes through its window.
    let mut body = good().to_string();
    body.push_str(&" ".repeat(LIMIT - body.len()));
    assert_eq!(h2.calculate(&server.key, body).envelope()["valor"], "180.00");
}

#[test]
fn a_body_that_does_not_come_is_a_408() {
    let secured = Secured::new();
    let server = secured.serve(&["--body-timeout", "1"]);
    let mut h2 = Http2::connect(server.port);
    let mut slow = h2.begin(&server.key);
    slow.body.send_data("{".into(), false).unwrap();
    // Beside it others are answered.
    assert_eq!(h2.calculate(&server.key, good().to_string()).envelope()["valor"], "180.00");
    let start = Instant::now();
    h2.answer(slow).unwrap().problem(408, "tempo_esgotado");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_head_over_the_limit_is_a_431() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    let mut raw = server.raw_tls();
    let head = format!("GET /sandbox HTTP/1.1\r\nHost: taxd\r\nX-A: {}\r\n\r\n", "a".repeat(20_000));
    raw.send(head).reply().problem(431, "cabecalho_grande_demais");
    let mut h2 = Http2::connect(server.port);
    h2.get("/sandbox", &[("x-a", &"a".repeat(20_000))]).problem(431, "cabecalho_grande_demais");
    // What is larger still is refused by the HTTP library itself, without a document.
    let mut h2 = Http2::connect(server.port);
    if let Ok(sent) = h2.send(Method::GET, "/sandbox", &[("x-a", &"a".repeat(100_000))], true) {
        assert!(h2.answer(sent).map_or(true, |answer| answer.status == 431));
    }
    still_well(&server);
}

#[test]
fn one_connection_too_many_is_told_so_over_tls() {
    let secured = Secured::new();
    let server = secured.serve(&["--max-connections", "1"]);
    let mut held = server.raw_tls();
    assert_eq!(held.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
    for _ in 0..10 {
        let mut raw = server.raw_tls();
        let answer = raw.send("GET /sandbox HTTP/1.1\r\nHost: taxd\r\n\r\n").reply();
        answer.problem(503, "sobrecarga");
        assert_eq!(answer.header("retry-after"), Some("2"));
        assert!(raw.read_to_close().0.is_empty());
    }
    assert_eq!(held.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
}

/// A connection that says nothing is closed: after its handshake, after a request, in HTTP/1.1 and HTTP/2.
#[test]
fn a_connection_without_a_request_is_not_kept() {
    let secured = Secured::new();
    let server = secured.serve(&["--header-timeout", "1"]);
    let soon = |start: Instant| assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    for asks in [false, true] {
        let start = Instant::now();
        let mut raw = server.raw_tls();
        let mut h2 = Http2::connect(server.port);
        if asks {
            assert_eq!(raw.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
            assert_eq!(h2.get("/sandbox/base.css", &[]).status, 200);
        }
        assert!(raw.read_to_close().0.is_empty());
        // It is told that the connection ends, and that nothing was wrong.
        h2.wait_for_end().unwrap();
        soon(start);
    }
}

/// An answer that lies behind a window which its caller does not open: no write stalls, and still the
/// connection must end.
#[test]
fn who_does_not_take_its_answers_gives_its_place_back() {
    let secured = Secured::new();
    let server = secured.serve(&["--max-connections", "1", "--body-timeout", "1"]);
    let mut window = h2::client::Builder::new();
    window.initial_window_size(1_000);
    let mut deaf = Http2::connect_by(server.port, &window);
    let start = Instant::now();
    let sent = deaf.send(Method::GET, "/sandbox/tributos.json", &[], true).unwrap();
    let body = deaf.answer_unread(sent);
    // It goes on asking for other things and takes those, which is no excuse.
    while let Ok(sent) = deaf.send(Method::GET, "/sandbox/icon.svg", &[], true) {
        if deaf.answer(sent).is_err() {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "one answer that is not taken keeps its place for good");
    }
    assert!(start.elapsed() > Duration::from_millis(900), "{:?}", start.elapsed());
    drop(body);
    server.wait_for_log("a caller does not take its answers");
    let mut raw = Raw::connect_tls(server.port, crate::support::certificates::ALL_VERSIONS).unwrap();
    assert_eq!(raw.send("GET /sandbox HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
}

/// The same where the caller does not even read from its socket, over TLS.
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
