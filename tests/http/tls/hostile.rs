//! Callers that mean no good, before and after the handshake: they end in bounded time and memory.

use std::time::{Duration, Instant};

use super::{Secured, still_well};

#[test]
fn http_without_tls_is_answered_with_the_address_to_write() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    let body = format!("{}\r\n\r\n{}", "Content-Length: 60000", " ".repeat(60_000));
    for request in ["GET /sandbox HTTP/1.1\r\nHost: taxd\r\n\r\n".to_owned(), server.head(&body)] {
        let mut raw = server.raw();
        let answer = raw.send(request).reply();
        let told = answer.problem(400, "https_necessario");
        assert!(told["detail"].as_str().is_some_and(|text| text.contains("https://")), "{told}");
        raw.finish();
        assert!(raw.read_to_close().0.is_empty());
    }
    still_well(&server);
}

#[test]
fn a_handshake_that_stalls_or_is_none_ends() {
    let secured = Secured::new();
    let server = secured.serve(&["--header-timeout", "1"]);
    let garbage: [&[u8]; 7] = [
        b"",
        b"\x16",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x16\x03\x01\xff\xff",
        b"\x00\x01garbage\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x28",
        b"\x80\x2e\x01\x00\x02",
    ];
    for bytes in garbage {
        let mut raw = server.raw();
        let (answer, took) = raw.send(bytes).read_to_close();
        // A TLS alert, or nothing.
        assert!(answer.is_empty() || answer[0] == 0x15, "{answer:?} for {bytes:?}");
        assert!(took < Duration::from_secs(5), "{took:?} for {bytes:?}");
    }
    still_well(&server);
    assert!(!server.log().contains("ERROR"), "{}", server.log());
}

#[test]
fn handshakes_that_are_given_up_leave_nothing_behind() {
    let secured = Secured::new();
    let server = secured.serve(&["--max-connections", "8"]);
    for i in 0..200 {
        let mut raw = server.raw();
        match i % 3 {
            0 => drop(raw),
            1 => drop(raw.send(b"\x16\x03\x01\x02\x00\x01")),
            _ => drop(raw.send("GET / HTTP/1.1\r\n\r\n")),
        }
    }
    let start = Instant::now();
    while server.raw_tls().send("GET /sandbox HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status != 200 {
        assert!(start.elapsed() < Duration::from_secs(10), "the places are not given back");
    }
    still_well(&server);
}
