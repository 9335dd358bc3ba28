//! `taxd audit --conhecido-em`: a document by what was known at an instant.

use std::fs;

use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use super::audit::{COMPANY, RIGHT};
use crate::support::{DataDir, Done, OwnRules, rule, taxd, taxd_nowhere, with};

fn rate(versao: &str, rate: &str) -> Value {
    let base = rule("icms-sp-geral", "icms", &json!({"uf": "SP"}), &json!({"aliquota": rate}));
    with(&base, &json!({"versao": versao, "vigente_de": "2022-01-01"}))
}

/// The verdict and the rule of the ICMS of the made document.
fn icms(done: &Done) -> (String, String) {
    let lines = done.json_lines();
    let line = lines.iter().find(|line| line["tributo"] == "icms" && line["camada"] == "lei").unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&line["veredito"]), text(&line["regra"]["rule_id"]))
}

#[test]
fn a_correction_of_a_rule_does_not_make_wrong_what_was_right_by_what_was_known() {
    let own = OwnRules::in_dir(DataDir::ready());
    let document = own.dir.write("nota.xml", RIGHT).display().to_string();
    let company = own.dir.write("empresa.toml", COMPANY).display().to_string();
    let audit = |more: &[&str]| {
        let options = ["audit", &document, "--empresa", &company, "--format", "json"];
        taxd(&own.dir, options.into_iter().chain(more.iter().copied()))
    };
    let first = Timestamp::now();
    assert_eq!(icms(&audit(&[])), ("confere".to_owned(), "icms-sp-geral-v1.0".to_owned()));
    std::thread::sleep(std::time::Duration::from_millis(5));
    own.publish(&[rate("1.1", "17.00")]);
    let now = audit(&[]);
    // An aviso of the rule may explain the difference, so the status is still 0.
    assert_eq!((icms(&now), now.code), (("diverge".to_owned(), "icms-sp-geral-v1.1".to_owned()), 0));

    let at = format!("{first:.3}");
    let then = audit(&["--conhecido-em", &at]);
    assert_eq!((icms(&then), then.code), (("confere".to_owned(), "icms-sp-geral-v1.0".to_owned()), 0));
    let today = Timestamp::now().to_string()[..10].to_owned();
    assert_eq!(icms(&audit(&["--conhecido-em", &today])), icms(&now), "a day counts to its end, today to now");
    let server = own.serve();
    assert_eq!(audit(&["--conhecido-em", &at]).stdout, then.stdout, "the running server answers otherwise");
    drop(server);
}

/// Before the first publication nothing was known: neither a rate nor which NCMs there are.
#[test]
fn before_the_first_publication_everything_is_refused_and_nothing_differs() {
    let on = DataDir::ready();
    let document = on.write("nota.xml", RIGHT).display().to_string();
    let company = on.write("empresa.toml", COMPANY).display().to_string();
    let done =
        taxd(&on, ["audit", &document, "--empresa", &company, "--format", "json", "--conhecido-em", "31/12/2020"]);
    assert_eq!(done.code, 0, "{done:?}");
    let verdicts: Vec<Value> = done.json_lines().into_iter().map(|line| line["veredito"].clone()).collect();
    assert!(verdicts.iter().any(|verdict| verdict == "recusado"), "{verdicts:?}");
    assert!(!verdicts.iter().any(|verdict| verdict == "diverge"), "{verdicts:?}");
}

#[test]
fn an_instant_without_an_answer_is_refused() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("nota.xml");
    fs::write(&path, RIGHT).unwrap();
    let document = path.display().to_string();
    let nowhere = taxd_nowhere(["audit", &document, "--conhecido-em", "2026-01-01"], b"");
    assert_eq!(nowhere.code, 1);
    assert!(nowhere.stderr.contains("needs a data directory"), "{}", nowhere.stderr);
    let on = DataDir::ready();
    let tomorrow = (Timestamp::now() + 48.hours()).to_string()[..10].to_owned();
    for (text, reason) in [(tomorrow.as_str(), "is in the future"), ("ontem", "is not an instant")] {
        let done = taxd(&on, ["audit", &document, "--conhecido-em", text]);
        assert!(done.code == 1 && done.stderr.contains(reason), "{done:?}");
    }
}
