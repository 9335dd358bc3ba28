//! Calendar and coverage are made once for each publication and day, whatever is asked of them. Each look had cost up to
//! 0.3 s of processor.

use serde_json::json;
use taxd::core::engine::{BundleFile, ImportOptions};

use crate::support::{InProcess, bundle, rule, with};

fn publish(server: &InProcess, version: &str, rate: &str) {
    let beer = |uf: &str| {
        let code = format!("cerveja-{}", uf.to_lowercase());
        let beer = rule(&code, "icms", &json!({"uf": uf, "ncm": "2203"}), &json!({"aliquota": rate}));
        with(&beer, &json!({"versao": version, "vigente_ate": "2026-12-20"}))
    };
    let file = BundleFile::unsigned("cerveja.json", bundle(&[beer("SP"), beer("RJ")]));
    server.engine().import(&[file], server.engine().now(), ImportOptions::default()).unwrap();
}

fn look(server: &InProcess, path: &str) -> String {
    let reply = server.get_own(&format!("/sandbox/v1/{path}"));
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.text()
}

#[test]
fn calendar_and_coverage_are_made_once_until_a_publication_or_the_next_day() {
    let server = InProcess::start("2026-12-10T12:00:00Z");
    publish(&server, "1.0", "25.00");
    let made = |server: &InProcess| {
        let made = server.engine().overviews_made();
        (made.calendars, made.coverages)
    };
    let ask = || {
        for query in
            ["", "?tributo=icms", "?uf=SP", "?tipo=sem_resposta", "?formato=ics", "?formato=csv", "?uf=RJ&grupo=ff"]
        {
            let shown = look(&server, &format!("calendario{query}"));
            assert!(query != "?uf=SP" || !shown.contains("cerveja-rj"), "{query}: {shown}");
        }
        for path in ["cobertura", "municipios?tributo=iss&uf=SP", "municipios?tributo=iss&uf=RJ"] {
            look(&server, path);
        }
    };
    ask();
    assert_eq!(made(&server), (1, 1), "the calendar reads the coverage of its first day");
    ask();
    assert_eq!(made(&server), (1, 1));
    let before = look(&server, "cobertura");
    publish(&server, "2.0", "27.00");
    ask();
    assert_eq!(made(&server), (2, 2), "a publication");
    assert_ne!(look(&server, "calendario?formato=csv"), "", "it is of the rules of now");
    server.set_clock("2026-12-11T12:00:00Z");
    ask();
    assert_eq!(made(&server), (3, 3), "the next day");
    assert!(look(&server, "cobertura") != before, "the day is in the answer");
    // A day that was asked for before is still kept.
    look(&server, "cobertura?vigente_em=2026-12-10");
    assert_eq!(made(&server), (3, 3));
}

/// The memory is bounded: the day that was asked for least recently is dropped.
#[test]
fn only_a_few_days_are_kept() {
    let server = InProcess::start("2026-12-10T12:00:00Z");
    publish(&server, "1.0", "25.00");
    let ask = |day: u32| look(&server, &format!("cobertura?vigente_em=2026-11-{day:02}"));
    for day in 1..=20 {
        ask(day);
    }
    assert_eq!(server.engine().overviews_made().coverages, 20);
    ask(20);
    assert_eq!(server.engine().overviews_made().coverages, 20);
    ask(1);
    assert_eq!(server.engine().overviews_made().coverages, 21);
    for i in 0..40 {
        look(&server, &format!("calendario?desde=2026-11-01&dias={}", 1 + i));
    }
    look(&server, "calendario?desde=2026-11-01&dias=40");
    assert_eq!(server.engine().overviews_made().calendars, 40);
    look(&server, "calendario?desde=2026-11-01&dias=1");
    assert_eq!(server.engine().overviews_made().calendars, 41);
}

/// Status, health and metrics read the ends once, however often they are asked.
#[test]
fn the_ends_ahead_are_counted_once_until_a_publication_or_the_next_day() {
    let server = InProcess::start("2026-12-10T12:00:00Z");
    publish(&server, "1.0", "25.00");
    let ask = || {
        for _ in 0..5 {
            let status = server.admin(taxd::features::Command::Status);
            assert_eq!(status["ending"][0]["sem_sucessora"], 2, "{status}");
            server.admin(taxd::features::Command::Health);
            server.admin(taxd::features::Command::Metrics);
        }
        server.engine().overviews_made().ends
    };
    assert_eq!(ask(), 1);
    publish(&server, "2.0", "27.00");
    assert_eq!(ask(), 2);
    server.set_clock("2026-12-11T12:00:00Z");
    assert_eq!(ask(), 3);
}
