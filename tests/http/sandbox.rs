//! `GET /sandbox` and what the page loads.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::support::{DataDir, Reply, Server, declared_taxes, taxd};

/// Bytes of the whole page as a browser is sent them, in gzip: its HTML, icon and styles, the scripts of all parts and all the
/// data that they read, but for the form of a rule of the office, a file a tax that "Tenho a lei" reads.
const MAX_PAGE_BYTES: usize = 110 * 1024;

/// The files of the page: those of its shell, and those of each feature.
fn page_files() -> Vec<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source.join("page")];
    folders.extend(std::fs::read_dir(source.join("features")).unwrap().map(|entry| entry.unwrap().path()));
    let files =
        folders.into_iter().filter(|folder| folder.is_dir()).flat_map(|folder| std::fs::read_dir(folder).unwrap());
    files.map(|entry| entry.unwrap().path()).filter(|file| file.is_file()).collect()
}

/// Path and type of every file of the page: those beside the handler, and what is made of the
/// declaration of the taxes.
fn assets() -> Vec<(String, &'static str)> {
    let names = page_files().into_iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned());
    let mut found: Vec<(String, &str)> = names
        .filter_map(|name| match name.rsplit_once('.').unwrap().1 {
            "html" => Some(("/sandbox".to_owned(), "text/html; charset=utf-8")),
            "svg" => Some((format!("/sandbox/{name}"), "image/svg+xml")),
            _ => None,
        })
        .collect();
    found.extend(["app", "partes"].map(|name| (format!("/sandbox/{name}.js"), "text/javascript; charset=utf-8")));
    found.push(("/sandbox/base.css".to_owned(), "text/css; charset=utf-8"));
    found.extend(["dados", "tributos", "operacao"].map(|name| (format!("/sandbox/{name}.json"), "application/json")));
    found
}

fn text_of(name: &str) -> String {
    std::fs::read_to_string(page_files().iter().find(|file| file.ends_with(name)).unwrap()).unwrap()
}

/// All styles as one: those of the shell, then those of the parts by name.
fn styles() -> String {
    let shell = ["base.css", "parts.css", "print.css"];
    let names = page_files().into_iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned());
    let parts: BTreeSet<String> =
        names.filter(|name| name.rsplit_once('.').unwrap().1 == "css" && !shell.contains(&name.as_str())).collect();
    shell.into_iter().map(text_of).chain(parts.iter().map(|name| text_of(name))).collect()
}

/// A file as a caller with this `Accept-Encoding` gets it.
fn encoded(server: &Server, path: &str, accepted: &str) -> Reply {
    let mut raw = server.raw();
    raw.send(format!("GET {path} HTTP/1.1\r\nHost: taxd\r\nConnection: close\r\n{accepted}\r\n"));
    raw.reply()
}

