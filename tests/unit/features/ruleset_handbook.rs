//! The handbook of the rules: its tables of `conteudo` are the declarations of the taxes, and the rules that it quotes
//! are those of the bundles.
//!
//! `TAXD_REWRITE_GOLDEN=1 cargo test --test unit-features ruleset_handbook` writes the tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use taxd::features::rule_sheets::kind;
use taxd_base::document::{Field, Shape};
use taxd_base::value::Conferencia;
use taxd_core::rulesets;
use taxd_law::rule::Condicao;
use taxd_law::tax::REGISTRY;

use crate::support::assert_golden;

const PATH: &str = "rulesets/README.md";

/// The handbook as it is now: an edit since the compilation must not be lost when the tables are written.
fn handbook() -> String {
    fs::read_to_string(Path::new(crate::ROOT).join(PATH)).unwrap()
}

/// A row for each field, and after an object or a list of objects a row for each of its own.
fn rows(fields: &[Field], path: &str) -> String {
    let mut text = String::new();
    for field in fields {
        let name = format!("{path}{}", field.name);
        let presence = match field.default {
            _ if field.required => "obrigatório".to_owned(),
            Some(default) => format!("= `{default}`"),
            None => String::new(),
        };
        let cells = [format!("`{name}`"), kind(&field.shape), presence, field.description()];
        text += &["| ", &cells.join(" | "), " |\n"].concat();
        match field.shape {
            Shape::Document(inner) => text += &rows(inner, &format!("{name}.")),
            Shape::List(Shape::Document(inner)) => text += &rows(inner, &format!("{name}[].")),
            _ => {}
        }
    }
    text
}

/// Returns the text with the part between the marks of a tax replaced by its table.
fn with_table(text: &str, tributo: &str, fields: &[Field]) -> String {
    let head = "| campo | tipo | presença | significado |\n|---|---|---|---|\n";
    let marks = (format!("conteudo de {tributo}"), format!("fim do conteudo de {tributo}"));
    replaced(text, marks, &[head, &rows(fields, "")].concat())
}

/// Returns the text with the words of a list and their meanings between its marks.
fn with_words(text: &str, name: &str, words: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let mut table = "| palavra | quer dizer que |\n|---|---|\n".to_owned();
    for (word, meaning) in words {
        table += &["| `", word, "` | ", meaning, " |\n"].concat();
    }
    replaced(text, (format!("palavras de {name}"), format!("fim das palavras de {name}")), &table)
}

/// Returns the text with the part between two marks replaced.
fn replaced(text: &str, (begin, end): (String, String), part: &str) -> String {
    let (begin, end) = (format!("<!-- {begin} -->\n"), format!("<!-- {end} -->\n"));
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("the handbook has no mark {begin}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("the handbook has no mark {end}"));
    [before, &begin, part, &end, after].concat()
}

#[test]
fn the_tables_of_content_are_what_the_taxes_declare() {
    let mut text = handbook();
    let mut shown: Vec<&[Field]> = Vec::new();
    // PIS and COFINS declare one content, CBS and IBS another, and five withholdings a third: the first has the table.
    for entry in REGISTRY {
        if !shown.contains(&entry.conteudo) {
            shown.push(entry.conteudo);
            text = with_table(&text, entry.tributo.as_str(), entry.conteudo);
        }
    }
    assert_eq!(shown.len(), 14);
    assert_golden(PATH, &text);
}

#[test]
fn the_tables_of_words_are_what_the_code_declares() {
    let grades = Conferencia::WORDS.iter().map(|word| (*word, Conferencia::from_word(word).unwrap().meaning()));
    let conditions = Condicao::OF_RULES.iter().map(|word| (*word, Condicao::from_word(word).unwrap().meaning()));
    assert_eq!((grades.len(), conditions.len()), (4, 6));
    let text = with_words(&handbook(), "conferencia", grades);
    assert_golden(PATH, &with_words(&text, "condicao", conditions));
}

/// The rules of the bundles that are written out, and those of tables with the examples that are theirs.
fn examples_by_id() -> BTreeMap<String, Value> {
    let id = |rule: &Value| format!("{}-v{}", rule["rule_code"].as_str().unwrap(), rule["versao"].as_str().unwrap());
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    let bundles: Vec<Value> = rulesets::files().map(|(_, text)| serde_json::from_str(text).unwrap()).collect();
    for bundle in &bundles {
        for example in
            bundle["tabelas"].as_array().into_iter().flatten().filter_map(|t| t["exemplos"].as_array()).flatten()
        {
            let mut example = example.clone();
            let Some(Value::String(id)) = example.as_object_mut().unwrap().shift_remove("rule_id") else { continue };
            match found.entry(id).or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(examples) => examples.push(example),
                other => panic!("{other} is no list of examples"),
            }
        }
    }
    // A rule that is written in full has its own, also if a table of other rules has examples that it answers.
    for rule in bundles.iter().flat_map(|bundle| bundle["regras"].as_array().into_iter().flatten()) {
        found.insert(id(rule), rule["exemplos"].clone());
    }
    found
}

/// Importing a quoted rule beside the bundles already shows that it is the published one, but that comparison leaves
/// its examples out.
#[test]
fn a_quoted_rule_has_the_examples_of_its_bundle() {
    let (published, handbook) = (examples_by_id(), handbook());
    let quoted: Vec<&str> = handbook.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(quoted.len() > 15, "{}", quoted.len());
    for text in quoted {
        let rule: Value = serde_json::from_str(text).unwrap();
        let id = format!("{}-v{}", rule["rule_code"].as_str().unwrap(), rule["versao"].as_str().unwrap());
        assert_eq!(Some(&rule["exemplos"]), published.get(&id), "the handbook quotes {id}");
    }
}
