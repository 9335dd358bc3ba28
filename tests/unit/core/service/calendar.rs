//! The rules that end soon: the log warns of each day from which requests will be refused, once a day, however often and
//! however seldom the server looks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use taxd_base::value::{Clock, Date, Timestamp};
use taxd_core::engine::Engine;
use taxd_core::engine::upcoming::{EndCounts, EndsByDay, EndsOfDay};
use taxd_core::service::{Service, WarnedEnds, due, pauses};
use taxd_core::store::Store;

use crate::support::{day, engine, publish, rule, with};

const NONE: EndCounts = EndCounts { nova_versao: 0, regra_geral: 0, extintas: 0, sem_figura: 0, sem_sucessora: 0 };

/// The ends of these days.
fn ends(days: &[(&str, EndCounts)]) -> EndsByDay {
    let of_day = |fins: EndCounts| EndsOfDay { fins, without_answer: (fins.without_answer() > 0).then_some(5) };
    days.iter().map(|(data, fins)| (day(data), of_day(*fins))).collect()
}

/// Days on which each end is warned of, by a server that looks on these days of the year 2026 (from 0), twice on each.
fn warned(ends: &EndsByDay, looks: &[u32]) -> BTreeMap<Date, Vec<u32>> {
    let mut found: BTreeMap<Date, Vec<u32>> = BTreeMap::new();
    let mut warned = WarnedEnds::default();
    for n in looks.iter().flat_map(|n| [*n, *n]) {
        let now = day("2026-01-01").plus_days(n);
        let ahead = ends.iter().filter(|(data, _)| **data > now && now.days_between(**data) <= 60);
        let (warnings, after) = due(&ahead.map(|(data, of_day)| (*data, *of_day)).collect(), now, &warned);
        for warning in warnings {
            found.entry(warning.data).or_default().push(n);
        }
        warned = after;
    }
    found
}

/// Ends that pass to a version without a figure were once never warned of.
#[test]
fn a_server_warns_once_a_day_from_30_days_before_of_every_end_that_leaves_no_answer() {
    let ends = ends(&[
        ("2026-06-30", EndCounts { sem_sucessora: 1, ..NONE }),
        ("2026-07-01", EndCounts { regra_geral: 1, ..NONE }),
        ("2026-07-02", EndCounts { nova_versao: 2, extintas: 3, ..NONE }),
        ("2026-07-05", EndCounts { sem_figura: 2, nova_versao: 1, ..NONE }),
    ]);
    let every_day: Vec<u32> = (0..365).collect();
    // 30 June is the day 180, 5 July the day 185.
    let wanted = [(day("2026-06-30"), (150..180).collect()), (day("2026-07-05"), (155..185).collect())];
    assert_eq!(warned(&ends, &every_day), wanted.into());
    for step in 2..=40_u32 {
        let looks: Vec<u32> = (0..365).filter(|n| n % step == step / 2).collect();
        let wanted: Vec<u32> = looks.iter().copied().filter(|n| (150..180).contains(n)).collect();
        let found = warned(&ends, &looks).remove(&day("2026-06-30")).unwrap_or_default();
        assert_eq!(found, wanted, "a look every {step} days");
    }
}

#[test]
fn rules_of_one_day_are_one_warning_and_those_that_a_publication_adds_are_warned_of_at_once() {
    let of = |data: &str, rules| ends(&[(data, EndCounts { sem_figura: rules, ..NONE })]);
    let (both, warned) = due(&of("2026-06-30", 2), day("2026-06-20"), &WarnedEnds::default());
    assert_eq!((both.len(), both[0].fins.sem_figura, both[0].first), (1, 2, 5));
    let again = |ends: &EndsByDay, on: &str| due(ends, day(on), &warned).0.len();
    assert_eq!(again(&of("2026-06-30", 2), "2026-06-20"), 0);
    assert_eq!(again(&of("2026-06-30", 1), "2026-06-20"), 0, "one was mended");
    assert_eq!(again(&of("2026-06-30", 2), "2026-06-10"), 0, "the clock was set back");
    assert_eq!(again(&of("2026-06-30", 3), "2026-06-20"), 1, "one was published since");
    assert_eq!(again(&of("2026-06-25", 2), "2026-06-20"), 1, "their end moved");
    assert_eq!(again(&of("2026-06-30", 2), "2026-06-21"), 1, "the next day");
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
fn a_restart_repeats_no_warning_and_a_stop_of_weeks_loses_only_those_of_its_days() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().to_owned();
    let at = |text: &str| Timestamp::parse(&format!("{text}T12:00:00Z")).unwrap().millis();
    let millis = Arc::new(AtomicU64::new(at("2026-11-22")));
    publish(service(&path, &millis).engine(), &[beer("2027-01-01")]).unwrap();
    let look = |text: &str| {
        millis.store(at(text), Ordering::Relaxed);
        service(&path, &millis).look_ahead().unwrap().len()
    };
    let days = ["2026-10-20", "2026-12-01", "2026-12-02", "2026-12-02", "2026-12-30", "2026-12-30", "2026-12-31"];
    assert_eq!(days.map(look), [0, 0, 1, 0, 1, 0, 1]);
    assert_eq!(look("2027-01-01"), 0, "it has ended");
}

#[test]
fn the_counts_are_of_the_days_ahead_by_what_answers_then() {
    let engine = engine(0).with_clock(Clock::new(|| Timestamp::parse("2026-12-02T12:00:00Z").unwrap()));
    let general = rule("geral", "icms", &json!({"uf": "RJ"}), &json!({"aliquota": "20.00"}));
    let rj = rule("cerveja-rj", "icms", &json!({"uf": "RJ", "ncm": "2203"}), &json!({"aliquota": "20.00"}));
    publish(&engine, &[beer("2027-01-01"), general, with(&rj, &json!({"vigente_ate": "2026-12-05"}))]).unwrap();
    let counts = Service::open(engine).unwrap().ending_rules().unwrap();
    let shown = counts.map(|c| (c.within_days, c.fins));
    let both = EndCounts { regra_geral: 1, sem_sucessora: 1, ..NONE };
    assert_eq!(shown, [(60, both), (30, both), (7, EndCounts { regra_geral: 1, ..NONE })]);
}

/// A panic that lasts had been logged every five seconds.
#[test]
fn after_each_panic_the_thread_waits_longer_up_to_an_hour() {
    let seconds: Vec<u64> = pauses().take(13).map(|pause| pause.as_secs()).collect();
    assert_eq!(seconds, [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600, 3_600]);
}
