//! `cargo bench --bench instructions`: counts the instructions of the hot paths and of hostile input.
//!
//! A count of instructions hardly depends on the machine or its load, unlike a time. Callgrind runs this
//! program on fixed payloads. The run fails if a path takes over [`MARGIN_PERCENT`] more than `counts.json` beside
//! this file records, or if a request of the fuzz tests takes over 5 ms of a processor. `-- --record`
//! rewrites the record; `-- --inputs` counts the hostile input only.

#[path = "../amounts.rs"]
mod amounts;
mod callgrind;
#[path = "../../fuzz/mod.rs"]
mod fuzz;
mod inputs;
mod paths;
#[path = "../template.rs"]
mod template;

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tikv_jemallocator::Jemalloc;

/// That of the released binary.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// Per cent by which a count may grow. Runs of one build differ by at most 0.02 %, because hash maps have random
/// seeds. Two link-time optimisations of nearly the same code differ by up to 3.1 % in one tax, either way. The rest allows
/// for new rules and for another C library.
const MARGIN_PERCENT: u64 = 5;
/// Instructions by which any count may grow: built in another folder, the same code has other symbols, and is inlined
/// otherwise. An answer from the cache took 936 in one clone and 990 in the next.
const MARGIN_INSTRUCTIONS: u64 = 100;
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/instructions/counts.json");
const USAGE: &str = "cargo bench --bench instructions -- [--record | --inputs]";

/// Content of `counts.json`.
#[derive(Serialize, Deserialize)]
struct Record {
    /// The compiler of the counted build. Another compiler gives other counts for the same code.
    rustc: String,
    /// Instructions of one calculation, by path.
    instructions: BTreeMap<String, u64>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [paths::ARGUMENT, dir] => {
            paths::run(dir.as_ref());
            ExitCode::SUCCESS
        }
        [inputs::ARGUMENT, dir] => {
            inputs::run(dir.as_ref());
            ExitCode::SUCCESS
        }
        [] => {
            let (paths, inputs) = (compare(), bound_inputs());
            if paths == ExitCode::SUCCESS { inputs } else { paths }
        }
        ["--inputs"] => bound_inputs(),
        ["--record"] => {
            let record = Record { rustc: rustc(), instructions: count() };
            let text = serde_json::to_string_pretty(&record).expect("a record is JSON");
            std::fs::write(RECORD, text + "\n").expect("the record can be written");
            println!("{} counts recorded in {RECORD}", record.instructions.len());
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// A data directory with the built-in rules.
fn data() -> TempDir {
    let dir = TempDir::with_prefix("taxd-instructions-").expect("a folder for temporary files");
    paths::prepare(dir.path());
    dir
}

fn bound_inputs() -> ExitCode {
    let dear = inputs::over_the_bound(data().path());
    if dear.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("\ntoo dear, so that a few callers could keep the threads that serve from all others: {dear:#?}");
    ExitCode::FAILURE
}

/// Counts the paths of this build.
fn count() -> BTreeMap<String, u64> {
    let dir = data();
    let counts = callgrind::count(&[paths::ARGUMENT, &dir.path().to_string_lossy()], paths::WATCHED, dir.path());
    let names = paths::names();
    assert_eq!(counts.len(), names.len(), "callgrind saw other paths than these: {names:?}");
    names.into_iter().zip(counts.into_iter().map(|count| count / u64::from(paths::REPEATS))).collect()
}

fn compare() -> ExitCode {
    let text = std::fs::read_to_string(RECORD).expect("tests/bench/instructions/counts.json");
    let recorded: Record = serde_json::from_str(&text).expect("a record of counts");
    let counted = count();
    let (mut grown, mut shrunk) = (Vec::new(), Vec::new());
    println!("| path | recorded | counted | |\n|---|---|---|---|");
    for (path, &now) in &counted {
        let Some(&before) = recorded.instructions.get(path) else {
            println!("| {path} | | {now} | not recorded |");
            grown.push(path.as_str());
            continue;
        };
        println!("| {path} | {before} | {now} | {:+.1} % |", change_percent(before, now));
        let margin = (before * MARGIN_PERCENT / 100).max(MARGIN_INSTRUCTIONS);
        if now > before + margin {
            grown.push(path);
        } else if now + margin < before {
            shrunk.push(path.as_str());
        }
    }
    let gone: Vec<&String> = recorded.instructions.keys().filter(|path| !counted.contains_key(*path)).collect();
    let record = "`cargo bench --bench instructions -- --record`";
    if !shrunk.is_empty() {
        println!("\nfewer instructions than recorded, which is good: {}. Keep it so: {record}", shrunk.join(", "));
    }
    if grown.is_empty() && gone.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "\nmore than {MARGIN_PERCENT} % over the record, or without one: {grown:?}; recorded and no longer counted: {gone:?}"
    );
    eprintln!("Look for what the change costs: callgrind_annotate on a run of the same program, or a profile.");
    eprintln!("Where the work is wanted, record it with the change that brings it: {record}");
    if recorded.rustc != rustc() {
        eprintln!(
            "The record is by {}; this is {}: record first what it makes of the code before.",
            recorded.rustc,
            rustc()
        );
    }
    ExitCode::FAILURE
}

#[expect(clippy::cast_precision_loss, reason = "a share to be shown")]
fn change_percent(before: u64, now: u64) -> f64 {
    (now as f64 / before as f64 - 1.0) * 100.0
}

/// Returns name and version of the compiler.
fn rustc() -> String {
    let said = Command::new("rustc").arg("--version").output().expect("rustc, which built this");
    String::from_utf8_lossy(&said.stdout).trim().to_owned()
}
