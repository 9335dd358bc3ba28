//! `cargo bench --bench taxd`: measures speed and memory of taxd and prints a table.
//!
//! The binary runs in a process of its own, with everything that it does for a call: key check, limits of the
//! plan `enterprise`, call log, all built-in rules. Throughput and latency are ratios to a
//! [bare hyper server](bare) under the same [load](load), in turns, in one run. No figure fails the run; an
//! answer other than 200 does.

#[path = "../amounts.rs"]
mod amounts;
mod bare;
mod client;
mod fixture;
mod load;
mod mix;
mod process;
mod rules;
mod sections;
mod table;
#[path = "../template.rs"]
mod template;
#[path = "../worked_examples.rs"]
mod worked_examples;

use std::process::ExitCode;
use std::time::Instant;

use fixture::Fixture;
use sections::SECTIONS;

const USAGE: &str = "cargo bench --bench taxd -- [SECTION]... [--quick] [--json] [--list]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, body_bytes] = arguments.as_slice()
        && first == bare::ARGUMENT
    {
        bare::run(body_bytes.parse().expect("a length"));
    }
    let (options, names): (Vec<&str>, Vec<&str>) =
        // Cargo adds --bench.
        arguments.iter().map(String::as_str).filter(|a| *a != "--bench").partition(|a| a.starts_with("--"));
    let unknown = options.iter().find(|o| !["--quick", "--json", "--list"].contains(o));
    let nameless = names.iter().find(|name| !SECTIONS.iter().any(|section| section.name == **name));
    if let Some(wrong) = unknown.or(nameless) {
        eprintln!("there is no {wrong} here\n{USAGE}");
        return ExitCode::from(2);
    }
    if options.contains(&"--list") {
        for section in SECTIONS {
            println!("{:<12} {}", section.name, section.about);
        }
        return ExitCode::SUCCESS;
    }
    let fixture = Fixture::new(options.contains(&"--quick"));
    let started = Instant::now();
    let mut rows = Vec::new();
    for section in SECTIONS.iter().filter(|section| names.is_empty() || names.contains(&section.name)) {
        eprintln!("{:>4} s  {}: {}", started.elapsed().as_secs(), section.name, section.about);
        rows.extend((section.run)(&fixture));
        fixture.remove_copies();
    }
    eprintln!("{:>4} s  done", started.elapsed().as_secs());
    if options.contains(&"--json") {
        println!("{:#}", table::document(&rows));
    } else {
        print!("{}", table::markdown(&rows));
    }
    ExitCode::SUCCESS
}
