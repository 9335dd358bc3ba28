//! Bodies that are too large, too slow, cut short or badly framed.

use std::time::{Duration, Instant};

use super::{good, still_well};
use crate::support::{DataDir, Raw, Server};

const LIMIT: usize = 64 * 1024;

/// A good payload, filled up with spaces to so many bytes.
fn padded(bytes: usize) -> String {
    let mut body = good().to_string();
    body.push_str(&" ".repeat(bytes - body.len()));
    body
}

fn begin(server: &Server, more: &str) -> Raw {
    let mut raw = server.raw();
    raw.send(server.head(more));
    raw
}

/// The answer is 413, and nothing else comes on this connection.
#[track_caller]
fn too_large(raw: &mut Raw) {
    let answer = raw.reply();
    answer.problem(413, "corpo_grande_demais");
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(raw.read_to_close().0.is_empty());
}

#[test]
fn the_limit_is_64_kib() {
    let server = DataDir::served();
    assert_eq!(server.post("/v1/calculate", padded(LIMIT)).envelope()["valor"], "180.00");
    for bytes in [LIMIT + 1, 70 * 1024, 300 * 1024] {
        let mut raw = begin(&server, &format!("Content-Length: {bytes}\r\n\r\n"));
        too_large(raw.send(padded(bytes)));
        let mut raw = begin(&server, "Transfer-Encoding: chunked\r\n\r\n");
        too_large(raw.send(format!("{bytes:x}\r\n{}\r\n0\r\n\r\n", padded(bytes))));
    }
    let mut raw = begin(&server, "Transfer-Encoding: chunked\r\n\r\n");
    raw.send(format!("{LIMIT:x}\r\n{}\r\n0\r\n\r\n", padded(LIMIT)));
    assert_eq!(raw.reply().envelope()["valor"], "180.00");
    still_well(&server);
}

#[test]
fn a_gibibyte_that_is_only_announced() {
    let server = DataDir::served();
    let start = Instant::now();
    too_large(&mut begin(&server, "Content-Length: 1073741824\r\n\r\n"));
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    still_well(&server);
}

#[test]
fn a_gibibyte_is_not_asked_for() {
    let server = DataDir::served();
    // RFC 9110, 10.1.1: a server that will not read the body answers with the final status; a
    // "100 Continue" would invite the client to send all of it.
    let mut raw = begin(&server, "Expect: 100-continue\r\nContent-Length: 1073741824\r\n\r\n");
    too_large(&mut raw);
    still_well(&server);
}

#[test]
fn a_body_that_is_wanted_is_asked_for() {
    let server = DataDir::served();
    let body = good().to_string();
    let mut raw = begin(&server, &format!("Expect: 100-continue\r\nContent-Length: {}\r\n\r\n", body.len()));
    assert_eq!(raw.reply().status, 100);
    assert_eq!(raw.send(&body).reply().envelope()["valor"], "180.00");
}

#[test]
fn a_body_without_end() {
    let server = DataDir::served();
    let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
    let mut raw = begin(&server, "Transfer-Encoding: chunked\r\n\r\n");
    let most = 256 * 1024 * 1024;
    let sent = raw.pump(chunk.as_bytes(), most);
    assert!(sent < most / 2, "the server goes on reading after {sent} bytes");
    too_large(&mut raw);
    let mut tiny = begin(&server, "Transfer-Encoding: chunked\r\n\r\n");
    assert!(tiny.pump(b"1\r\n \r\n", most) < most / 2);
    too_large(&mut tiny);
    still_well(&server);
}

