//! Size of the binary without its rules.

use std::process::Command;

use taxd::core::rulesets;

use super::{Fixture, Row};
use crate::table::{Wanted, number};

const MIB: f64 = 1024.0 * 1024.0;

#[expect(clippy::cast_precision_loss, reason = "figures to be shown")]
pub fn run(fixture: &Fixture) -> Vec<Row> {
    let stripped = fixture.path("taxd-stripped");
    // The benchmark's binary still has the names of functions.
    let strip = Command::new("strip").arg("-o").arg(&stripped).arg(env!("CARGO_BIN_EXE_taxd")).status();
    assert!(strip.is_ok_and(|status| status.success()), "`strip` (binutils) is needed to measure the size");
    let whole = std::fs::metadata(&stripped).expect("the stripped binary").len() as f64 / MIB;
    let rules = rulesets::BUNDLES.iter().map(|(_, text)| text.len()).sum::<usize>() as f64 / MIB;
    let detail = format!("{} MiB, of which {} MiB rules", number(whole), number(rules));
    vec![Row::new("binary, stripped, without the rules", Wanted::AtMost(10.0), "MiB", vec![whole - rules], detail)]
}
