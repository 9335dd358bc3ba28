//! Every built-in rule goes to a table and comes back as it was.

use std::collections::BTreeMap;

use serde_json::Value;
use taxd::features::rule_sheets::{Layout, read, rows};
use taxd_base::document::Node;
use taxd_law::rule::bundle::{RawBundle, written_out};
use taxd_law::tax::REGISTRY;

use super::{layout, sheet};

/// Every built-in rule, those of tables included.
pub fn rules() -> Vec<Value> {
    let mut rules = Vec::new();
    for (_, text) in taxd_core::rulesets::files() {
        let raw = RawBundle::read(text.as_bytes()).unwrap();
        written_out(&raw, &mut |rule| rules.push(serde_json::to_value(Node::Object(rule)).unwrap())).unwrap();
    }
    rules
}

/// The rule with each dimension of its scope as a list: one value and a list of it are the same scope.
fn with_listed_scope(rule: &Value) -> Value {
    let mut rule = rule.clone();
    for value in rule["escopo"].as_object_mut().unwrap().values_mut().filter(|value| !value.is_array()) {
        *value = Value::Array(vec![value.clone()]);
    }
    rule
}

#[test]
fn every_built_in_rule_comes_back_from_a_table_as_it_was() {
    let layouts: BTreeMap<&str, Layout> =
        REGISTRY.iter().map(|entry| (entry.tributo.as_str(), Layout::of(entry))).collect();
    let rules = rules();
    assert!(rules.len() > 20_000, "{}", rules.len());
    let mut inexpressible = Vec::new();
    for rule in &rules {
        let layout = &layouts[rule["tributo"].as_str().unwrap()];
        let id = format!("{}-v{}", rule["rule_code"], rule["versao"]);
        match rows(layout, rule) {
            Ok(rows) => {
                let made = read(&sheet(layout, &rows)).unwrap_or_else(|faults| panic!("{id}: {faults:#?}"));
                assert_eq!(made.rules.len(), 1, "{id}");
                assert_eq!(with_listed_scope(&made.rules[0]), with_listed_scope(rule), "{id}");
            }
            Err(why) => inexpressible.push(format!("{id}: {why}")),
        }
    }
    assert!(inexpressible.is_empty(), "{} of {}: {inexpressible:#?}", inexpressible.len(), rules.len());
}

/// A list inside a list, three brackets of two fuels.
#[test]
fn a_list_inside_a_list_goes_down_the_rows() {
    let rule = rules().into_iter().find(|rule| rule["conteudo"]["combustiveis"][0]["faixas"].is_array()).unwrap();
    let layout = layout("ipva");
    let rows = rows(&layout, &rule).unwrap();
    let column = |name: &str| layout.columns.iter().position(|column| column.name == name).unwrap();
    let filled = |name: &str| rows.iter().filter(|row| !row[column(name)].is_empty()).count();
    let brackets = |fuel: &Value| fuel["faixas"].as_array().map_or(0, Vec::len);
    let fuels = rule["conteudo"]["combustiveis"].as_array().unwrap();
    assert_eq!(filled("conteudo.combustiveis[].combustivel"), fuels.len());
    let all: usize = fuels.iter().map(brackets).sum();
    assert_eq!(filled("conteudo.combustiveis[].faixas[].aliquota"), all);
}

#[test]
fn what_a_table_cannot_express_is_named() {
    let rule = |conteudo: Value| serde_json::json!({"rule_code": "x-y", "versao": "1.0", "tributo": "itbi", "conteudo": conteudo});
    for (conteudo, path) in [
        (serde_json::json!({"nada": 1}), "conteudo.nada"),
        (serde_json::json!({"aliquota": "2,00"}), "conteudo.aliquota"),
        (serde_json::json!({"aliquota": "02.00"}), "conteudo.aliquota"),
        (serde_json::json!({"sfh": {}}), "conteudo.sfh"),
        (serde_json::json!({"faixas": []}), "conteudo.faixas"),
        (serde_json::json!({"observacoes": ["a", " b"]}), "conteudo.observacoes[1]"),
        (serde_json::json!({"isencao": {"base_legal": "null"}}), "conteudo.isencao.base_legal"),
    ] {
        let why = rows(&layout("itbi"), &rule(conteudo)).unwrap_err();
        assert_eq!(why.path, path, "{why}");
    }
}
