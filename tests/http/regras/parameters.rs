//! Faulty parameters, `ETag`, keys and methods.

use super::own_rules;
use crate::support::{Server, ids, rule};

const PATH: &str = "/v1/regras";

/// The parameters named by the refusal of a query.
#[track_caller]
fn faults(server: &Server, query: &str) -> Vec<String> {
    let problem = server.get_own(&format!("{PATH}?{query}")).problem(422, "parametro_invalido");
    let erros = problem["erros"].as_array().unwrap_or_else(|| panic!("{problem}"));
    assert!(erros.iter().all(|e| e["detail"].as_str().is_some_and(|d| d.len() > 5)), "{problem}");
    assert_eq!(problem["campo"], erros[0]["campo"]);
    erros.iter().map(|e| e["campo"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn all_faulty_parameters_are_named_at_once() {
    let own = own_rules();
    let server = own.serve();
    let mut named =
        faults(&server, "tributo=iof&uf=XX&limit=0&cursor=1&conferencia=lida&pagina=2&vigente_em=hoje&ncm=1&q=lei");
    named.sort_unstable();
    assert_eq!(named, ["conferencia", "cursor", "limit", "ncm", "pagina", "tributo", "uf", "vigente_em"]);
    assert_eq!(faults(&server, "uf=AC&uf=AM"), ["uf"], "twice");
    assert_eq!(faults(&server, "limit=1&limit=1"), ["limit"], "twice the same");
}

#[test]
fn more_than_fifty_parameters_are_refused_without_a_look_at_each() {
    // Each was compared with each: 4,000 of them cost 26 ms of a thread that serves.
    let own = own_rules();
    let server = own.serve();
    let query = |count: usize| (0..count).map(|i| format!("p{i}=x")).collect::<Vec<_>>().join("&");
    assert_eq!(faults(&server, &query(50)).len(), 50);
    for count in [51, 2_000] {
        let problem = server.get_own(&format!("{PATH}?{}", query(count))).problem(422, "parametro_invalido");
        assert!(problem.get("campo").is_none() && problem.get("erros").is_none(), "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("mais de 50 parâmetros") && detail.contains("rule_code"), "{detail}");
    }
}

#[test]
fn the_bounds_of_the_limit_are_in() {
    let own = own_rules();
    let server = own.serve();
    assert_eq!(server.regras("limit=1").len(), 1);
    assert_eq!(server.regras("limit=500").len(), super::COUNT);
}

#[test]
fn an_unchanged_listing_is_not_sent_again_and_a_changed_one_is() {
    let own = own_rules();
    let server = own.serve();
    let ask = |query: &str, tag: &str| {
        server.get(&format!("{PATH}{query}"), &[("X-API-Key", &server.key), ("If-None-Match", tag)])
    };
    let first = server.get_own(PATH);
    let tag = first.header("etag").unwrap().to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 10, "{tag}");
    for sent in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
        let reply = ask("", &sent);
        assert_eq!((reply.status, reply.body.len(), reply.header("etag")), (304, 0, Some(tag.as_str())), "{sent}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    }
    let bare = tag.trim_matches('"').to_owned();
    for sent in ["\"x\"", bare.as_str(), &format!("{tag}x")] {
        assert_eq!(ask("", sent).status, 200, "{sent}");
    }
    // Another query is another document.
    let other = ask("?tributo=ipva", &tag);
    assert_eq!(other.status, 200);
    assert_ne!(other.header("etag"), Some(tag.as_str()));
    assert_eq!(ask("?tributo=ipva", other.header("etag").unwrap()).status, 304);
    // A faulty query is refused whatever tag comes with it.
    ask("?limit=0", "*").problem(422, "parametro_invalido");
    // What publishes nothing changes nothing.
    let new = [rule("ipva-ba", "ipva", &serde_json::json!({"uf": "BA"}), &serde_json::json!({"aliquota": "2.00"}))];
    let file = own.dir.write("new.json", crate::support::bundle(&new));
    own.import(&file, &["--dry-run"]).ok();
    own.refused(&[crate::support::with(&new[0], &serde_json::json!({"conteudo": {}}))]);
    assert_eq!(ask("", &tag).status, 304);
    own.import(&file, &[]).ok();
    let changed = ask("", &tag);
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    let body = changed.json();
    assert!(ids(body["regras"].as_array().unwrap()).contains(&"ipva-ba-v1.0"));
    own.import(&file, &[]).ok();
    assert_eq!(ask("", changed.header("etag").unwrap()).status, 304, "the same bundle again");
}

#[test]
fn a_key_is_required_and_only_get_is_there() {
    let own = own_rules();
    let server = own.serve();
    let tag = server.get_own(PATH).header("etag").unwrap().to_owned();
    server.get(PATH, &[]).problem(401, "chave_ausente");
    server.get(PATH, &[("X-API-Key", "svc_live_nada")]).problem(401, "chave_invalida");
    server.get(PATH, &[("If-None-Match", &tag)]).problem(401, "chave_ausente");
    server.get(&format!("{PATH}?limit=0"), &[]).problem(401, "chave_ausente");
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        let head =
            format!("{method} {PATH} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\nContent-Length: 0\r\n\r\n", server.key);
        let reply = server.raw().send(head).reply();
        reply.problem(405, "metodo_nao_permitido");
        assert_eq!(reply.header("allow").map(|a| a.contains("GET") && !a.contains("POST")), Some(true), "{method}");
    }
}
