//! The page's documents: `POST /sandbox/v1/documentos`.

use std::fmt::Write as _;
use std::fs;
use std::io::Cursor;
use std::ops::ControlFlow;

use crate::page_documents_saved::saved;
use crate::support::{
    COMPANY, DataDir, RIGHT, Reply, SEEDS, Seed, Server, examples, form_of, taxd, without_sentences, zip_of,
};
use serde_json::{Value, json};
use taxd::sheet;
use tempfile::TempDir;

const PATH: &str = "/sandbox/v1/documentos";

/// Right documents, and one of each seeded error.
fn documents() -> Vec<(String, String)> {
    let seeded = SEEDS.iter().map(Seed::document);
    let all = std::iter::once(RIGHT.to_owned()).chain(seeded);
    (0..).zip(all).map(|(number, xml)| (format!("{number:04}.xml"), xml)).collect()
}

fn zip(documents: &[(String, String)]) -> Vec<u8> {
    zip_of(documents.iter().map(|(name, xml)| (name.clone(), xml.as_bytes())))
}

/// The members of that name of the lines of an answer.
pub fn events(reply: &Reply, name: &str) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let lines = reply.text();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| line.get(name).cloned()).collect()
}

#[track_caller]
pub fn end(reply: &Reply) -> Value {
    let mut ends = events(reply, "fim");
    assert_eq!(ends.len(), 1, "{}", reply.text());
    ends.remove(0)
}

/// The code of each line that differs or cannot be read.
fn codes(reply: &Reply) -> Vec<String> {
    let open = |line: &Value| line["veredito"] != "confere" && line["veredito"] != "nao_se_aplica";
    let lines = events(reply, "linha");
    lines.iter().filter(|line| open(line)).map(|line| line["codigo"].as_str().unwrap().to_owned()).collect()
}

pub fn send(server: &Server, files: &[(&str, &[u8])]) -> Reply {
    server.post_form(&server.key, PATH, files, &[("empresa", COMPANY)])
}

fn used(server: &Server, key: &str) -> u64 {
    server.get_as(key, "/sandbox/v1/usage").json()["chave"]["cota"]["usada"].as_u64().unwrap()
}

#[track_caller]
fn still_well(server: &Server) {
    let example = examples(server).remove(0);
    server.calculate(&example).envelope();
}

/// The cells of a CSV as texts.
fn cells(csv: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut take = |row: sheet::Row| {
        rows.push((0..27).map(|column| row.cell(column).text().unwrap_or_default().into_owned()).collect());
        ControlFlow::Continue(())
    };
    sheet::read(Cursor::new(csv.as_bytes()), None, &mut take).unwrap();
    rows
}

