//! The configuration file and the environment of `taxd serve`: which wins, and what is refused.

use std::process::Command;

use crate::support::{DataDir, Done, Server, finish, program};

/// `taxd serve` that ends at once, with a file and variables.
fn checked(dir: &DataDir, file: &str, variables: &[(&str, &str)], args: &[&str]) -> Done {
    let file = dir.write("taxd.toml", file);
    let mut command = Command::new(program());
    command.env_clear().env("TAXD_DATA", dir.path()).envs(variables.iter().copied());
    command.args(["serve", "--check-config", "--config"]).arg(file).args(args);
    finish(command, b"")
}

/// The value of a setting, and where it comes from.
#[track_caller]
fn setting(done: Done, name: &str) -> (String, String) {
    let shown = done.ok().json();
    let all = shown["settings"].as_array().unwrap();
    let one = all.iter().find(|s| s["name"] == name).unwrap_or_else(|| panic!("no {name}: {shown}"));
    (one["value"].as_str().unwrap_or("none").to_owned(), one["from"].as_str().unwrap().to_owned())
}

#[test]
fn a_flag_wins_over_a_variable_and_that_over_the_file() {
    let dir = DataDir::empty();
    let file = "listen = \"127.0.0.1:0\"\nheader_timeout = 20\n# the rest stays\nlog_keep = \"40\"\n";
    let variable = [("TAXD_HEADER_TIMEOUT", "21"), ("TAXD_LISTEN", "[::1]:0")];
    let flag = ["--header-timeout", "22", "--json"];
    let seen = |name: &str, variables: &[(&str, &str)], args: &[&str]| {
        let (value, from) = setting(checked(&dir, file, variables, args), name);
        format!("{value} by {from}")
    };
    assert_eq!(seen("header-timeout", &variable, &flag), "22 by flag");
    assert_eq!(seen("header-timeout", &variable, &["--json"]), "21 by environment");
    assert_eq!(seen("header-timeout", &[], &["--json"]), "20 by file");
    assert_eq!(seen("listen", &variable, &flag), "[::1]:0 by environment");
    assert_eq!(seen("log-keep", &variable, &flag), "40 by file");
    assert_eq!(seen("body-timeout", &variable, &flag), "15 by default");
    assert_eq!(seen("tls-cert", &variable, &flag), "none by default");
    assert_eq!(seen("data", &[], &["--json"]), format!("{} by environment", dir.path().display()));
}

#[test]
fn a_server_starts_by_its_file_alone() {
    let dir = DataDir::ready();
    let text = format!("data = {:?}\nlisten = \"127.0.0.1:0\"\nmetrics_listen = \"127.0.0.1:0\"\n", dir.path());
    let file = dir.write("taxd.toml", text);
    let mut command = Command::new(program());
    command.env_clear().env("TAXD_CONFIG", file).arg("serve");
    let server = Server::start_by(command, Some("unused"));
    assert!(server.greeting[2].contains(dir.path().to_str().unwrap()), "{:?}", server.greeting);
    server.wait_for_log(" metrics=127.0.0.1:");
}
