//! Which version answers on which day, against a calendar on which each day has one owner.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_base::value::Date;
use taxd_core::engine::{Engine, ImportReport, Superseded};
use taxd_law::rule::{Timeline, Vigencia};

use crate::property::cases;
use crate::support::{calculate, engine, publish, rule, with};

/// The days of the model: 1 to 28 January 2026.
const DAYS: std::ops::Range<u32> = 1..29;

fn day(n: u32) -> Date {
    Date::parse(&format!("2026-01-{n:02}")).unwrap()
}

/// First day, and the first day that is no longer covered.
type Span = (u32, Option<u32>);

fn span() -> BoxedStrategy<Span> {
    (1u32..24, proptest::option::weighted(0.4, 1u32..10))
        .prop_map(|(de, len)| (de, len.map(|l| (de + l).min(28))))
        .boxed()
}

fn vigencia((de, ate): Span) -> Vigencia {
    Vigencia { de: day(de), ate: ate.map(day) }
}

/// A version takes its days. Who owned one of them loses that and every later day, also those
/// that the new version leaves to nobody; who owned none keeps all.
fn take<T: Clone + PartialEq>(calendar: &mut BTreeMap<u32, T>, (de, ate): Span, owner: &T) -> Vec<T> {
    let mut losers: Vec<T> = Vec::new();
    for n in DAYS.filter(|n| *n >= de && ate.is_none_or(|ate| *n < ate)) {
        if let Some(old) = calendar.insert(n, owner.clone()).filter(|old| old != owner && !losers.contains(old)) {
            losers.push(old);
        }
    }
    calendar.retain(|n, old| *n < de || !losers.contains(old));
    losers
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_timeline_is_a_calendar(spans in proptest::collection::vec(span(), 1..7)) {
        let mut timeline = Timeline::default();
        let mut calendar = BTreeMap::new();
        for (id, span) in spans.iter().enumerate() {
            let closings = timeline.publish(id, vigencia(*span));
            let mut losers = take(&mut calendar, *span, &id);
            losers.sort_unstable();
            prop_assert_eq!(closings.iter().map(|c| c.id).collect::<Vec<_>>(), losers, "versions that lose days");
            for closing in closings {
                prop_assert_eq!(closing.after.ate, Some(day(span.0)));
                prop_assert_eq!(closing.after.de, closing.before.de);
                prop_assert_eq!(closing.after.is_empty(), !calendar.values().any(|owner| *owner == closing.id));
            }
            for n in DAYS {
                prop_assert_eq!(timeline.at(day(n)), calendar.get(&n).copied(), "day {}", n);
            }
        }
    }

    #[test]
    fn overlap_is_a_common_day(a in span(), b in span()) {
        let (a, b) = (vigencia(a), vigencia(b));
        let common = DAYS.map(day).any(|d| a.covers(d) && b.covers(d));
        prop_assert_eq!(a.overlaps(b), common);
        prop_assert_eq!(b.overlaps(a), common);
    }
}

/// Returns the rule of a code: general ICMS of a UF, distinguished by its version.
fn version(code: &str, minor: usize, uf: &str, (de, ate): Span) -> Value {
    let dates = json!({"versao": format!("1.{minor}"), "vigente_de": day(de), "vigente_ate": ate.map(day)});
    with(&rule(code, "icms", &json!({"uf": uf}), &json!({"aliquota": "18.00"})), &dates)
}

/// Who answers in a UF on a day.
fn answering(engine: &Engine, uf: &str, n: u32) -> String {
    let payload = json!({"tributo": "icms", "uf_origem": uf, "uf_destino": uf, "valor_produto": "1.00",
        "data_operacao": day(n)});
    match calculate(engine, &payload) {
        Ok(answer) => answer["regra"]["rule_id"].as_str().unwrap().to_owned(),
        Err(problem) if problem.codigo.as_str() == "regra_inexistente" => NOBODY.to_owned(),
        Err(problem) => panic!("{problem:?}"),
    }
}

const NOBODY: &str = "-";

const UFS: [&str; 2] = ["SP", "RJ"];

#[derive(Debug, Clone)]
struct Move {
    code: &'static str,
    uf: &'static str,
    span: Span,
}