#[test]
fn the_report_is_that_of_taxd_audit() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let folder = TempDir::new().unwrap();
    let archive = zip(&documents());
    fs::write(folder.path().join("notas.zip"), &archive).unwrap();
    fs::write(folder.path().join("empresa.toml"), COMPANY).unwrap();
    let of = |name: &str| folder.path().join(name).display().to_string();
    let audit = |options: &[&str]| {
        taxd(&dir, [&["audit", &of("notas.zip"), "--empresa", &of("empresa.toml")], options].concat()).stdout
    };
    let without_folder = |text: &str| text.replace(&format!("{}/", folder.path().display()), "");

    let reply = send(&server, &[("notas.zip", &archive)]);
    let wanted = without_folder(&audit(&["--format", "json", "--memoria"]));
    let wanted: Vec<Value> = wanted.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(wanted.len() >= 29, "{}", wanted.len());
    let lines = events(&reply, "linha");
    let bare = |lines: &[Value]| lines.iter().map(without_sentences).collect::<Vec<_>>();
    assert_eq!(bare(&lines), bare(&wanted));
    let read = events(&reply, "progresso");
    assert_eq!(read.last(), Some(&json!({"lidos": 7, "total": 7})));

    let path = format!("{PATH}?so_divergencias=true");
    let report = server.post_form(&server.key, &path, &[("notas.zip", &archive)], &[("empresa", COMPANY)]);
    let csv = saved(&server, &report, "csv");
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    // The same rows with the words of the page: number and series first, days as people write them.
    let (people, programs) =
        (cells(&csv.text()), cells(&without_folder(&audit(&["--format", "csv", "--so-divergencias"]))));
    assert_eq!(people[0][..4], ["Número", "Série", "Arquivo", "Documento do arquivo"]);
    assert!(people[0].iter().all(|head| !head.contains('_')), "{:?}", people[0]);
    assert_eq!(people.len(), programs.len());
    let words = [9, 10, 11, 12, 14];
    let day = |text: &str| sheet::parse_date(text).map_or_else(|_| text.to_owned(), |day| day.to_string());
    for (people, programs) in people.iter().zip(&programs).skip(1) {
        assert!(people[0].is_empty() && people[1].is_empty(), "the seeds have no number: {people:?}");
        for (i, (shown, own)) in people[2..].iter().zip(programs).enumerate() {
            assert!(words.contains(&i) || day(shown) == *own, "{i}: {shown:?} is not {own:?}");
        }
        assert!(["Diverge", "Base diverge", "Não conferida"].contains(&people[13].as_str()), "{people:?}");
        assert!(["Arquivo", "Contas do documento", "Regra", "Coerência dos dados"].contains(&people[11].as_str()));
        assert!(!people[16].contains(['`', '_']), "a reason in the words of the page: {people:?}");
    }
    let reasons: Vec<&str> = people[1..].iter().map(|row| row[16].as_str()).collect();
    assert!(reasons.iter().any(|reason| reason.contains("10/03/2025")));
    assert!(reasons.iter().all(|reason| !reason.contains("2025-")), "{reasons:?}");
    assert!(csv.text().contains(";10/03/2025;") && csv.text().contains(";ICMS;"), "{}", csv.text());
    let xlsx = saved(&server, &report, "xlsx").body;
    assert!(xlsx.starts_with(b"PK") && xlsx.len() > 4_000, "{} bytes", xlsx.len());
}

/// Several XML and an archive in one form, and what a browser sends without one, say the same.
#[test]
fn every_way_of_sending_gives_the_same_lines() {
    let server = DataDir::served();
    let documents = documents();
    let shown = |reply: &Reply| -> Vec<Value> {
        let mut lines = events(reply, "linha");
        for line in &mut lines {
            line["arquivo"] = Value::Null;
        }
        lines
    };
    let of_zip = shown(&send(&server, &[("notas.zip", &zip(&documents))]));
    let (first, second) = documents.split_at(3);
    let mut files: Vec<(&str, &[u8])> = first.iter().map(|(name, xml)| (name.as_str(), xml.as_bytes())).collect();
    let rest = zip(second);
    files.push(("resto.zip", &rest));
    assert_eq!(shown(&send(&server, &files)), of_zip);

    let alone = server.post(PATH, &documents[1].1);
    assert_eq!(events(&alone, "linha")[0]["arquivo"], "documento");
    assert!(codes(&alone).contains(&"valor".to_owned()), "{:?}", codes(&alone));
    let whole = server.post(PATH, zip(&documents));
    // That of the Simples Nacional needs no calculation.
    assert_eq!(end(&whole)["documentos"], 6);
}

