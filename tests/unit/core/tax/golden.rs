//! Cases worked by other programs, authorities and textbooks, each with its source.

use std::collections::BTreeMap;

use serde_json::Value;
use taxd_law::tax::REGISTRY;

use crate::support::{calculate, difference, engine, publish};

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../golden/cases.json")).unwrap()
}

fn failure(case: &Value) -> Option<String> {
    let engine = engine(0);
    if let Err(faults) = publish(&engine, case["regras"].as_array().unwrap()) {
        return Some(format!("its rules are refused: {faults:?}"));
    }
    match calculate(&engine, &case["payload"]) {
        Ok(answer) => difference(&case["valor"], &answer["valor"], "valor")
            .or_else(|| case.get("detalhes").and_then(|wanted| difference(wanted, &answer["detalhes"], "detalhes"))),
        Err(problem) => Some(format!("refused with {}: {}", problem.codigo.as_str(), problem.detail)),
    }
}

#[test]
fn every_case_gives_the_published_result() {
    let cases = cases();
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            failure(case).map(|why| format!("{}\n    {why}\n    source: {}", case["nome"], case["fonte"]))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} cases fail:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn every_tax_has_at_least_two_cases_and_every_case_a_source() {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = std::collections::BTreeSet::new();
    for case in cases() {
        assert!(case["fonte"].as_str().is_some_and(|f| f.len() > 20), "{} has no source", case["nome"]);
        assert!(names.insert(case["nome"].to_string()), "{} stands there twice", case["nome"]);
        *count.entry(case["payload"]["tributo"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    for entry in REGISTRY {
        assert!(count.get(entry.tributo.as_str()).is_some_and(|n| *n >= 2), "too few cases of {}", entry.tributo);
    }
}
