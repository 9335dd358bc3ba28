//! Comments that only repeat the name below them.

use std::collections::BTreeSet;

use super::sources;

/// Words that add nothing to a name.
const EMPTY: &[&str] = &[
    "a", "all", "an", "and", "are", "as", "at", "by", "each", "every", "for", "from", "has", "have", "how", "if", "in",
    "is", "it", "its", "itself", "many", "much", "of", "on", "one", "returns", "that", "the", "their", "them", "these",
    "they", "this", "to", "true", "was", "were", "what", "which", "with",
];

/// The comments of one line, with the line's number, whose words are all in the declaration below or in its type's.
fn repetitions(text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    let mut around = BTreeSet::new();
    for (i, line) in lines.iter().enumerate() {
        if ["struct ", "enum ", "trait ", "impl ", "impl<"].iter().any(|kind| after_visibility(line).starts_with(kind))
        {
            around = stems(line);
        }
        let Some(comment) = line.strip_prefix("/// ") else { continue };
        let is_alone = !(i > 0 && lines[i - 1].starts_with("///") || lines[i + 1].starts_with("///"));
        // The help of a command has no full stop, and its readers do not see the name.
        if !is_alone || !comment.ends_with('.') || comment.contains(['`', '[']) {
            continue;
        }
        let declaration = lines[i + 1..].iter().find(|l| !l.starts_with("#[")).map(|l| stems(l)).unwrap_or_default();
        let said = stems(comment);
        if !said.is_empty() && said.iter().all(|stem| declaration.contains(stem) || around.contains(stem)) {
            found.push((i + 1, comment));
        }
    }
    found
}

fn after_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    rest.split_once(") ").filter(|_| rest.starts_with('(')).map_or(rest, |(_, rest)| rest).trim_start()
}

/// The beginnings of the words of a line, also within names: `StateCounts` has "state" and "count".
fn stems(line: &str) -> BTreeSet<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in line.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && before.is_lowercase() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().unwrap().extend(c.to_lowercase());
        }
        before = c;
    }
    let said = words.iter().filter(|word| !word.is_empty() && !EMPTY.contains(&word.as_str()));
    said.map(|word| ["es", "s", "ed"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word).to_owned())
        .collect()
}

#[test]
fn no_comment_repeats_the_name_below_it() {
    let files = sources(&["src"]);
    let found = files.iter().flat_map(|(path, text)| {
        repetitions(text).into_iter().map(move |(line, comment)| format!("{path}:{line}: {comment}"))
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "say why, the unit or the source, or leave it out:\n{}", found.join("\n"));
}

#[test]
fn a_comment_with_a_word_more_than_the_name_is_not_a_repetition() {
    let repeats = |text: &str| repetitions(text).len();
    assert_eq!(repeats("/// The state of an account.\n#[derive(Debug)]\npub enum AccountState {\n    Open,\n}\n"), 1);
    assert_eq!(repeats("pub struct Account {\n    /// Name of the account.\n    pub name: String,\n}\n"), 1);
    assert_eq!(repeats("pub struct Account {\n    /// Name that the operator gave.\n    pub name: String,\n}\n"), 0);
    assert_eq!(repeats("/// Most bytes, as\n/// the law says.\nconst MOST_BYTES: u64 = 1;\n"), 0);
}
