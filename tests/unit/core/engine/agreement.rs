//! `regras`, `changelog`, `upcoming` and `calculate` agree on what answers on any day.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use taxd_base::value::{Date, RuleCode, RuleId};
use taxd_core::engine::upcoming::{Evento, UpcomingRule};
use taxd_core::engine::{Engine, Filter};
use taxd_law::tax;

use super::scope_payload::{payload, who};
use crate::support::{built_in_engine, engine, publish, rule, with};

/// Versions of each tax that are asked for.
const DRAWN: usize = 24;

fn day(text: &Value) -> Option<Date> {
    text.as_str().map(|text| Date::parse(text).unwrap())
}

fn regras(filter: &Filter) -> Vec<Value> {
    regras_of(built_in_engine(), filter)
}

fn regras_of(engine: &Engine, filter: &Filter) -> Vec<Value> {
    let page = engine.regras(filter, Date::parse("2026-11-25").unwrap(), 0, usize::MAX).unwrap();
    page.items.iter().map(|item| serde_json::from_str(item).unwrap()).collect()
}

/// The version of a code that `regras` calls in force on a day.
fn in_force(code: &str, on: Date) -> Option<String> {
    let filter = Filter { rule_code: Some(RuleCode::parse(code).unwrap()), vigente_em: Some(on), ..Filter::default() };
    let found = regras(&filter);
    assert!(found.len() <= 1, "{code} has two versions on {on}: {found:?}");
    found.first().map(|rule| rule["rule_id"].as_str().unwrap().to_owned())
}

fn is_in_force(rule_id: &str, on: Date) -> bool {
    let filter = Filter { rule_id: RuleId::parse(rule_id), vigente_em: Some(on), ..Filter::default() };
    regras(&filter).len() == 1
}

/// Versions of one tax, the same at every run: some of those that begin or end, and some of all.
fn drawn<'r>(rules: &[&'r Value]) -> Vec<&'r Value> {
    let ends = rules.iter().copied().filter(|rule| !rule["vigente_ate"].is_null()).collect::<Vec<_>>();
    let some = |of: &[&'r Value], n: usize| {
        let step = (of.len() / n).max(1);
        of.iter().copied().step_by(step).take(n).collect::<Vec<_>>()
    };
    [some(&ends, DRAWN * 2 / 3), some(rules, DRAWN / 3)].concat()
}

/// The days around the turning days of a version.
fn days_around(rule: &Value) -> BTreeSet<Date> {
    let turns = [day(&rule["vigente_de"]), day(&rule["vigente_ate"])];
    turns.into_iter().flatten().flat_map(|turn| [turn.previous_day(), turn]).collect()
}