#[test]
fn every_asset_is_served_without_a_key_and_with_strict_headers() {
    let server = DataDir::served();
    for (path, kind) in assets() {
        let path = path.as_str();
        let answer = server.get(path, &[]);
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some(kind));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert!(answer.header("x-request-id").is_some());
        assert!(answer.body.len() > 100, "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        let directives: Vec<&str> = policy.split(';').map(str::trim).collect();
        assert!(
            directives.contains(&"default-src 'none'") && directives.contains(&"frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(directives.contains(&"require-trusted-types-for 'script'"), "{policy}");
        for loose in ["unsafe-inline", "unsafe-eval", "*", "http:", "https:", "data:"] {
            assert!(!policy.contains(loose), "{loose}: {policy}");
        }
    }
}

#[test]
fn a_known_version_is_answered_304() {
    let server = DataDir::served();
    for (path, _) in assets() {
        let path = path.as_str();
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

/// A browser would otherwise learn of the data only from the script.
#[test]
fn the_first_view_is_asked_for_at_once() {
    let server = DataDir::served();
    let page = server.get("/sandbox", &[]).text();
    let links: Vec<&str> = page.split("<link rel=\"preload\"").skip(1).collect();
    assert!(matches!(links[..], [only] if only.contains("href=\"/sandbox/dados.json\"")), "{links:?}");
    let modules = |path: &str| -> BTreeSet<String> {
        let map = server.get(path, &[]).json();
        let sections = map["sections"].as_array().unwrap().iter();
        sections.map(|section| section["map"]["sources"][0].as_str().unwrap().to_owned()).collect()
    };
    let (first, rest) = (modules("/sandbox/app.js.map"), modules("/sandbox/partes.js.map"));
    assert!(first.contains("calculate.js") && rest.contains("documentos.js") && first.is_disjoint(&rest), "{first:?}");
    let scripts: BTreeSet<String> = page_files()
        .iter()
        .map(|file| file.file_name().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name.rsplit_once('.').unwrap().1 == "js")
        .collect();
    assert_eq!(&first | &rest, scripts);
}

#[test]
fn the_whole_page_is_light() {
    let server = DataDir::served();
    let sent = |path: &str| encoded(&server, path, "Accept-Encoding: gzip\r\n").body.len();
    // These are for who writes a caller of the API; the page has them in its data.
    let read =
        assets().into_iter().filter(|(path, _)| !path.contains("tributos.json") && !path.contains("operacao.json"));
    let bytes: usize = read.map(|(path, _)| sent(&path)).sum();
    assert!(bytes < MAX_PAGE_BYTES, "{bytes} bytes");
}

/// A line as it travels: without its indentation, without comments and types.
fn travelling(source: &str, line: &str, number: usize) -> String {
    assert_eq!(line.matches('`').count() % 2, 0, "{source}:{number}: a text of several lines");
    let line = line.trim_start();
    let is_type = line.starts_with("/**") && line.ends_with("*/");
    if is_type || line.starts_with("//") { String::new() } else { line.to_owned() }
}

#[test]
fn styles_travel_as_they_are_but_for_comments_and_spaces() {
    let (source, served) = (styles(), DataDir::served().get("/sandbox/base.css", &[]).text());
    let bare = |line: &str| line.replace(' ', "").replace(";}", "}");
    let lines = (1..).zip(source.lines()).map(|(i, line)| bare(&travelling("base.css", line, i)));
    let wanted: Vec<String> = lines.map(|line| if line.starts_with("/*") { String::new() } else { line }).collect();
    assert_eq!(served.lines().map(bare).collect::<Vec<_>>(), wanted);
    assert!(served.contains("content: \": \"") && served.contains("rgb(20 30 25 / .05)"), "spaces of a text stay");
}

/// A line without comments and spaces, each of its words as one letter: names of variables travel shortened.
fn bare(line: &str) -> String {
    let mut parts = line.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    let code = parts.fold(first, |code, part| code + part.split_once("*/").map_or("", |(_, after)| after));
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    code.replace(' ', "").split(is_word).filter(|signs| !signs.is_empty()).collect::<Vec<_>>().join("w")
}

/// The texts in a line, whose spaces are theirs.
fn texts(line: &str) -> Vec<&str> {
    line.split('"').skip(1).step_by(2).collect()
}

/// An error names a file of scripts and a line of it; the map of the file leads to the script and its line.
#[test]
fn the_map_of_a_file_of_scripts_leads_to_each_line_of_its_sources() {
    let server = DataDir::served();
    for file in ["app", "partes"] {
        let text = server.get(&format!("/sandbox/{file}.js"), &[]).text();
        assert!(text.ends_with(&format!("\n//# sourceMappingURL={file}.js.map\n")));
        let served: Vec<&str> = text.lines().collect();
        let map = server.get(&format!("/sandbox/{file}.js.map"), &[]).json();
        assert_eq!(map["version"], 3);
        for section in map["sections"].as_array().unwrap() {
            let name = section["map"]["sources"][0].as_str().unwrap();
            let source = text_of(name);
            assert_eq!(section["map"]["sourcesContent"][0], source);
            let mappings = section["map"]["mappings"].as_str().unwrap().split(';');
            let first = usize::try_from(section["offset"]["line"].as_u64().unwrap()).unwrap();
            let lines: Vec<String> =
                source.lines().zip(1..).map(|(line, number)| travelling(name, line, number)).collect();
            let mut at = 0;
            let mut passed = 0;
            for (i, mapping) in mappings.enumerate() {
                let digit = mapping.strip_prefix("AA").unwrap().strip_suffix('A').unwrap();
                let lines_on = "ACEGIKMOQSUWYace".find(digit).unwrap();
                passed += lines.iter().skip(at + 1).take(lines_on.saturating_sub(1)).filter(|l| !l.is_empty()).count();
                at += lines_on;
                let (line, sent) = (&lines[at], served[first + i]);
                if let Some(import) = line.strip_prefix("import { ") {
                    assert!(import.contains(" } from \"./") && import.ends_with(".js\";"), "{name}:{}", at + 1);
                    assert!(sent.is_empty() || sent.starts_with("let{"), "{name}:{}: {sent}", at + 1);
                } else if name != "load.js" {
                    let source = line.strip_prefix("export ").unwrap_or(line);
                    assert_eq!(bare(sent), bare(source), "{name}:{}", at + 1);
                    // A template, a text in other quotes or a pattern may have quotation marks, which begin no text.
                    if !source.contains(['`', '\'', '/']) {
                        assert_eq!(texts(sent), texts(source), "{name}:{}", at + 1);
                    }
                }
            }
            let imports = lines.iter().filter(|line| line.starts_with("import ")).count();
            assert!(passed <= imports, "{name}: only imports and empty lines are left out");
        }
    }
}

#[test]
fn who_takes_gzip_gets_it_under_a_tag_of_its_own() {
    let server = DataDir::served();
    for (path, kind) in assets() {
        let plain = encoded(&server, &path, "");
        assert_eq!(plain.header("content-encoding"), None);
        let tags: BTreeSet<String> = ["gzip", "deflate, gzip;q=0.5, br", "X-GZIP", "*", "identity;q=0.1, *;q=0.2"]
            .iter()
            .map(|accepted| {
                let packed = encoded(&server, &path, &format!("Accept-Encoding: {accepted}\r\n"));
                assert_eq!(packed.header("content-encoding"), Some("gzip"), "{path} {accepted}");
                assert_eq!(
                    (packed.header("content-type"), packed.header("vary")),
                    (Some(kind), Some("accept-encoding"))
                );
                assert!(packed.body.len() < plain.body.len(), "{path}");
                let mut unpacked = Vec::new();
                GzDecoder::new(packed.body.as_slice()).read_to_end(&mut unpacked).unwrap();
                assert_eq!(unpacked, plain.body, "{path}");
                packed.header("etag").unwrap().to_owned()
            })
            .collect();
        let tag = tags.first().unwrap();
        assert_eq!(tags.len(), 1, "{path}");
        assert_ne!(plain.header("etag"), Some(tag.as_str()), "{path}");
        for refused in ["gzip;q=0", "gzip; Q=0.000, *", "*;q=0", "br, deflate", "identity", "*, gzip;q=0", ""] {
            let answer = encoded(&server, &path, &format!("Accept-Encoding: {refused}\r\n"));
            assert_eq!((answer.header("content-encoding"), &answer.body), (None, &plain.body), "{path} {refused}");
            assert_eq!(answer.header("vary"), Some("accept-encoding"));
        }
        let known = encoded(&server, &path, &format!("Accept-Encoding: gzip\r\nIf-None-Match: {tag}\r\n"));
        assert_eq!((known.status, known.body.len(), known.header("etag")), (304, 0, Some(tag.as_str())));
        assert_eq!((known.header("vary"), known.header("content-encoding")), (Some("accept-encoding"), None));
        let other = encoded(&server, &path, &format!("If-None-Match: {tag}\r\n"));
        assert_eq!(other.status, 200, "the tag of one coding is not that of another");
    }
}

#[test]
fn head_is_get_without_a_body() {
    let server = DataDir::served();
    for (path, kind) in assets() {
        let path = path.as_str();
        let whole = server.get(path, &[]);
        let mut raw = server.raw();
        raw.send(format!("HEAD {path} HTTP/1.1\r\nHost: taxd\r\nConnection: close\r\n\r\n"));
        let (bytes, _) = raw.read_to_close();
        let head = String::from_utf8(bytes).unwrap().to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        assert!(head.ends_with("\r\n\r\n"), "HEAD has a body: {head}");
        assert!(head.contains(&format!("content-type: {kind}")) && head.contains("etag: "), "{head}");
        // RFC 9110, 9.3.2 and 8.6: the Content-Length of HEAD is that of GET.
        let length = head.split("content-length: ").nth(1).and_then(|r| r.split("\r\n").next());
        assert_eq!(length, Some(whole.body.len().to_string().as_str()), "{path}");
    }
}

#[test]
fn other_methods_are_refused() {
    let server = DataDir::served();
    for (path, _) in assets() {
        let path = path.as_str();
        let answer = server.post(path, "{}");
        answer.problem(405, "metodo_nao_permitido");
        assert_eq!(answer.header("allow"), Some("GET, HEAD"));
    }
}

#[test]
fn nothing_is_fetched_from_elsewhere() {
    let server = DataDir::served();
    for (path, _) in assets() {
        let path = path.as_str();
        // The namespace of SVG looks like an address but loads nothing.
        let text = server.get(path, &[]).text().replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
        for outside in
            ["http://", "https://", "src=\"//", "url(", "@import", "<style", " style=", " onclick", " onload"]
        {
            assert!(!text.contains(outside), "{path} holds {outside}");
        }
    }
    let page = server.get("/sandbox", &[]).text();
    let mut linked = 0;
    for reference in page.split(['"', '\'']).filter(|part| part.starts_with("/sandbox")) {
        assert_eq!(server.get(reference, &[]).status, 200, "{reference}");
        linked += 1;
    }
    assert!(linked >= 2, "the page links its script and its style");
    assert!(page.contains("lang=\"pt-BR\""));
}

#[test]
fn each_tax_has_its_fields_and_an_example_that_works() {
    let server = DataDir::served();
    let taxes = declared_taxes(&server);
    let names: Vec<&str> = taxes.iter().map(|t| t["tributo"].as_str().unwrap()).collect();
    let contract = ["icms_st", "icms", "ipva", "itcmd", "iss", "iptu", "itbi", "ipi", "pis", "cofins", "cbs", "ibs"];
    assert_eq!(names[..12], contract);
    let added = [
        "icms_consumidor_final",
        "simples_nacional",
        "irrf_servicos",
        "csll_retida",
        "pis_retido",
        "cofins_retida",
        "inss_retido",
        "iss_retido",
    ];
    assert_eq!(names[12..], added, "added to the contract");
    let ufs = server.get("/sandbox/dados.json", &[]).json()["ufs"].clone();
    assert_eq!(ufs.as_array().map(Vec::len), Some(27));
    for tax in &taxes {
        let payload = &tax["exemplo"];
        let answer = server.post("/v1/calculate?memoria=true", payload.to_string()).envelope();
        assert_eq!(answer["tributo"], tax["tributo"]);
        assert!(["sigla", "nome"].iter().all(|name| tax[name].as_str().is_some_and(|t| t.len() > 2)), "{tax}");
        let members = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let shown: Vec<String> = members(&answer["detalhes"]).into_iter().filter(|name| name != "memoria").collect();
        assert!(shown.iter().all(|name| tax["detalhes"][name][0].as_str().is_some_and(|l| l.len() > 3)), "{tax}");
        let fields = tax["campos"].as_array().unwrap();
        for field in fields {
            let name = field["nome"].as_str().unwrap();
            assert!(field["rotulo"].as_str().is_some_and(|l| !l.is_empty()), "{field}");
            assert!(field["tipo"].as_str().is_some_and(|t| !t.is_empty()), "{field}");
            if let Some(default) = field["padrao"].as_str() {
                serde_json::from_str::<Value>(default).expect("a default is JSON text");
            }
            if field["obrigatorio"] == true {
                assert!(payload.get(name).is_some(), "the example of {} lacks {name}", tax["tributo"]);
            }
        }
        for (name, value) in payload.as_object().unwrap().iter().filter(|(n, _)| *n != "tributo") {
            let field = fields.iter().find(|f| f["nome"] == *name).unwrap_or_else(|| panic!("{name} is not declared"));
            if let Some(words) = field["valores"].as_array() {
                assert!(words.contains(value), "{name}: {value}");
            }
            if field["tipo"] == "uf" {
                assert!(ufs.as_array().unwrap().contains(value), "{name}: {value}");
            }
        }
    }
}

/// The bare address of the server once answered a browser with a JSON document.
#[test]
fn a_browser_without_the_address_of_the_page_finds_it() {
    let server = DataDir::served();
    for (path, target) in [("/", "/sandbox"), ("/sandbox/", "/sandbox"), ("/favicon.ico", "/sandbox/icon.svg")] {
        let reply = encoded(&server, path, "");
        assert_eq!((reply.status, reply.header("location"), reply.body.len()), (302, Some(target), 0), "{path}");
        assert_eq!(server.get(target, &[]).status, 200);
    }
}

/// An exhausted key once could not even show its consumption, and half an hour of reading rules used 150 calls.
#[test]
fn look_ups_of_the_page_use_no_quota_up_and_keep_every_other_limit() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Escritório", &["--quota", "2", "--rate-limit", "6"]);
    let live = account.live.key.as_str();
    let look = |key: &str, path: &str| server.get_as(key, &format!("/sandbox/v1/{path}"));
    let used = || look(live, "usage").json()["chave"]["cota"]["usada"].clone();
    assert_eq!(used(), 0);
    for path in ["regras?tributo=ipi&limit=1", "changelog?limit=1"] {
        let (page, api) = (look(live, path), server.get_as(&server.key, &format!("/v1/{path}")));
        assert_eq!((page.status, page.text()), (200, api.text()));
    }
    assert_eq!(used(), 0);
    server.get_as(live, "/v1/usage");
    // The sixth call of the minute; what follows is over the limit.
    assert_eq!(used(), 1);
    look(live, "usage").problem(429, "limite_excedido");
    let listed = taxd(&dir, ["account", "show", &account.client_id, "--json"]).ok().json();
    let paths: Vec<&str> =
        listed["usage"]["recentes"].as_array().unwrap().iter().filter_map(|call| call["resumo"].as_str()).collect();
    assert_eq!((paths, &listed["usage"]["total_chamadas"]), (vec!["GET /v1/usage"], &7.into()), "look-ups are counted");

    taxd(&dir, ["account", "set", &account.client_id, "--rate-limit", "100"]).ok();
    server.get_as(live, "/v1/usage");
    server.get_as(live, "/v1/regras").problem(429, "cota_esgotada");
    assert_eq!(used(), 2, "an exhausted key still shows its consumption");
    server.get("/sandbox/v1/usage", &[]).problem(401, "chave_ausente");
    look("svc_live_000000", "usage").problem(401, "chave_invalida");
    assert_eq!(server.post("/sandbox/v1/usage", "{}").header("allow"), Some("GET, HEAD"));
    taxd(&dir, ["account", "suspend", &account.client_id]).ok();
    look(live, "usage").problem(403, "conta_suspensa");
}
