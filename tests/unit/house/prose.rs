//! Comments and names of tests in the dialect that this code once had, for which there are plain words.

use std::collections::BTreeMap;

/// Words, or words in a row, that a comment and the name of a test do without.
const DIALECT: &[&[&str]] = &[
    &["anew"],
    &["is", "no"],
    &["are", "no"],
    &["mend"],
    &["mends"],
    &["mended"],
    &["stands"],
    &["stood"],
    &["tell"],
    &["tells"],
    &["telling"],
    &["told"],
    &["where", "there"],
    &["whoever"],
];

/// How often the dialect is used in the comments and the names of tests of each folder, two levels deep.
pub fn by_folder(files: &[(String, String)]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for (path, text) in files {
        let folder = path.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
        *found.entry(folder).or_default() += in_comments(text) + in_test_names(text);
    }
    found.retain(|_, uses| *uses > 0);
    found
}

fn in_comments(text: &str) -> usize {
    count(&text.lines().flat_map(comment).map(str::to_lowercase).collect::<Vec<_>>())
}

fn in_test_names(text: &str) -> usize {
    // The attribute is some lines above if the test is one of properties or expects a panic.
    let is_test = |lines: &[&str]| lines.iter().rev().take(3).any(|line| line.trim_start().starts_with("#[test]"));
    let lines: Vec<&str> = text.lines().collect();
    let name = |(at, line): (usize, &&str)| {
        let name = line.trim_start().strip_prefix("fn ")?.split('(').next()?;
        is_test(&lines[..at]).then(|| count(&name.split('_').map(str::to_owned).collect::<Vec<_>>()))
    };
    lines.iter().enumerate().filter_map(name).sum()
}

fn count(words: &[String]) -> usize {
    let word = |at: usize| words.get(at).map(String::as_str);
    let is_dialect = |at: usize, phrase: &[&str]| {
        let found = phrase.iter().enumerate().all(|(i, wanted)| word(at + i) == Some(*wanted));
        // "There is no rule" and "the rule is no longer in force" are plain.
        found && (at == 0 || word(at - 1) != Some("there")) && word(at + phrase.len()) != Some("longer")
    };
    (0..words.len()).filter(|at| DIALECT.iter().any(|phrase| is_dialect(*at, phrase))).count()
}

/// Returns the words of a line's comment. Words in backticks keep them and never match.
fn comment(line: &str) -> impl Iterator<Item = &str> {
    let start = if line.trim_start().starts_with("//") { line.find("//") } else { line.find(" // ") };
    let comment = start.map_or("", |start| &line[start..]);
    let words =
        comment.split_whitespace().map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '`'));
    words.filter(|word| !word.is_empty())
}

#[test]
fn dialect_is_found_in_the_names_of_tests() {
    // Written in parts, so that this file does not use it itself.
    let name = |words: &str| format!("    #[{}]\n    fn {}() {{}}\n", "test", words.replace(' ', "_"));
    assert_eq!(in_test_names(&name("a caller is told what is no payload")), 2);
    assert_eq!(in_test_names(&name("there is no rule")), 0);
    assert_eq!(in_test_names("fn told() {}\n"), 0);
}

#[test]
fn dialect_is_found_in_comments() {
    assert_eq!(in_comments("/// What is\n/// no object is told.\nlet told = \"anew\"; // Whoever\n"), 3);
    assert_eq!(in_comments("/// Reads `told` again. https://anew\nlet url = \"http://told anew\";\n"), 0);
    assert_eq!(in_comments("/// There is no rule, and the other is no longer in force.\n"), 0);
}
