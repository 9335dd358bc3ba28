//! The texts of the built-in rules are read by accountants, on the page and in answers: no date, no name of a field and no
//! code of a rule is in them as programs write it.

use std::collections::BTreeSet;

use serde_json::Value;
use taxd_base::document::{Field, Shape};
use taxd_core::rulesets::BUNDLES;
use taxd_law::tax::REGISTRY;

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

/// Refusals named a public repository as the source of a figure. The versions that do are published and stay as they are;
/// their refusals do not show the name.
#[test]
fn no_refusal_names_a_repository() {
    let engine = crate::support::built_in_engine();
    let mut named = Vec::new();
    let journal = engine.store().read_journal().unwrap();
    let read = |_, record: &[u8], _| {
        let rule: Value = serde_json::from_slice(record).unwrap();
        let motivo = rule["motivo"].as_str().unwrap_or_default();
        if motivo.contains("repositório ") || motivo.contains("github") {
            named.push(rule);
        }
    };
    journal.each_version(1, read).unwrap();
    assert!(named.len() > 10, "{} texts were found", named.len());
    for rule in named {
        let escopo = &rule["escopo"];
        // Another tax with such a text needs a payload of its own here; better to write "fonte não oficial" in its rule.
        assert_eq!(rule["tributo"], "iss", "{rule}");
        let payload = serde_json::json!({"tributo": "iss", "uf": escopo["uf"], "municipio": escopo["municipio"],
            "item_lista_servico": escopo["item_lista_servico"][0], "preco_servico": "1000.00", "data": "2026-11-25"});
        let refused = engine
            .calculate(payload.to_string().as_bytes(), taxd_core::engine::Extras::default())
            .map(|_| ())
            .unwrap_err();
        assert_eq!(refused.codigo.as_str(), "regra_sem_conteudo", "{rule}");
        let detail = &refused.detail;
        assert!(detail.contains("fonte não oficial (lista") && !detail.contains("repositório"), "{detail}");
    }
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
