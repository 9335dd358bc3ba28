//! Queries, messages of the control socket and settings with a few bytes changed: each is answered or refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::Command;

use serde_json::Value;

use super::still_well;
use crate::fuzz::Input;
use crate::fuzz::bytes::damage_of;
use crate::support::{DataDir, finish, program};

/// How many of each are tried.
const QUERIES: usize = 2_000;
const MESSAGES: usize = 1_000;
const SETTINGS: usize = 150;

/// The bytes as an address: what no parser of addresses lets through is `%XX`.
fn escaped(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'?' | b'&' | b'=' | b'%' | b'+' | b'.' | b'_' | b'-' => {
            text + &char::from(*byte).to_string()
        }
        _ => text + &format!("%{byte:02X}"),
    })
}

#[test]
fn damaged_queries_are_answered_or_refused() {
    let mut server = DataDir::served();
    let seeds = [
        "tributo=icms&uf=SP&vigente_em=2026-03-10&limit=5",
        "municipio=S%C3%A3o%20Paulo&uf=SP&cursor=c64&limit=2",
        "desde=2026-01-01T00:00:00.000Z&limit=3",
        "recentes=5",
    ]
    .map(|seed| seed.as_bytes().to_vec());
    let paths = ["/v1/regras", "/v1/regras", "/v1/changelog", "/v1/usage"];
    let mut answered = 0;
    for (query, path) in damage_of(&seeds, QUERIES).zip(paths.into_iter().cycle()) {
        let path = format!("{path}?{}", escaped(&query));
        let input = Input { name: String::new(), path, body: None };
        let answer = server.raw().send(input.request(&server.key)).reply();
        let status = answer.status;
        answered += usize::from(status == 200);
        assert!(matches!(status, 200 | 400 | 422), "{status} answers {}", input.path);
        assert!(status == 200 || answer.json()["codigo"].is_string(), "{status} answers {}", input.path);
    }
    assert!((QUERIES / 20..QUERIES / 20 * 19).contains(&answered), "{answered} of {QUERIES} answered");
    still_well(&server);
    server.stop("TERM");
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[test]
fn damaged_messages_of_the_control_socket_are_answered_or_refused() {
    let dir = DataDir::ready();
    let mut server = dir.serve(&[]);
    let file = r#"{"pacote":"x","versao":"1","descricao":"x","regras":[]}"#;
    let import = r#"{"run":{"import":{"files":[{"name":"x.json"}],"dry_run":true,"require_signature":false}}}"#;
    let seeds = [
        "{\"run\":\"status\"}\n".to_owned(),
        "{\"run\":{\"account\":{\"show\":{\"account\":\"Um\",\"recent\":10}}}}\n".to_owned(),
        format!("{import}\n{}\n{file}", file.len()),
        "{\"run\":{\"account\":\"list\"}}\n".to_owned(),
    ]
    .map(String::into_bytes);
    let (mut done, mut refused) = (0, 0);
    for message in seeds.iter().cloned().chain(damage_of(&seeds, MESSAGES)) {
        let mut socket = UnixStream::connect(dir.socket()).unwrap();
        let mut hello = String::new();
        BufReader::new(&socket).read_line(&mut hello).unwrap();
        // An error is ignored: the server may have refused it before its end.
        let _ = socket.write_all(&message).and_then(|()| socket.shutdown(Shutdown::Write));
        let mut said = String::new();
        let _ = socket.read_to_string(&mut said);
        let last = said.lines().last().map(|line| serde_json::from_str::<Value>(line).unwrap());
        match last {
            Some(last) if last.get("done").is_some() => done += 1,
            Some(last) => {
                assert!(last.get("refused").is_some(), "{last} answers {}", String::from_utf8_lossy(&message));
                refused += 1;
            }
            None => {}
        }
    }
    assert!(done > MESSAGES / 50 && refused > MESSAGES / 5, "{done} done, {refused} refused");
    still_well(&server);
    server.stop("TERM");
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[test]
fn damaged_settings_are_taken_or_refused_by_line() {
    let dir = DataDir::empty();
    let seed =
        b"listen = \"127.0.0.1:8080\"\ncache_entries = 1000\nlog_format = \"json\"\nheader_timeout = 20\n".to_vec();
    let (mut taken, mut refused) = (0, 0);
    for settings in damage_of(&[seed], SETTINGS) {
        let file = dir.write("taxd.toml", &settings);
        let mut command = Command::new(program());
        command.env_clear().env("TAXD_DATA", dir.path());
        command.args(["serve", "--check-config", "--json", "--config"]).arg(file);
        let done = finish(command, b"");
        match done.code {
            0 => taken += 1,
            1 => {
                assert!(done.json()["erro"].as_str().is_some_and(|sentence| !sentence.is_empty()), "{done:?}");
                refused += 1;
            }
            code => panic!("{code}: {done:?}\n{}", String::from_utf8_lossy(&settings)),
        }
    }
    assert!(taken > 0 && refused > 0, "{taken} taken, {refused} refused");
}
