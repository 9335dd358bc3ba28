//! The paths that Rust code names, such as `crate::rule::Chave`, read from its text.

/// Every path of the code that begins with `crate` or `super`; groups in braces are written out.
pub fn named(code: &str) -> Vec<Vec<&str>> {
    after(code, &["crate::", "super::"], 0)
}

/// Every path that a `use` brings in.
pub fn used(code: &str) -> Vec<Vec<&str>> {
    after(code, &["use "], "use ".len())
}

/// The paths that begin `skipped` bytes after one of these words.
fn after<'a>(code: &'a str, words: &[&str], skipped: usize) -> Vec<Vec<&'a str>> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = words.iter().filter_map(|word| rest.find(word)).min() {
        let within_a_name = rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        let path = &rest[at + skipped..];
        rest = if within_a_name { &rest[at + words[0].len()..] } else { read_tree(&[], path, &mut found) };
    }
    found
}

/// Appends the paths of the tree with which the text begins; returns the text after it.
fn read_tree<'a>(prefix: &[&'a str], text: &'a str, found: &mut Vec<Vec<&'a str>>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = read_tree(prefix, rest, found);
            // Skips `as Name` and `*`.
            rest = rest.trim_start_matches(|c| !matches!(c, ',' | '}'));
            match rest.strip_prefix(',') {
                Some(next) => rest = next,
                None => return rest.strip_prefix('}').unwrap_or(rest),
            }
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path = [prefix, &[name]].concat();
    match rest.strip_prefix("::") {
        Some(rest) => read_tree(&path, rest, found),
        None => {
            found.push(path);
            rest
        }
    }
}

/// The folders of `src` that are crates. A crate has those below it under their names at its root.
const CRATES: [&str; 4] = ["base", "sheet", "law", "core"];

/// The path below `src` of the module in a source file: `src/a/mod.rs`, `src/a/lib.rs` and `src/a.rs` are all `a`.
pub fn module(path: &str) -> Vec<&str> {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs");
    path.trim_end_matches("/mod").trim_end_matches("/lib").split('/').collect()
}

/// Returns the path below `src` of a path in the module `within`.
pub fn absolute<'a>(path: &[&'a str], within: &[&'a str]) -> Vec<&'a str> {
    let up = path.iter().take_while(|name| **name == "super").count();
    match path {
        ["crate", first, rest @ ..] if CRATES.contains(&within[0]) && !CRATES.contains(first) => {
            [&within[..1], &[*first], rest].concat()
        }
        ["crate", rest @ ..] => rest.to_vec(),
        _ => [&within[..within.len().saturating_sub(up)], &path[up..]].concat(),
    }
}

#[test]
fn paths_are_found_in_code() {
    let text = |code| named(code).iter().map(|path| path.join("::")).collect::<Vec<_>>();
    assert_eq!(text("use crate::rule::{Chave, scope::*};"), ["crate::rule::Chave", "crate::rule::scope::"]);
    assert_eq!(
        text("use crate::{\n    store,\n    tax::Entry as E,\n};"),
        ["crate::store", "crate::tax::Entry", "crate::"]
    );
    assert_eq!(
        text("(&crate::rule::Chave) -> super::super::tax::Entry"),
        ["crate::rule::Chave", "super::super::tax::Entry"]
    );
    assert_eq!(text("pub(crate) fn f() {} $crate::a::b"), Vec::<String>::new());
    assert_eq!(absolute(&["super", "other", "Item"], &["store", "lookup"]), ["store", "other", "Item"]);
    assert_eq!(absolute(&["crate", "rule"], &["store", "lookup"]), ["rule"]);
    assert_eq!(absolute(&["crate", "rule"], &["law", "tax"]), ["law", "rule"]);
    assert_eq!(absolute(&["crate", "law", "rule"], &["core", "store"]), ["law", "rule"]);
}
