//! Resident memory of a server: idle, after a minute of load, and with a million rules.

use std::time::Duration;

use super::{Fixture, Row, Subject};
use crate::process::Memory;
use crate::table::{Wanted, number};

/// Time after which a started server is idle, with its catalog of rules built.
const REST: Duration = Duration::from_secs(5);

pub fn run(fixture: &Fixture) -> Vec<Row> {
    let builtin = Subject::serve(fixture, &fixture.copy(fixture.builtin(), "memory"), true);
    let large = Subject::serve(fixture, &fixture.copy(&fixture.million().home, "memory-large"), true);
    std::thread::sleep(REST);
    let (idle, large_idle) = (held(&builtin), held(&large));
    let load = Duration::from_secs(fixture.either(60, 10));
    builtin.saturate(load);
    large.saturate(load);
    let (loaded, large_loaded) = (held(&builtin), held(&large));
    let after = format!("after {} s of full load", load.as_secs());
    vec![
        row("resident memory idle, built-in rules", 40.0, idle),
        row(&format!("the same {after}"), 120.0, loaded),
        row("resident memory idle, 1,000,000 rules more", 160.0, large_idle),
        row(&format!("the same {after}"), 200.0, large_loaded),
    ]
}

fn held(subject: &Subject) -> Memory {
    subject.process.memory().expect("a running server")
}

fn row(name: &str, bound: f64, memory: Memory) -> Row {
    let detail = format!(
        "{} MiB its own, {} MiB pages of the binary; at most so far {} MiB",
        number(memory.anonymous),
        number(memory.file),
        number(memory.peak)
    );
    Row::new(name, Wanted::AtMost(bound), "MiB", vec![memory.resident], detail)
}
