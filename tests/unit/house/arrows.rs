//! Dependencies between the folders of `src` point one way, as the table of `src/lib.rs` says. Between the crates the
//! manifests see to it; this is about the folders within them.

use super::paths::{absolute, module, named};
use super::{sources, without_comments};

/// The rows that each row may name besides `base` and `sheet`; only ones above it.
const KNOWS: &[(&str, &[&str])] = &[
    ("law::codes", &[]),
    ("law::rule", &[]),
    ("law::tax", &["law::codes", "law::rule"]),
    ("law::operation", &["law::rule", "law::tax"]),
    ("law::tratamento", &["law::codes", "law::rule", "law::tax", "law::operation"]),
    ("law::nfe", &["law::codes"]),
    ("law::efd", &[]),
    ("law::labels", &["law::rule", "law::tax", "law::operation", "law::tratamento"]),
    ("core::store", &["law::rule"]),
    ("core::webhook", &["law::rule", "core::store"]),
    ("core::engine", &["law::codes", "law::labels", "law::rule", "law::tax", "core::store", "core::webhook"]),
    ("core::watch", &["law::rule", "core::store", "core::webhook", "core::engine"]),
    ("core::calls", &["law::rule", "law::tax", "law::operation", "core::store"]),
    ("core::rulesets", &["core::store", "core::engine"]),
    (
        "core::service",
        &["law::rule", "law::tax", "core::store", "core::webhook", "core::engine", "core::watch", "core::calls"],
    ),
    ("features", &["law", "core"]),
    ("http", &["law", "core", "features"]),
    ("page", &["law", "core", "features", "http"]),
    ("features::page", &["law", "core", "features", "http", "page"]),
    ("features::command", &["law", "core", "features", "cli"]),
    ("cli", &["law", "core", "features", "http", "page"]),
];

/// What the surface of a feature is called: its own row, since it may name the page or the command line.
const SURFACES: [&str; 2] = ["page", "command"];

/// The row of a path of modules.
fn row(path: &[&str]) -> String {
    match path {
        ["law" | "core", inner, ..] => format!("{}::{inner}", path[0]),
        ["features", _, rest @ ..] => match rest.first() {
            Some(surface) if SURFACES.contains(surface) => format!("features::{surface}"),
            _ => "features".to_owned(),
        },
        [first, ..] => (*first).to_owned(),
        [] => String::new(),
    }
}

#[test]
fn a_module_names_only_the_modules_that_it_may_know() {
    let mut wrong = Vec::new();
    for (path, text) in &sources(&["src"]) {
        let within = module(path);
        let own = row(&within);
        // The roots, which only declare what is in them, and the crates without folders that must not name each other.
        let Some((_, known)) = KNOWS.iter().find(|(name, _)| *name == own) else {
            assert!(matches!(within[..], ["lib" | "main" | "law" | "core"] | ["base" | "sheet", ..]), "no row: {path}");
            continue;
        };
        // The list of commands and the routes of the page name the surface of each feature, and the router the page.
        let lists = matches!(within[..], ["cli" | "page"] | ["http", ..]);
        for named in named(&without_comments(text)) {
            let absolute = absolute(&named, &within);
            let other = row(&absolute);
            // Names without a row are macros.
            if other == own || !KNOWS.iter().any(|(name, _)| *name == other) {
                continue;
            }
            let surface = other.strip_prefix("features::");
            let knows = known.contains(&other.as_str())
                || known.iter().any(|folder| other.starts_with(&format!("{folder}::")) && surface.is_none())
                || surface.is_some_and(|_| lists || own.starts_with("features::"))
                || own == "http" && other == "page";
            if !knows {
                wrong.push(format!("{path} must not name {}", absolute.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_row_names_only_rows_above_it() {
    for (number, (name, known)) in KNOWS.iter().enumerate() {
        let above = |other: &str| {
            KNOWS[..number].iter().any(|(row, _)| *row == other || row.starts_with(&format!("{other}::")))
        };
        let below: Vec<_> = known.iter().filter(|other| !above(other) && **other != "cli").collect();
        assert!(below.is_empty(), "{name} names {below:?}, which has no row above");
    }
}
