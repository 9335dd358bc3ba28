//! Keys that are missing, unknown or malformed, and a key that is never repeated.

use serde_json::Value;

use super::good;
use crate::support::{DataDir, Reply, Server};

fn with_key_line(server: &Server, line: &str) -> Reply {
    let body = good().to_string();
    let head = server.head(&format!("Content-Length: {}\r\n\r\n", body.len()));
    let mut raw = server.raw();
    raw.send(head.replace(&format!("X-API-Key: {}\r\n", server.key), line)).send(&body);
    raw.reply()
}

#[test]
fn a_missing_key() {
    let server = DataDir::served();
    for line in [
        String::new(),
        format!("Authorization: Bearer {}\r\n", server.key),
        format!("Cookie: X-API-Key={}\r\n", server.key),
    ] {
        let answer = with_key_line(&server, &line);
        answer.problem(401, "chave_ausente");
        assert!(answer.header("www-authenticate").is_some(), "RFC 9110, 11.6.1: a 401 names its scheme");
    }
    let in_query = server.get(&format!("/v1/calculate?X-API-Key={}", server.key), &[]);
    in_query.problem(401, "chave_ausente");
}

#[test]
fn unknown_and_malformed_keys_get_the_same_answer() {
    let server = DataDir::served();
    let flipped = |at: usize| {
        let mut key = server.key.clone().into_bytes();
        key[at] = if key[at] == b'0' { b'1' } else { b'0' };
        String::from_utf8(key).unwrap()
    };
    let last = server.key.len() - 1;
    let wrong = [
        flipped(last),
        flipped(12),
        server.key.to_uppercase(),
        server.key[..last].to_owned(),
        format!("{}0", server.key),
        server.key.replace("live", "test"),
        "svc_live_".to_owned(),
        "svc_test_".to_owned(),
        "x".to_owned(),
        String::new(),
        "chave".to_owned(),
        "é\u{ff}".to_owned(),
        "a".repeat(8_000),
        "' or '1'='1".to_owned(),
    ];
    let mut bodies: Vec<Value> = Vec::new();
    for key in wrong {
        let answer = with_key_line(&server, &format!("X-API-Key: {key}\r\n"));
        let mut problem = answer.problem(401, "chave_invalida");
        assert!(answer.header("www-authenticate").is_some());
        if key.len() > 9 {
            assert!(!answer.text().contains(&key), "the key is echoed: {problem}");
        }
        problem["request_id"].take();
        bodies.push(problem);
    }
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "{bodies:?}");
    assert_eq!(server.calculate(&good()).status, 200);
}

#[test]
fn the_key_is_asked_for_before_anything_is_said() {
    let server = DataDir::served();
    for path in ["/v1", "/v1/", "/v1/calculate", "/v1/regras", "/v1/nada"] {
        server.get(path, &[]).problem(401, "chave_ausente");
    }
    server.post_as("svc_test_x", "/v1/calculate?x=1", "not json").problem(401, "chave_invalida");
}

#[test]
fn keys_are_neither_answered_nor_logged() {
    let mut server = DataDir::served();
    let (key, unknown) = (server.key.clone(), "svc_live_0123456789abcdef0123456789abcdef0123456789abcdef01234567");
    let mut answers = vec![
        server.calculate(&good()),
        server.post("/v1/calculate", "{"),
        server.get("/v1/nada", &[("X-API-Key", &key)]),
    ];
    answers.push(server.post_as(unknown, "/v1/calculate", "{}"));
    let in_payload = format!("{{\"tributo\":\"cbs\",\"X-API-Key\":\"{key}\"}}");
    answers.push(server.post("/v1/calculate", in_payload));
    for answer in &answers {
        let all = format!("{:?} {}", answer.headers, answer.text());
        assert!(!all.contains(&key) && !all.contains(unknown), "{all}");
    }
    server.stop("TERM");
    let log = server.log();
    assert!(log.contains("stopped"), "the log was read to its end: {log}");
    for secret in [key.as_str(), unknown, &key["svc_test_".len()..]] {
        assert!(!log.contains(secret), "a key is in the log");
    }
}
