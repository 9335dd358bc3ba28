//! SIGTERM and SIGINT: what is in flight is finished, nothing new is begun, exit 0.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use taxd::features::import::{ImportCommand, ImportFile};
use taxd::features::{Command, control};

use crate::support::large::{EARLIER, earlier_bundle};
use crate::support::{DataDir, OwnRules};

fn payload() -> String {
    json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "2026-03-10"}).to_string()
}

#[test]
fn a_request_in_flight_is_finished() {
    for signal in ["TERM", "INT"] {
        let dir = DataDir::ready();
        let mut server = dir.serve(&[]);
        let body = payload();
        let (first, rest) = body.split_at(body.len() / 2);
        let mut raw = server.raw();
        raw.send(server.head(&format!("Expect: 100-continue\r\nContent-Length: {}\r\n\r\n", body.len())));
        // The interim answer says that the server is waiting for this very body.
        assert_eq!(raw.reply().status, 100);
        raw.send(first);
        server.signal(signal);
        server.wait_for_log("stopping");
        assert!(TcpStream::connect(("127.0.0.1", server.port)).is_err(), "a new connection is taken");
        let answer = raw.send(rest).reply();
        assert_eq!(answer.envelope()["valor"], "3.90");
        assert!(raw.read_to_close().0.is_empty(), "this was the last answer here");
        assert_eq!(server.wait().code(), Some(0), "{signal}");
        assert!(!dir.socket().exists(), "the control socket goes with the server");
    }
}

#[test]
fn a_request_that_begins_too_late_is_answered_503() {
    let mut server = DataDir::served();
    let body = payload();
    let request = server.head(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    let (begun, rest) = request.split_at(40);
    let mut raw = server.raw();
    assert_eq!(raw.send(&request).reply().status, 200);
    raw.send(begun);
    server.signal("TERM");
    server.wait_for_log("stopping");
    raw.send(rest);
    // Either the half head had been read, and the whole is refused; or the connection was idle and is closed.
    if let Some(answer) = raw.read_reply() {
        answer.problem(503, "encerrando");
        assert!(answer.header("retry-after").is_some());
    }
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn idle_connections_do_not_delay_it() {
    let mut server = DataDir::served();
    let mut used = server.raw();
    assert_eq!(used.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply().status, 200);
    let mut silent = server.raw();
    let start = Instant::now();
    assert_eq!(server.stop("TERM").code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(used.read_to_close().0.is_empty() && silent.read_to_close().0.is_empty());
}

#[test]
fn a_body_that_never_comes_delays_it_by_its_timeout_at_most() {
    let dir = DataDir::ready();
    let mut server = dir.serve(&["--body-timeout", "1"]);
    let mut raw = server.raw();
    raw.send(server.head("Expect: 100-continue\r\nContent-Length: 100\r\n\r\n"));
    assert_eq!(raw.reply().status, 100);
    let start = Instant::now();
    assert_eq!(server.stop("TERM").code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    raw.reply().problem(408, "tempo_esgotado");
}

/// Once the import was committed, but the command reported that the server had stopped before it answered.
#[test]
fn an_import_under_way_is_finished_and_answered() {
    let own = OwnRules::none();
    let mut server = own.serve();
    // Small enough to end within the 20 s that a stop waits for, also on a busy machine.
    let file = ImportFile { name: "regras.json".to_owned(), text: earlier_bundle(), signature: None };
    let command = Command::Import(ImportCommand { files: vec![file], ..ImportCommand::default() });
    let mut told = false;
    let done = control::call(&own.dir.path(), &command, &mut |_| {
        if !std::mem::replace(&mut told, true) {
            server.signal("TERM");
            server.wait_for_log("stopping");
        }
    });
    let report = done.expect("the server is up").unwrap();
    let report: serde_json::Value = serde_json::from_str(report.get()).unwrap();
    assert_eq!(report["publicadas"].as_array().map(Vec::len), Some(EARLIER));
    assert!(told, "the stop was asked for while it was under way");
    assert_eq!(server.wait().code(), Some(0));
    assert!(server.log().contains("stopped"), "{}", server.log());
}
