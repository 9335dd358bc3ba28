//! A crate in a `Cargo.toml` that no code names costs every build, and its licence must be shipped.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{ROOT, sources, without_comments};

/// Crates that no code names, each with its reason in `Cargo.toml`.
const FOR_THEIR_FEATURES: &[&str] = &["getrandom", "num-traits"];
/// The folder of each manifest, and those whose code it is for: of the crate, and of its tests.
const MANIFESTS: [(&str, &[&str], &[&str]); 5] = [
    (".", &["src/cli", "src/features", "src/http", "src/page", "src/lib.rs", "src/main.rs"], &["tests", "examples"]),
    ("src/base", &["src/base"], &[]),
    ("src/sheet", &["src/sheet"], &[]),
    ("src/law", &["src/law"], &[]),
    ("src/core", &["src/core"], &["tests/unit/core"]),
];

fn manifest(folder: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(folder).join("Cargo.toml")).unwrap()
}

/// The crates of a section of the manifest.
fn listed<'a>(manifest: &'a str, section: &str) -> BTreeSet<&'a str> {
    let lines = manifest.lines().skip_while(|line| *line != format!("[{section}]")).skip(1);
    let of_section = lines.take_while(|line| !line.starts_with('['));
    of_section
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['.', ' ']).next().filter(|name| !name.is_empty()))
        .collect()
}

/// True if the code has a path that begins with the crate, such as `serde_json::Value`, or brings in the crate itself.
fn is_named(code: &str, krate: &str) -> bool {
    let name = krate.replace('-', "_");
    code.match_indices(&name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let begins = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':'));
        begins && (after.starts_with("::") || (before.ends_with("use ") && after.starts_with([';', ' '])))
    })
}

/// The crates that no Rust file of the folders names.
fn unused<'a>(crates: &BTreeSet<&'a str>, folders: &[&str]) -> Vec<&'a str> {
    let code: Vec<String> = sources(folders).iter().map(|(_, text)| without_comments(text)).collect();
    crates.iter().filter(|krate| !code.iter().any(|code| is_named(code, krate))).copied().collect()
}

#[test]
fn every_dependency_is_used() {
    let mut found = Vec::new();
    for (folder, own, tests) in MANIFESTS {
        let manifest = manifest(folder);
        for (section, code) in [("dependencies", own), ("dev-dependencies", tests)] {
            let crates = listed(&manifest, section);
            assert_eq!(crates.is_empty(), code.is_empty(), "{folder} is not read: {section}");
            found.extend(unused(&crates, code).into_iter().map(str::to_owned));
        }
    }
    assert_eq!(found, FOR_THEIR_FEATURES, "remove it from Cargo.toml");
}

#[test]
fn the_manifests_say_of_every_dependency_why_it_is_there() {
    let mut checked = 0;
    for (folder, ..) in MANIFESTS {
        let manifest = manifest(folder);
        let (mut section, mut above) = ("", "");
        for line in manifest.lines() {
            // A crate of this repository needs no reason, and one that two of them share has it where it is listed for both.
            let is_listed = line.contains(" = ") && !line.contains(".workspace = true") && !line.starts_with("taxd-");
            if line.starts_with('[') {
                section = line;
            } else if section.ends_with("dependencies]") && is_listed && !line.starts_with('#') {
                assert!(above.starts_with("# "), "{folder}/Cargo.toml does not say why it needs {line}");
                checked += 1;
            }
            above = line;
        }
    }
    assert!(checked > 40, "{checked} dependencies");
}

/// What two crates share is listed once with its reason, and no crate lists a dependency of all that only it has.
#[test]
fn what_the_crates_share_is_what_two_of_them_have() {
    let shared = manifest(".");
    for name in listed(&shared, "workspace.dependencies") {
        let has = |folder: &str| manifest(folder).lines().any(|line| line == format!("{name}.workspace = true"));
        let users = MANIFESTS.iter().filter(|(folder, ..)| has(folder)).count();
        assert!(users > 1 || name.starts_with("taxd-"), "{name} has {users} users");
    }
}

#[test]
fn a_dependency_that_only_a_comment_or_a_longer_name_mentions_is_unused() {
    let manifest = "[dependencies]\n# The reader = one.\na-b = \"1\"\nserde = { version = \"1\" }\n\n[dev-dependencies]\nc = \"1\"\n";
    assert_eq!(listed(manifest, "dependencies"), BTreeSet::from(["a-b", "serde"]));
    for used in [
        "use serde::Serialize;",
        "#[derive(serde::Serialize)]",
        "use serde;",
        "pub use serde as s;",
        "Vec<serde::Value>",
    ] {
        assert!(is_named(used, "serde"), "{used}");
    }
    for other in ["use serde_json::Value;", "my_serde::of()", "value::serde::of()", "let serde = 1;", "serde: serde"] {
        assert!(!is_named(other, "serde"), "{other}");
    }
    assert!(is_named("a_b::c()", "a-b"));
}
