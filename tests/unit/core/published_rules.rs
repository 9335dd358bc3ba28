//! What is published stays: a server refuses a whole import if a version that it has comes with other words. So every
//! built-in version is listed in `tests/golden/published_rules` with a hash, one line each. From version 1.0.0 of this
//! crate on, lines are only added.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use taxd_base::value::sha256_hex;

use crate::support::built_in_engine;

/// Hexadecimal digits of the SHA-256 of a version. Sixteen are 64 bits: enough against a change by mistake, which is all
/// that this guards against, and the file stays below a megabyte.
const DIGITS: usize = 16;

/// `rule_id` and hash.
type Published = BTreeMap<String, String>;

fn golden() -> std::path::PathBuf {
    Path::new(crate::ROOT).join("tests/golden/published_rules")
}

/// Every built-in version. Its hash is of what an import compares: all of the rule but its worked examples, whatever the
/// order of the members.
fn built_in() -> Published {
    let mut found = Published::new();
    let journal = built_in_engine().store().read_journal().unwrap();
    let add = |_, record: &[u8], _| {
        let mut rule: Value = serde_json::from_slice(record).unwrap();
        rule.as_object_mut().unwrap().shift_remove("exemplos");
        rule.sort_all_objects();
        let rule_id = format!("{}-v{}", rule["rule_code"].as_str().unwrap(), rule["versao"].as_str().unwrap());
        found.insert(rule_id, sha256_hex(rule.to_string().as_bytes())[..DIGITS].to_owned());
    };
    journal.each_version(1, add).unwrap();
    found
}

fn read(text: &str) -> Published {
    text.lines().map(|line| line.split_once(' ').unwrap()).map(|(id, hash)| (id.to_owned(), hash.to_owned())).collect()
}

fn written(rules: &Published) -> String {
    rules.iter().flat_map(|(rule_id, hash)| [rule_id, " ", hash, "\n"]).collect()
}

/// Every difference by name, in the order "changed", "gone", "added".
fn differences(before: &Published, now: &Published) -> (Vec<String>, Vec<String>) {
    let changed = before.iter().filter(|(id, hash)| now.get(*id).is_some_and(|new| new != *hash));
    let gone = before.keys().filter(|id| !now.contains_key(*id));
    let added = now.keys().filter(|id| !before.contains_key(*id));
    let lost = changed.map(|(id, _)| format!("changed: {id}")).chain(gone.map(|id| format!("gone: {id}")));
    (lost.collect(), added.map(|id| format!("added: {id}")).collect())
}

/// Whether the list is right as it is (`None`), or is to be rewritten; an error if it may not be, or if nobody asked for it.
fn verdict(before: &Published, now: &Published, released: bool, rewrite: bool) -> Result<Option<String>, String> {
    let (lost, added) = differences(before, now);
    if released && !lost.is_empty() {
        let what = lost.join("\n");
        return Err(format!("a published version never changes; write a new version of the rule instead:\n{what}"));
    }
    match [lost, added].concat() {
        all if all.is_empty() => Ok(None),
        _ if rewrite => Ok(Some(written(now))),
        all => Err(format!("{}\nif that is meant, run this test with TAXD_REWRITE_GOLDEN=1", all.join("\n"))),
    }
}

#[test]
fn a_built_in_version_is_never_changed_or_dropped() {
    let file = golden();
    let before = read(&std::fs::read_to_string(&file).unwrap_or_default());
    let major: u32 = env!("CARGO_PKG_VERSION_MAJOR").parse().unwrap();
    let rewrite = std::env::var_os("TAXD_REWRITE_GOLDEN").is_some();
    match verdict(&before, &built_in(), major >= 1, rewrite) {
        Ok(None) => {}
        Ok(Some(text)) => std::fs::write(file, text).unwrap(),
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn before_a_release_a_change_is_named_and_after_one_it_is_refused() {
    let rules = |list: &[(&str, &str)]| -> Published {
        list.iter().map(|(id, hash)| ((*id).to_owned(), (*hash).to_owned())).collect()
    };
    let before = rules(&[("a-v1.0", "1"), ("b-v1.0", "2"), ("c-v1.0", "3")]);
    let now = rules(&[("a-v1.0", "1"), ("b-v1.0", "9"), ("d-v1.0", "4")]);
    let named = "changed: b-v1.0\ngone: c-v1.0\nadded: d-v1.0";
    assert!(verdict(&before, &now, false, false).is_err_and(|why| why.starts_with(named)));
    assert_eq!(verdict(&before, &now, false, true), Ok(Some(written(&now))));
    for rewrite in [false, true] {
        let why = verdict(&before, &now, true, rewrite).unwrap_err();
        assert!(why.ends_with("changed: b-v1.0\ngone: c-v1.0"), "{why}");
    }
    let more = rules(&[("a-v1.0", "1"), ("b-v1.0", "2"), ("b-v1.1", "7"), ("c-v1.0", "3")]);
    assert!(verdict(&before, &more, true, false).is_err_and(|why| why.starts_with("added: b-v1.1")));
    assert_eq!(verdict(&before, &more, true, true), Ok(Some(written(&more))));
    assert_eq!(verdict(&more, &more, true, false), Ok(None));
    assert_eq!(read(&written(&more)), more);
}
