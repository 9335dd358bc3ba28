//! Tables fit the terminal of who reads them, and show times in the time zone of the machine.

use std::collections::BTreeSet;
use std::process::Command;

use jiff::tz::{TimeZone, offset};

use crate::support::{DataDir, finish, program, taxd};

/// What the command writes to a terminal of that many columns; no line is longer.
fn on_terminal(dir: &DataDir, columns: usize, arguments: &str) -> String {
    let mut command = Command::new("script");
    let line = format!("stty cols {columns}; '{}' {arguments}", program());
    command.args(["-qec", &line, "/dev/null"]).env("TAXD_DATA", dir.path());
    let shown = finish(command, b"").ok().stdout.replace('\r', "");
    assert!(shown.lines().all(|line| line.chars().count() <= columns), "{shown}");
    shown
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}

#[test]
fn a_table_fits_the_terminal_and_loses_nothing() {
    let dir = DataDir::ready();
    let rules = "rules list --tributo ipva --uf SP";
    let whole = taxd(&dir, rules.split(' ')).ok().stdout;
    let longest = whole.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest > 140, "{whole}");
    assert_eq!(on_terminal(&dir, longest, rules), whole, "it fits as it is");
    let wrapped = on_terminal(&dir, 140, rules);
    assert_eq!(words(&wrapped), words(&whole), "the last column is wrapped");
    assert_eq!(wrapped.lines().next(), whole.lines().next(), "under the same headings");
    assert_eq!(words(&on_terminal(&dir, 80, rules)), words(&whole), "long cells of a block are wrapped, too");
    let blocks = on_terminal(&dir, 100, "account list");
    assert_eq!(words(&blocks), words(&taxd(&dir, ["account", "list"]).ok().stdout), "a row is a block of lines");
    assert!(blocks.contains("\nPLAN         enterprise\n"), "{blocks}");
}

#[test]
fn people_see_the_time_of_their_zone_and_scripts_see_utc() {
    let dir = DataDir::ready();
    let listed = |arguments: &[&str]| {
        let mut command = Command::new(program());
        command.args(arguments).env("TAXD_DATA", dir.path()).env("TZ", "BRT3");
        finish(command, b"").ok()
    };
    let keys = listed(&["key", "list", "--json"]).json();
    let table = listed(&["key", "list"]).stdout;
    for key in keys.as_array().unwrap() {
        let made: jiff::Timestamp = key["created_at"].as_str().unwrap().parse().unwrap();
        let local = made.to_zoned(TimeZone::fixed(offset(-3))).strftime("%Y-%m-%d %H:%M:%S -03:00").to_string();
        assert!(table.contains(&local), "{local}: {table}");
    }
}