fn moves() -> BoxedStrategy<Vec<Vec<Move>>> {
    let one = (proptest::sample::select(vec!["aaa", "bbb"]), proptest::sample::select(UFS.to_vec()), span())
        .prop_map(|(code, uf, span)| Move { code, uf, span });
    proptest::collection::vec(proptest::collection::vec(one, 1..4), 1..6).boxed()
}

proptest! {
    #![proptest_config(cases(256))]

    /// Two codes whose scope moves between two UFs, several versions in one import: after each
    /// import the calendar answers, and an import after which both codes would answer somewhere
    /// changes nothing.
    #[test]
    fn every_import_leaves_the_calendar_of_its_codes(bundles in moves()) {
        let engine = engine(0);
        let mut calendars: BTreeMap<&str, BTreeMap<u32, (String, &str)>> = BTreeMap::new();
        let mut minors: BTreeMap<&str, usize> = BTreeMap::new();
        for moves in bundles {
            let (mut next, mut numbers) = (calendars.clone(), minors.clone());
            let mut rules = Vec::new();
            for m in &moves {
                let minor = numbers.entry(m.code).or_default();
                *minor += 1;
                rules.push(version(m.code, *minor, m.uf, m.span));
                take(next.entry(m.code).or_default(), m.span, &(format!("{}-v1.{minor}", m.code), m.uf));
            }
            let owner = |calendars: &BTreeMap<&str, BTreeMap<u32, (String, &str)>>, uf: &str, n: u32| -> Vec<String> {
                calendars.values().filter_map(|c| c.get(&n)).filter(|o| o.1 == uf).map(|o| o.0.clone()).collect()
            };
            let tie = UFS.iter().any(|uf| DAYS.into_iter().any(|n| owner(&next, uf, n).len() > 1));
            let imported = publish(&engine, &rules);
            prop_assert_eq!(imported.is_err(), tie, "{:?}", imported);
            if !tie {
                (calendars, minors) = (next, numbers);
            }
            for uf in UFS {
                for n in DAYS {
                    prop_assert_eq!(answering(&engine, uf, n), owner(&calendars, uf, n).pop().unwrap_or(NOBODY.to_owned()), "{} on day {}", uf, n);
                }
            }
        }
    }
}

/// What an import says of superseded versions: id, kind, day of the old end, day of the new one.
fn superseded(report: &ImportReport) -> Vec<String> {
    let end = |d: Option<Date>| d.map_or(NOBODY.to_owned(), |d| d.to_string()[8..].to_owned());
    let line =
        |s: Superseded| format!("{} {} {} {}", s.rule_id, s.tipo, end(s.vigente_ate_anterior), end(s.vigente_ate));
    report.substituidas.iter().map(Result::unwrap).map(line).collect()
}

#[test]
fn a_later_version_closes_the_one_before_from_its_first_day() {
    let engine = engine(0);
    publish(&engine, &[version("aaa", 1, "SP", (1, None))]).unwrap();
    let report = publish(&engine, &[version("aaa", 2, "SP", (10, None))]).unwrap();
    assert_eq!(superseded(&report), ["aaa-v1.1 substituicao - 10"]);
    assert_eq!([9, 10].map(|n| answering(&engine, "SP", n)), ["aaa-v1.1", "aaa-v1.2"]);
}

#[test]
fn a_version_from_the_same_day_replaces_the_one_before_entirely() {
    let engine = engine(0);
    publish(&engine, &[version("aaa", 1, "SP", (10, None))]).unwrap();
    let report = publish(&engine, &[version("aaa", 2, "SP", (10, None))]).unwrap();
    assert_eq!(superseded(&report), ["aaa-v1.1 substituicao_retroativa - 10"]);
    assert_eq!([9, 10].map(|n| answering(&engine, "SP", n)), [NOBODY, "aaa-v1.2"]);
    assert_eq!(engine.rule_count().unwrap(), 2, "the old version stays in the history");
}

