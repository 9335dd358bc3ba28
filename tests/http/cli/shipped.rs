//! What a package brings beside the binary, made by the binary itself: manual pages and completions.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use super::help::commands;
use crate::support::{DataDir, finish, taxd};

#[test]
fn every_command_has_a_manual_page() {
    let dir = DataDir::empty();
    let pages = dir.path().join("share").join("man1");
    let done = taxd(&dir, ["man".as_ref(), pages.as_os_str()]).ok();
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", ""));
    let written: BTreeSet<String> =
        fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let wanted: BTreeSet<String> =
        commands(&dir).iter().map(|words| [&["taxd".to_owned()], words.as_slice()].concat().join("-") + ".1").collect();
    assert_eq!(written, wanted);
    for name in &written {
        let page = fs::read_to_string(pages.join(name)).unwrap();
        let title = format!(".TH {} 1", name.trim_end_matches(".1"));
        assert!(page.contains(&title) && page.contains(".SH DESCRIPTION"), "{name}: {page}");
    }
    let serve = fs::read_to_string(pages.join("taxd-serve.1")).unwrap();
    assert!(serve.contains("\\-\\-listen") && serve.contains("TAXD_LISTEN"), "{serve}");
    let first = fs::read_to_string(pages.join("taxd.1")).unwrap();
    assert_eq!(taxd(&dir, ["man"]).ok().stdout, first);
}

#[test]
fn pages_that_cannot_be_written_are_an_error() {
    let dir = DataDir::empty();
    let file = dir.write("a file", "");
    let done = taxd(&dir, ["man".as_ref(), file.as_os_str()]);
    assert_eq!(done.code, 1);
    assert!(done.stderr.contains("cannot write the manual pages into"), "{}", done.stderr);
}

#[test]
fn every_command_is_completed() {
    let dir = DataDir::empty();
    let commands = commands(&dir);
    for shell in ["bash", "zsh", "fish"] {
        let script = taxd(&dir, ["completions", shell]).ok().stdout;
        for name in commands.iter().filter_map(|words| words.last()) {
            assert!(script.contains(name.as_str()), "{shell} knows nothing of {name}");
        }
        assert!(script.contains("webhook-ca"), "{shell} knows no option of serve");
    }
    assert_eq!(taxd(&dir, ["completions", "cmd.exe"]).code, 2);
}

#[test]
fn bash_completes_what_was_begun() {
    let dir = DataDir::empty();
    let script = dir.write("taxd.bash", taxd(&dir, ["completions", "bash"]).ok().stdout);
    let mut bash = Command::new("bash");
    bash.args([
        "--norc",
        "-c",
        r#". "$0"; COMP_WORDS=(taxd account cr); COMP_CWORD=2; _taxd taxd cr account; echo "${COMPREPLY[@]}""#,
    ]);
    bash.arg(script);
    assert_eq!(finish(bash, b"").ok().stdout.trim(), "create");
}
