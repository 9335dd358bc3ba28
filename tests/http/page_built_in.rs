//! What the page reads of the built-in rules: what took effect, what ends, and the taxes that the law ends.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::{DataDir, Server};

fn look(server: &Server, path: &str) -> Value {
    let reply = server.get_own(&format!("/sandbox/v1/{path}"));
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()
}

/// The rules of all pages.
fn rules(server: &Server, query: &str) -> Vec<Value> {
    let (mut cursor, mut found) = (String::new(), Vec::new());
    loop {
        let page = look(server, &format!("regras?limit=500&{query}{cursor}"));
        found.extend(page["regras"].as_array().unwrap().iter().cloned());
        let Some(next) = page["proximo"].as_str() else { return found };
        cursor = format!("&cursor={next}");
    }
}

/// The changes of all pages.
fn changes(server: &Server, query: &str) -> Vec<Value> {
    let (mut cursor, mut found) = (String::new(), Vec::new());
    loop {
        let page = look(server, &format!("mudancas?{query}{cursor}"));
        for bundle in page["pacotes"].as_array().unwrap() {
            assert_eq!(bundle["instalado"], true, "{bundle}");
            found.extend(bundle["mudancas"].as_array().unwrap().iter().cloned());
        }
        let Some(next) = page["proximo"].as_str() else { return found };
        cursor = format!("&cursor={next}");
    }
}