#[test]
fn one_publication_may_cut_a_version_and_replace_the_one_after_it() {
    let engine = engine(0);
    publish(&engine, &[version("aaa", 1, "SP", (1, None))]).unwrap();
    publish(&engine, &[version("aaa", 2, "SP", (10, None))]).unwrap();
    let report = publish(&engine, &[version("aaa", 3, "SP", (5, None))]).unwrap();
    assert_eq!(superseded(&report), ["aaa-v1.1 substituicao 10 05", "aaa-v1.2 substituicao_retroativa - 05",]);
    assert_eq!([4, 5, 10, 28].map(|n| answering(&engine, "SP", n)), ["aaa-v1.1", "aaa-v1.3", "aaa-v1.3", "aaa-v1.3"]);
}

#[test]
fn after_the_end_of_a_version_nothing_answers_until_the_next() {
    let engine = engine(0);
    publish(&engine, &[version("aaa", 1, "SP", (1, Some(5)))]).unwrap();
    let report = publish(&engine, &[version("aaa", 2, "SP", (10, Some(15)))]).unwrap();
    assert!(report.substituidas.is_empty(), "a version that had ended is not closed again");
    let wanted = ["aaa-v1.1", NOBODY, NOBODY, "aaa-v1.2", "aaa-v1.2", NOBODY];
    assert_eq!([4, 5, 9, 10, 14, 15].map(|n| answering(&engine, "SP", n)), wanted);
}

#[test]
fn a_closed_period_of_the_past_is_corrected_by_itself() {
    let engine = engine(0);
    publish(&engine, &[version("aaa", 1, "SP", (5, Some(10)))]).unwrap();
    publish(&engine, &[version("aaa", 2, "SP", (10, None))]).unwrap();
    let report = publish(&engine, &[version("aaa", 3, "SP", (5, Some(10)))]).unwrap();
    assert_eq!(superseded(&report), ["aaa-v1.1 substituicao_retroativa 10 05"]);
    let wanted = [NOBODY, "aaa-v1.3", "aaa-v1.3", "aaa-v1.2", "aaa-v1.2"];
    assert_eq!([4, 5, 9, 10, 28].map(|n| answering(&engine, "SP", n)), wanted);
}

#[test]
fn two_versions_of_one_code_may_come_in_one_import() {
    let engine = engine(0);
    let report = publish(&engine, &[version("aaa", 2, "SP", (10, None)), version("aaa", 1, "SP", (1, None))]).unwrap();
    assert_eq!(superseded(&report), ["aaa-v1.1 substituicao - 10"]);
    assert_eq!([9, 10].map(|n| answering(&engine, "SP", n)), ["aaa-v1.1", "aaa-v1.2"]);
}

#[test]
fn two_codes_may_exchange_their_scopes_in_one_import() {
    let engine = engine(0);
    publish(&engine, &[version("aaa", 1, "SP", (1, None)), version("bbb", 1, "RJ", (1, None))]).unwrap();
    publish(&engine, &[version("aaa", 2, "RJ", (10, None)), version("bbb", 2, "SP", (10, None))]).unwrap();
    assert_eq!(["SP", "RJ"].map(|uf| answering(&engine, uf, 9)), ["aaa-v1.1", "bbb-v1.1"]);
    assert_eq!(["SP", "RJ"].map(|uf| answering(&engine, uf, 10)), ["bbb-v1.2", "aaa-v1.2"]);
}

#[test]
fn a_refusal_names_the_nearest_validity_by_days() {
    let engine = engine(0);
    let dated = |minor: usize, de: &str, ate: Option<&str>| {
        with(&version("aaa", minor, "SP", (1, None)), &json!({"vigente_de": de, "vigente_ate": ate}))
    };
    publish(&engine, &[dated(1, "2020-01-01", Some("2025-12-31")), dated(2, "2026-03-01", None)]).unwrap();
    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1.00",
        "data_operacao": "2026-01-01"});
    let problem = calculate(&engine, &payload).unwrap_err();
    // The day lies two days after the first validity and two months before the second.
    assert!(problem.detail.contains("A vigência mais próxima vai de 2020-01-01"), "{}", problem.detail);
    let days = problem.candidatos.iter().map(|c| c.exclusao.as_ref().unwrap().regra.vigente_de.to_string());
    assert_eq!(days.collect::<Vec<_>>(), ["2020-01-01", "2026-03-01"]);
}
