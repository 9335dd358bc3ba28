//! Keys of a running server: revoked, unknown, and at their end.

use serde_json::Value;

use super::good;
use crate::support::{DataDir, Reply, taxd};

/// A calculation on an open connection.
fn request(key: &str) -> String {
    let body = good().to_string();
    format!(
        "POST /v1/calculate HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn a_revoked_key_opens_nothing_from_the_next_call_of_an_open_connection_on() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Um", &[]);
    let other = dir.new_key(&account.client_id, "live");
    let mut raw = server.raw();
    for _ in 0..3 {
        assert_eq!(raw.send(request(&account.live.key)).reply().status, 200);
    }
    let revoked = taxd(&dir, ["key", "revoke", &account.live.key_id, "--json"]).ok().json();
    assert!(revoked["revoked_at"].is_string(), "{revoked}");
    for _ in 0..2 {
        raw.send(request(&account.live.key)).reply().problem(401, "chave_invalida");
    }
    // The same connection serves another key, and the account lives on.
    assert_eq!(raw.send(request(&other.key)).reply().status, 200);
    let again = taxd(&dir, ["key", "revoke", &account.live.key_id, "--json"]).ok().json();
    assert_eq!(again["revoked_at"], revoked["revoked_at"], "it was revoked once");
    let usage = server.usage(&other.key, 10);
    assert_eq!((&usage["total_chamadas"], &usage["status"]["erro_cliente_4xx"]), (&6.into(), &2.into()), "{usage}");
}

#[test]
fn no_answer_says_what_is_wrong_with_a_key() {
    let dir = DataDir::ready();
    let account = dir.account("Um", &[]);
    let ended = dir.new_key(&account.client_id, "live");
    taxd(&dir, ["key", "revoke", &account.live.key_id]).ok();
    taxd(&dir, ["key", "rotate", &ended.key_id, "--grace", "0s"]).ok();
    let unknown = "svc_live_0123456789abcdef0123456789abcdef0123456789abcdef01234567";
    let mistyped = account.live.key.replace('a', "b");
    let server = dir.serve(&[]);
    let told = |reply: Reply| -> (Value, Vec<(String, String)>) {
        let mut document = reply.problem(401, "chave_invalida");
        document["request_id"].take();
        let own = ["x-request-id", "date"];
        (document, reply.headers.into_iter().filter(|(name, _)| !own.contains(&name.as_str())).collect())
    };
    let bodies = [&account.live.key, &ended.key, unknown, &mistyped, "svc_live_", "x"]
        .map(|key| told(server.post_as(key, "/v1/calculate", good().to_string())));
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:#?}");
}

#[test]
fn only_the_status_distinguishes_a_mistyped_key_from_an_unknown_one() {
    let dir = DataDir::ready();
    let account = dir.account("Um", &[]);
    taxd(&dir, ["key", "revoke", &account.live.key_id]).ok();
    let server = dir.serve(&[]);
    for _ in 0..3 {
        server.get_as(&account.live.key, "/v1/usage").problem(401, "chave_invalida");
    }
    for key in [&account.live.key[..60], "svc_test_x"] {
        server.get_as(key, "/v1/usage").problem(401, "chave_invalida");
    }
    server.get("/v1/usage", &[]).problem(401, "chave_ausente");
    let status = taxd(&dir, ["status", "--json"]).ok().json();
    assert_eq!(status["refused_keys"], serde_json::json!({"mistyped": 2, "unknown": 3}));
    assert_eq!(dir.shown(&account.client_id)["usage"]["total_chamadas"], 3, "a revoked key is its account's");
}
