//! The configuration file and the environment of `taxd serve`: which wins, and what is refused.

use std::process::Command;

use crate::support::{DataDir, Done, Server, finish, serve_command};

/// `taxd serve` that ends at once, with a file and variables.
fn checked(dir: &DataDir, file: &str, variables: &[(&str, &str)], args: &[&str]) -> Done {
    let file = dir.write("taxd.toml", file);
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxd"));
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
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxd"));
    command.env_clear().env("TAXD_CONFIG", file).arg("serve");
    let server = Server::start_by(command, Some("unused"));
    assert!(server.greeting[2].contains(dir.path().to_str().unwrap()), "{:?}", server.greeting);
    server.wait_for_log(" metrics=127.0.0.1:");
}

#[test]
fn every_fault_of_the_file_is_reported_with_its_line() {
    let dir = DataDir::empty();
    let file = "listen = \"nowhere\"\n\
                header-timeout = 0\n\
                body_timeout = 0\n\
                max_connections = true\n\
                lisen = \"127.0.0.1:1\"\n\
                config = \"other.toml\"\n\
                log_keep = 1.5\n\
                [webhooks]\n\
                ca = \"x\"\n";
    let done = checked(&dir, file, &[], &[]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
    for told in [
        "taxd.toml:1: listen: \"nowhere\" is not accepted: write it like 127.0.0.1:8080, or :8080 for every address of this machine",
        "taxd.toml:2: header-timeout: there is no such setting; did you mean header_timeout?",
        "taxd.toml:3: body_timeout: \"0\" is not accepted: 0 is not in 1..=3600",
        "taxd.toml:4: max_connections: it takes text or a whole number",
        "taxd.toml:5: lisen: there is no such setting; did you mean listen?",
        "taxd.toml:6: config: there is no such setting",
        "taxd.toml:7: log_keep: it takes text or a whole number",
        "taxd.toml:8: webhooks: there is no such setting",
    ] {
        assert!(done.stderr.contains(told), "{told}:\n{}", done.stderr);
    }
    let json = checked(&dir, file, &[], &["--json"]);
    assert_eq!((json.code, json.json()["faults"].as_array().map(Vec::len)), (1, Some(8)), "{json:?}");
    assert_eq!(json.json()["faults"][0]["line"], 1);
}

#[test]
fn a_file_that_is_missing_or_not_toml_is_reported() {
    let dir = DataDir::empty();
    for (file, told) in [
        ("listen = \n", "taxd.toml:1: "),
        ("\n\nlisten \"x\"\n", "taxd.toml:3: "),
        ("log_keep = 3\nlog_keep = 4\n", "taxd.toml:2: "),
    ] {
        let done = checked(&dir, file, &[], &[]);
        assert!(done.code == 1 && done.stderr.contains(told), "{file}: {done:?}");
    }
    let done = finish(serve_command(&dir.path(), &["--config", "/nowhere/taxd.toml"]), b"");
    assert!(done.code == 1 && done.stderr.contains("cannot read /nowhere/taxd.toml"), "{done:?}");
}

#[test]
fn settings_that_contradict_each_other_are_named() {
    let dir = DataDir::empty();
    let both = "listen = \"127.0.0.1:18081\"\nmetrics_listen = \"127.0.0.1:18081\"\n";
    let done = checked(&dir, both, &[], &[]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stderr.contains("--metrics-listen: --listen is 127.0.0.1:18081 too"), "{done:?}");
    let done = checked(&dir, "tls_cert = \"cert.pem\"\n", &[], &[]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stderr.contains("--tls-key: --tls-cert is given without it"), "{done:?}");
    // The other half may come from elsewhere; here it is only not there.
    let done = checked(&dir, "tls_cert = \"cert.pem\"\n", &[("TAXD_TLS_KEY", "key.pem")], &[]);
    assert!(done.code == 1 && done.stderr.contains("cert.pem: it cannot be read"), "{done:?}");
}

#[test]
fn a_variable_that_is_not_a_setting_is_refused_and_one_of_the_platform_is_not() {
    let dir = DataDir::empty();
    let done = checked(&dir, "", &[("TAXD_LISTN", "127.0.0.1:0"), ("TAXD_PORT", "9000")], &[]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
    assert!(done.stderr.contains("TAXD_LISTN: there is no such variable; did you mean TAXD_LISTEN?"), "{done:?}");
    assert!(done.stderr.contains("TAXD_PORT: there is no such variable"), "{done:?}");
    // What Kubernetes and Docker set where a service is called taxd, and what the sandbox's `curl` takes.
    let neighbour = [
        ("TAXD_SERVICE_HOST", "10.0.0.1"),
        ("TAXD_PORT", "tcp://10.0.0.1:8080"),
        ("TAXD_PORT_8080_TCP_ADDR", "10.0.0.1"),
        ("TAXD_KEY", "x"),
    ];
    checked(&dir, "listen = \"127.0.0.1:0\"", &neighbour, &[]).ok();
}
