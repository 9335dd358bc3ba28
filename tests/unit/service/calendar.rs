//! The rules that end soon: each end without a successor is warned of once for each threshold, however often and however
//! seldom the server looks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use taxd::engine::Engine;
use taxd::engine::upcoming::{Sucessao, UpcomingEnd};
use taxd::service::{Service, THRESHOLDS_DAYS, WarnedEnds, due, pauses};
use taxd::store::Store;
use taxd::value::{Clock, Date, Timestamp};

use crate::support::{engine, publish, rule, with};

fn day(text: &str) -> Date {
    Date::parse(text).unwrap()
}

fn end(number: u64, data: &str, sucessao: Sucessao) -> UpcomingEnd {
    UpcomingEnd { number, data: day(data), sucessao }
}

/// Days on which each end is warned of, by a server that looks on these days of the year 2026 (from 0), twice on each.
fn warned(ends: &[UpcomingEnd], looks: &[u32]) -> BTreeMap<Date, Vec<u32>> {
    let mut found: BTreeMap<Date, Vec<u32>> = BTreeMap::new();
    let mut warned = WarnedEnds::new();
    for n in looks.iter().flat_map(|n| [*n, *n]) {
        let now = day("2026-01-01").plus_days(n);
        let ahead: Vec<UpcomingEnd> =
            ends.iter().filter(|e| e.data > now && now.days_between(e.data) <= 60).copied().collect();
        let (warnings, after) = due(&ahead, now, &warned);
        for warning in warnings {
            found.entry(warning.data).or_default().push(n);
        }
        warned = after;
    }
    found
}

#[test]
fn a_server_that_looks_every_day_warns_60_30_and_7_days_before_and_only_of_ends_without_a_successor() {
    let ends = [
        end(1, "2026-06-30", Sucessao::SemSucessora),
        end(2, "2026-07-01", Sucessao::RegraGeral),
        end(3, "2026-07-02", Sucessao::NovaVersao),
    ];
    let every_day: Vec<u32> = (0..365).collect();
    // 30 June is the day 180.
    assert_eq!(warned(&ends, &every_day), [(day("2026-06-30"), vec![120, 150, 173])].into());
}

/// The naive implementation: on each day of a look, the thresholds reached since the look before; one warning if any.
#[test]
fn whatever_the_days_of_the_looks_no_threshold_is_missed_or_repeated() {
    let ends = [end(1, "2026-06-30", Sucessao::SemSucessora)];
    for step in 1..=90_u32 {
        let looks: Vec<u32> = (0..365).filter(|n| n % step == step / 2).collect();
        let mut expected = Vec::new();
        let mut before = None;
        for n in looks.iter().copied().filter(|n| *n < 180) {
            let left = 180 - n;
            let passed = THRESHOLDS_DAYS.iter().filter(|t| left <= **t && before.is_none_or(|b: u32| b > **t)).count();
            before = Some(left);
            expected.extend((passed > 0).then_some(n));
        }
        let found = warned(&ends, &looks).remove(&day("2026-06-30")).unwrap_or_default();
        assert_eq!(found, expected, "a look every {step} days");
    }
}

#[test]
fn rules_of_one_day_are_one_warning_and_one_that_is_new_is_warned_of_at_once() {
    let mut ends = vec![end(5, "2026-06-30", Sucessao::SemSucessora), end(9, "2026-06-30", Sucessao::SemSucessora)];
    let (both, warned) = due(&ends, day("2026-06-20"), &WarnedEnds::new());
    assert_eq!((both.len(), both[0].rules, both[0].first), (1, 2, 5));
    let again = |ends: &[UpcomingEnd], on: &str| due(ends, day(on), &warned).0;
    assert_eq!(again(&ends, "2026-06-20"), []);
    assert_eq!(again(&ends, "2026-06-10"), [], "the clock was set back");
    ends[0].data = day("2026-06-25");
    assert_eq!(again(&ends, "2026-06-20")[0].first, 5, "its end moved");
    ends.push(end(10, "2026-06-30", Sucessao::SemSucessora));
    assert_eq!(again(&ends[1..], "2026-06-20")[0].first, 10, "it was published since");
}