#[test]
fn a_body_that_stalls_is_a_408() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--body-timeout", "1"]);
    for (head, sent) in [
        ("Content-Length: 100\r\n\r\n", ""),
        ("Content-Length: 100\r\n\r\n", "{\"tributo\""),
        ("Transfer-Encoding: chunked\r\n\r\n", "5\r\n{\"tri"),
        ("Transfer-Encoding: chunked\r\n\r\n", ""),
    ] {
        let start = Instant::now();
        let mut raw = begin(&server, head);
        let answer = raw.send(sent).reply();
        answer.problem(408, "tempo_esgotado");
        assert_eq!(answer.header("connection"), Some("close"));
        assert!(raw.read_to_close().0.is_empty());
        let took = start.elapsed();
        assert!(took > Duration::from_millis(900) && took < Duration::from_secs(5), "{took:?}");
    }
    still_well(&server);
}

#[test]
fn a_body_that_drips_is_a_408_too() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--body-timeout", "1"]);
    let mut raw = begin(&server, "Content-Length: 1000\r\n\r\n");
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(2_500) {
        raw.send(" ");
        std::thread::sleep(Duration::from_millis(100));
    }
    raw.reply().problem(408, "tempo_esgotado");
    still_well(&server);
}

#[test]
fn a_body_cut_short_is_not_a_payload() {
    let server = DataDir::served();
    // The first is a whole document; what was announced has not come.
    for (head, sent) in [
        (format!("Content-Length: {}\r\n\r\n", good().to_string().len() + 1), good().to_string()),
        ("Content-Length: 100\r\n\r\n".to_owned(), "{".to_owned()),
        ("Transfer-Encoding: chunked\r\n\r\n".to_owned(), "5\r\n{\"tri".to_owned()),
        ("Transfer-Encoding: chunked\r\n\r\n".to_owned(), "2\r\n{}\r\n".to_owned()),
    ] {
        let mut raw = begin(&server, &head);
        raw.send(&sent).finish();
        let answer = raw.read_reply();
        assert!(answer.as_ref().is_none_or(|a| a.status == 400), "{answer:?}");
        if let Some(answer) = answer {
            answer.problem(400, "json_invalido");
        }
    }
    still_well(&server);
}

#[test]
fn bad_framing_is_a_400_and_ends_the_connection() {
    let server = DataDir::served();
    let framings = [
        "Content-Length: -1\r\n\r\n{}",
        "Content-Length: 1e3\r\n\r\n{}",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
        "Content-Length: 99999999999999999999999\r\n\r\n{}",
        "Content-Length: 0x2\r\n\r\n{}",
        "Content-Length: 2, 3\r\n\r\n{}",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        "Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n",
        "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n",
        "Transfer-Encoding: gzip\r\n\r\n{}",
        "Transfer-Encoding: chunked, identity\r\n\r\n{}",
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n",
    ];
    for framing in framings {
        let mut raw = begin(&server, framing);
        raw.finish();
        let status = raw.reply().status;
        assert_eq!(status, 400, "{framing:?}");
        assert!(raw.read_to_close().0.is_empty(), "{framing:?}");
    }
    still_well(&server);
}

/// hyper reads any list that ends with `chunked`; another server may read it as something else.
#[test]
fn a_transfer_coding_other_than_chunked_is_a_400_with_a_document() {
    let server = DataDir::served();
    for codings in
        ["gzip, chunked", "chunked, chunked", "chunked\r\nTransfer-Encoding: chunked", "x, chunked", ",chunked"]
    {
        let mut raw = begin(&server, &format!("Transfer-Encoding: {codings}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"));
        raw.reply().problem(400, "pedido_malformado");
        assert!(raw.read_to_close().0.is_empty(), "{codings}");
    }
    let mut raw = begin(&server, "Transfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
    raw.reply().problem(422, "campo_obrigatorio");
}

#[test]
fn length_and_chunks_together_do_not_hide_a_request() {
    let server = DataDir::served();
    // RFC 9112, 6.3: the chunks count, and the connection is closed after the answer.
    let hidden = server.head("Content-Length: 0\r\n\r\n");
    let mut raw = begin(&server, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n");
    raw.send("0\r\n\r\n").send(hidden);
    assert_eq!(raw.reply().status, 400);
    raw.finish();
    assert!(raw.read_to_close().0.is_empty(), "a second answer came");
}
