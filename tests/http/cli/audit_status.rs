//! `taxd audit`: documents that are not compared, and where they may come from.

use std::fs;
use std::io::{Cursor, Write};

use serde_json::Value;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::audit::{COMPANY, RIGHT};
use crate::support::{Done, taxd_nowhere};

const KEY: &str = "35250311222333000181550010000000011000000017";

fn note(key: &str) -> String {
    RIGHT.replace("<infNFe>", &format!("<infNFe Id=\"NFe{key}\">"))
}

fn event(kind: &str) -> String {
    let inside = format!("<chNFe>{KEY}</chNFe><tpEvento>{kind}</tpEvento>");
    format!(
        "<procEventoNFe><evento><infEvento>{inside}</infEvento></evento>\
         <retEvento><infEvento><cStat>135</cStat>{inside}</infEvento></retEvento></procEventoNFe>"
    )
}

/// Audits files of these names and texts.
fn audit(files: &[(&str, &str)], options: &[&str]) -> Done {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("notas")).unwrap();
    for (name, text) in files {
        fs::write(dir.path().join("notas").join(name), text).unwrap();
    }
    let (path, company) = (dir.path().join("notas"), dir.path().join("empresa.toml"));
    fs::write(&company, COMPANY).unwrap();
    let (path, company) = (path.display().to_string(), company.display().to_string());
    taxd_nowhere([&["audit", &path, "--empresa", &company], options].concat(), b"")
}

/// The name of the file, the tax, the verdict and the code of each line.
fn lines(done: &Done) -> Vec<String> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let name = |line: &Value| text(line, "arquivo").rsplit('/').next().unwrap_or_default().to_owned();
    let lines = done.json_lines();
    let words = |line: &Value| {
        [name(line), text(line, "tributo"), text(line, "veredito"), text(line, "codigo")]
            .join(" ")
            .trim_end()
            .to_owned()
    };
    lines.iter().map(words).collect()
}

/// A note that was cancelled was once compared, and its errors were those of nobody.
#[test]
fn a_document_that_an_event_cancels_is_not_compared_though_the_event_comes_later() {
    let wrong = note(KEY).replace("180.00", "120.00");
    let done = audit(&[("a.xml", &wrong), ("z.xml", &event("110111"))], &["--format", "json"]);
    assert_eq!(
        (done.code, lines(&done)),
        (
            0,
            vec![
                "a.xml documento nao_se_aplica documento_cancelado".to_owned(),
                "z.xml documento nao_se_aplica evento".to_owned()
            ]
        )
    );
    let corrected = audit(&[("a.xml", &wrong), ("z.xml", &event("110110"))], &["--format", "json"]);
    assert_eq!(corrected.code, 1, "a letter of correction cancels nothing");
    let text = audit(&[("a.xml", &wrong), ("z.xml", &event("110111"))], &[]);
    assert!(text.stdout.contains("a.xml documento: documento cancelado"), "{}", text.stdout);
}

/// The same note in a folder and in its archive was counted twice.
#[test]
fn a_document_that_occurs_twice_is_compared_once_and_its_key_is_never_shown() {
    let (first, other) = (note(KEY), note(&KEY.replace("0017", "0025")));
    let files = [("a.xml", first.as_str()), ("b.xml", &first), ("c.xml", &other), ("d.xml", RIGHT), ("e.xml", RIGHT)];
    let done = audit(&files, &["--format", "json"]);
    let found = lines(&done);
    assert!(found.contains(&"b.xml documento nao_se_aplica documento_repetido".to_owned()), "{found:?}");
    assert_eq!(found.iter().filter(|line| line.starts_with("b.xml")).count(), 1);
    for name in ["a.xml", "c.xml", "d.xml", "e.xml"] {
        assert!(found.contains(&format!("{name} icms confere")), "{name} is compared: {found:?}");
    }
    assert_eq!(done.code, 0);
    for format in ["text", "csv", "json"] {
        let done = audit(&files, &["--format", format]);
        assert!(!done.stdout.contains(KEY) && !done.stderr.contains(KEY), "the key is shown");
    }
}

#[test]
fn a_document_without_items_is_a_fault() {
    let start = RIGHT.find("<det ").unwrap();
    let end = RIGHT.find("</det>").unwrap() + "</det>".len();
    let empty = [&RIGHT[..start], &RIGHT[end..]].concat();
    let done = audit(&[("a.xml", &empty)], &["--format", "json"]);
    assert_eq!((done.code, lines(&done)), (1, vec!["a.xml documento recusado sem_itens".to_owned()]));
}

#[test]
fn an_archive_may_come_from_stdin() {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["a.xml", "b.xml"] {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(RIGHT.as_bytes()).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    let done = taxd_nowhere(["audit", "-", "--format", "json"], &bytes);
    let files: std::collections::BTreeSet<String> =
        done.json_lines().iter().map(|line| line["arquivo"].as_str().unwrap().to_owned()).collect();
    assert_eq!(files.into_iter().collect::<Vec<_>>(), ["-/a.xml", "-/b.xml"], "{done:?}");
}

/// A pipe in a folder is not read, which would wait for ever, and is a line of the report.
#[test]
fn a_pipe_in_a_folder_is_refused_in_its_line() {
    let dir = TempDir::new().unwrap();
    let pipe = dir.path().join("nota.xml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    fs::write(dir.path().join("outra.xml"), RIGHT).unwrap();
    let folder = taxd_nowhere(["audit", &dir.path().display().to_string(), "--format", "json"], b"");
    let refused = |line: &String| line.starts_with("nota.xml documento recusado");
    assert_eq!(lines(&folder).iter().filter(|line| refused(line)).count(), 1, "{folder:?}");
    assert!(lines(&folder).iter().all(|line| refused(line) || line.starts_with("outra.xml")), "{folder:?}");
}

/// The cancellation of a CT-e has no key of a note. It once cancelled every note without a key.
#[test]
fn an_event_about_another_kind_of_document_cancels_no_note() {
    let event = event("110111").replace("chNFe", "chCTe");
    let done = audit(&[("a.xml", RIGHT), ("z.xml", &event)], &["--format", "json"]);
    let found = lines(&done);
    assert!(found.contains(&"a.xml icms confere".to_owned()), "{found:?}");
}

/// The rules have the TIPI from August 2022 on. Every line of an older note was once said to have an extinct NCM.
#[test]
fn no_ncm_is_called_extinct_on_a_day_of_which_the_rules_have_no_table() {
    let old = RIGHT.replace("2025-03-10", "2019-03-10").replace("39269090", "99999999");
    let new = RIGHT.replace("39269090", "99999999");
    let done = audit(&[("old.xml", &old), ("new.xml", &new)], &["--format", "json"]);
    let ncm: Vec<String> = lines(&done).into_iter().filter(|line| line.contains(" ncm ")).collect();
    assert_eq!(ncm, ["new.xml ncm diverge ncm_inexistente"]);
}
