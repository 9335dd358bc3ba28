//! How a line of the log is written.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{DataDir, finish, program};

/// `taxd calc` without a data directory, which warns that there is none.
fn calc(dir: &DataDir) -> Command {
    let mut command = Command::new(program());
    command.env_clear().current_dir(dir.path().parent().unwrap()).arg("calc");
    command
}

const PAYLOAD: &[u8] =
    br#"{"tributo": "ipi", "ncm": "22030000", "valor_produto": "1.00", "data_operacao": "2026-03-10"}"#;

/// `2026-01-31T12:00:00.123Z`
#[track_caller]
fn assert_instant(text: &str) {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    assert_eq!(shape, "9999-99-99T99:99:99.999Z", "{text}");
}

#[test]
fn text_has_its_time_in_utc_with_milliseconds_and_no_colour_in_a_file() {
    for format in ["text", "TEXT", ""] {
        let dir = DataDir::empty();
        let mut command = calc(&dir);
        command.env("TAXD_LOG_FORMAT", format);
        let done = finish(command, PAYLOAD);
        let line = done.stderr.lines().next().unwrap_or_else(|| panic!("{done:?}"));
        let (time, rest) = line.split_once(' ').unwrap();
        assert_instant(time);
        assert!(rest.trim_start().starts_with("WARN taxd::cli::engine: não há pasta de dados"), "{line}");
        assert!(rest.contains(" data=") && !line.contains('\u{1b}'), "{line:?}");
    }
}

#[test]
fn json_is_one_flat_object_a_line() {
    let dir = DataDir::empty();
    let mut command = calc(&dir);
    command.env("TAXD_LOG_FORMAT", "json");
    let done = finish(command, PAYLOAD);
    let line: Value = serde_json::from_str(done.stderr.trim_end()).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    assert_instant(line["timestamp"].as_str().unwrap());
    assert_eq!((&line["level"], &line["target"]), (&"WARN".into(), &"taxd::cli::engine".into()));
    assert!(line["message"].as_str().unwrap().starts_with("não há pasta de dados"), "{line}");
    assert_eq!(line["data"], "./taxd-data");
}

#[test]
fn the_journal_gets_the_level_as_it_takes_it_and_no_second_time() {
    let dir = DataDir::empty();
    let path = dir.write("journal", "");
    let stream = fs::metadata(&path).unwrap();
    for (named, is_the_journal) in [(stream.ino(), true), (stream.ino() + 1, false)] {
        let mut command = calc(&dir);
        command.env("JOURNAL_STREAM", format!("{}:{named}", stream.dev()));
        // It has no payload to read: the warning follows the line of the log.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&path).unwrap()).status().unwrap();
        let log = fs::read_to_string(&path).unwrap();
        let begins = log.starts_with("<4> WARN taxd::cli::engine: não há pasta de dados");
        assert_eq!(begins, is_the_journal, "{log}");
    }
}

#[test]
fn an_unknown_format_is_reported() {
    let dir = DataDir::empty();
    let mut command = calc(&dir);
    command.env("TAXD_LOG_FORMAT", "xml");
    let done = finish(command, PAYLOAD);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stderr.contains("TAXD_LOG_FORMAT is ignored"), "{done:?}");
    let mut command = Command::new(program());
    command.env_clear().env("TAXD_DATA", dir.path()).env("TAXD_LOG_FORMAT", "xml").arg("serve");
    let refused = finish(command, b"");
    assert_eq!(refused.code, 2, "a server does not start on a setting that is none: {refused:?}");
    assert!(refused.stderr.contains("xml") && refused.stderr.contains("json"), "{refused:?}");
}
