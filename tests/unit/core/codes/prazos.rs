//! The dates of duties: the built-in table, and the days that its lines mean.

use std::collections::{BTreeMap, BTreeSet};

use taxd_base::value::Conferencia;
use taxd_law::codes::{FILES, Prazo, prazos, prazos_between, read_prazos};
use taxd_law::tax;

use crate::support::day;

fn text() -> &'static str {
    FILES.iter().find(|(path, _)| *path == "tabelas/prazos.csv").unwrap().1
}

fn days_of(found: &[Prazo], codigo: &str) -> Vec<String> {
    found.iter().filter(|prazo| prazo.codigo == codigo).map(|prazo| prazo.data.to_string()).collect()
}

#[test]
fn the_built_in_table_has_no_fault_and_every_date_has_a_law_and_a_grade() {
    assert!(!read_prazos(text()).unwrap().is_empty());
    let all = prazos(day("2020-01-01"), day("2200-01-01"));
    let mut codes = BTreeSet::new();
    for prazo in &all {
        codes.insert(prazo.codigo.as_str());
        assert!(["LC nº", "Decreto nº", "Resolução"].iter().any(|act| prazo.citacao_legal.contains(act)), "{prazo:?}");
        assert_ne!(prazo.conferencia, Conferencia::FonteUnica, "{prazo:?}");
        assert!(prazo.tributos.iter().all(|name| tax::find(name).is_some()), "{prazo:?}");
        assert!(prazo.texto.ends_with('.') && !prazo.titulo.ends_with('.'), "{prazo:?}");
    }
    let lines: Vec<&str> = text().lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(codes.len(), lines.len(), "each line has a code of its own");
    assert!(all.is_sorted_by_key(|prazo| prazo.data));
    let once = |codigo: &str, wanted: &str| assert_eq!(days_of(&all, codigo), [wanted], "{codigo}");
    once("simples-cancela-2027", "2026-11-30");
    once("senado-aliquota-cbs-2027", "2026-12-15");
    once("tcu-aliquota-cbs-2027", "2026-12-22");
    once("inventario-2026", "2026-12-31");
    once("csrf-1-por-cento", "2027-01-01");
    once("credito-estoque-2027", "2027-06-30");
}

/// The naive implementation: counts the days of each month, and the days of the week from a Friday on.
#[test]
fn monthly_dates_are_those_of_the_calendar() {
    let all = prazos(day("2027-01-01"), day("2033-12-31"));
    // 1 January 2027 is a Friday: 0 is Monday.
    let (mut date, mut weekday) = (day("2027-01-01"), 4);
    let mut last: BTreeMap<String, String> = BTreeMap::new();
    while date < day("2033-02-01") {
        let written = date.to_string();
        if weekday < 5 {
            last.insert(written[..7].to_owned(), written.clone());
        }
        let due = |codigo: &str| days_of(&all, codigo).contains(&written);
        let begun = written.as_str() >= "2027-02-01";
        assert_eq!(due("apuracao-assistida"), begun && written.ends_with("-15"), "{written}");
        assert_eq!(due("apuracao-assistida-dere"), begun && written.ends_with("-20"), "{written}");
        (date, weekday) = (date.next_day().unwrap(), (weekday + 1) % 7);
    }
    let wanted: Vec<String> = last.into_iter().filter(|(month, _)| month != "2027-01").map(|(_, day)| day).collect();
    assert_eq!(wanted[0], "2027-02-26", "28 February 2027 is a Sunday");
    assert_eq!(days_of(&all, "cbs-ibs-vencimento"), wanted);
    assert_eq!(days_of(&all, "apuracao-ajuste"), wanted);
}

#[test]
fn a_window_includes_its_first_and_its_last_day() {
    let found = |from: &str, until: &str| days_of(&prazos(day(from), day(until)), "inventario-2026").len();
    assert_eq!(found("2026-12-31", "2026-12-31"), 1);
    assert_eq!(found("2026-12-01", "2026-12-30") + found("2027-01-01", "2027-02-01"), 0);
    assert_eq!(found("2027-01-01", "2026-01-01"), 0);
    assert!(prazos_between(&[], day("2026-01-01"), day("2026-12-31")).is_empty());
}

#[test]
fn a_faulty_line_is_refused_with_its_number() {
    let right = "a;2026-12-31;;;estoque;cbs;Título;Texto.;Todos;LC nº 1;texto_legal";
    assert_eq!(read_prazos(right).unwrap().len(), 1);
    for line in [
        "a;2026-13-31;;;estoque;cbs;Título;Texto.;Todos;LC nº 1;texto_legal",
        "a;2026-12-31;2026-01-01;;estoque;cbs;Título;Texto.;Todos;LC nº 1;texto_legal",
        "a;mensal_31;2026-01-01;2026-12-31;estoque;cbs;Título;Texto.;Todos;LC nº 1;texto_legal",
        "a;mensal_15;2026-01-01;;estoque;cbs;Título;Texto.;Todos;LC nº 1;texto_legal",
        "a;mensal_15;2026-12-01;2026-01-01;estoque;cbs;Título;Texto.;Todos;LC nº 1;texto_legal",
        "a;2026-12-31;;;outro;cbs;Título;Texto.;Todos;LC nº 1;texto_legal",
        "a;2026-12-31;;;estoque;cbs;Título;Texto.;Todos;;texto_legal",
        "a;2026-12-31;;;estoque;cbs;Título;Texto.;Todos;LC nº 1;fonte_unica",
        "a;2026-12-31;;;estoque;cbs;Título;Texto.;Todos;LC nº 1",
        "",
    ] {
        assert_eq!(read_prazos(&format!("# nome: a\n{line}\n# fim\n")).unwrap_err().line, 2, "{line:?}");
    }
}
