//! `taxd import` of faulty bundles: every fault with its place, exit 1, nothing published.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{DataDir, Done, bundle, rule, taxd, with};

fn import(dir: &DataDir, file: &Path, more: &[&str]) -> Done {
    taxd(dir, [OsStr::new("import"), file.as_os_str()].into_iter().chain(more.iter().map(OsStr::new)))
}

/// Faults that stand in one document, by path.
fn faulty() -> Value {
    let good = rule("t-um", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let bad = [
        with(&good, &json!({"rule_code": "NÃO SERVE"})),
        with(&good, &json!({"rule_code": "t-data", "vigente_de": "2026-02-30"})),
        with(&good, &json!({"rule_code": "t-conteudo", "conteudo": {"aliquota": "2,00"}})),
        with(&good, &json!({"rule_code": "t-tributo", "tributo": "iof"})),
        with(&good, &json!({"rule_code": "t-escopo", "escopo": {"uf": "XX"}})),
        with(&good, &json!({"rule_code": "t-campo", "citacao": "Lei", "citacao_legal": null})),
    ];
    serde_json::from_str(&bundle(&[&[good], bad.as_slice()].concat())).unwrap()
}

const PATHS: [&str; 7] = [
    "regras[1].rule_code",
    "regras[2].vigente_de",
    "regras[3].conteudo.aliquota",
    "regras[4].tributo",
    "regras[5].escopo.uf",
    "regras[6].citacao",
    "regras[6].citacao_legal",
];

#[test]
fn every_fault_has_its_file_line_and_path() {
    let dir = DataDir::ready();
    let text = serde_json::to_string_pretty(&faulty()).unwrap();
    let file = dir.write("faulty.json", &text);
    let server = dir.serve(&[]);
    let check = |place: &str| {
        let done = import(&dir, &file, &[]);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{place}: {done:?}");
        for path in PATHS {
            let line = done.stderr.lines().find(|l| l.contains(&format!(": {path}: ")));
            let line = line.unwrap_or_else(|| panic!("{place}: no fault at {path}: {}", done.stderr));
            let rest = line.strip_prefix(&format!("{}:", file.display())).unwrap_or_else(|| panic!("{line}"));
            let (number, message) = rest.split_once(&format!(": {path}: ")).unwrap();
            assert!(message.len() > 10, "{line}");
            // The line of the value, or, where a member is missing, of the rule that lacks it.
            let name = path.rsplit('.').next().unwrap();
            let found = text.lines().nth(number.parse::<usize>().unwrap() - 1).unwrap();
            let is_there = found.contains(&format!("\"{name}\":"));
            assert!(is_there || path.ends_with("citacao_legal") && found.trim() == "{", "{line} -> {found}");
        }
        assert!(done.stderr.trim_end().ends_with("nothing was imported"), "{}", done.stderr);
    };
    check("running");
    drop(server);
    check("stopped");
    let good = dir.write("good.json", bundle(&[faulty()["regras"][0].clone()]));
    assert_eq!(import(&dir, &good, &["--json"]).ok().json()["publicadas"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_published_version_is_never_changed() {
    let dir = DataDir::ready();
    let first = rule("t-um", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    import(&dir, &dir.write("a.json", bundle(std::slice::from_ref(&first))), &[]).ok();
    let changes = [
        json!({"conteudo": {"aliquota": "2.01"}}),
        json!({"citacao_legal": "Outra lei"}),
        json!({"vigente_de": "2020-01-02"}),
    ];
    for change in changes {
        let done = import(&dir, &dir.write("b.json", bundle(&[with(&first, &change)])), &[]);
        assert_eq!(done.code, 1, "{change}: {done:?}");
        assert!(done.stderr.contains("t-um-v1.0"), "{done:?}");
    }
}

#[test]
fn a_tie_is_refused() {
    let dir = DataDir::ready();
    let first = rule("t-um", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let second = with(&first, &json!({"rule_code": "t-dois", "vigente_de": "2025-01-01"}));
    for rules in [[first.clone(), second.clone()], [second.clone(), first.clone()]] {
        let done = import(&dir, &dir.write("tie.json", bundle(&rules)), &[]);
        assert_eq!(done.code, 1, "{done:?}");
        assert!(done.stderr.contains("t-um") && done.stderr.contains("t-dois"), "{}", done.stderr);
    }
    // Without a common day there is no tie.
    let ended = with(&first, &json!({"vigente_ate": "2025-01-01"}));
    assert_eq!(import(&dir, &dir.write("ok.json", bundle(&[ended, second])), &[]).code, 0);
}
