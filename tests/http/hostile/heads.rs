//! Request heads that are not HTTP, too large, or never complete.

use std::time::Duration;

use super::{good, still_well};
use crate::support::{DataDir, Raw};

#[test]
fn garbage_is_a_400_or_a_closed_connection() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--header-timeout", "1"]);
    let garbage: [&[u8]; 15] = [
        b"\x00\x01garbage\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaaaaaaaaaaaaaaaaaaaaa\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\n: empty\r\n\r\n",
        b"GET / HTTP/1.1\r\nA b: c\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: \x00\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\n\r\n",
        b"G\xc3\x89T / HTTP/1.1\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
        b"{\"tributo\":\"icms\"}",
        b"CONNECT taxd:443 HTTP/1.1\r\nHost: taxd\r\n\r\n",
    ];
    for bytes in garbage {
        let mut raw = server.raw();
        let (answer, took) = raw.send(bytes).read_to_close();
        let text = String::from_utf8_lossy(&answer);
        let refused = ["HTTP/1.1 400 ", "HTTP/1.1 404 "].iter().any(|s| text.starts_with(s));
        assert!(text.is_empty() || refused, "{}: {text}", String::from_utf8_lossy(bytes));
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
    still_well(&server);
}

/// Heads beyond the limit, each in its own way.
fn oversized() -> [String; 4] {
    [
        format!("GET /sandbox HTTP/1.1\r\nHost: taxd\r\nX-A: {}\r\n\r\n", "a".repeat(20_000)),
        format!("GET /sandbox HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\n\r\n", "a".repeat(40_000)),
        format!("GET /sandbox HTTP/1.1\r\nHost: taxd\r\n{}\r\n", "X-A: b\r\n".repeat(3_000)),
        format!("GET /{} HTTP/1.1\r\nHost: taxd\r\n\r\n", "a".repeat(17_000)),
    ]
}

#[test]
fn an_oversized_head_is_a_431() {
    let server = DataDir::served();
    for head in oversized() {
        let mut raw = server.raw();
        let answer = raw.send(&head).reply();
        assert!(matches!(answer.status, 414 | 431), "{} for {}", answer.status, &head[..40]);
    }
    let mut raw = server.raw();
    let sent = raw.pump(b"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", 64 * 1024 * 1024);
    assert!(sent < 32 * 1024 * 1024, "a head of {sent} bytes was read");
    still_well(&server);
}

#[test]
fn a_431_is_a_document_like_every_refusal() {
    let server = DataDir::served();
    // More than a hundred lines or 24 KiB are refused by hyper itself, without a document.
    for head in oversized().into_iter().filter(|head| head.lines().count() < 100 && head.len() < 24 * 1024) {
        let mut raw = server.raw();
        raw.send(head).reply().problem(431, "cabecalho_grande_demais");
    }
}

#[test]
fn a_head_that_stalls_ends_the_connection() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--header-timeout", "1"]);
    let closes = |raw: &mut Raw| {
        let (rest, took) = raw.read_to_close();
        assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&rest));
        assert!(took < Duration::from_secs(4), "{took:?}");
    };
    for head in [
        "",
        "G",
        "GET /sandbox HTTP/1.1\r\n",
        "GET /sandbox HTTP/1.1\r\nHost: taxd\r\n",
        "GET /sandbox HTTP/1.1\r\nHost: taxd\r\nX-",
    ] {
        closes(server.raw().send(head));
        // The same after a request that was answered.
        let mut raw = server.raw();
        assert_eq!(raw.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
        closes(raw.send(head));
    }
    still_well(&server);
}

#[test]
fn a_head_that_drips_ends_the_connection() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--header-timeout", "1"]);
    let mut raw = server.raw();
    raw.send("GET /sandbox HTTP/1.1\r\nHost: taxd\r\n");
    for _ in 0..25 {
        raw.send("X-A: b\r\n");
        std::thread::sleep(Duration::from_millis(100));
    }
    let (rest, took) = raw.send("\r\n").read_to_close();
    assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&rest));
    assert!(took < Duration::from_secs(1), "{took:?}");
}

/// RFC 9112, section 3.2: two servers could take the request to be for two different hosts.
#[test]
fn a_request_without_one_good_host_is_a_400_with_a_document() {
    let server = DataDir::served();
    for hosts in ["", "Host: a\r\nHost: a\r\n", "Host: a\r\nhost: b\r\n", "Host: a b\r\n", "Host: a/b\r\n"] {
        for target in ["/sandbox", "/v1/usage", "http://taxd/sandbox"] {
            let mut raw = server.raw();
            raw.send(format!("GET {target} HTTP/1.1\r\n{hosts}\r\n")).reply().problem(400, "pedido_malformado");
            assert!(raw.read_to_close().0.is_empty());
        }
    }
    for host in ["taxd", "taxd:8080", "127.0.0.1", "[::1]:8080", ""] {
        let answer = server.raw().send(format!("GET /sandbox HTTP/1.1\r\nHost: {host}\r\n\r\n")).reply();
        assert_eq!(answer.status, 200, "{host}");
    }
}

#[test]
fn http_1_0_is_spoken() {
    let server = DataDir::served();
    let body = good().to_string();
    let mut raw = server.raw();
    raw.send(server.head(&format!("Content-Length: {}\r\n\r\n{body}", body.len())).replacen("HTTP/1.1", "HTTP/1.0", 1));
    let answer = raw.reply();
    assert_eq!(answer.envelope()["valor"], "180.00");
    assert!(raw.read_to_close().0.is_empty(), "HTTP/1.0 ends with its answer");
}
