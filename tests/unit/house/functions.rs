//! Functions that no screen shows whole.

use std::collections::BTreeMap;

const MAX_LINES: usize = 60;

/// The lines of every function that has more than [`MAX_LINES`], by `file::function`.
pub fn too_long(files: &[(String, String)]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for (path, text) in files {
        let lines: Vec<&str> = text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let Some(name) = function_named(line) else { continue };
            let indent = &line[..line.len() - line.trim_start().len()];
            // rustfmt ends a function with a brace below its first letter, and a declaration with a semicolon.
            let end = lines[start..].iter().position(|l| {
                let rest = l.strip_prefix(indent).unwrap_or_default();
                rest == "}" || !rest.starts_with(' ') && rest.ends_with([';', '}'])
            });
            let length = end.expect("a function ends") + 1;
            if length > MAX_LINES {
                found.insert(format!("{path}::{name}"), length);
            }
        }
    }
    found
}

/// The name of the function that the line begins.
fn function_named(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let qualifier =
        |word: &str| matches!(word, "pub" | "const" | "async" | "unsafe" | "extern") || word.starts_with("pub(");
    before.split_whitespace().all(qualifier).then(|| after.split(['(', '<']).next())?
}

#[test]
fn the_lines_of_a_function_are_counted() {
    let body = "        x();\n".repeat(60);
    let text = format!("impl T {{\n    fn one(&self);\n    pub(crate) async fn two<T>() {{\n{body}    }}\n}}\n");
    let found = too_long(&[("a.rs".to_owned(), text)]);
    assert_eq!(found, BTreeMap::from([("a.rs::two".to_owned(), 62)]));
}