fn turns_on<'u>(turns: &'u BTreeMap<Date, Vec<&'u UpcomingRule>>, on: Date) -> &'u [&'u UpcomingRule] {
    turns.get(&on).map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn on_the_days_around_every_turn_all_name_the_same_version() {
    let engine = built_in_engine();
    let all = regras(&Filter::default());
    let upcoming = engine.upcoming(Date::FIRST_OF_RULES, Date::LAST_OF_RULES).unwrap();
    let mut turns: BTreeMap<Date, Vec<&UpcomingRule>> = BTreeMap::new();
    for turn in &upcoming.regras {
        turns.entry(turn.data).or_default().push(turn);
    }
    let ending = upcoming.regras.iter().filter(|turn| turn.evento == Evento::Termina);
    let ends: BTreeMap<String, &UpcomingRule> = ending.map(|turn| (turn.rule_id.to_string(), &**turn)).collect();
    for entry in tax::REGISTRY {
        let of_tax: Vec<&Value> = all
            .iter()
            .filter(|rule| rule["tributo"] == entry.tributo.as_str() && rule["situacao"] != "substituida")
            .collect();
        let (mut named, mut changed) = (0, 0);
        for rule in drawn(&of_tax) {
            let (id, code) = (rule["rule_id"].as_str().unwrap(), rule["rule_code"].as_str().unwrap());
            let ncm = rule["ncm"].as_array().map(|list| list[0].as_str().unwrap());
            for on in days_around(rule) {
                let version = in_force(code, on);
                // The transition to the IBS can end what its own validity leaves open.
                let covers = day(&rule["vigente_de"]).unwrap() <= on && ends.get(id).is_none_or(|end| on < end.data);
                assert_eq!(version.as_deref() == Some(id), covers, "{id} on {on}: {version:?}");
                let Some(by) = who(&payload(rule, ncm, on)).0 else { continue };
                named += 1;
                assert!(is_in_force(&by, on), "{id} on {on}: `calculate` names {by}, which `regras` does not");
                if by.rsplit_once("-v").unwrap().0 == code {
                    assert_eq!(Some(&by), version.as_ref(), "{id} on {on}");
                }
                let Some(before) = who(&payload(rule, ncm, on.previous_day())).0.filter(|before| *before != by) else {
                    continue;
                };
                changed += 1;
                // A rule that others depend on, as that of a product to a final consumer, turns their answer in its
                // own name: the law of the operation is named before and after.
                let is_turn = |turn: &&&UpcomingRule| {
                    let turned = turn.rule_id.to_string();
                    if turn.evento == Evento::Termina { turned == before } else { turned == by || turned == id }
                };
                assert!(
                    turns_on(&turns, on).iter().any(|turn| is_turn(&turn)),
                    "{id}: {before} passes to {by} on {on}, and `upcoming` does not know"
                );
            }
            the_ends_agree(rule, &ends);
        }
        assert!(named > 0, "{}: no version is named", entry.tributo);
        let turns_of_tax = of_tax.iter().any(|rule| !rule["vigente_ate"].is_null());
        assert!(changed > 0 || !turns_of_tax, "{}: no turn is seen", entry.tributo);
    }
}

/// The end that `regras` shows is in `upcoming`, or an earlier one, by the national rule of the transition.
fn the_ends_agree(rule: &Value, ends: &BTreeMap<String, &UpcomingRule>) {
    let id = rule["rule_id"].as_str().unwrap();
    let Some(shown) = day(&rule["vigente_ate"]) else { return };
    let end = ends.get(id).unwrap_or_else(|| panic!("{id} ends on {shown}"));
    let by_transition = end.sucessora.as_ref().is_some_and(|next| next.to_string().contains("-transicao-v"));
    assert!(end.data == shown || end.data < shown && by_transition, "{id} ends on {shown}, and not on {}", end.data);
    // What answers then is in force then.
    if let Some(next) = &end.sucessora {
        assert!(is_in_force(&next.to_string(), end.data), "{id}: {next} on {}", end.data);
    }
}

/// Every event of the changelog says of a version what `regras` says: its first day, and the end that a later version gave
/// it. Returns how many versions were superseded.
fn the_changelog_agrees(engine: &Engine) -> usize {
    let listed: BTreeMap<String, Value> = regras_of(engine, &Filter::default())
        .into_iter()
        .map(|rule| (rule["rule_id"].as_str().unwrap().to_owned(), rule))
        .collect();
    let events = engine.changelog(None, None, usize::MAX - 1).unwrap();
    let (mut published, mut superseded) = (BTreeSet::new(), BTreeSet::new());
    for event in &events.items {
        let event: Value = serde_json::from_str(event).unwrap();
        let id = event["rule_id"].as_str().unwrap();
        let rule = &listed[id];
        if event["tipo"] == "publicacao" {
            assert_eq!(event["vigente_de"], rule["vigente_de"], "{id}");
            assert!(published.insert(id.to_owned()), "{id} was published twice");
        } else if superseded.insert(id.to_owned()) {
            // The latest event of a version is the first one here.
            assert_eq!(
                (&event["vigente_ate"], &event["substituida_por"]),
                (&rule["vigente_ate"], &rule["substituida_por"]),
                "{id}"
            );
        }
    }
    assert_eq!(published.len(), listed.len(), "each version has its publication");
    let named = listed.iter().filter(|(_, rule)| !rule["substituida_por"].is_null());
    assert_eq!(superseded, named.map(|(id, _)| id.clone()).collect());
    superseded.len()
}

/// The built-in bundles state their ends; those of a firm's own are made by later versions.
#[test]
fn the_changelog_says_of_every_version_what_the_listing_says() {
    the_changelog_agrees(built_in_engine());
    let own = engine(0);
    let beer = rule("cerveja", "icms", &json!({"uf": "SP", "ncm": "2203"}), &json!({"aliquota": "25.00"}));
    let from = |version: &str, day: &str| with(&beer, &json!({"versao": version, "vigente_de": day}));
    publish(&own, std::slice::from_ref(&beer)).unwrap();
    publish(&own, &[from("2.0", "2024-07-01")]).unwrap();
    assert_eq!(the_changelog_agrees(&own), 1);
    publish(&own, &[from("3.0", "2025-01-01")]).unwrap();
    // It replaces the second version entirely, and moves the end of the first one again.
    publish(&own, &[from("4.0", "2024-03-01")]).unwrap();
    assert_eq!(the_changelog_agrees(&own), 3);
}
