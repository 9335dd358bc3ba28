//! `RateLimit-*` on every answer of `/v1`, whatever becomes of the call.

use serde_json::json;
use taxd::features::Command;
use taxd::features::accounts::{AccountCommand, OverrideChange, OverrideChanges};
use taxd::features::keys::KeyCommand;

use crate::support::{InProcess, Raw, Reply};

/// A request written by hand: its first line, its headers beside the key, its body.
fn send<'r>(raw: &'r mut Raw, key: Option<&str>, first: &str, headers: &str, body: &str) -> &'r mut Raw {
    let key = key.map(|key| format!("X-API-Key: {key}\r\n")).unwrap_or_default();
    raw.send(format!("{first} HTTP/1.1\r\nHost: taxd\r\n{key}{headers}\r\n{body}"))
}

const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn every_answer_to_an_account_says_what_is_left() {
    let server = InProcess::start("2026-11-21T10:00:00Z");
    let etag = server.get_own("/v1/regras").header("etag").unwrap().to_owned();
    let no_rule = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "1.00", "data_operacao": "2026-03-10"});
    let post =
        |body: &str, length: usize| (JSON.to_owned() + &format!("Content-Length: {length}\r\n"), body.to_owned());
    let (ok, refused, broken) = (post(&no_rule.to_string(), no_rule.to_string().len()), post("{}", 2), post("{", 1));
    let (huge, slow) = (post("", 10 << 20), post("{", 2));
    let none = (String::new(), String::new());
    let text = ("Content-Type: text/plain\r\nContent-Length: 2\r\n".to_owned(), "{}".to_owned());
    let known = (format!("If-None-Match: {etag}\r\n"), String::new());
    let heavy = (format!("X-Ballast: {}\r\n", "a".repeat(17_000)), String::new());
    let expects = (huge.0.clone() + "Expect: 100-continue\r\n", String::new());
    let calls = [
        (200, "GET /v1/regras", &none),
        (200, "HEAD /v1/regras", &none),
        (200, "GET /v1/changelog", &none),
        (200, "GET /v1/usage", &none),
        (304, "GET /v1/regras", &known),
        (400, "POST /v1/calculate", &broken),
        (404, "POST /v1/calculate", &ok),
        (404, "GET /v1/nada", &none),
        (404, "GET /v1", &none),
        (405, "DELETE /v1/calculate", &none),
        (405, "BREW /v1/usage", &none),
        (408, "POST /v1/calculate", &slow),
        (413, "POST /v1/calculate", &expects),
        (415, "POST /v1/calculate", &text),
        (422, "POST /v1/calculate", &refused),
        (422, "GET /v1/usage?recentes=51", &none),
        (431, "GET /v1/regras", &heavy),
    ];
    for (i, (status, first, (headers, body))) in calls.into_iter().enumerate() {
        let mut raw = server.raw();
        let reply = send(&mut raw, Some(&server.key), first, headers, body).reply();
        assert_eq!(reply.status, status, "{first}: {reply:?}");
        // The first call was for the ETag; no time passes.
        assert_eq!(reply.limits(), [6_000, 6_000 - 2 - i as u64, 60], "{first} {status}");
        assert_eq!(reply.header("retry-after"), None, "{first} {status}");
    }
}

#[test]
fn who_brings_no_good_key_has_nothing() {
    let server = InProcess::start("2026-11-21T10:00:00Z");
    let revoked = server.new_key("live");
    server.admin(Command::Key(KeyCommand::Revoke { key_id: revoked.key_id }));
    let unknown = "svc_live_0123456789abcdef0123456789abcdef0123456789abcdef01234567";
    for key in [None, Some(""), Some("x"), Some(unknown), Some(&revoked.key)] {
        for first in ["GET /v1/regras", "GET /v1/nada", "DELETE /v1", "POST /v1/calculate"] {
            let reply = send(&mut server.raw(), key, first, "", "").reply();
            assert_eq!((reply.status, reply.limits()), (401, [0, 0, 0]), "{key:?} {first}");
        }
    }
}

#[test]
fn refused_calls_have_the_headers_too() {
    let server = InProcess::start("2026-11-21T10:00:00Z");
    let left = |reply: &Reply, status| {
        assert_eq!(reply.status, status);
        reply.limits()
    };
    server.except(OverrideChanges { rate_limit: Some(OverrideChange::Set(2)), ..OverrideChanges::default() });
    assert_eq!(left(&server.get_own("/v1/regras"), 200), [2, 1, 60]);
    server.admin(Command::Account(AccountCommand::Suspend { account: server.client_id.clone() }));
    assert_eq!(left(&server.get_own("/v1/regras"), 403), [2, 1, 60]);
    server.admin(Command::Account(AccountCommand::Resume { account: server.client_id.clone() }));
    assert_eq!(left(&server.get_own("/v1/regras"), 200), [2, 0, 60]);
    assert_eq!(left(&server.get_own("/v1/regras"), 429), [2, 0, 60]);
}

#[test]
fn what_lies_outside_the_api_has_no_limit() {
    let server = InProcess::start("2026-11-21T10:00:00Z");
    for path in ["/sandbox", "/nada"] {
        assert_eq!(server.get_own(path).header("ratelimit-limit"), None, "{path}");
    }
    assert_eq!(server.usage(&server.key, 1)["total_chamadas"], 0);
}

#[test]
fn a_caller_refused_while_still_sending_reads_the_refusal_and_keeps_the_connection() {
    let server = InProcess::start("2026-11-21T10:00:00Z");
    let own = Some(server.key.as_str());
    for (status, key, first, header) in [
        (401, None, "POST /v1/calculate", JSON),
        (404, own, "POST /v1/nada", JSON),
        (405, own, "PUT /v1/calculate", JSON),
        // Outside the API too: a page's part, an address that is nowhere, one that leads to another.
        (405, None, "POST /sandbox", JSON),
        (404, None, "POST /nada", JSON),
        (302, None, "POST /sandbox/", JSON),
        (415, own, "POST /v1/calculate", "Content-Type: text/plain\r\n"),
        (422, own, "POST /v1/calculate?x=1", JSON),
        (429, own, "POST /v1/calculate", JSON),
    ] {
        if status == 429 {
            server.except(OverrideChanges { rate_limit: Some(OverrideChange::Set(1)), ..OverrideChanges::default() });
        }
        let mut raw = server.raw();
        for _ in 0..50 {
            send(&mut raw, key, first, &format!("{header}Content-Length: 3000\r\n"), "");
            for _ in 0..3 {
                raw.send([b' '; 1_000]);
            }
            assert_eq!(raw.reply().status, status);
        }
    }
}
