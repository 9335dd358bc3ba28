//! `taxd import`: all or nothing, and the same again is nothing.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{DataDir, Done, bundle, rule, taxd, with};

/// A rule of a case that no shipped rule answers.
fn own_rule() -> Value {
    let scope = json!({"uf": "AM", "categoria_veiculo": ["locadora"]});
    rule("t-ipva-ac", "ipva", &scope, &json!({"aliquota": "2.00"}))
}

fn car() -> Value {
    json!({"tributo": "ipva", "uf": "AM", "categoria_veiculo": "locadora", "valor_venal": "100.00",
           "data_fato_gerador": "2026-01-01"})
}

fn import(dir: &DataDir, file: &Path, more: &[&str]) -> Done {
    taxd(dir, [OsStr::new("import"), file.as_os_str()].into_iter().chain(more.iter().map(OsStr::new)))
}

fn ids(report: &Value, list: &str) -> Vec<String> {
    report[list].as_array().unwrap().iter().map(|r| r["rule_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_good_bundle_is_published_once() {
    let dir = DataDir::ready();
    let file = dir.write("own.json", bundle(&[own_rule()]));
    let dry = import(&dir, &file, &["--dry-run", "--json"]).ok().json();
    assert_eq!((ids(&dry, "publicadas"), &dry["dry_run"]), (vec!["t-ipva-ac-v1.0".to_owned()], &json!(true)));
    let report = import(&dir, &file, &["--json"]).ok().json();
    assert_eq!(ids(&report, "publicadas"), ["t-ipva-ac-v1.0"], "the dry run wrote nothing");
    assert_eq!((&report["dry_run"], &report["inalteradas"]), (&json!(false), &json!(0)));
    let again = import(&dir, &file, &["--json"]).ok().json();
    assert_eq!((ids(&again, "publicadas").len(), &again["inalteradas"]), (0, &json!(1)));
    let text = import(&dir, &file, &[]).ok().stdout;
    assert!(text.contains("0 new") && text.contains("1 already there"), "{text}");
    assert_eq!(dir.serve(&[]).calculate(&car()).envelope()["valor"], "2.00");
}

/// The notes of a published version stay: the answer still has the first grade, and the operator is warned.
#[test]
fn a_version_with_other_notes_is_there_already_and_the_rest_of_the_bundle_is_published() {
    let dir = DataDir::ready();
    let noted = |conferencia: &str| with(&own_rule(), &json!({"conferencia": conferencia, "fonte": conferencia}));
    import(&dir, &dir.write("own.json", bundle(&[noted("fonte_unica")])), &[]).ok();
    let next = with(&own_rule(), &json!({"versao": "1.1", "vigente_de": "2027-01-01"}));
    let file = dir.write("next.json", bundle(&[noted("texto_legal"), next]));
    let report = import(&dir, &file, &["--json"]).ok().json();
    assert_eq!((ids(&report, "publicadas"), &report["inalteradas"]), (vec!["t-ipva-ac-v1.1".to_owned()], &json!(1)));
    let warned = report["avisos"].to_string();
    assert!(warned.contains("t-ipva-ac-v1.0") && warned.contains("what was published stays"), "{report}");
    assert_eq!(dir.serve(&[]).calculate(&car()).envelope()["regra"]["conferencia"], "fonte_unica");
}

#[test]
fn the_shipped_bundles_are_there_already() {
    let dir = DataDir::ready();
    let rulesets = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/rulesets"));
    let report = import(&dir, rulesets, &["--json"]).ok().json();
    assert_eq!(ids(&report, "publicadas").len(), 0);
    assert!(report["inalteradas"].as_u64().unwrap() > 10_000, "{report}");
}

#[test]
fn while_serving_it_answers_at_once_and_forgets_what_it_remembered() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let file = dir.write("own.json", bundle(&[own_rule()]));
    server.calculate(&car()).problem(404, "regra_inexistente");
    let dry = import(&dir, &file, &["--dry-run"]).ok().stdout;
    assert!(dry.contains("nothing written") && dry.contains("t-ipva-ac-v1.0"), "{dry}");
    server.calculate(&car()).problem(404, "regra_inexistente");
    import(&dir, &file, &[]).ok();
    assert_eq!(server.calculate(&car()).envelope()["valor"], "2.00");
    assert_eq!(server.calculate(&car()).envelope()["cached"], true);
    let other = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "2026-03-10"});
    assert_eq!(server.calculate(&other).envelope()["cached"], false);

    // From 2026 on another rate: the old version ends there, and its remembered answer with it.
    let next =
        with(&own_rule(), &json!({"versao": "1.1", "vigente_de": "2026-01-01", "conteudo": {"aliquota": "3.00"}}));
    let file = dir.write("next.json", bundle(&[next]));
    let report = import(&dir, &file, &["--json"]).ok().json();
    assert_eq!(ids(&report, "substituidas"), ["t-ipva-ac-v1.0"]);
    let row = &report["substituidas"][0];
    assert_eq!((&row["tipo"], &row["substituida_por"]), (&json!("substituicao"), &json!("t-ipva-ac-v1.1")));
    assert_eq!((&row["vigente_ate_anterior"], &row["vigente_ate"]), (&Value::Null, &json!("2026-01-01")));
    let answer = server.calculate(&car()).envelope();
    assert_eq!(
        (&answer["valor"], &answer["cached"], &answer["regra"]["rule_id"]),
        (&json!("3.00"), &json!(false), &json!("t-ipva-ac-v1.1"))
    );
    let before = server.calculate(&with(&car(), &json!({"data_fato_gerador": "2025-12-31"}))).envelope();
    assert_eq!((&before["valor"], &before["regra"]["vigente_ate"]), (&json!("2.00"), &json!("2026-01-01")));
    assert_eq!(server.calculate(&other).envelope()["cached"], true, "what the rule does not touch is kept");

    // From the first day on: the versions before are replaced entirely.
    let back = with(&own_rule(), &json!({"versao": "2.0", "conteudo": {"aliquota": "4.00"}}));
    let report = import(&dir, &dir.write("back.json", bundle(&[back])), &["--json"]).ok().json();
    let kinds: Vec<&Value> = report["substituidas"].as_array().unwrap().iter().map(|r| &r["tipo"]).collect();
    assert!(!kinds.is_empty() && kinds.iter().all(|k| **k == json!("substituicao_retroativa")), "{report}");
    for date in ["2025-12-31", "2026-01-01"] {
        let answer = server.calculate(&with(&car(), &json!({"data_fato_gerador": date}))).envelope();
        assert_eq!((&answer["valor"], &answer["cached"]), (&json!("4.00"), &json!(false)), "{date}");
    }
}