#[test]
fn the_sums_are_by_company_month_tax_and_product_and_say_what_is_missing() {
    let server = DataDir::served();
    let archive = zip(&documents());
    let end = |texts: &[(&str, &str)]| end(&server.post_form(&server.key, PATH, &[("n.zip", &archive)], texts));
    let sums = end(&[("empresa", COMPANY)]);
    let companies = sums["empresas"].as_array().unwrap();
    assert_eq!(companies.len(), 1, "{sums}");
    assert_eq!((&companies[0]["empresa"], &companies[0]["mes"]), (&json!("11.222.333/0001-81"), &json!("2025-03")));
    let of = |members: &Value, tributo: &str| {
        members.as_array().unwrap().iter().find(|one| one["tributo"] == tributo).unwrap().clone()
    };
    // 12 % for 18 % of R$ 1.000,00: under. The rule has exceptions that no document shows, so a person checks it.
    let icms = of(&companies[0]["tributos"], "icms");
    assert_eq!(
        (&icms["a_menor"], &icms["a_menor_conferir"], &icms["a_maior"]),
        (&json!("0.00"), &json!("60.00"), &json!("0.00"))
    );
    let product = of(&companies[0]["produtos"], "icms");
    assert_eq!(
        (&product["ncm"], &product["produto"], &product["codigo"]),
        (&json!("39269090"), &json!("P1"), &json!("valor"))
    );

    let unknown = end(&[]);
    let missing = of(&unknown["empresas"][0]["faltas"], "pis");
    assert!(
        missing["linhas"].as_u64() > Some(0)
            && missing["detalhe"].as_str().unwrap().contains("“Regime de PIS e COFINS”"),
        "{missing}"
    );
}

/// Its reader was once asked to correct two fields of a request that he never made.
#[test]
fn a_refusal_of_several_fields_says_the_reason_of_each() {
    let server = DataDir::served();
    let wrong = RIGHT.replace("<vICMS>180.00", "<vICMS>1180.00");
    let lines = events(&send(&server, &[("a.xml", wrong.as_bytes())]), "linha");
    let pis = lines.iter().find(|line| line["tributo"] == "pis" && line["veredito"] == "recusado").unwrap();
    let (told, reasons) = (pis["detalhe"].as_str().unwrap(), pis["resposta"]["erros"].as_array().unwrap());
    assert!(reasons.len() > 1, "{pis}");
    let said = |reason: &Value| reason["detail"].as_str().unwrap().rsplit("`: ").next().unwrap().to_owned();
    assert!(reasons.iter().all(|reason| told.contains(&said(reason))), "{told}");
    assert!(!told.contains("Corrija"), "{told}");
}

#[test]
fn each_document_uses_up_one_call_and_the_report_says_where_the_quota_ended() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Escritório", &["--quota", "10"]);
    let key = account.live.key.as_str();
    let cancelled = RIGHT.replace("<nfeProc>", "<nfeProc><protNFe><infProt><cStat>101</cStat></infProt></protNFe>");
    let keyed = RIGHT.replace("<infNFe>", "<infNFe Id=\"NFe35250311222333000181550010000000011000000017\">");
    let files: [(&str, &[u8]); 5] = [
        ("a.xml", RIGHT.as_bytes()),
        ("b.xml", keyed.as_bytes()),
        ("outra-b.xml", keyed.as_bytes()),
        ("c.xml", b"nada"),
        (
            "d.xml",
            cancelled.replace("<infNFe>", "<infNFe Id=\"NFe35250311222333000181550010000000021000000014\">").as_bytes(),
        ),
    ]
    .map(|(name, bytes): (&str, &[u8])| (name, Box::leak(bytes.to_vec().into_boxed_slice()) as &[u8]));
    let reply = server.post_form(key, PATH, &files, &[]);
    let end_of = end(&reply);
    assert_eq!(end_of["interrompido"], Value::Null, "{end_of}");
    assert_eq!(used(&server, key), end_of["documentos"].as_u64().unwrap());
    assert!(end_of["documentos"].as_u64() < Some(5), "{end_of}");
    let before = used(&server, key);

    let many: Vec<(String, String)> = (0..40).map(|n| (format!("{n}.xml"), RIGHT.to_owned())).collect();
    let reply = server.post_form(key, PATH, &[("n.zip", &zip(&many))], &[]);
    let end_of = end(&reply);
    assert_eq!(end_of["documentos"].as_u64().unwrap(), 10 - before);
    // It once said that the quota begins again within a minute, which is when the rate limit does.
    let own = server.post_as(key, "/v1/calculate", "{}").problem(429, "cota_esgotada");
    assert_eq!(end_of["interrompido"], own["detail"]);
    assert!(own["detail"].as_str().unwrap().contains("recomeça em 01/"), "{own}");
    let lines = events(&reply, "linha");
    assert_eq!(lines.last().unwrap()["codigo"], "cota_esgotada");
    assert_eq!(used(&server, key), 10);
    // A table says it too: cut off in silence it would look whole.
    let table = saved(&server, &reply, "csv").text();
    assert!(table.contains("cota_esgotada") && table.contains("nada foi conferido"), "{table}");
}

