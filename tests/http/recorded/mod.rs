//! Every command's text, `--json` and CSV, and every answer that the page asks for, against the transcripts of
//! `tests/golden/commands`. Write them again with `TAXD_REWRITE_GOLDEN=1`, and read the change.
//!
//! A transcript is a text file. A line `$ COMMAND` is run; the lines below it are its output: `|` before a line of
//! stdout, `!` before a line of stderr, `=` before an exit status that is not 0. Other lines are comments. All commands
//! of a transcript run in one folder, which has the files of `tests/golden/commands/files` and the data in `data`.

mod names;
mod session;

use std::path::{Path, PathBuf};
use std::{fs, thread};

use session::Session;

use crate::cli::help::commands;
use crate::support::DataDir;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/commands")
}

/// Runs the commands of a transcript. Returns it with their output.
fn replayed(script: &str) -> String {
    let mut session = Session::begin();
    let mut played = String::new();
    for line in script.lines().filter(|line| !line.starts_with(['|', '!', '='])) {
        played.extend([line, "\n"]);
        if let Some(command) = line.strip_prefix("$ ") {
            played += &session.run(command);
        }
    }
    played
}

/// The first line that differs, with the command above it.
fn difference(recorded: &str, played: &str) -> Option<String> {
    let (mut was, mut is) = (recorded.lines(), played.lines());
    let mut command = "";
    loop {
        let pair = (was.next(), is.next());
        if pair == (None, None) {
            return None;
        }
        if pair.0 != pair.1 {
            return Some(format!("{command}\n  recorded: {:?}\n  now:      {:?}", pair.0, pair.1));
        }
        command = pair.1.filter(|line| line.starts_with("$ ")).unwrap_or(command);
    }
}

/// The names of the transcripts.
fn names() -> Vec<String> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let found: Vec<String> = files.filter_map(|name| name.strip_suffix(".txt").map(str::to_owned)).collect();
    assert!(found.len() > 5, "{found:?}");
    found
}

/// The help of every command, as a transcript without its output.
fn helps() -> String {
    let commands = commands(&DataDir::empty());
    commands.iter().map(|words| format!("$ taxd {} --help\n", words.join(" ")).replace("  ", " ")).collect()
}

/// Replays a transcript. Returns where it differs from what is recorded.
fn compare(name: &str) -> Option<String> {
    let path = folder().join(name).with_extension("txt");
    let recorded = fs::read_to_string(&path).unwrap();
    let played = replayed(&if name == "help" { helps() } else { recorded.clone() });
    if std::env::var_os("TAXD_REWRITE_GOLDEN").is_some() {
        fs::write(path, &played).unwrap();
        return None;
    }
    difference(&recorded, &played).map(|difference| format!("{name}: {difference}"))
}

#[test]
fn what_users_see_is_what_was_recorded() {
    let names = names();
    let differences: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = names.iter().map(|name| scope.spawn(move || compare(name))).collect();
        runs.into_iter().filter_map(|run| run.join().unwrap()).collect()
    });
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// A new command needs a line of a transcript. What `taxd openapi` prints is `tests/golden/openapi.json`;
/// `taxd mcp` reads a protocol, and `tests/http/mcp.rs` has its lines; `tests/http/listas.rs` has those of `taxd list`.
#[test]
fn every_command_is_recorded() {
    let read = |name: &String| fs::read_to_string(folder().join(name).with_extension("txt")).unwrap();
    let lines: Vec<String> =
        names().iter().map(read).flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let typed: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("$ ")).collect();
    let (helps, others): (Vec<&str>, Vec<&str>) = typed.into_iter().partition(|line| line.ends_with(" --help"));
    let commands: Vec<&str> = helps.iter().map(|line| line.trim_end_matches("--help")).collect();
    let is_group = |command: &str| commands.iter().any(|other| other.starts_with(command) && *other != command);
    let is_run = |command: &str| others.iter().any(|line| format!("{line} ").contains(command));
    let missing: Vec<_> = commands.iter().filter(|command| !is_group(command) && !is_run(command)).collect();
    let elsewhere = ["taxd openapi ", "taxd mcp ", "taxd list put ", "taxd list show ", "taxd list remove "];
    let missing: Vec<_> = missing.into_iter().filter(|command| !elsewhere.contains(*command)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
