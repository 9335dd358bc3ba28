//! Requests that are HTTP and not a calculation: method, type, query, request id.

use std::collections::HashSet;

use super::{good, still_well};
use crate::support::DataDir;

#[test]
fn other_methods_are_405_with_allow() {
    let server = DataDir::served();
    for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "post"] {
        let mut raw = server.raw();
        raw.send(server.head("Content-Length: 0\r\n\r\n").replacen("POST", method, 1));
        let answer = raw.reply();
        answer.problem(405, "metodo_nao_permitido");
        assert_eq!(answer.header("allow"), Some("POST"), "{method}");
    }
    let mut raw = server.raw();
    raw.send(server.head("Connection: close\r\n\r\n").replacen("POST", "HEAD", 1));
    let (bytes, _) = raw.read_to_close();
    let head = String::from_utf8(bytes).unwrap();
    assert!(head.starts_with("HTTP/1.1 405 ") && head.ends_with("\r\n\r\n"), "{head}");
}

#[test]
fn other_content_types_are_415() {
    let server = DataDir::served();
    let body = good().to_string();
    let post = |kind: &str| {
        let head = server.head(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut raw = server.raw();
        raw.send(head.replace("Content-Type: application/json\r\n", kind)).send(&body);
        raw.reply()
    };
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Type: application/jsonp\r\n",
        "Content-Type: \r\n",
        "Content-Type: application/xml; application/json\r\n",
        "Content-Type: \u{fe}\u{ff}\r\n",
    ] {
        post(kind).problem(415, "tipo_de_conteudo");
    }
    for kind in ["application/json; charset=utf-8", "APPLICATION/JSON", "application/json;charset=UTF-8"] {
        assert_eq!(post(&format!("Content-Type: {kind}\r\n")).envelope()["valor"], "180.00", "{kind}");
    }
}

#[test]
fn unknown_parameters_are_422_and_all_named() {
    let server = DataDir::served();
    let cases: [(&str, &[&str]); 9] = [
        ("memoria=1", &["memoria"]),
        ("memoria", &["memoria"]),
        ("memoria=TRUE", &["memoria"]),
        ("memoria=tru%65%00", &["memoria"]),
        ("conhecido_em=ontem", &["conhecido_em"]),
        ("conhecido_em=2026-02-30T00:00:00Z", &["conhecido_em"]),
        ("Memoria=true", &["Memoria"]),
        ("limit=10", &["limit"]),
        ("memoria=true&a=1&b=2", &["a", "b"]),
    ];
    for (query, names) in cases {
        let problem =
            server.post(&format!("/v1/calculate?{query}"), good().to_string()).problem(422, "parametro_invalido");
        let mut named: Vec<&str> =
            problem["erros"].as_array().unwrap().iter().map(|e| e["campo"].as_str().unwrap()).collect();
        named.sort_unstable();
        assert_eq!(named, names, "{query}");
    }
    for query in ["%ff=1", "%zz=1", "%=1", "=1", "=", "a", "a=%ff", "%00=1"] {
        server.post(&format!("/v1/calculate?{query}"), good().to_string()).problem(422, "parametro_invalido");
    }
    for query in ["", "memoria=false", "&", "memoria=true", "mem%6Fria=true"] {
        assert_eq!(server.post(&format!("/v1/calculate?{query}"), good().to_string()).status, 200, "{query}");
    }
}

#[test]
fn a_well_formed_request_id_is_kept_and_any_other_replaced() {
    let server = DataDir::served();
    let longest = "a".repeat(128);
    for id in ["a", "0", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "a_b.C-9", longest.as_str()] {
        let answer = server.get("/v1/calculate", &[("X-Request-Id", id), ("X-API-Key", &server.key)]);
        answer.problem(405, "metodo_nao_permitido");
        assert_eq!(answer.header("x-request-id"), Some(id));
        assert_eq!(server.get("/sandbox", &[("X-Request-Id", id)]).header("x-request-id"), Some(id));
    }
    let mut made = HashSet::new();
    let too_long = "a".repeat(129);
    for id in ["", " ", "a b", "a\"b", "a,b", "a/b", "<b>", "a\u{e9}", "a\tb", too_long.as_str()] {
        let mut raw = server.raw();
        raw.send(server.head(&format!("X-Request-Id: {id}\r\nContent-Length: 2\r\n\r\n{{}}")));
        let answer = raw.reply();
        answer.problem(422, "campo_obrigatorio");
        let new = answer.header("x-request-id").unwrap().to_owned();
        assert_ne!(new, id);
        assert!(made.insert(new), "two requests with one id");
    }
}

#[test]
fn odd_paths_lead_nowhere() {
    let server = DataDir::served();
    for path in [
        "//v1/calculate",
        "/v1//calculate",
        "/v1/calculate%00",
        "/v1/%63alculate",
        "/v1/calculate;x",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/sandbox%2fapp.js",
        "/sandbox/..%2f",
        "/*",
    ] {
        let mut raw = server.raw();
        raw.send(server.head("Content-Length: 0\r\n\r\n").replacen("/v1/calculate", path, 1));
        raw.reply().problem(404, "rota_inexistente");
    }
    // The absolute form names the same resource (RFC 9112, 3.2.2).
    let body = good().to_string();
    let mut raw = server.raw();
    raw.send(server.head(&format!("Content-Length: {}\r\n\r\n{body}", body.len())).replacen(
        "/v1",
        "http://taxd/v1",
        1,
    ));
    assert_eq!(raw.reply().envelope()["valor"], "180.00");
    still_well(&server);
}

#[test]
fn a_refusal_before_the_body_is_heard_and_the_body_is_not_taken_for_a_request() {
    let server = DataDir::served();
    let smuggled = server.head("Content-Length: 0\r\n\r\n");
    let body = format!("{}{smuggled}", " ".repeat(60_000));
    let length = format!("Content-Length: {}\r\n\r\n", body.len());
    let heads = [
        (401, server.head(&length).replace(&server.key, "svc_test_nenhuma")),
        (415, server.head(&length).replace("application/json", "text/plain")),
        (404, server.head(&length).replacen("/v1/calculate", "/v1/nada", 1)),
        (405, server.head(&length).replacen("POST", "PUT", 1)),
        (422, server.head(&length).replacen("/v1/calculate", "/v1/calculate?x=1", 1)),
    ];
    for (status, head) in heads {
        let mut raw = server.raw();
        raw.send(head).send(&body);
        assert_eq!(raw.reply().status, status);
        raw.finish();
        let (rest, _) = raw.read_to_close();
        assert!(rest.is_empty(), "{status}: {}", String::from_utf8_lossy(&rest));
    }
    still_well(&server);
}