#[test]
fn worked_examples_are_run() {
    let dir = DataDir::ready();
    let example = |valor: &str| with(&own_rule(), &json!({"exemplos": [{"payload": car(), "valor": valor}]}));
    let wrong = dir.write("wrong.json", bundle(&[example("2.01")]));
    let done = import(&dir, &wrong, &[]);
    assert_eq!(done.code, 1);
    assert!(
        done.stderr.contains("2.01") && done.stderr.contains("2.00") && done.stderr.contains("exemplos[0]"),
        "{}",
        done.stderr
    );
    let right = dir.write("right.json", bundle(&[example("2.00")]));
    assert_eq!(import(&dir, &right, &["--json"]).ok().json()["exemplos"], 1);
}

#[test]
fn a_file_that_is_reached_twice_is_read_once() {
    let dir = DataDir::ready();
    let folder = dir.path().join("pacotes");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("own.json");
    std::fs::write(&file, bundle(&[own_rule()])).unwrap();
    let dotted = folder.join("..").join("pacotes");
    let words = ["import".as_ref(), file.as_os_str(), folder.as_os_str(), dotted.as_os_str(), "--json".as_ref()];
    let report = taxd(&dir, words).ok().json();
    assert_eq!(ids(&report, "publicadas"), ["t-ipva-ac-v1.0"]);
}

#[test]
fn several_files_are_one_publication() {
    let dir = DataDir::ready();
    let good = dir.write("good.json", bundle(&[own_rule()]));
    let bad = dir.write("bad.json", bundle(&[with(&own_rule(), &json!({"rule_code": "x", "conteudo": {}}))]));
    let done = taxd(&dir, [OsStr::new("import"), good.as_os_str(), bad.as_os_str()]);
    assert_eq!(done.code, 1, "{done:?}");
    let report = import(&dir, &good, &["--json"]).ok().json();
    assert_eq!(ids(&report, "publicadas").len(), 1, "the good file was not published with the bad one");
}
