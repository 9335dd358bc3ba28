//! Every command of the README and of the guides, run exactly as it is written: for each text one shell in a fresh
//! directory, from the first block to the last, with `taxd` on its path and a server that was started there.
//!
//! - A command that begins with `cargo` builds. It must be a line of `.ci/run`, which runs it.
//! - `<API_KEY>` and `<CHAVE>` are replaced by a key, and `https://erp.example/taxd` by a receiver of webhooks.
//!   Nothing else is replaced: a `.curlrc` (`connect-to`) leads `127.0.0.1:8080` to the port of the server.
//! - A block of JSON right after the commands is what they print, member by member. A block of text
//!   is what they print line by line; a line `...` there matches any number of lines.
//! - The server is stopped while a block `sh stopped` runs. `packaging/test-install` runs the blocks `sh debian`.

mod blocks;
mod shell;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use self::blocks::Block;
use self::shell::Shell;
use crate::support::receiver::{Receiver, authority};
use crate::support::{Server, program};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// The address that the texts show.
const SHOWN: &str = "127.0.0.1:8080";
const README: &str = "README.md";
const ACCOUNTANT: &str = "packaging/CONTADOR.md";
const OPERATOR: &str = "packaging/OPERACAO.md";
const INTEGRATOR: &str = "examples/README.md";
const ANALYST: &str = "rulesets/README.md";
const BENCHMARKS: &str = "tests/bench/README.md";

fn blocks_of(path: &str) -> Vec<Block> {
    blocks::of(&fs::read_to_string(Path::new(ROOT).join(path)).unwrap())
}

fn builds(block: &Block) -> bool {
    block.commands.lines().any(|line| line.starts_with("cargo "))
}

/// Starts a server in the directory, on any free port.
fn start(home: &Path, key: Option<&str>) -> Server {
    let mut command = Command::new(program());
    command.env_clear().current_dir(home).arg("serve");
    command.env("TAXD_LISTEN", "127.0.0.1:0").env("TAXD_WEBHOOK_CA", home.join("ca.pem"));
    let server = Server::start_by(command, key);
    fs::write(home.join(".curlrc"), format!("connect-to = \"{SHOWN}:127.0.0.1:{}\"\n", server.port)).unwrap();
    server
}

/// Runs the blocks of a text, on a server that has just started for the first time. There must be at least
/// `least` of them: a fence that is not recognised would be a block that nobody runs.
fn run(path: &str, least: usize) {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("ca.pem"), &authority().pem).unwrap();
    symlink(Path::new(ROOT).join("rulesets"), home.path().join("rulesets")).unwrap();
    let receiver = Receiver::answering(204);
    let mut server = start(home.path(), None);
    let key = server.printed_key().unwrap();
    let mut shell = Shell::open(home.path());
    let blocks = blocks_of(path);
    let blocks: Vec<&Block> = blocks.iter().filter(|block| !builds(block) && block.mode != "debian").collect();
    assert!(blocks.len() >= least, "{path}: only {} blocks", blocks.len());
    for block in blocks {
        let place = format!("{path}:{}", block.line);
        let stopped = block.mode == "stopped";
        assert!(stopped || block.mode.is_empty(), "{place}: {} is no mode", block.mode);
        if stopped {
            assert_eq!(server.stop("TERM").code(), Some(0));
        }
        let commands = block.commands.replace("<API_KEY>", &key).replace("<CHAVE>", &key);
        let commands = commands.replace("https://erp.example/taxd", &receiver.url());
        let printed = shell.run(&commands).unwrap_or_else(|why| panic!("{place}: {why}"));
        match &block.printed {
            Some((language, wanted)) if language == "json" => {
                let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|e| panic!("{e}: {text}"));
                assert_eq!(parse(&printed), parse(wanted), "{place}");
            }
            Some((_, wanted)) => assert!(matches(wanted, &printed), "{place} prints\n{printed}"),
            None => {}
        }
        if stopped {
            server = start(home.path(), Some(&key));
        }
    }
}

