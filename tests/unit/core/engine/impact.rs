//! What an import would change, against two stores of which only one has it, for every payload.

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_base::value::Timestamp;
use taxd_core::engine::{BundleFile, Engine, PayloadOutcome, ReplayedPayload, RuleComparison, SituacaoChamada};

use super::scoped_rules::{Seen, change, dated, naive, version};
use crate::property::cases;
use crate::support::{PUBLISHED_AT, bundle, calculate, engine, file, import, publish};

fn seen(outcome: &PayloadOutcome) -> Seen {
    match outcome {
        PayloadOutcome::Answered { valor, rule_id } => (Ok(valor.to_string()), Some(rule_id.to_string())),
        PayloadOutcome::Refused { codigo, rule_id } => {
            (Err(codigo.as_str().to_owned()), rule_id.as_ref().map(ToString::to_string))
        }
    }
}

/// Compares every payload by the comparison and by the two engines. Returns how many change.
fn agree(comparison: &RuleComparison<'_>, before: &Engine, after: &Engine) -> Result<usize, TestCaseError> {
    let replayer = comparison.replayer().unwrap();
    let mut changed = 0;
    for payload in dated() {
        let (old, new) = (naive(before, &payload), naive(after, &payload));
        let replayed = replayer.replay(payload.to_string().as_bytes()).unwrap();
        match &replayed {
            ReplayedPayload::Untouched => prop_assert_eq!(&old, &new, "{} was not looked at", payload),
            ReplayedPayload::Touched { before, after } => {
                prop_assert_eq!((seen(before), seen(after)), (old.clone(), new.clone()), "{}", payload);
            }
        }
        prop_assert_eq!(replayed.situacao(), change(&old, &new), "{}", payload);
        changed += usize::from(replayed.situacao().is_some());
    }
    Ok(changed)
}

fn bundle_of(rules: &[Value]) -> BundleFile {
    file("impacto.json", &bundle(rules).to_string())
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn the_impact_is_what_two_stores_answer(
        published in proptest::collection::vec((0..10usize, 1..13u32), 0..12),
        planned in proptest::collection::vec((0..10usize, 1..13u32), 1..8),
    ) {
        let versions = |steps: &[(usize, u32)], from: usize| -> Vec<Value> {
            let one = |(n, (scope, month)): (usize, &(usize, u32))| version(*scope, n + from, *month, n * 7 % 40 + 1);
            steps.iter().enumerate().map(one).collect()
        };
        let (before, after) = (engine(0), engine(0));
        let first = [version(0, 0, 1, 18)];
        for rules in std::iter::once(first.to_vec()).chain(versions(&published, 1).into_iter().map(|one| vec![one])) {
            prop_assert!(publish(&before, &rules).is_ok() && publish(&after, &rules).is_ok());
        }
        let known = Timestamp::parse(PUBLISHED_AT).unwrap().millis() + published.len() as u64;
        let planned = [bundle_of(&versions(&planned, 100))];

        let comparison = before.compare_import(&planned, &mut |_| {}).unwrap();
        prop_assert!(import(&after, &planned, false).is_ok());
        let changed = agree(&comparison, &before, &after)?;
        drop(comparison);
        prop_assert_eq!(before.rule_count().unwrap(), published.len() as u64 + 1, "nothing was published");

        // The same, after it was published.
        let since = after.compare_since(Timestamp::from_millis(known).unwrap()).unwrap().expect("rules were published");
        prop_assert_eq!(agree(&since, &before, &after)?, changed);
    }
}

#[test]
fn a_bundle_that_changes_nothing_touches_nothing() {
    let engine = engine(0);
    let rules = [version(0, 0, 1, 18)];
    publish(&engine, &rules).unwrap();
    let comparison = engine.compare_import(&[bundle_of(&rules)], &mut |_| {}).unwrap();
    assert_eq!((comparison.publicadas, comparison.substituidas), (0, 0));
    let replayer = comparison.replayer().unwrap();
    for payload in dated() {
        assert_eq!(replayer.replay(payload.to_string().as_bytes()).unwrap(), ReplayedPayload::Untouched);
    }
}

#[test]
fn before_the_first_publication_there_is_nothing_to_compare_with() {
    let engine = engine(0);
    publish(&engine, &[version(0, 0, 1, 18)]).unwrap();
    let published = Timestamp::parse(PUBLISHED_AT).unwrap().millis();
    let since = |ms: u64| engine.compare_since(Timestamp::from_millis(ms).unwrap()).unwrap().map(|c| c.publicadas);
    assert_eq!((since(published - 1), since(published)), (None, Some(0)));
}

/// The version numbers of a dry run are given to other versions later: what was decoded of one must not answer then.
#[test]
fn a_comparison_leaves_nothing_in_the_engine() {
    let engine = engine(64);
    publish(&engine, &[version(0, 0, 1, 18)]).unwrap();
    let payload = dated().remove(0);
    let planned = [bundle_of(&[version(0, 1, 1, 30)])];
    let comparison = engine.compare_import(&planned, &mut |_| {}).unwrap();
    let replayed = comparison.replayer().unwrap().replay(payload.to_string().as_bytes()).unwrap();
    assert_eq!(replayed.situacao(), Some(SituacaoChamada::ValorMuda));
    drop(comparison);
    publish(&engine, &[version(0, 2, 1, 25)]).unwrap();
    let answer = calculate(&engine, &payload).unwrap();
    assert_eq!((&answer["valor"], &answer["regra"]["rule_id"]), (&json!("25.00"), &json!("regra-0-v1.2")));
}
