//! Dependencies between the modules point one way, as the table of `src/lib.rs` says.

use super::paths::named;
use super::{module, sources, without_comments};

/// The base, which every module may name.
const BASE: &[&str] = &["value", "document", "problem", "defect"];

/// The modules that each module may name besides the base; only ones of the rows above it.
const KNOWS: &[(&str, &[&str])] = &[
    ("value", &[]),
    ("document", &[]),
    ("problem", &[]),
    ("defect", &[]),
    ("codes", &[]),
    ("rule", &[]),
    ("tax", &["rule"]),
    ("operation", &["rule", "tax"]),
    ("sheet", &[]),
    ("lists", &["tax", "operation", "sheet"]),
    ("sources", &["rule", "sheet"]),
    ("rule_sheet", &["rule", "tax", "sheet"]),
    ("nfe", &[]),
    ("audit", &["nfe", "tax", "sheet"]),
    ("store", &["rule"]),
    ("webhook", &["rule", "store"]),
    ("engine", &["codes", "rule", "tax", "store", "webhook"]),
    ("calls", &["rule", "tax", "operation", "store"]),
    ("rulesets", &["store", "engine"]),
    ("service", &["rule", "tax", "store", "webhook", "engine", "calls"]),
    (
        "admin",
        &["rule", "tax", "rule_sheet", "operation", "store", "webhook", "engine", "calls", "rulesets", "service"],
    ),
    (
        "http",
        &[
            "rule",
            "tax",
            "rule_sheet",
            "operation",
            "sheet",
            "lists",
            "nfe",
            "audit",
            "codes",
            "store",
            "webhook",
            "engine",
            "calls",
            "service",
            "admin",
        ],
    ),
    (
        "cli",
        &[
            "rule",
            "tax",
            "store",
            "webhook",
            "engine",
            "calls",
            "rulesets",
            "service",
            "admin",
            "http",
            "sheet",
            "lists",
            "sources",
            "rule_sheet",
            "nfe",
            "audit",
        ],
    ),
];

#[test]
fn a_module_names_only_the_modules_that_it_may_know() {
    let mut wrong = Vec::new();
    for (path, text) in sources(&["src"]).iter().filter(|(path, _)| !matches!(module(path), "lib" | "main")) {
        let (_, known) =
            KNOWS.iter().find(|(name, _)| *name == module(path)).unwrap_or_else(|| panic!("no row: {path}"));
        for path_named in named(&without_comments(text)).iter().filter(|path_named| path_named[0] == "crate") {
            let name = path_named[1];
            // Names without a row are macros.
            let has_a_row = KNOWS.iter().any(|(row, _)| *row == name);
            if has_a_row && name != module(path) && !BASE.contains(&name) && !known.contains(&name) {
                wrong.push(format!("{path} must not name {}", path_named.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_has_a_row_and_names_only_rows_above_it() {
    let map = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs")).unwrap();
    let mut declared: Vec<&str> =
        map.lines().filter_map(|line| line.strip_prefix("pub mod ")).map(|name| name.trim_end_matches(';')).collect();
    let mut rows: Vec<&str> = KNOWS.iter().map(|(name, _)| *name).collect();
    for (number, (name, known)) in KNOWS.iter().enumerate() {
        let below: Vec<_> = known.iter().filter(|other| !rows[..number].contains(*other)).collect();
        assert!(below.is_empty(), "{name} names {below:?}, which has no row above");
    }
    declared.sort_unstable();
    rows.sort_unstable();
    assert_eq!(rows, declared);
}
