//! TLS 1.2 and 1.3 with HTTP/1.1, asked by two independent clients.

use std::process::Command;

use super::{Secured, good, still_well, text};
use crate::support::certificates::{ALL_VERSIONS, root_pem};
use crate::support::{DataDir, Raw, Server, finish};

#[test]
fn tls_1_2_and_1_3_are_spoken() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    assert!(server.greeting[0].contains(" on https://127.0.0.1:"), "{:?}", server.greeting);
    assert!(server.greeting[1].contains(" https://127.0.0.1:"), "{:?}", server.greeting);
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let mut raw = Raw::connect_tls(server.port, &[version]).unwrap();
        for _ in 0..2 {
            let body = good().to_string();
            raw.send(server.head(&format!("Content-Length: {}\r\n\r\n{body}", body.len())));
            assert_eq!(raw.reply().envelope()["valor"], "180.00", "{version:?}");
        }
    }
}

#[test]
fn the_page_is_served_over_tls() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    let mut raw = server.raw_tls();
    let page = raw.send("GET /sandbox HTTP/1.1\r\nHost: taxd\r\n\r\n").reply();
    assert!(page.status == 200 && page.text().contains("Calculadora taxd</title>"));
    assert_eq!(page.header("strict-transport-security"), None, "nobody is bound to HTTPS for ever");
    // A large answer, in many records.
    let taxes = raw.send("GET /sandbox/tributos.json HTTP/1.1\r\nHost: taxd\r\n\r\n").reply();
    assert_eq!(taxes.json().as_array().map(Vec::len), Some(20));
}

/// HTTP/2 let one caller keep a hundred unread answers on each connection.
#[test]
fn http_2_is_not_spoken() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    let get = "GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n";
    let mut either = Raw::connect_tls_offering(server.port, ALL_VERSIONS, &["h2", "http/1.1"]).unwrap();
    assert_eq!(either.send(get).reply().status, 200, "HTTP/1.1 is agreed on");
    for version in ALL_VERSIONS {
        let refused = Raw::connect_tls_offering(server.port, &[version], &["h2"]).err();
        let why = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(why.contains("NoApplicationProtocol"), "{version:?}: {why}");
    }
    // Without asking first, over TLS and over plain HTTP.
    let dir = DataDir::ready();
    let plain = dir.serve(&[]);
    for mut raw in [server.raw_tls(), plain.raw()] {
        raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
        assert!(raw.read_to_close().0.is_empty());
    }
    // An upgrade is not taken up: the request is answered as it is.
    let upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n";
    let answer = plain.raw().send(get.replacen("\r\n\r\n", &format!("\r\n{upgrade}"), 1)).reply();
    assert_eq!((answer.status, answer.header("upgrade")), (200, None));
    still_well(&server);
}

/// What `curl` prints of a page: protocol, status and the title of the page.
fn curl(server: &Server, secured: &Secured, args: &[&str]) -> String {
    let ca = secured.dir.write("root.pem", root_pem());
    let mut curl = Command::new("curl");
    curl.args(["-sS", "--max-time", "30", "--cacert", text(&ca), "-w", "\n%{http_version} %{http_code}"]);
    curl.args(args).arg(format!("https://localhost:{}/sandbox", server.port));
    finish(curl, b"").ok().stdout
}

#[test]
fn curl_is_answered_in_every_version() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    for args in [&[][..], &["--http1.1"], &["--tls-max", "1.2"], &["--no-alpn"]] {
        let said = curl(&server, &secured, args);
        assert!(said.contains("Calculadora taxd</title>") && said.ends_with("1.1 200"), "{args:?}: {said}");
    }
    still_well(&server);
}
