//! Two hundred random publication histories, against a model that only keeps lists: on every
//! day of ten years and at every past instant both answer the same, list the same rules and
//! list the same events. `TAXD_HISTORIES_FROM=1000` takes two hundred others.

mod cached;
mod calendar;
mod cases;
mod days;
mod gaps;
mod generate;
mod listed;
mod model;
mod probe;

use std::sync::atomic::{AtomicU64, Ordering};

use self::generate::History;

/// How many histories there are.
const HISTORIES: u64 = 200;

/// What a check found wrong.
type Checked = Result<(), String>;

/// Checks every history. Fails with the seed and the bundles of the first wrong one.
fn every_history(check: impl Fn(&History) -> Checked + Sync) {
    let first = std::env::var("TAXD_HISTORIES_FROM").map_or(0, |text| text.parse().unwrap());
    let next = AtomicU64::new(first);
    let work = || {
        let mut faults = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + HISTORIES || !faults.is_empty() {
                return faults;
            }
            let history = History::of(seed);
            faults.extend(check(&history).err().map(|fault| (seed, format!("{fault}\n{}", history.for_the_reader()))));
        }
    };
    let mut faults: Vec<(u64, String)> = std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    faults.sort();
    if let Some((seed, fault)) = faults.first() {
        panic!("history {seed}: {fault}");
    }
}

/// The same, or what differs.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, got: &T) -> Checked {
    if expected == got { Ok(()) } else { Err(format!("{what}:\nexpected {expected:?}\n     got {got:?}")) }
}
