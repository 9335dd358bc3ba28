//! What lies ahead as people and programs get it: the filters of a listing, the calendar and the report.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use taxd::features::calendar::ics::to_ics;
use taxd::features::calendar::report::{groups, to_text};
use taxd_base::value::{Clock, Timestamp};
use taxd_core::engine::upcoming::UpcomingCounts;
use taxd_core::engine::{Engine, Filter};

use crate::support::{day, engine, engine_with, publish, rule, with};

fn icms(code: &str, escopo: &Value, ate: Option<&str>) -> Value {
    with(&rule(code, "icms", escopo, &json!({"aliquota": "18.00"})), &json!({"vigente_ate": ate}))
}

const END: Option<&str> = Some("2024-07-01");

fn codes(engine: &Engine, filter: &Filter, today: &str) -> Vec<String> {
    let page = engine.regras(filter, day(today), 0, 100).unwrap();
    let ids = page.items.iter().map(|item| serde_json::from_str::<Value>(item).unwrap());
    ids.map(|rule| rule["rule_code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_filters_of_a_listing_take_the_last_day_and_what_has_no_successor() {
    let mut later = icms("depois", &json!({"uf": "MG"}), None);
    later["vigente_de"] = "2024-07-01".into();
    let engine = engine_with(&[
        icms("sozinha", &json!({"uf": "SP", "ncm": "2203"}), END),
        icms("acompanhada", &json!({"uf": "RJ", "ncm": "2203"}), END),
        icms("geral", &json!({"uf": "RJ"}), None),
        later,
    ]);
    let filter = |name: &str, value: &str| {
        let mut filter = Filter::default();
        filter.set(name, value).unwrap();
        filter
    };
    assert_eq!(codes(&engine, &filter("termina_ate", "2024-06-30"), "2024-06-30"), ["acompanhada", "sozinha"]);
    assert!(codes(&engine, &filter("termina_ate", "2024-06-29"), "2024-06-01").is_empty());
    assert!(codes(&engine, &filter("termina_ate", "2024-06-30"), "2024-07-01").is_empty(), "they have ended");
    assert_eq!(codes(&engine, &filter("inicia_ate", "2024-07-01"), "2024-06-30"), ["depois"]);
    assert!(codes(&engine, &filter("inicia_ate", "2024-07-01"), "2024-07-01").is_empty(), "it has begun");
    assert_eq!(codes(&engine, &filter("sem_sucessora", "true"), "2024-06-30"), ["sozinha"]);
    assert_eq!(codes(&engine, &filter("sem_sucessora", "false"), "2024-06-30"), ["acompanhada", "depois", "geral"]);
    publish(&engine, &[icms("paulista", &json!({"uf": "SP"}), None)]).unwrap();
    assert!(codes(&engine, &filter("sem_sucessora", "true"), "2024-06-30").is_empty(), "a publication counts");
    assert!(Filter::default().set("sem_sucessora", "sim").is_err());
}

/// Reads a calendar as RFC 5545 says: unfolds its lines, and returns name and value of each.
fn properties(ics: &str) -> Vec<(String, String)> {
    assert!(ics.ends_with("\r\n"));
    for line in ics.split("\r\n") {
        assert!(line.len() <= 75 && !line.contains(['\r', '\n']), "{line:?}");
    }
    let unfolded = ics.replace("\r\n ", "");
    let lines = unfolded.split_terminator("\r\n");
    lines.map(|line| line.split_once(':').unwrap()).map(|(n, v)| (n.to_owned(), v.to_owned())).collect()
}

#[test]
fn the_calendar_is_valid_and_its_uids_are_stable() {
    let long = format!("Lei nº 1; com vírgula, ponto e vírgula; barra \\ e acentos: {}", "ção ".repeat(40));
    let product =
        with(&icms("cerveja", &json!({"uf": "SP", "ncm": "2203"}), END), &json!({"citacao_legal": long.trim()}));
    let at = |instant: &str| {
        let now = Timestamp::parse(instant).unwrap();
        let engine = engine(0).with_clock(Clock::new(move || now));
        publish(&engine, std::slice::from_ref(&product)).unwrap();
        to_ics(&engine.upcoming(day("2024-06-01"), day("2024-07-31")).unwrap())
    };
    let ics = at("2024-06-01T10:11:12.345Z");
    let found = properties(&ics);
    let value = |name: &str| found.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
    assert_eq!(found.first().unwrap().1, "VCALENDAR");
    assert_eq!(found.last().unwrap(), &("END".to_owned(), "VCALENDAR".to_owned()));
    assert_eq!(value("DTSTAMP"), Some("20240601T101112Z"));
    assert_eq!(value("DTSTART;VALUE=DATE"), Some("20240701"));
    assert_eq!(value("DTEND;VALUE=DATE"), Some("20240702"));
    assert_eq!(value("SUMMARY"), Some("icms SP: termina sem sucessora"));
    let escaped = long.trim().replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,");
    assert_eq!(value("DESCRIPTION"), Some(format!("cerveja-v1.0\\n{escaped}").as_str()));
    let later = at("2024-06-20T00:00:00.000Z");
    let uid = |ics: &str| properties(ics).into_iter().find(|(n, _)| n == "UID").unwrap().1;
    assert_eq!(uid(&ics), uid(&later));
    assert!(uid(&ics).ends_with("@taxd"));
}

#[test]
fn the_report_names_the_end_and_a_window_without_news_says_so() {
    let engine = engine_with(&[icms("cerveja", &json!({"uf": "SP", "ncm": "2203"}), END)]);
    let upcoming = engine.upcoming(day("2024-06-01"), day("2024-07-31")).unwrap();
    assert!(to_text(&upcoming).contains("01/07/2024  termina sem sucessora  icms     SP     1       cerveja-v1.0"));
    let quiet = engine.upcoming(day("2024-07-01"), day("2024-07-31")).unwrap();
    assert!(quiet.regras.is_empty(), "what ends on the first day has ended");
    assert!(to_text(&quiet).contains("Nenhuma regra começa ou termina"));
}

/// Duties are not rules: they are in the calendar and in no count, and their events keep their UIDs in every later file.
#[test]
fn dates_of_duties_are_beside_the_rules_and_in_no_count() {
    let engine = engine(0);
    let ahead = |from: &str, until: &str| engine.upcoming(day(from), day(until)).unwrap();
    let both = ahead("2026-12-01", "2027-03-31");
    assert!(both.regras.is_empty() && groups(&both).is_empty());
    assert_eq!(both.resumo, UpcomingCounts::default());
    let codes: Vec<&str> = both.prazos.iter().map(|prazo| prazo.codigo.as_str()).collect();
    assert!(["senado-aliquota-cbs-2027", "inventario-2026", "cbs-ibs-vencimento"].iter().all(|c| codes.contains(c)));
    let text = to_text(&both);
    assert!(text.contains("Nenhuma regra começa ou termina nestes dias."), "{text}");
    assert!(text.contains("Prazos (são deveres, não regras; não entram nas contagens):"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("31/12/2026  Inventário do estoque de abertura")), "{text}");
    assert!(text.contains("Começam: 0. Terminam: 0 "), "{text}");

    let uids = |from: &str, until: &str| -> Vec<(String, String)> {
        let found = properties(&to_ics(&ahead(from, until)));
        let of = |name: &'static str| found.iter().filter(move |(n, _)| n == name).map(|(_, v)| v.clone());
        assert!(of("CATEGORIES").all(|category| category == "Prazo"));
        of("UID").zip(of("DTSTART;VALUE=DATE")).collect()
    };
    let first = uids("2026-12-01", "2027-03-31");
    assert_eq!(first.len(), both.prazos.len());
    let different: BTreeSet<&String> = first.iter().map(|(uid, _)| uid).collect();
    assert_eq!(different.len(), first.len());
    let later = uids("2027-01-10", "2027-06-30");
    let common: Vec<_> = first.iter().filter(|(_, date)| date.as_str() >= "20270110").collect();
    assert!(common.len() >= 6 && common.iter().all(|event| later.contains(event)), "{common:?}");
    let ics = to_ics(&both);
    assert!(ics.replace("\r\n ", "").contains("SUMMARY:Prazo: Inventário do estoque de abertura\r\n"), "{ics}");

    let of = |name: &str, value: &str| {
        let mut filter = Filter::default();
        filter.set(name, value).unwrap();
        engine.upcoming_of(day("2026-12-01"), day("2026-12-31"), Some(&filter)).unwrap().prazos.len()
    };
    assert_eq!((of("tributo", "pis"), of("tributo", "cbs"), of("tributo", "ipva")), (1, 3, 0));
    assert_eq!((of("uf", "SP"), of("ncm", "22030000")), (3, 0), "a duty is of every UF and about no product");
}

/// The begin of a version after an end is in the group of that end. The report has a sentence of one without a figure, from
/// its first day until one with a figure is published.
#[test]
fn a_version_without_a_figure_is_in_the_group_of_the_end_before_it_and_in_a_sentence() {
    let next =
        json!({"versao": "1.1", "vigente_de": "2024-07-01", "vigente_ate": null, "conteudo": {"aliquota": null}});
    let first = icms("cerveja", &json!({"uf": "SP", "ncm": "2203"}), END);
    let engine = engine_with(&[first.clone(), with(&first, &next)]);
    let ahead = |today: &str| engine.upcoming(day(today), day("2025-12-31")).unwrap();
    assert_eq!(groups(&ahead("2024-06-01")).len(), 1);
    let line = "Sem figura desde 01/07/2024, e até a véspera com ela: icms 1; a primeira é cerveja-v1.1, depois de Lei de cerveja.";
    let said = || ["2024-06-30", "2024-07-01", "2025-01-01"].map(|today| to_text(&ahead(today)).contains(line));
    assert_eq!(said(), [false, true, true]);
    let figure = json!({"versao": "1.2", "vigente_de": "2024-09-01", "conteudo": {"aliquota": "20.00"}});
    publish(&engine, &[with(&with(&first, &next), &figure)]).unwrap();
    assert_eq!(said(), [false, true, false]);
}
