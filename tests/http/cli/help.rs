//! Help and wrong usage.

use std::fs;

use crate::support::{DataDir, taxd};

/// Every command, and a word that its help must hold.
const COMMANDS: [(&[&str], &str); 32] = [
    (&[], "serve"),
    (&["serve"], "--listen"),
    (&["import"], "--dry-run"),
    (&["calc"], "--memoria"),
    (&["audit"], "--empresa"),
    (&["account"], "create"),
    (&["account", "create"], "--plan"),
    (&["account", "list"], "--json"),
    (&["account", "show"], "--recent"),
    (&["account", "set"], "--quota"),
    (&["account", "suspend"], "403"),
    (&["account", "resume"], "CLIENT_ID"),
    (&["plan"], "set"),
    (&["plan", "list"], "--json"),
    (&["plan", "set"], "--endpoints"),
    (&["key"], "create"),
    (&["key", "create"], "--kind"),
    (&["key", "rotate"], "--grace"),
    (&["key", "revoke"], "KEY_ID"),
    (&["status"], "[env: TAXD_DATA="),
    (&["backup"], "--force"),
    (&["restore"], "kept beside the new ones"),
    (&["check"], "Backup or data file to check"),
    (&["metrics"], "Prometheus"),
    (&["subscription"], "rotate-secret"),
    (&["subscription", "create"], "--secret-file"),
    (&["subscription", "test"], "--webhook-ca"),
    (&["outbox"], "replay"),
    (&["outbox", "list"], "--state"),
    (&["bundle", "format"], "--check"),
    (&["rules", "coverage"], "--vigente-em"),
    (&["openapi"], "OpenAPI 3.1"),
];

/// The commands that the help of this one lists.
fn listed(dir: &DataDir, command: &[String]) -> Vec<String> {
    let help = taxd(dir, command.iter().map(String::as_str).chain(["--help"])).ok().stdout;
    let Some((_, commands)) = help.split_once("Commands:\n") else { return Vec::new() };
    // A description that takes more lines than one is indented further.
    let lines = commands.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// Every command, each by the words that are typed after `taxd`; the first by none.
pub fn commands(dir: &DataDir) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut i = 0;
    while let Some(command) = found.get(i).cloned() {
        found.extend(listed(dir, &command).into_iter().map(|name| [command.as_slice(), &[name]].concat()));
        i += 1;
    }
    found
}

#[test]
fn every_command_explains_itself() {
    let dir = DataDir::empty();
    for (command, word) in COMMANDS {
        for flag in ["--help", "-h"] {
            let done = taxd(&dir, command.iter().chain([&flag])).ok();
            assert!(done.stdout.contains("Usage: taxd") && done.stdout.contains(word), "{command:?}: {}", done.stdout);
            assert_eq!(done.stderr, "");
        }
        let asked = taxd(&dir, ["help"].iter().chain(command)).ok();
        assert!(asked.stdout.contains(word), "{command:?}");
    }
    let version = taxd(&dir, ["--version"]).ok().stdout;
    assert_eq!(version.trim(), format!("taxd {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn no_command_is_without_help() {
    let dir = DataDir::empty();
    let commands = commands(&dir);
    assert!(commands.len() > 25, "{commands:?}");
    for command in commands {
        let done = taxd(&dir, command.iter().map(String::as_str).chain(["--help"])).ok();
        let about = done.stdout.lines().next().unwrap_or_default();
        assert!(
            about.len() > 5 && !about.starts_with("Usage"),
            "{command:?} does not say what it does: {}",
            done.stdout
        );
    }
}

#[test]
fn wrong_usage_exits_2_and_touches_nothing() {
    let dir = DataDir::empty();
    let wrong: [&[&str]; 18] = [
        &[],
        &["calculate"],
        &["--json"],
        &["serve", "--listen", "nowhere"],
        &["serve", "--port", "1"],
        &["serve", "--body-timeout", "0"],
        &["serve", "--header-timeout", "-1"],
        &["serve", "--max-connections", "0"],
        &["serve", "--max-connections", "many"],
        &["import"],
        &["account"],
        &["account", "create"],
        &["account", "drop"],
        &["key", "create"],
        &["key", "create", "--account", "acc_1"],
        &["key", "create", "--account", "acc_1", "--kind", "prod"],
        &["calc", "a", "b"],
        &["account", "list", "extra"],
    ];
    for args in wrong {
        let done = taxd(&dir, args);
        assert_eq!(done.code, 2, "{args:?}: {done:?}");
        assert_eq!(done.stdout, "", "{args:?}");
        assert!(done.stderr.contains("Usage") || done.stderr.contains("error"), "{args:?}: {done:?}");
    }
    let alone = taxd(&dir, ["account"]).stderr;
    assert!(alone.contains("suspend") && alone.contains("Usage: taxd account"), "it shows its help: {alone}");
    assert!(fs::metadata(dir.path()).is_err(), "a data directory was made");
}
