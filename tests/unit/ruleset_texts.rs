//! The texts of the built-in rules are read by accountants, on the page and in answers: no date, no name of a field and no
//! code of a rule is in them as programs write it.

use std::collections::BTreeSet;

use serde_json::Value;
use taxd::document::{Field, Shape};
use taxd::rulesets::BUNDLES;
use taxd::tax::REGISTRY;

/// Calls `visit` with every text of more than one word.
fn each_text<'a>(value: &'a Value, visit: &mut impl FnMut(&'a str)) {
    match value {
        Value::String(text) if text.contains(' ') => visit(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, visit)),
        Value::Object(members) => members.values().for_each(|member| each_text(member, visit)),
        _ => {}
    }
}

/// The names that the taxes declare: fields, and words of their lists.
fn add_names(fields: &[Field], names: &mut BTreeSet<&'static str>) {
    for field in fields {
        names.insert(field.name);
        let shape = if let Shape::List(inner) = field.shape { *inner } else { field.shape };
        match shape {
            Shape::OneOf(words) => names.extend(words.iter().copied()),
            Shape::Document(inner) => add_names(inner, names),
            _ => {}
        }
    }
}

/// True for `2026-03-10` and `2026-03`; a part of an address of the web is longer.
fn is_iso_day(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_year = parts[0].starts_with("19") || parts[0].starts_with("20");
    parts.iter().all(digits) && is_year && matches!(lengths.as_slice(), [4, 2, 2] | [4, 2])
}

#[test]
fn texts_have_no_iso_date_no_field_name_and_no_rule_code() {
    let bundles: Vec<Value> = BUNDLES.iter().map(|(_, text)| serde_json::from_str(text).unwrap()).collect();
    let mut codes = BTreeSet::new();
    for rule in bundles.iter().flat_map(|bundle| bundle["regras"].as_array().into_iter().flatten()) {
        codes.extend(rule["rule_code"].as_str());
    }
    assert!(codes.len() > 800, "{}", codes.len());
    let mut names = BTreeSet::new();
    for entry in REGISTRY {
        add_names(entry.payload, &mut names);
        add_names(entry.conteudo, &mut names);
    }
    names.retain(|name| name.contains('_'));
    assert!(names.contains("papel_na_cadeia") && names.contains("nao_cumulativo"), "{names:?}");
    let mut seen = 0;
    for ((file, _), bundle) in BUNDLES.iter().zip(&bundles) {
        each_text(bundle, &mut |text| {
            let separates = |c: char| !(c.is_alphanumeric() || "-_/.".contains(c));
            for word in text.split(separates).map(|word| word.trim_end_matches('.')) {
                assert!(!is_iso_day(word), "{file}: write {word} as dd/mm/aaaa in: {text}");
                assert!(!names.contains(word), "{file}: write what people call {word} in: {text}");
                assert!(!codes.contains(word), "{file}: write the law of {word} in: {text}");
            }
            seen += 1;
        });
    }
    assert!(seen > 10_000, "the scan sees the texts: {seen}");
}
