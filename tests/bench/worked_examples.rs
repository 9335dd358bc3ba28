//! The worked examples of the built-in bundles.

use serde_json::Value;
use taxd_core::rulesets;

/// Returns every worked example of the built-in bundles that expects an amount.
pub fn worked_examples() -> Vec<Value> {
    let mut found = Vec::new();
    for (_, text) in rulesets::BUNDLES {
        collect(&serde_json::from_str(text).expect("a bundle is JSON"), &mut found);
    }
    found
}

fn collect(node: &Value, found: &mut Vec<Value>) {
    match node {
        Value::Object(members) => {
            if members.contains_key("payload") && members.contains_key("valor") {
                found.push(members["payload"].clone());
            }
            members.values().for_each(|inner| collect(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect(inner, found)),
        _ => {}
    }
}
