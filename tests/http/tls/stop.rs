//! A stop over TLS: what is in flight is finished, also in HTTP/2; nobody else delays it.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::{Secured, good};
use crate::support::Http2;

#[test]
fn a_request_in_flight_is_finished_and_the_connection_is_told_that_it_ends() {
    let secured = Secured::new();
    let mut server = secured.serve(&[]);
    let mut h2 = Http2::connect(server.port);
    let body = good().to_string();
    let (first, rest) = body.split_at(body.len() / 2);
    let mut sent = h2.begin(&server.key);
    sent.body.send_data(first.to_owned().into(), false).unwrap();
    // One that came after it is answered: the server has the first one's head.
    assert_eq!(h2.get("/sandbox/base.css", &[]).status, 200);
    server.signal("TERM");
    server.wait_for_log("stopping");
    assert!(TcpStream::connect(("127.0.0.1", server.port)).is_err(), "a new connection is taken");
    sent.body.send_data(rest.to_owned().into(), true).unwrap();
    assert_eq!(h2.answer(sent).unwrap().envelope()["valor"], "180.00");
    h2.wait_for_end().unwrap();
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn connections_without_a_request_do_not_delay_it() {
    let secured = Secured::new();
    let mut server = secured.serve(&[]);
    let mut used = Http2::connect(server.port);
    assert_eq!(used.get("/sandbox/base.css", &[]).status, 200);
    let mut unused = server.raw_tls();
    // Half a handshake, and none.
    let mut half = server.raw();
    half.send([0x16, 3, 1, 2, 0, 1]);
    let mut silent = server.raw();
    let start = Instant::now();
    assert_eq!(server.stop("TERM").code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    used.wait_for_end().unwrap();
    for raw in [&mut unused, &mut half, &mut silent] {
        assert!(raw.read_to_close().0.is_empty());
    }
}