#[test]
fn what_cannot_be_asked_is_refused_before_anything_is_calculated() {
    let server = DataDir::served();
    let right = [("a.xml", RIGHT.as_bytes())];
    server.post_form("svc_live_000000", PATH, &right, &[]).problem(401, "chave_invalida");
    server.post(PATH, "").problem(422, "payload_invalido");
    server.post_form(&server.key, PATH, &[], &[("empresa", COMPANY)]).problem(422, "payload_invalido");
    server.post_form(&server.key, PATH, &right, &[("outro", "x")]).problem(422, "payload_invalido");
    let company = "[[empresa]]\ncnpj = \"11222333000181\"\nregime_pis = 1\n";
    let refused = server.post_form(&server.key, PATH, &right, &[("empresa", company)]).problem(422, "payload_invalido");
    assert_eq!(refused["erros"][0]["campo"], "3", "its line: {refused}");
    for query in ["desde=ontem", "conhecido_em=2999-01-01T00:00:00Z", "formato=csv", "quando=1"] {
        server.post_form(&server.key, &format!("{PATH}?{query}"), &right, &[]).problem(422, "parametro_invalido");
    }
    assert_eq!(server.get_own(PATH).header("allow"), Some("POST"));

    let (content_type, body) = form_of(&right, &[]);
    let head = |length: usize| {
        format!(
            "POST {PATH} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n",
            server.key
        )
    };
    let broken = &body[..body.len() - 20];
    let sent = [head(broken.len()).as_bytes(), broken].concat();
    server.raw().send(sent).reply().problem(422, "payload_invalido");
    server.raw().send(head(16 * 1024 * 1024 + 1)).reply().problem(413, "corpo_grande_demais");
    assert_eq!(used(&server, &server.key), 0);
    still_well(&server);
}

/// Each gets a line that says why, the document beside it is checked all the same, and the server stays small.
#[test]
fn hostile_files_get_a_line_each() {
    let server = DataDir::served();
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]><a>&c;</a>";
    let deep = "<a>".repeat(100_000);
    let mut wide = "<NFe><infNFe>".to_owned();
    (0..250_000).for_each(|_| wide.push_str("<d/>"));
    let mut items = "<NFe><infNFe>".to_owned();
    (0..6_000).for_each(|n| write!(items, "<det nItem=\"{n}\"/>").unwrap());
    items.push_str("</infNFe></NFe>");
    let blank = vec![b' '; 40 << 20];
    let inner = zip_of([("x.xml".to_owned(), RIGHT.as_bytes())]);
    let archive = zip_of([
        ("bomba.xml".to_owned(), blank.as_slice()),
        ("outro.zip".to_owned(), &zip_of([("mais.zip".to_owned(), inner.as_slice())])),
        ("boa.xml".to_owned(), RIGHT.as_bytes()),
    ]);
    let files: [(&str, &[u8]); 8] = [
        ("entidades.xml", bomb.as_bytes()),
        ("fundo.xml", deep.as_bytes()),
        ("largo.xml", wide.as_bytes()),
        ("itens.xml", items.as_bytes()),
        ("texto.xml", b"isto nao e XML"),
        ("vazio.xml", b""),
        ("cortado.zip", &archive[..archive.len() / 2]),
        ("notas.zip", &archive),
    ];
    let reply = send(&server, &files);
    let wanted = [
        "xml_com_dtd",
        "xml_fundo_demais",
        "xml_grande_demais",
        "xml_grande_demais",
        "xml_invalido",
        "xml_invalido",
        "zip_invalido",
        "arquivo_grande_demais",
        "zip_em_zip",
    ];
    assert_eq!(codes(&reply), wanted);
    assert_eq!(end(&reply)["documentos"], 1);

    let entries = zip_of((0..20_001).map(|n| (format!("{n}.xml"), &b""[..])));
    let within = zip_of([("muitos.zip".to_owned(), entries.as_slice())]);
    assert_eq!(codes(&send(&server, &[("muitos.zip", &entries), ("fora.zip", &within)])), ["zip_grande_demais"; 2]);
    let eight = vec![b' '; 7 << 20];
    let expands = zip_of((0..80).map(|n| (format!("{n}.xml"), eight.as_slice())));
    let found = codes(&send(&server, &[("bomba.zip", &expands)]));
    assert_eq!(found.last().map(String::as_str), Some("zip_grande_demais"), "{found:?}");
    assert!(found.len() < 78, "{} entries were expanded", found.len());
    still_well(&server);
    let highest = server.memory_kib("VmHWM");
    assert!(highest < 320 * 1024, "{highest} KiB");
}

