//! Of a key nothing is left anywhere: not in an answer, the server's log, the data file, or
//! what the operator is shown, wherever its caller put it.

use std::fs;

use serde_json::{Value, json};

use super::kept;
use crate::support::{Account, DataDir, Key, Reply, Server, examples, taxd, with};

/// Letters and digits of a key in a row that may stand somewhere: less than any half of it.
const HARMLESS: usize = 19;

/// The secret part of keys, in pieces longer than is harmless.
struct Secrets(Vec<Vec<u8>>);

impl Secrets {
    fn of(keys: &[&Key]) -> Secrets {
        let pieces = keys.iter().flat_map(|key| key.key.as_bytes()[9..].windows(HARMLESS + 1));
        Secrets(pieces.map(<[u8]>::to_vec).collect())
    }

    /// A piece of a key in the bytes, in whatever case.
    fn found_in(&self, bytes: &[u8]) -> bool {
        let runs = bytes.split(|b| !b.is_ascii_alphanumeric()).filter(|run| run.len() > HARMLESS);
        runs.map(<[u8]>::to_ascii_lowercase).any(|run| {
            let mut pieces = run.windows(HARMLESS + 1);
            pieces.any(|piece| self.0.iter().any(|secret| secret == piece))
        })
    }

    #[track_caller]
    fn assert_absent(&self, bytes: &[u8], place: &str) {
        assert!(!self.found_in(bytes), "{place}: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(2_000)]));
    }

    #[track_caller]
    fn assert_not_answered(&self, reply: &Reply, place: &str) {
        let head: Vec<String> = reply.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        self.assert_absent(head.join("\n").as_bytes(), place);
        self.assert_absent(&reply.body, place);
    }
}

/// A key as it may stand in a text: whole, without its prefix, either half, in capitals.
fn shapes(key: &str) -> Vec<String> {
    let secret = &key[9..];
    let (first, second) = secret.split_at(secret.len() / 2);
    let mut shapes = [key, secret, first, second, &format!("svc_live_{second}")].map(str::to_owned).to_vec();
    shapes.push(key.to_uppercase());
    shapes
}

/// Every payload field of every tax, and names beside them, with the key in it.
fn payloads(server: &Server, key: &str) -> Vec<String> {
    let mut payloads = Vec::new();
    for (at, example) in examples(server).iter().enumerate() {
        let shapes = shapes(key);
        for (i, field) in example.as_object().unwrap().keys().enumerate() {
            let shape = &shapes[(at + i) % shapes.len()];
            for value in [json!(shape), json!([shape]), json!({ shape.as_str(): shape })] {
                payloads.push(with(example, &json!({ field.as_str(): value })).to_string());
            }
        }
        for shape in &shapes {
            payloads.push(with(example, &json!({ shape.as_str(): "1", "observacao": shape })).to_string());
        }
        let escaped = format!("\\u{:04x}{}", u32::from(key.as_bytes()[0]), &key[1..]);
        payloads.push(format!(r#"{{"tributo":"{escaped}","ncm":"{escaped}"}}"#));
        payloads.push(format!(r#"{{"tributo":{key}}}"#));
    }
    payloads
}

/// Requests by hand that carry the key in every other place.
fn requests(key: &str) -> Vec<String> {
    let mut requests = Vec::new();
    for shape in shapes(key) {
        for first in [
            format!("GET /v1/{shape}"),
            format!("GET /{shape}"),
            format!("GET /sandbox/{shape}"),
            format!("GET /v1/usage?recentes={shape}"),
            format!("GET /v1/usage?{shape}=1"),
            format!("GET /v1/regras?q={shape}&ncm={shape}&cursor={shape}&uf={shape}"),
            format!("GET /v1/changelog?desde={shape}"),
            format!("POST /v1/calculate?memoria={shape}"),
            format!("POST /v1/calculate?conhecido_em={shape}"),
            format!("{shape} /v1/calculate"),
            format!("{shape} /{shape}"),
            "GET /v1/usage".to_owned(),
        ] {
            requests.push(format!(
                "{first} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {key}\r\nX-Request-Id: {shape}\r\nUser-Agent: {shape}\r\n\
                 Content-Type: {shape}\r\nAuthorization: Bearer {shape}\r\nCookie: k={shape}\r\nIf-None-Match: \"{shape}\"\r\n\
                 X-{shape}: 1\r\nReferer: http://x/{shape}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            ));
        }
    }
    requests
}

/// What is said to the operator of the account, in every form.
fn shown(dir: &DataDir, account: &Account) -> Vec<String> {
    let commands: [&[&str]; 5] = [
        &["account", "show", &account.client_id, "--recent", "50"],
        &["account", "list"],
        &["key", "list"],
        &["plan", "list"],
        &["status"],
    ];
    let json = commands.map(|args| [args, &["--json"]].concat());
    commands.iter().map(|args| args.to_vec()).chain(json).map(|args| taxd(dir, args).ok().stdout).collect()
}

#[test]
fn no_key_leaves_a_trace_wherever_its_caller_puts_it() {
    let dir = DataDir::ready();
    let account = dir.account("Um", &["--rate-limit", "100000"]);
    let sandbox = dir.new_key(&account.client_id, "test");
    let mut server = dir.serve(&[]);
    let rotated = taxd(&dir, ["key", "rotate", &sandbox.key_id, "--json"]).ok().json();
    let rotated = Key::of(&rotated);
    let secrets = Secrets::of(&[&account.live, &sandbox, &rotated]);
    assert!(secrets.found_in(format!("x {} x", &account.live.key[30..]).as_bytes()), "the search finds half a key");

    let key = &account.live.key;
    let mut calls = 0;
    for payload in payloads(&server, key) {
        secrets.assert_not_answered(&server.post_as(key, "/v1/calculate", &payload), &payload);
        calls += 1;
    }
    for request in requests(key) {
        let (answer, _) = server.raw().send(&request).read_to_close();
        assert!(answer.starts_with(b"HTTP/1.1 "), "{request}");
        secrets.assert_absent(&answer, &request);
        calls += usize::from(request.contains("/v1/"));
    }
    for other in [&sandbox, &rotated] {
        let reply = server.post_as(&other.key, "/v1/calculate", json!({"tributo": other.key}).to_string());
        secrets.assert_not_answered(&reply, "sandbox");
    }
    secrets.assert_not_answered(&server.get_as(key, "/v1/usage?recentes=50"), "usage");
    for key_id in [&account.live.key_id, &sandbox.key_id] {
        taxd(&dir, ["key", "revoke", key_id]).ok();
    }
    secrets.assert_not_answered(&server.get_as(key, "/v1/usage"), "revoked");
    let given_itself = taxd(&dir, ["key", "revoke", key.as_str()]);
    assert_eq!(given_itself.code, 1);
    secrets.assert_absent(given_itself.stderr.as_bytes(), "the key in the place of its id");
    for text in shown(&dir, &account) {
        secrets.assert_absent(text.as_bytes(), "running");
    }

    assert!(server.stop("TERM").success());
    let log = server.log();
    assert!(log.contains("stopped") && log.contains(&sandbox.key_id), "the log was read to its end: {log}");
    secrets.assert_absent(log.as_bytes(), "the log");
    for text in shown(&dir, &account) {
        secrets.assert_absent(text.as_bytes(), "stopped");
    }
    // The whole file, with the pages that are free again; the calls in it are compressed.
    let file = fs::read(dir.file()).unwrap();
    assert!(file.windows(sandbox.key_id.len()).any(|w| w == sandbox.key_id.as_bytes()), "the scan finds what is there");
    secrets.assert_absent(&file, "the data file");
    let rows: Vec<String> = kept(&dir, &account.client_id).iter().map(|call| format!("{call:?}")).collect();
    assert_eq!(rows.len(), calls + 4, "every call was logged");
    assert!(rows.iter().any(|row| row.contains("[removido]")));
    for row in rows {
        secrets.assert_absent(row.as_bytes(), "the call log");
    }
}

#[test]
fn no_more_is_shown_of_a_call_than_is_kept() {
    let dir = DataDir::ready();
    let mut server = dir.serve(&[]);
    let account = dir.account("Um", &[]);
    let secret = &account.live.key[9..];
    let payload = json!({"tributo": "ipi", "ncm": secret, "ex": "x".repeat(300), "valor_produto": {"a": secret},
        "cliente": "Fulano", "data_operacao": "2026-03-10"});
    server.post_as(&account.live.key, "/v1/calculate", payload.to_string()).problem(422, "payload_invalido");
    let wanted: Value = json!({"tributo": "ipi", "ncm": "[removido]", "ex": format!("{}…", "x".repeat(64)),
        "valor_produto": "[objeto]", "data_operacao": "2026-03-10"});
    assert_eq!(server.usage(&account.live.key, 1)["recentes"][0]["request"], wanted);
    assert!(server.stop("TERM").success());
    assert_eq!(dir.shown(&account.client_id)["usage"]["recentes"][1]["request"], wanted, "read from the file");
}
