//! A crate in `Cargo.toml` that no code names costs every build, and its licence must be shipped.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{ROOT, sources, without_comments};

/// Crates that no code names, each with its reason in `Cargo.toml`.
const FOR_THEIR_FEATURES: &[&str] = &["getrandom", "num-traits"];
const NONE: &[&str] = &[];

/// The crates of a section of the manifest.
fn listed<'a>(manifest: &'a str, section: &str) -> BTreeSet<&'a str> {
    let lines = manifest.lines().skip_while(|line| *line != format!("[{section}]")).skip(1);
    let of_section = lines.take_while(|line| !line.starts_with('['));
    of_section.filter(|line| !line.starts_with('#')).filter_map(|line| Some(line.split_once(" = ")?.0)).collect()
}

/// True if the code has a path that begins with the crate, such as `serde_json::Value`, or brings in the crate itself.
fn is_named(code: &str, krate: &str) -> bool {
    let name = krate.replace('-', "_");
    code.match_indices(&name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let begins = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':'));
        begins && (after.starts_with("::") || (before.ends_with("use ") && after.starts_with(';')))
    })
}

/// The crates that no Rust file of the folders names.
fn unused<'a>(crates: &BTreeSet<&'a str>, folders: &[&str]) -> Vec<&'a str> {
    let code: Vec<String> = sources(folders).iter().map(|(_, text)| without_comments(text)).collect();
    crates.iter().filter(|krate| !code.iter().any(|code| is_named(code, krate))).copied().collect()
}

#[test]
fn every_dependency_is_used() {
    let manifest = fs::read_to_string(Path::new(ROOT).join("Cargo.toml")).unwrap();
    let of_the_binary = listed(&manifest, "dependencies");
    let of_tests = listed(&manifest, "dev-dependencies");
    assert!(of_the_binary.len() > 30 && of_tests.len() > 3, "the manifest is not read: {of_the_binary:?} {of_tests:?}");
    assert_eq!(unused(&of_the_binary, &["src"]), FOR_THEIR_FEATURES, "remove it from Cargo.toml");
    assert_eq!(unused(&of_tests, &["tests", "examples"]), NONE, "remove it from Cargo.toml");
}

#[test]
fn a_dependency_that_only_a_comment_or_a_longer_name_mentions_is_unused() {
    let manifest = "[dependencies]\n# The reader = one.\na-b = \"1\"\nserde = { version = \"1\" }\n\n[dev-dependencies]\nc = \"1\"\n";
    assert_eq!(listed(manifest, "dependencies"), BTreeSet::from(["a-b", "serde"]));
    for used in ["use serde::Serialize;", "#[derive(serde::Serialize)]", "use serde;", "Vec<serde::Value>"] {
        assert!(is_named(used, "serde"), "{used}");
    }
    for other in ["use serde_json::Value;", "my_serde::of()", "value::serde::of()", "let serde = 1;", "serde: serde"] {
        assert!(!is_named(other, "serde"), "{other}");
    }
    assert!(is_named("a_b::c()", "a-b"));
}
