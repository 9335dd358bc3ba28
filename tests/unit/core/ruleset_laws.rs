//! Laws that the answers by the built-in rules keep, whatever a rule says. The payloads are all worked examples.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde_json::{Value, json};
use taxd_core::engine::{BundleFile, Engine};
use taxd_core::rulesets;
use taxd_law::tax;

use crate::amounts::AMOUNTS;
use crate::support::{built_in_engine, built_in_files, engine, import, publish, with};
use crate::worked_examples::worked_examples;

/// Every payload of a worked example that expects an amount, and the example of every tax.
fn payloads() -> Vec<Value> {
    let mut found = worked_examples();
    found.extend(tax::REGISTRY.iter().map(|entry| serde_json::from_str::<Value>(entry.exemplo).unwrap()));
    assert!(found.len() > 2_000, "{} worked examples", found.len());
    found
}

fn answer(engine: &Engine, payload: &Value) -> Option<String> {
    let answer = engine.calculate(payload.to_string().as_bytes(), false).ok()?;
    Some(String::from_utf8(answer.to_json().into()).unwrap())
}

fn valor(answer: &str) -> Decimal {
    serde_json::from_str::<Value>(answer).unwrap()["valor"].as_str().unwrap().parse().unwrap()
}

/// The content of every rule, by its id.
fn contents() -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for (_, text) in rulesets::BUNDLES {
        let bundle: Value = serde_json::from_str(text).unwrap();
        for rule in bundle["regras"].as_array().into_iter().flatten() {
            let id = format!("{}-v{}", rule["rule_code"].as_str().unwrap(), rule["versao"].as_str().unwrap());
            found.insert(id, rule["conteudo"].clone());
        }
    }
    found
}

/// The field of the amount that the tax of a payload grows with.
fn amount_of(payload: &Value) -> &'static str {
    AMOUNTS.iter().find(|(tributo, _)| payload["tributo"] == *tributo).unwrap().1
}

#[test]
fn the_order_of_the_members_of_a_payload_changes_nothing() {
    let engine = built_in_engine();
    for payload in payloads() {
        let members: Vec<String> = payload.as_object().unwrap().iter().map(|(k, v)| format!("{k:?}:{v}")).collect();
        let reversed = format!("{{{}}}", members.into_iter().rev().collect::<Vec<_>>().join(","));
        let reversed = engine.calculate(reversed.as_bytes(), false).ok();
        let reversed = reversed.map(|answer| String::from_utf8(answer.to_json().into()).unwrap());
        assert_eq!(answer(engine, &payload), reversed, "{payload}");
    }
}

#[test]
fn a_tax_never_falls_when_its_amount_grows() {
    let engine = built_in_engine();
    let mut rises = 0;
    for payload in payloads() {
        if payload["tributo"] == "icms_st" && payload.get("quantidade").is_some() {
            // The base is a price of the tables by the quantity: a higher price pays more of the tax as own ICMS.
            continue;
        }
        let field = amount_of(&payload);
        let Some(Ok(first)) = payload[field].as_str().map(str::parse::<Decimal>) else { continue };
        let mut before = None;
        for factor in ["1", "1.01", "1.5", "3", "10", "100"] {
            let amount = (first * factor.parse::<Decimal>().unwrap()).round_dp(2);
            let mut payload = payload.clone();
            payload[field] = json!(amount.to_string());
            let Some(after) = answer(engine, &payload).map(|answer| valor(&answer)) else { continue };
            if let Some(before) = before.replace(after) {
                assert!(before <= after, "{before} falls to {after}: {payload}");
                rises += u32::from(before < after);
            }
        }
    }
    assert!(rises > 5_000, "{rises}");
}

/// Where each bracket taxes its own part of the value, a cent more costs at most a cent more. An exemption up to a limit is
/// a step by law.
#[test]
fn marginal_brackets_are_continuous_at_their_edges() {
    let engine = built_in_engine();
    let contents = contents();
    let mut edges = 0;
    for payload in payloads() {
        let Some(found) = answer(engine, &payload) else { continue };
        let found: Value = serde_json::from_str(&found).unwrap();
        // A rule of a table has one rate.
        let Some(content) = contents.get(found["regra"]["rule_id"].as_str().unwrap()) else { continue };
        if content["metodo"] != "marginal" || content.get("isencao").is_some() || content.get("unidade").is_some() {
            continue;
        }
        let field = amount_of(&payload);
        for edge in content["faixas"].as_array().unwrap().iter().filter_map(|bracket| bracket["ate"].as_str()) {
            let edge: Decimal = edge.parse().unwrap();
            let cent = Decimal::new(1, 2);
            let at = |amount: Decimal| {
                let mut payload = payload.clone();
                payload[field] = json!(amount.to_string());
                answer(engine, &payload).map(|answer| valor(&answer))
            };
            if let (Some(below), Some(above)) = (at(edge), at(edge + cent)) {
                assert!(above - below <= cent, "{below} and {above} at {edge}: {payload}");
                edges += 1;
            }
        }
    }
    assert!(edges > 50, "{edges}");
}

#[test]
fn the_order_of_the_rules_and_of_the_bundles_changes_nothing() {
    let files = rulesets::BUNDLES.iter().rev().map(|(name, text)| {
        let mut bundle: Value = serde_json::from_str(text).unwrap();
        for rules in ["regras", "tabelas"] {
            bundle[rules].as_array_mut().into_iter().for_each(|rules| rules.reverse());
        }
        BundleFile::unsigned(*name, bundle.to_string())
    });
    let reversed = engine(0);
    import(&reversed, &files.collect::<Vec<_>>(), false).unwrap_or_else(|faults| panic!("{faults:#?}"));
    for payload in payloads() {
        assert_eq!(answer(built_in_engine(), &payload), answer(&reversed, &payload), "{payload}");
    }
}

/// A rule that begins later ends the one before it, and changes nothing else of what is answered for the days before.
#[test]
fn publishing_for_the_future_changes_no_amount_of_today() {
    let engine = engine(0);
    import(&engine, &built_in_files(), false).unwrap_or_else(|faults| panic!("{faults:#?}"));
    let mut later: BTreeMap<String, Value> = BTreeMap::new();
    for (_, text) in rulesets::BUNDLES {
        let bundle: Value = serde_json::from_str(text).unwrap();
        for rule in bundle["regras"].as_array().into_iter().flatten().filter(|rule| rule["vigente_ate"].is_null()) {
            let rule = with(rule, &json!({"versao": "90.0", "vigente_de": "2090-01-01", "exemplos": []}));
            later.insert(rule["rule_code"].as_str().unwrap().to_owned(), rule);
        }
    }
    let later: Vec<Value> = later.into_values().collect();
    assert!(later.len() > 500, "{}", later.len());
    publish(&engine, &later).unwrap_or_else(|faults| panic!("{faults:#?}"));
    let without_end = |text: String| {
        let mut answer: Value = serde_json::from_str(&text).unwrap();
        answer["regra"]["vigente_ate"].take();
        for other in answer["detalhes"]["regras_auxiliares"].as_array_mut().into_iter().flatten() {
            other["vigente_ate"].take();
        }
        answer
    };
    for payload in payloads() {
        let [before, after] = [built_in_engine(), &engine].map(|engine| answer(engine, &payload).map(without_end));
        assert_eq!(before, after, "{payload}");
    }
}