/// On a fresh installation every month had been empty, because all rules were published on its day.
#[test]
fn what_took_effect_in_a_month_is_listed_although_the_installation_published_it() {
    let server = DataDir::served();
    let october = "vale_de=2026-10-01&vale_ate=2026-10-31";
    let page = look(&server, &format!("mudancas?{october}"));
    let in_force = rules(&server, "vigente_em=2026-10-31");
    let begun: Vec<_> = in_force.iter().filter(|rule| rule["vigente_de"].as_str().unwrap() >= "2026-10-01").collect();
    let wanted: BTreeSet<String> = begun.iter().map(|rule| rule["rule_id"].as_str().unwrap().to_owned()).collect();
    let mut by_tax: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in &begun {
        *by_tax.entry(rule["tributo"].as_str().unwrap()).or_default() += 1;
    }
    assert!(wanted.len() > 100, "the month has changes: {}", wanted.len());
    let summary = json!({"publicacoes": 1, "regras": wanted.len(), "retroativas": 0, "tributos": by_tax});
    assert_eq!((&page["resumo"], &page["instalacao"]), (&summary, &Value::Null));
    let all = look(&server, "mudancas?vale_de=2000-01-01&vale_ate=2099-12-31");
    let of_page = |bundle: &Value| bundle["mudancas"].as_array().unwrap().len();
    assert_eq!(all["pacotes"].as_array().unwrap().iter().map(of_page).sum::<usize>(), 250, "a page is bounded");
    let listed = changes(&server, october);
    let found: BTreeSet<String> = listed.iter().map(|one| one["rule_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!((&found, listed.len()), (&wanted, wanted.len()));
    assert!(listed.iter().all(|one| one["retroativa"] == false), "nothing was calculated before the installation");
    assert!(changes(&server, &format!("{october}&tipo=retroativa")).is_empty());

    // By the day of the publication they are one line, as before.
    let published = look(&server, "mudancas");
    assert_eq!((&published["resumo"]["regras"], published["pacotes"].as_array().unwrap().len()), (&json!(0), 0));
    assert!(published["instalacao"]["regras"].as_u64().unwrap() > 20_000, "{published}");
}

/// Before and after of an installed version are those of the version that answered until the day before.
#[test]
fn an_installed_version_is_compared_with_the_one_that_answered_the_day_before() {
    let server = DataDir::served();
    let listed = changes(&server, "vale_de=2026-01-01&vale_ate=2026-01-01&tributo=ipva");
    let before: BTreeMap<String, String> = rules(&server, "vigente_em=2025-12-31&tributo=ipva")
        .iter()
        .map(|rule| ["rule_code", "rule_id"].map(|name| rule[name].as_str().unwrap().to_owned()))
        .map(|[code, id]| (code, id))
        .collect();
    let mut replaced = 0;
    for change in &listed {
        let (code, _) = change["rule_id"].as_str().unwrap().rsplit_once("-v").unwrap();
        assert_eq!(change["anterior"].as_str(), before.get(code).map(String::as_str), "{change}");
        replaced += usize::from(change["anterior"].is_string());
    }
    assert!(replaced > 0, "{listed:?}");
    // A car in Paraná: Lei 22.645/2025.
    let parana = listed.iter().find(|change| {
        let fields = change["campos"].as_array().unwrap();
        change["local"] == "PR" && fields.iter().any(|field| field["antes"] == "3,50 %" && field["depois"] == "1,90 %")
    });
    assert!(parana.is_some(), "{listed:#?}");
}

/// The end of PIS and COFINS had read as a figure that is missing.
#[test]
fn the_calendar_says_that_the_law_ends_pis_and_cofins_and_what_takes_their_place() {
    let server = DataDir::served();
    for tributo in ["pis", "cofins"] {
        let calendar = look(&server, &format!("calendario?desde=2026-12-01&dias=60&tributo={tributo}"));
        let day = &calendar["dias"][0];
        assert_eq!((&day["data"], &day["extintos"]), (&json!("2027-01-01"), &json!([tributo])));
        assert!(day["extintas"].as_u64().unwrap() > 100 && day["extintas"] == day["terminam"], "{day}");
        assert_eq!(
            (&day["nova_versao"], &day["regra_geral"], &day["sem_sucessora"]),
            (&json!(0), &json!(0), &json!(0))
        );
        assert_eq!((&day["sem_resposta"], &day["sem_resposta_de"]), (&json!(0), &json!([])));
        let groups = calendar["grupos"].as_array().unwrap();
        assert_eq!(groups.len(), 1, "{calendar}");
        let (text, law) = (groups[0]["extincao"].as_str().unwrap(), groups[0]["citacao_legal"].as_str().unwrap());
        assert!(text.contains("desde 01/01/2027") && text.contains("se sujeita à CBS"), "{text}");
        assert!(law.contains("ADCT, art. 126, II") && law.contains("LC nº 214/2025, art. 542"), "{law}");
        let id = groups[0]["id"].as_str().unwrap();
        let opened = look(&server, &format!("calendario?desde=2026-12-01&dias=60&tributo={tributo}&grupo={id}"));
        assert_eq!((&opened["total"], &groups[0]["regras"]), (&day["terminam"], &day["terminam"]));
        let lost = look(&server, &format!("calendario?desde=2026-12-01&dias=60&tributo={tributo}&tipo=sem_resposta"));
        assert_eq!(lost["total"], 0, "an extinct tax needs no answer: {lost}");
        let after = rules(&server, &format!("tributo={tributo}&vigente_em=2027-01-01"));
        assert!(after.len() == 2 && after.iter().all(|rule| rule["conteudo"]["tipo"] == "extinto"), "{after:?}");
    }
    let ics = server.get_own("/sandbox/v1/calendario?desde=2026-12-01&dias=60&tributo=pis&formato=ics");
    assert!(ics.text().contains("termina: tributo extinto"), "{}", ics.text());

    let state = |day: &str| {
        let coverage = look(&server, &format!("cobertura?vigente_em={day}"));
        coverage["tributos"].as_array().unwrap().iter().find(|tax| tax["tributo"] == "pis").unwrap().clone()
    };
    assert_eq!(state("2026-12-31")["situacao"], "em_parte");
    let extinct = state("2027-01-01");
    assert_eq!((&extinct["situacao"], &extinct["pais"]["situacao"]), (&json!("extinto"), &json!("extinto")));
}

/// The table of a year has more than a megabyte, which had been made in memory before its first byte was sent.
#[test]
fn the_table_of_a_year_is_sent_while_it_is_made() {
    let server = DataDir::served();
    let query = "calendario?desde=2026-11-22&dias=366";
    let days = look(&server, query);
    let counted: u64 = days["dias"]
        .as_array()
        .unwrap()
        .iter()
        .map(|day| day["comecam"].as_u64().unwrap() + day["terminam"].as_u64().unwrap())
        .sum();
    let csv = server.get_own(&format!("/sandbox/v1/{query}&formato=csv"));
    assert_eq!((csv.status, csv.header("content-type")), (200, Some("text/csv; charset=utf-8")));
    assert_eq!(csv.header("content-length"), None, "its length is not known before its end");
    // HEAD said the length of the first piece.
    let head =
        format!("HEAD /sandbox/v1/{query}&formato=csv HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\n\r\n", server.key);
    let head = server.raw().send(head).reply();
    assert_eq!((head.status, head.header("content-length")), (200, None));
    assert!(csv.body.len() > 1024 * 1024, "{} bytes", csv.body.len());
    let text = csv.text();
    let dates = days["prazos"].as_array().unwrap().len() as u64;
    assert!(dates > 30, "the dates of duties follow the rules: {dates}");
    assert!(
        text.ends_with('\n') && text.lines().count() as u64 == counted + dates + 1,
        "{} rows",
        text.lines().count()
    );
    let extinct = text.lines().filter(|row| row.starts_with("01/01/2027;termina: tributo extinto;PIS;")).count();
    assert!(extinct > 100, "{extinct}");
}
