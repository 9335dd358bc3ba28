//! A stop over TLS: what is in flight is finished; nobody else delays it.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::{Secured, good};

#[test]
fn a_request_in_flight_is_finished_and_its_answer_closes_the_connection() {
    let secured = Secured::new();
    let mut server = secured.serve(&[]);
    let mut raw = server.raw_tls();
    let body = good().to_string();
    let (first, rest) = body.split_at(body.len() / 2);
    raw.send(server.head(&format!("Expect: 100-continue\r\nContent-Length: {}\r\n\r\n", body.len())));
    assert_eq!(raw.reply().status, 100, "the server waits for the body");
    raw.send(first);
    server.signal("TERM");
    server.wait_for_log("stopping");
    assert!(TcpStream::connect(("127.0.0.1", server.port)).is_err(), "a new connection is taken");
    let answer = raw.send(rest).reply();
    assert_eq!(answer.envelope()["valor"], "180.00");
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(raw.read_to_close().0.is_empty());
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn connections_without_a_request_do_not_delay_it() {
    let secured = Secured::new();
    let mut server = secured.serve(&[]);
    let mut used = server.raw_tls();
    assert_eq!(used.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
    let mut unused = server.raw_tls();
    // Half a handshake, and none.
    let mut half = server.raw();
    half.send([0x16, 3, 1, 2, 0, 1]);
    let mut silent = server.raw();
    let start = Instant::now();
    assert_eq!(server.stop("TERM").code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    for raw in [&mut used, &mut unused, &mut half, &mut silent] {
        assert!(raw.read_to_close().0.is_empty());
    }
}
