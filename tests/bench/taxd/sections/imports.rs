//! Imports: a million rules, and an import under load.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{Fixture, Row, Subject};
use crate::fixture::import;
use crate::load::{CONNECTIONS, Until, closed_loop};
use crate::rules::{UNDER_LOAD, bundle};
use crate::table::{Wanted, number};

/// Time limit of an import under load.
const PATIENCE: Duration = Duration::from_mins(3);

pub fn million(fixture: &Fixture) -> Vec<Row> {
    let million = fixture.million();
    let file = std::fs::metadata(million.home.dir.join("taxd.redb")).map_or(0, |file| file.len() / (1024 * 1024));
    let once =
        |name: &str, bound, unit, value, detail| Row::new(name, Wanted::AtMost(bound), unit, vec![value], detail);
    vec![
        once("import of 1,000,000 rules", 20.0, "s", million.took.as_secs_f64(), format!("a data file of {file} MiB")),
        once(
            "its memory at most",
            300.0,
            "MiB",
            million.peak_mib,
            "VmHWM of `taxd import`, no server running".to_owned(),
        ),
    ]
}

pub fn under_load(fixture: &Fixture) -> Vec<Row> {
    let home = fixture.builtin();
    let bundle = fixture.write("under-load.json", &bundle(0, UNDER_LOAD));
    let measure = |calls: &str, bound, fresh| {
        let home = fixture.copy(home, if fresh { "importing-full" } else { "importing-cached" });
        let subject = Subject::serve(fixture, &home, fresh);
        subject.saturate(Duration::from_secs(1));
        let until = Until::after(PATIENCE);
        let (outcome, took) = thread::scope(|scope| {
            let load = scope.spawn(|| closed_loop(subject.address, &subject.mix, &Arc::clone(&until), CONNECTIONS));
            let (took, _) = import(&home.dir, &bundle).finish("taxd import");
            until.stop();
            (load.join().expect("the load"), took)
        });
        let detail = format!(
            "p99.9 {} ms, {} calls/s, import {} s",
            number(outcome.latency_ms(0.999)),
            number(outcome.rate()),
            number(took.as_secs_f64()),
        );
        let row = |what: &str, bound, quantile, detail| {
            let name = format!("{what} during an import of 100,000 rules, {calls}");
            Row::new(&name, Wanted::AtMost(bound), "ms", vec![outcome.latency_ms(quantile)], detail)
        };
        [row("p99", bound, 0.99, detail), row("longest wait", 10.0, 1.0, String::new())]
    };
    [measure("payload repeated", 5.0, false), measure("every payload new", 200.0, true)].into_iter().flatten().collect()
}
