//! `GET /sandbox` and what the page loads.

use serde_json::Value;

use crate::support::DataDir;

const ASSETS: [(&str, &str); 4] = [
    ("/sandbox", "text/html; charset=utf-8"),
    ("/sandbox/app.js", "text/javascript; charset=utf-8"),
    ("/sandbox/style.css", "text/css; charset=utf-8"),
    ("/sandbox/tributos.json", "application/json"),
];

#[test]
fn every_asset_is_served_without_a_key_and_with_strict_headers() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for (path, kind) in ASSETS {
        let answer = server.get(path, &[]);
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some(kind));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert!(answer.header("x-request-id").is_some());
        assert!(answer.body.len() > 200, "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        let directives: Vec<&str> = policy.split(';').map(str::trim).collect();
        assert!(
            directives.contains(&"default-src 'none'") && directives.contains(&"frame-ancestors 'none'"),
            "{policy}"
        );
        for loose in ["unsafe-inline", "unsafe-eval", "*", "http:", "https:"] {
            assert!(!policy.contains(loose), "{loose}: {policy}");
        }
        // A picture written into the page itself is the only thing that may come as data.
        assert!(directives.iter().all(|d| d.starts_with("img-src ") || !d.contains("data:")), "{policy}");
    }
}

#[test]
fn a_known_version_is_answered_304() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for (path, _) in ASSETS {
        let etag = server.get(path, &[]).header("etag").expect("an ETag").to_owned();
        assert!(etag.starts_with('"') && etag.ends_with('"') && etag.len() > 10, "{etag}");
        for known in [etag.clone(), format!("W/{etag}"), format!("\"other\", {etag}")] {
            let answer = server.get(path, &[("If-None-Match", &known)]);
            assert_eq!((answer.status, answer.body.len()), (304, 0), "{path} {known}");
            assert_eq!(answer.header("etag"), Some(etag.as_str()));
        }
        assert_eq!(server.get(path, &[("If-None-Match", "\"other\"")]).status, 200);
    }
}

#[test]
fn head_is_get_without_a_body() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for (path, kind) in ASSETS {
        let whole = server.get(path, &[]);
        let mut raw = server.raw();
        raw.send(format!("HEAD {path} HTTP/1.1\r\nHost: taxd\r\nConnection: close\r\n\r\n"));
        let (bytes, _) = raw.read_to_close();
        let head = String::from_utf8(bytes).unwrap().to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        assert!(head.ends_with("\r\n\r\n"), "HEAD has a body: {head}");
        assert!(head.contains(&format!("content-type: {kind}")) && head.contains("etag: "), "{head}");
        // RFC 9110, 9.3.2 and 8.6: a Content-Length of HEAD is that of GET, or is left out.
        if let Some(length) = head.split("content-length: ").nth(1).and_then(|r| r.split("\r\n").next()) {
            assert_eq!(length, whole.body.len().to_string(), "{path}");
        }
    }
}

#[test]
fn other_methods_are_refused() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for (path, _) in ASSETS {
        let answer = server.post(path, "{}");
        answer.problem(405, "metodo_nao_permitido");
        assert_eq!(answer.header("allow"), Some("GET, HEAD"));
    }
}

#[test]
fn nothing_is_fetched_from_elsewhere() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for (path, _) in ASSETS {
        let text = server.get(path, &[]).text();
        for outside in
            ["http://", "https://", "src=\"//", "url(", "@import", "<style", " style=", " onclick", " onload"]
        {
            assert!(!text.contains(outside), "{path} holds {outside}");
        }
    }
    let page = server.get("/sandbox", &[]).text();
    let mut linked = 0;
    for reference in page.split(['"', '\'']).filter(|part| part.starts_with('/')) {
        assert_eq!(server.get(reference, &[]).status, 200, "{reference}");
        linked += 1;
    }
    assert!(linked >= 2, "the page links its script and its style");
    assert!(page.contains("lang=\"pt-BR\""));
}

#[test]
fn each_tax_has_its_fields_and_an_example_that_works() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let taxes = server.get("/sandbox/tributos.json", &[]).json();
    let names: Vec<&str> = taxes.as_array().unwrap().iter().map(|t| t["tributo"].as_str().unwrap()).collect();
    let contract = ["icms_st", "icms", "ipva", "itcmd", "iss", "iptu", "itbi", "ipi", "pis", "cofins", "cbs", "ibs"];
    assert_eq!(names, contract);
    for tax in taxes.as_array().unwrap() {
        let example = tax["exemplo"].as_str().unwrap();
        let answer = server.post("/v1/calculate?memoria=true", example).envelope();
        assert_eq!(answer["tributo"], tax["tributo"]);
        let payload: Value = serde_json::from_str(example).unwrap();
        let fields = tax["campos"].as_array().unwrap();
        for field in fields {
            let name = field["nome"].as_str().unwrap();
            assert!(field["rotulo"].as_str().is_some_and(|l| !l.is_empty()), "{field}");
            if field["obrigatorio"] == true {
                assert!(payload.get(name).is_some(), "the example of {} lacks {name}", tax["tributo"]);
            }
        }
        for (name, value) in payload.as_object().unwrap().iter().filter(|(n, _)| *n != "tributo") {
            let field = fields.iter().find(|f| f["nome"] == *name).unwrap_or_else(|| panic!("{name} is not declared"));
            if let Some(words) = field["valores"].as_array() {
                assert!(words.contains(value), "{name}: {value}");
            }
        }
    }
}
