//! The rules of the house, checked by tests so that reviewers need not.

mod arrows;
mod circles;
mod comments;
mod dependencies;
mod exceptions;
mod functions;
mod names;
mod paths;
mod prose;

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Lines of a file.
const MAX_LINES: usize = 400;

/// What the pure centre must not reach for.
const IMPURE: &[&str] =
    &["std::fs", "std::time", "std::net", "std::env", "std::thread", "std::process", "Timestamp::now", "tokio", "redb"];

/// The files of a folder, or the file itself.
fn files_under(path: PathBuf, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            files_under(entry.unwrap().path(), found);
        }
    } else {
        found.push(path);
    }
}

/// Every Rust file below the folders, its path from the root, and its text.
fn sources(folders: &[&str]) -> Vec<(String, String)> {
    files_below(folders, &["rs"])
}

/// The same of files with one of these endings.
fn files_below(folders: &[&str], endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in folders {
        files_under(Path::new(ROOT).join(folder), &mut found);
    }
    found.sort();
    let wanted = found.iter().filter(|p| p.extension().is_some_and(|e| endings.iter().any(|one| e == *one)));
    wanted
        .map(|p| {
            let name = p.strip_prefix(ROOT).unwrap().to_string_lossy().replace('\\', "/");
            (name, fs::read_to_string(p).unwrap())
        })
        .collect()
}

/// The code without comments (documentation may speak of anything).
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line.split("//").next().unwrap_or_default()))
}

fn without_comments(text: &str) -> String {
    code(text).map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

#[test]
fn taxes_and_rules_touch_no_disk_clock_or_network() {
    for (path, text) in sources(&["src/law", "src/base/document"]) {
        for (number, line) in code(&text) {
            let reached = IMPURE.iter().find(|name| line.contains(*name));
            assert!(reached.is_none(), "{path}:{number}: {}", line.trim());
        }
    }
}

/// The files of the sandbox page that people write.
fn page_files() -> Vec<(String, String)> {
    files_below(&["src/page", "src/features"], &["js", "css", "html"])
}

#[test]
fn no_file_has_more_than_400_lines() {
    let page = page_files();
    assert!(page.len() > 10, "the page has moved");
    let long: Vec<String> = [sources(&["src", "tests"]), page]
        .iter()
        .flatten()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(path, lines)| format!("{path} has {lines}"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn nothing_is_left_for_later_and_no_test_is_switched_off() {
    // Written in parts, so that this file does not name them itself.
    let words = [["to", "do!"], ["TO", "DO"], ["FIX", "ME"], ["XX", "X:"], ["unimple", "mented!"], ["#[ig", "nore"]];
    for (path, text) in [sources(&["src", "tests"]), page_files()].into_iter().flatten() {
        for (i, line) in text.lines().enumerate() {
            let left = words.iter().map(|w| w.concat()).find(|word| line.contains(word.as_str()));
            assert!(left.is_none(), "{path}:{}: {}", i + 1, line.trim());
        }
    }
}

/// The one way in which a text could become markup or code, and everything that leaves the house.
#[test]
fn the_page_makes_no_markup_of_text_and_keeps_things_in_one_place() {
    let never = [
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "localStorage",
        "console.",
    ];
    for (path, text) in page_files() {
        // Saved cases and the switch for technical details pass here; a key never does.
        let keeps = path.ends_with("/kept.js");
        let found = never.iter().find(|word| text.contains(*word) && !(keeps && **word == "localStorage"));
        assert!(found.is_none(), "{path} has {found:?}");
    }
}

#[test]
fn every_file_of_these_tests_is_a_module_of_them() {
    let texts = sources(&["tests/unit"]);
    for (path, _) in &texts {
        let name = path.rsplit('/').next().unwrap().trim_end_matches(".rs");
        let declared =
            texts.iter().any(|(_, text)| text.lines().any(|l| l.trim_start_matches("pub ") == format!("mod {name};")));
        assert!(declared || matches!(name, "main" | "mod"), "{path} is compiled by nobody");
    }
}
