//! Help: what each says is in `tests/golden/commands/help.txt`.

use crate::support::{DataDir, taxd};

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
fn no_command_is_without_help() {
    let dir = DataDir::empty();
    let commands = commands(&dir);
    assert!(commands.len() > 25, "{commands:?}");
    let version = taxd(&dir, ["--version"]).ok().stdout;
    assert_eq!(version.trim(), format!("taxd {}", env!("CARGO_PKG_VERSION")));
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
