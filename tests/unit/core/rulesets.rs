//! The rules that travel with the program, and the examples of their handbook.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use taxd_core::rulesets::BUNDLES;

use crate::support::{assert_golden, built_in, built_in_files, bundle, engine, file, import};

const HANDBOOK: &str = include_str!("../../../rulesets/README.md");
const README: &str = include_str!("../../../README.md");

fn handbook_rules() -> Vec<Value> {
    let fences = HANDBOOK.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    fences.map(|text| serde_json::from_str(text).unwrap_or_else(|e| panic!("{e} in\n{text}"))).collect()
}

fn json_files(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            json_files(&path, root, found);
        } else if path.extension().is_some_and(|e| e == "json") {
            found.insert(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"));
        }
    }
}

#[test]
fn every_bundle_of_the_folder_is_built_in() {
    let root = Path::new(crate::ROOT).join("rulesets");
    let mut found = BTreeSet::new();
    json_files(&root, &root, &mut found);
    let listed: BTreeSet<String> = BUNDLES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(listed, found);
    assert_eq!(listed.len(), BUNDLES.len(), "a bundle is listed twice");
}

#[test]
fn the_built_in_bundles_import_clean_each_tax_has_rules_and_the_handbook_quotes_them() {
    let (engine, report) = built_in();
    assert!(report.publicadas.len() > 10_000);
    assert!(report.exemplos > 500, "{} examples", report.exemplos);
    // Such as a service item that the list of LC 116/2003 does not have, or has vetoed.
    assert_eq!(report.avisos, Vec::<String>::new());
    let taxes: BTreeSet<String> = report.publicadas.iter().map(|p| p.unwrap().tributo.into_owned()).collect();
    assert_eq!(taxes.len(), taxd_law::tax::REGISTRY.len(), "{taxes:?}");
    assert_eq!(engine.rule_count().unwrap(), report.publicadas.len() as u64);
    crate::engine::records::read_back(engine.store());
    // The number in the README was once left behind by two new sets of rules.
    let (thousands, rest) = (report.publicadas.len() / 1_000, report.publicadas.len() % 1_000);
    let (before, after) = README.split_once(" rule versions)").unwrap();
    let (before, _) = before.rsplit_once('(').unwrap();
    assert_golden("README.md", &format!("{before}({thousands},{rest:03} rule versions){after}"));

    // "Todas as regras abaixo são dos pacotes desta pasta, completas."
    let quoted = import(engine, &[file("README.md", &bundle(&handbook_rules()).to_string())], true);
    let quoted = quoted.unwrap_or_else(|faults| panic!("the handbook differs from the bundles: {faults:#?}"));
    assert_eq!((quoted.publicadas.len(), quoted.inalteradas), (0, handbook_rules().len()));

    for entry in taxd_law::tax::REGISTRY {
        let answer = engine.calculate(entry.exemplo.as_bytes(), false);
        assert!(answer.is_ok(), "the example of {} is refused: {answer:?}", entry.tributo);
    }
}

#[test]
fn every_bundle_of_the_folder_is_formatted() {
    let files = built_in_files();
    let texts = taxd_core::engine::canonical_texts(&files).unwrap_or_else(|faults| panic!("{faults:#?}"));
    for (file, text) in files.iter().zip(&texts) {
        assert!(file.bytes == text.as_bytes(), "run `taxd bundle format rulesets`: {} would change", file.name);
    }
}

#[test]
fn the_rules_of_the_handbook_import_on_their_own() {
    let rules = handbook_rules();
    let taxes: BTreeSet<&str> = rules.iter().filter_map(|r| r["tributo"].as_str()).collect();
    assert!(taxes.len() >= 11, "the handbook shows {taxes:?}");
    let engine = engine(0);
    let report = import(&engine, &[file("README.md", &bundle(&rules).to_string())], false)
        .unwrap_or_else(|faults| panic!("{faults:#?}"));
    assert_eq!(report.publicadas.len(), rules.len());
    assert!(report.exemplos > rules.len(), "every rule shown has examples");
}
