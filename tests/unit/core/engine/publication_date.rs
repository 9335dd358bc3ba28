//! When publications are dated, and that an answer about a past instant is final.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use taxd_base::value::Timestamp;
use taxd_core::engine::{BundleFile, ClockFault, Engine, ImportError, ImportOptions};
use taxd_core::store::Store;

use crate::support::{bundle, engine, file, rule, with};

const HOUR_MS: u64 = 3_600_000;

/// A version of the one code here, in force from 2020 on.
fn version(minor: usize) -> Value {
    let rate = format!("{}.{:02}", minor / 100 % 40, minor % 100);
    with(
        &rule("geral", "icms", &json!({"uf": "SP"}), &json!({"aliquota": rate})),
        &json!({"versao": format!("1.{minor}")}),
    )
}

fn files(versions: impl IntoIterator<Item = usize>) -> Vec<BundleFile> {
    vec![file("teste.json", &bundle(&versions.into_iter().map(version).collect::<Vec<_>>()).to_string())]
}

fn publish(engine: &Engine, minor: usize, at: Timestamp) {
    engine.import(&files([minor]), at, ImportOptions::default()).unwrap();
}

fn later(at: Timestamp, ms: u64) -> Timestamp {
    Timestamp::from_millis(at.millis() + ms).unwrap()
}

/// The version that answers as it was known at that instant.
fn known(engine: &Engine, at: Timestamp) -> Option<String> {
    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1.00",
        "data_operacao": "2026-03-10"});
    let answer = engine.calculate_at(payload.to_string().as_bytes(), false, Some(at)).ok()?.to_json();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    Some(answer["regra"]["rule_id"].as_str().unwrap().to_owned())
}

#[test]
fn what_was_answered_of_an_instant_stays_whatever_is_published_at_it() {
    let engine = engine(0);
    let now = Timestamp::now();
    assert_eq!(known(&engine, now), None);
    publish(&engine, 0, now);
    assert_eq!(known(&engine, now), None, "the publication is dated after what was answered for");
    assert_eq!(known(&engine, later(now, 1)).as_deref(), Some("geral-v1.0"));
    // By a clock that was set back a little.
    publish(&engine, 1, Timestamp::from_millis(now.millis() - HOUR_MS).unwrap());
    assert_eq!(known(&engine, later(now, 1)).as_deref(), Some("geral-v1.0"));
    assert_eq!(known(&engine, later(now, 2)).as_deref(), Some("geral-v1.1"));
}

#[test]
fn what_is_answered_of_this_very_moment_while_publications_commit_stays() {
    let dir = tempfile::TempDir::new().unwrap();
    let engine = Engine::new(Store::open(dir.path()).unwrap(), 0);
    let done = AtomicBool::new(false);
    let answered = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut answered = Vec::new();
            while !done.load(Ordering::SeqCst) {
                let now = Timestamp::now();
                answered.push((now, known(&engine, now)));
            }
            answered
        });
        for minor in 0..40 {
            publish(&engine, minor, Timestamp::now());
        }
        done.store(true, Ordering::SeqCst);
        asking.join().unwrap()
    });
    for (at, then) in answered {
        assert_eq!(known(&engine, at), then, "as known at {at}");
    }
}

#[test]
fn a_journal_that_reaches_far_ahead_of_the_clock_takes_a_publication_only_if_that_is_accepted() {
    let engine = engine(0);
    let now = Timestamp::parse("2026-03-10T12:00:00Z").unwrap();
    let ahead = later(now, 25 * HOUR_MS);
    publish(&engine, 0, ahead);
    let import = |minors: &[usize], dry_run, accept_future_date| {
        engine.import(
            &files(minors.iter().copied()),
            now,
            ImportOptions { dry_run, accept_future_date, is_proven: false },
        )
    };
    for dry_run in [true, false] {
        match import(&[1], dry_run, false) {
            Err(ImportError::Clock(fault)) => assert_eq!(fault, ClockFault::Behind { reached: ahead, now }),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(engine.rule_count().unwrap(), 1);
    assert_eq!(import(&[0], false, false).unwrap().inalteradas, 1, "nothing new needs no date");
    import(&[1], false, true).unwrap();
    assert_eq!(known(&engine, ahead).as_deref(), Some("geral-v1.0"));
    assert_eq!(known(&engine, later(ahead, 1)).as_deref(), Some("geral-v1.1"));
    // Within a day a clock is taken at its word.
    engine.import(&files([2]), later(now, 2 * HOUR_MS), ImportOptions::default()).unwrap();
    assert_eq!(known(&engine, later(ahead, 2)).as_deref(), Some("geral-v1.2"));
}

/// A clock 400 days ahead once accepted an import without a warning, and later imports needed an option.
#[test]
fn a_clock_far_ahead_of_the_last_publication_is_warned_of_and_then_refused() {
    const DAY: u64 = 24 * HOUR_MS;
    let first = Timestamp::parse("2026-03-10T12:00:00Z").unwrap();
    let after = |days: u64, accept_future_date: bool| {
        let engine = engine(0);
        publish(&engine, 0, first);
        let options = ImportOptions { accept_future_date, ..ImportOptions::default() };
        engine.import(&files([1]), later(first, days * DAY), options)
    };
    // A firm that imports once a year is not asked.
    for days in [0, 366, 395] {
        assert!(after(days, false).unwrap().avisos.is_empty(), "{days}");
    }
    for days in [396, 400, 3_652] {
        let told = after(days, false).unwrap().avisos;
        assert!(
            told.len() == 1 && told[0].contains(&format!("{days} days")) && told[0].contains("2026-03-10"),
            "{told:?}"
        );
        assert!(after(days, true).unwrap().avisos.is_empty(), "what is accepted needs no warning");
    }
    for days in [3_653, 200 * 366] {
        match after(days, false) {
            Err(ImportError::Clock(ClockFault::Ahead { last, now })) => {
                assert_eq!((last, now), (Some(first), later(first, days * DAY)));
            }
            other => panic!("{days}: {other:?}"),
        }
        assert_eq!(after(days, true).unwrap().publicadas.len(), 1);
    }
}

#[test]
fn a_first_publication_is_refused_by_a_clock_beyond_the_days_of_rules() {
    let beyond = Timestamp::parse("2201-01-01T00:00:00Z").unwrap();
    match engine(0).import(&files([0]), beyond, ImportOptions::default()) {
        Err(ImportError::Clock(ClockFault::Ahead { last: None, now })) => assert_eq!(now, beyond),
        other => panic!("{other:?}"),
    }
    publish(&engine(0), 0, Timestamp::from_millis(beyond.millis() - 1).unwrap());
}

/// What this thread has computed so far: what else the machine does is not in it.
fn computed() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

/// The shortest of five lookups on an engine with so many versions of one code, all but the
/// last replaced entirely.
fn lookup_time(versions: usize) -> Duration {
    let engine = engine(0);
    engine.import(&files(0..versions), Timestamp::now(), ImportOptions::default()).unwrap();
    let once = || {
        let start = computed();
        assert_eq!(known(&engine, Timestamp::now()), Some(format!("geral-v1.{}", versions - 1)));
        computed().checked_sub(start).unwrap()
    };
    (0..5).map(|_| once()).min().unwrap()
}

#[test]
fn asking_what_was_known_costs_in_proportion_to_the_versions_of_a_code() {
    let (few, many) = (lookup_time(400), lookup_time(3_200));
    assert!(many < few * 24, "eight times the versions took {many:?} after {few:?}");
}
