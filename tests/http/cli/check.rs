//! `taxd check` on data that are whole, and what it says of them.

use std::fs;

use serde_json::{Value, json};

use crate::support::{DataDir, golden, taxd};

/// How many worked examples these versions have in the built-in bundles.
fn built_in_examples(versions: &[String]) -> usize {
    let mut examples = 0;
    for (_, text) in taxd::core::rulesets::BUNDLES {
        let bundle: Value = serde_json::from_str(text).unwrap();
        for rule in bundle["regras"].as_array().into_iter().flatten() {
            let id = format!("{}-v{}", rule["rule_code"].as_str().unwrap(), rule["versao"].as_str().unwrap());
            if versions.contains(&id) {
                examples += rule["exemplos"].as_array().map_or(0, Vec::len);
            }
        }
    }
    examples
}

#[test]
fn the_built_in_rules_and_all_that_a_first_run_makes_are_whole() {
    let dir = DataDir::ready();
    let alone = taxd(&dir, ["check", "--json"]).ok().json();
    assert_eq!((&alone["whole"], &alone["pages_verified"]), (&json!(true), &json!(true)), "{alone}");
    assert_eq!((&alone["findings"], &alone["findings_total"]), (&json!([]), &json!(0)), "{alone}");
    assert!(alone["rules"].as_u64() > Some(10_000) && alone["examples"]["hold"].as_u64() > Some(1_000), "{alone}");
    assert_eq!(alone["examples"]["overtaken"], built_in_examples(&dir.superseded()), "{alone}");
    let text = taxd(&dir, ["check"]).ok().stdout;
    assert!(text.contains("nothing is wrong") && !text.contains("not verified"), "{text}");

    let _server = dir.serve(&[]);
    let beside = taxd(&dir, ["check", "--json"]).ok().json();
    assert_eq!((&beside["whole"], &beside["pages_verified"]), (&json!(true), &json!(false)), "{beside}");
    assert_eq!((&beside["rules"], &beside["examples"]), (&alone["rules"], &alone["examples"]));
    assert!(taxd(&dir, ["check"]).ok().stdout.contains("are not verified"));
}

#[test]
fn it_reads_a_file_that_nobody_may_write_to_and_changes_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let golden = golden::current();
    let dir = DataDir::empty();
    let file = dir.write("backup.redb", &golden.file);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o400)).unwrap();
    let report = taxd(&dir, ["check", file.to_str().unwrap(), "--json"]).ok().json();
    assert_eq!(report["findings"], json!([]));
    assert!(fs::read(&file).unwrap() == golden.file);
    assert!(!dir.path().exists(), "no data directory is made");
}

#[test]
fn a_page_that_was_changed_is_found_with_what_to_do() {
    let golden = golden::current();
    let dir = golden.in_dir();
    let mut file = golden.file;
    let at = file.windows(8).rposition(|bytes| bytes == b"ouro-ipi").unwrap();
    file[at] ^= 1;
    fs::write(dir.file(), &file).unwrap();
    let path = dir.file();
    for args in [&["check"][..], &["check", path.to_str().unwrap()]] {
        let done = taxd(&dir, args);
        assert_eq!(done.code, 1, "{done:?}");
        assert!(
            done.stdout.contains("pages: damaged") && done.stdout.contains("restore the latest backup"),
            "{done:?}"
        );
        let done = taxd(&dir, args.iter().chain(&["--json"]));
        assert_eq!((done.code, &done.json()["whole"]), (1, &json!(false)), "{done:?}");
    }
    assert!(fs::read(dir.file()).unwrap() == file, "it is left as it is");
}