/// A publication that gives an older version its end, or takes its successor away, was once never warned of.
#[test]
fn an_end_that_a_later_publication_makes_is_warned_of() {
    let dir = tempfile::TempDir::new().unwrap();
    let millis = Arc::new(AtomicU64::new(Timestamp::parse("2026-11-22T12:00:00Z").unwrap().millis()));
    let service = service(dir.path(), &millis);
    let both = rule("servico", "icms", &json!({"uf": "SP", "ncm": ["2203", "2204"]}), &json!({"aliquota": "25.00"}));
    publish(service.engine(), &[both]).unwrap();
    assert!(service.look_ahead().unwrap().is_empty());
    let narrower = rule("servico", "icms", &json!({"uf": "SP", "ncm": "2203"}), &json!({"aliquota": "25.00"}));
    publish(service.engine(), &[with(&narrower, &json!({"versao": "2.0", "vigente_de": "2026-11-26"}))]).unwrap();
    assert_eq!(service.look_ahead().unwrap().len(), 1);
    assert!(service.look_ahead().unwrap().is_empty());
}

/// A service on the directory, at a time that the test sets.
fn service(path: &std::path::Path, millis: &Arc<AtomicU64>) -> Service {
    let millis = Arc::clone(millis);
    let clock = Clock::new(move || Timestamp::from_millis(millis.load(Ordering::Relaxed)).unwrap());
    Service::open(Engine::new(Store::open(path).unwrap(), 0).with_clock(clock)).unwrap()
}

fn beer(ate: &str) -> Value {
    let beer = rule("cerveja", "icms", &json!({"uf": "SP", "ncm": "2203"}), &json!({"aliquota": "25.00"}));
    with(&beer, &json!({"vigente_ate": ate}))
}

#[test]
fn a_restart_repeats_no_warning_and_a_stop_over_a_threshold_loses_none() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().to_owned();
    let at = |text: &str| Timestamp::parse(&format!("{text}T12:00:00Z")).unwrap().millis();
    let millis = Arc::new(AtomicU64::new(at("2026-11-22")));
    publish(service(&path, &millis).engine(), &[beer("2027-01-01")]).unwrap();
    let look = |text: &str| {
        millis.store(at(text), Ordering::Relaxed);
        service(&path, &millis).look_ahead().unwrap().len()
    };
    let days = ["2026-10-20", "2026-11-22", "2026-11-22", "2026-12-01", "2026-12-02", "2026-12-30", "2026-12-31"];
    assert_eq!(days.map(look), [0, 1, 0, 0, 1, 1, 0]);
    assert_eq!(look("2027-01-01"), 0, "it has ended");
}

#[test]
fn the_counts_are_of_the_days_ahead_by_what_answers_then() {
    let engine = engine(0).with_clock(Clock::new(|| Timestamp::parse("2026-12-02T12:00:00Z").unwrap()));
    let general = rule("geral", "icms", &json!({"uf": "RJ"}), &json!({"aliquota": "20.00"}));
    let rj = rule("cerveja-rj", "icms", &json!({"uf": "RJ", "ncm": "2203"}), &json!({"aliquota": "20.00"}));
    publish(&engine, &[beer("2027-01-01"), general, with(&rj, &json!({"vigente_ate": "2026-12-05"}))]).unwrap();
    let counts = Service::open(engine).unwrap().ending_rules().unwrap();
    let shown = counts.map(|c| (c.within_days, c.nova_versao, c.regra_geral, c.sem_sucessora));
    assert_eq!(shown, [(60, 0, 1, 1), (30, 0, 1, 1), (7, 0, 1, 0)]);
}

/// A panic that lasts had been logged every five seconds.
#[test]
fn after_each_panic_the_thread_waits_longer_up_to_an_hour() {
    let seconds: Vec<u64> = pauses().take(13).map(|pause| pause.as_secs()).collect();
    assert_eq!(seconds, [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600, 3_600]);
}
