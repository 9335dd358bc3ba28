//! Imports: a million rules, and an import under load.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{Fixture, Row, Subject};
use crate::fixture::{Home, import};
use crate::load::{CONNECTIONS, Outcome, Until, closed_loop};
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
    let row = |what: &str, calls: &str, wanted, value, detail| {
        Row::new(&format!("{what} during an import of 100,000 rules{calls}"), wanted, "ms", vec![value], detail)
    };
    let at_most = |outcome: &Outcome| outcome.latency_ms(1.0);
    let during = |subject: &Subject, folder: &Home| {
        subject.saturate(Duration::from_secs(1));
        let until = Until::after(PATIENCE);
        thread::scope(|scope| {
            let load = scope.spawn(|| closed_loop(subject.address, &subject.mix, &Arc::clone(&until), CONNECTIONS));
            let (took, _) = import(&folder.dir, &bundle).finish("taxd import");
            until.stop();
            (load.join().expect("the load"), took)
        })
    };
    let measure = |calls: &str, bound, fresh| {
        let home = fixture.copy(home, if fresh { "importing-full" } else { "importing-cached" });
        let subject = Subject::serve(fixture, &home, fresh);
        let (outcome, took) = during(&subject, &home);
        let without = subject.saturate(took);
        let detail = format!(
            "p99.9 {} ms, {} calls/s, import {} s",
            number(outcome.latency_ms(0.999)),
            number(outcome.rate()),
            number(took.as_secs_f64()),
        );
        let rows = [
            row("p99", calls, Wanted::AtMost(bound), outcome.latency_ms(0.99), detail),
            row(
                "longest wait",
                calls,
                Wanted::AtMost(10.0),
                at_most(&outcome),
                format!("{} ms without an import, as long", number(at_most(&without))),
            ),
        ];
        (subject, rows)
    };
    let (subject, repeated) = measure(", payload repeated", 5.0, false);
    let bare = Subject::bare(&subject);
    drop(subject);
    // No server has this folder open: the import shares nothing with the bare server but the machine.
    let alone = fixture.copy(home, "importing-alone");
    let (outcome, _) = during(&bare, &alone);
    drop(bare);
    let (_, fresh) = measure(", every payload new", 200.0, true);
    let bare = row(
        "longest wait of bare hyper",
        "",
        Wanted::Nothing,
        at_most(&outcome),
        "into a folder without a server".to_owned(),
    );
    repeated.into_iter().chain(fresh).chain([bare]).collect()
}