#[test]
fn every_command_of_the_readme_does_what_it_says() {
    run(README, 1);
}

#[test]
fn every_command_of_the_operators_guide_does_what_it_says() {
    run(OPERATOR, 5);
}

#[test]
fn every_command_of_the_accountants_guide_does_what_it_says() {
    run(ACCOUNTANT, 7);
}

#[test]
fn every_command_of_the_integrators_guide_does_what_it_says() {
    run(INTEGRATOR, 9);
}

#[test]
fn every_command_of_the_analysts_guide_does_what_it_says() {
    run(ANALYST, 6);
}

/// True if the lines are those wanted.
fn matches(wanted: &str, printed: &str) -> bool {
    let mut rest: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
    let mut skipping = false;
    for line in wanted.trim_end().lines() {
        if line.trim() == "..." {
            skipping = true;
            continue;
        }
        let Some(place) = rest.iter().position(|found| *found == line.trim_end()) else { return false };
        if place > 0 && !std::mem::take(&mut skipping) {
            return false;
        }
        rest.drain(..=place);
        skipping = false;
    }
    skipping || rest.is_empty()
}

#[test]
fn what_builds_is_run_by_ci_as_it_is_written() {
    let ci = fs::read_to_string(Path::new(ROOT).join(".ci/run")).unwrap();
    let runs = |command: &str| {
        let is_command =
            |line: &str| line.strip_prefix(command).is_some_and(|rest| rest.is_empty() || rest.starts_with(" >"));
        ci.lines().any(|line| is_command(line.trim()))
    };
    let mut checked = 0;
    for path in [README, ACCOUNTANT, OPERATOR, INTEGRATOR, ANALYST, BENCHMARKS] {
        for block in blocks_of(path).iter().filter(|block| builds(block)) {
            for line in block.commands.lines() {
                let command = line.split(" #").next().unwrap().trim();
                assert!(runs(command), "{path}:{}: .ci/run does not run {command}", block.line);
                checked += 1;
            }
        }
    }
    assert!(checked > 1);
}

#[test]
fn lines_are_compared_character_by_character() {
    let printed = "one\ntwo  \nthree\nfour\n";
    for wanted in ["one\ntwo\nthree\nfour", "one\n...\nfour", "...\nthree\nfour", "one\n...", "..."] {
        assert!(matches(wanted, printed), "{wanted}");
    }
    for wanted in ["one\ntwo\nthree", "two\n...", "one\nthree\n...", "...\nthree", "one\n...\nfive", ""] {
        assert!(!matches(wanted, printed), "{wanted}");
    }
}

/// The examples of the manual pages are run where they occur in a guide.
#[test]
fn every_example_of_a_manual_page_is_a_line_of_a_guide() {
    let run: Vec<Block> = [README, ACCOUNTANT, OPERATOR, INTEGRATOR, ANALYST].into_iter().flat_map(blocks_of).collect();
    let pages = TempDir::new().unwrap();
    let made = Command::new(program()).arg("man").arg(pages.path()).status().unwrap();
    assert!(made.success());
    let mut examples = 0;
    for page in fs::read_dir(pages.path()).unwrap() {
        let page = fs::read_to_string(page.unwrap().path()).unwrap();
        assert!(!page.contains(".SH EXTRA"), "{page}");
        let Some((_, section)) = page.split_once(".SH EXAMPLES\n") else { continue };
        let section = section.split("\n.SH").next().unwrap().replace("\\-", "-").replace("\\*(Aq", "'");
        for example in section.lines().filter_map(|line| line.strip_prefix("  taxd ")) {
            let begins =
                |block: &Block| block.commands.lines().any(|line| line.starts_with(&format!("taxd {example}")));
            assert!(run.iter().any(begins), "no guide runs `taxd {example}`");
            examples += 1;
        }
    }
    assert!(examples >= 20, "{examples} examples");
}