/// Two readers take both places and go: the work ends with them, and the next one is served.
#[test]
fn a_reader_that_leaves_ends_the_work() {
    let server = DataDir::served();
    let many: Vec<(String, String)> = (0..4_000).map(|n| (format!("{n}.xml"), RIGHT.to_owned())).collect();
    let body = zip(&many);
    for _ in 0..2 {
        let mut raw = server.raw();
        let head = format!(
            "POST {PATH} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\nContent-Length: {}\r\n\r\n",
            server.key,
            body.len()
        );
        raw.send(head).send(&body);
        assert!(raw.read_some(1 << 16).is_some());
    }
    assert_eq!(end(&send(&server, &[("a.xml", RIGHT.as_bytes())]))["documentos"], 1);
    assert!(used(&server, &server.key) < 8_000, "all was calculated for nobody");
}

#[test]
fn no_name_no_buyer_and_no_access_key_is_answered_and_no_issuer_is_logged() {
    let server = DataDir::served();
    let key = "35250311222333000181550010000000011000000017";
    let keyed = RIGHT.replace("<infNFe>", &format!("<infNFe Id=\"NFe{key}\">"));
    let reply = send(&server, &[("a.xml", keyed.as_bytes()), ("b.xml", keyed.as_bytes()), ("c.xml", b"<NFe>SIGILO")]);
    assert!(codes(&reply).contains(&"xml_invalido".to_owned()));
    assert!(events(&reply, "linha").iter().any(|line| line["codigo"] == "documento_repetido"));
    let recent = server.usage(&server.key, 5).to_string();
    assert!(reply.text().contains("11.222.333/0001-81"), "the reader has the notes of the issuer");
    for text in [reply.text(), server.log(), recent] {
        for secret in ["SIGILO", "11222333", "99888777", "99.888.777", key] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    for text in [server.log(), server.usage(&server.key, 5).to_string()] {
        assert!(!text.contains("11.222.333"), "{text}");
    }
}

#[test]
fn only_the_period_and_the_rules_of_that_day_are_used() {
    let server = DataDir::served();
    let lines = |query: &str| {
        let reply = server.post_form(
            &server.key,
            &format!("{PATH}?{query}"),
            &[("a.xml", RIGHT.as_bytes())],
            &[("empresa", COMPANY)],
        );
        events(&reply, "linha")
    };
    assert_eq!(lines("desde=2025-03-11"), Vec::<Value>::new());
    assert!(lines("desde=2025-03-10").iter().any(|line| line["veredito"] == "confere"));
    // Before the first publication nothing was known.
    let before = lines("conhecido_em=2001-01-01T00:00:00Z");
    assert!(before.iter().any(|line| line["codigo"] == "regra_inexistente"), "{before:?}");
    assert!(before.iter().all(|line| line["veredito"] != "confere" || line["camada"] != "lei"), "{before:?}");
}
