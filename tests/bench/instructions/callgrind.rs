//! Runs this program under callgrind.

use std::path::Path;
use std::process::Command;

/// Returns the instructions of each call of the function `watched`, in order, including the functions that it calls.
pub fn count(arguments: &[&str], watched: &str, dir: &Path) -> Vec<u64> {
    let own = std::env::current_exe().expect("own path");
    let out = dir.join("callgrind.out");
    let done = Command::new("valgrind")
        .arg("--tool=callgrind")
        .args([format!("--toggle-collect={watched}"), format!("--dump-after={watched}")])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(own)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("valgrind cannot be run ({error}); on Debian: apt-get install valgrind"));
    assert!(done.status.success(), "valgrind: {}", String::from_utf8_lossy(&done.stderr));
    // One file per call, numbered from 1. The file without a number covers the time after the last call.
    let part = |number: usize| std::fs::read_to_string(format!("{}.{number}", out.display())).ok();
    let counts: Vec<u64> = (1..).map_while(part).map(|text| total(&text)).collect();
    assert!(counts.iter().all(|count| *count > 0), "callgrind counted nothing: are the names of functions stripped?");
    counts
}

/// Returns the total of a callgrind file.
fn total(text: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")));
    line.and_then(|count| count.trim().parse().ok()).expect("a file of callgrind has its sum")
}
