//! How many ordinary questions of an accounting firm the built-in rules answer.
//!
//! Coverage counts rules; a user counts answers. `tests/golden/ordinary_questions` records both the number of answers by
//! kind and the outcome of each question, so that a change of the rules shows what became answerable, and what did not
//! stay so. The right outcome of a question may be a refusal: the count is a measure, and no goal.

mod products;
mod questions;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use questions::{COUNTED, KINDS, Question};
use taxd_base::problem::ErrorCode;

use crate::support::{assert_golden, built_in_engine};

const COUNTS: &str = "tests/golden/ordinary_questions/counts.md";
const OUTCOMES: &str = "tests/golden/ordinary_questions/outcomes";

/// `200`, or the status and the code of the refusal.
fn outcome(question: &Question) -> String {
    match built_in_engine().calculate(question.payload.to_string().as_bytes(), false) {
        Ok(_) => "200".to_owned(),
        Err(problem) => format!("{} {}", problem.codigo.status(), problem.codigo.as_str()),
    }
}

/// The line of a kind in the record of counts.
fn line(kind: &str, answered: usize, asked: usize) -> String {
    format!("| {kind} | {answered} | {asked} |\n")
}

/// A golden file; empty if there is none.
fn recorded(path: &str) -> String {
    fs::read_to_string(Path::new(crate::ROOT).join(path)).unwrap_or_default()
}

/// The questions that were answered before, and no longer are, with their outcome.
fn lost<'a>(before: &str, outcomes: &'a str) -> Vec<&'a str> {
    let answered: BTreeSet<&str> = before.lines().filter_map(|line| line.strip_suffix(": 200")).collect();
    let refused = outcomes.lines().filter(|line| !line.ends_with(": 200"));
    refused.filter(|line| line.rsplit_once(": ").is_some_and(|(question, _)| answered.contains(question))).collect()
}

/// The number of answers by kind, as the record has them.
fn answered_by_kind(record: &str) -> BTreeMap<&str, usize> {
    let cells = record.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    cells.filter_map(|cells| Some((*cells.get(1)?, cells.get(2)?.parse().ok()?))).collect()
}

#[test]
fn the_ordinary_questions_that_are_answered_grow_in_number_and_each_outcome_is_recorded() {
    let (mut outcomes, mut answered) = (String::new(), BTreeMap::<&str, usize>::new());
    for question in questions::all() {
        let outcome = outcome(&question);
        *answered.entry(question.kind).or_default() += usize::from(outcome == "200");
        writeln!(outcomes, "{} {} {}: {outcome}", question.kind, question.place, question.subject).unwrap();
    }
    let mut counts = "| kind | answered | asked |\n|---|---|---|\n".to_owned();
    for (kind, asked) in KINDS {
        counts += &line(kind, answered[kind], *asked);
    }
    let counted = &KINDS[..COUNTED];
    counts += &line(
        "all but those apart",
        counted.iter().map(|(kind, _)| answered[kind]).sum(),
        counted.iter().map(|(_, asked)| asked).sum(),
    );
    // Before the golden files are compared or written: writing them must not hide that answers were lost.
    let now = answered_by_kind(&counts);
    for (kind, before) in answered_by_kind(&recorded(COUNTS)) {
        assert!(
            now[kind] >= before,
            "{kind}: {} answers, and {before} before. If they were wrong, lower the number in {COUNTS} by hand. Lost: {:#?}",
            now[kind],
            lost(&recorded(OUTCOMES), &outcomes)
        );
    }
    assert_golden(OUTCOMES, &outcomes);
    assert_golden(COUNTS, &counts);
}

/// A code that a table of the questions has wrong would be a refusal for ever.
#[test]
fn the_questions_are_distinct_as_many_as_said_and_well_formed() {
    let questions = questions::all();
    for (kind, asked) in KINDS {
        let of_kind: BTreeSet<String> =
            questions.iter().filter(|q| q.kind == *kind).map(|q| q.payload.to_string()).collect();
        assert_eq!(of_kind.len(), *asked, "{kind}");
    }
    let nomenclature = include_str!("../../../../rulesets/tabelas/ncm.csv");
    for question in &questions {
        if let Some(ncm) = question.payload["ncm"].as_str() {
            assert!(nomenclature.contains(&format!("\n{ncm};")), "{ncm} is not in the nomenclature");
        }
        if let Err(problem) = built_in_engine().calculate(question.payload.to_string().as_bytes(), false) {
            let by_a_rule = problem.regra.is_some() || problem.codigo == ErrorCode::CestNecessario;
            assert!(by_a_rule || problem.erros.is_empty(), "{}: {:?}", question.payload, problem.erros);
        }
    }
}
