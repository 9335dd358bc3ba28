//! `taxd serve --check-config`: what it shows, what it finds, and that it leaves nothing.

use std::fs;
use std::net::TcpListener;

use crate::support::certificates::{issue, root_pem};
use crate::support::{DataDir, Done, finish, program, serve_command};

fn check(dir: &DataDir, args: &[&str]) -> Done {
    finish(serve_command(&dir.path(), &[&["--check-config"], args].concat()), b"")
}

#[test]
fn a_good_configuration_is_shown_and_nothing_is_made() {
    let dir = DataDir::empty();
    let issued = issue(|_| {});
    let (cert, key) = (dir.write("c.pem", issued.certificate.pem()), dir.write("k.pem", issued.key.serialize_pem()));
    let ca = dir.write("ca.pem", root_pem());
    let file = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let (cert, key, ca) = (file(&cert), file(&key), file(&ca));
    let done = check(&dir, &["--tls-cert", &cert, "--tls-key", &key, "--webhook-ca", &ca]).ok();
    for line in ["SETTING", "--tls-cert", "--log-keep", "taxd serve can start with this configuration"] {
        assert!(done.stdout.contains(line), "{line}: {done:?}");
    }
    let log_keep = done.stdout.lines().find(|line| line.starts_with("--log-keep")).unwrap();
    assert_eq!(log_keep.split_whitespace().collect::<Vec<_>>(), ["--log-keep", "30", "default"]);
    assert!(!done.stdout.contains("BEGIN"), "a key is shown: {done:?}");
    assert!(!dir.path().exists(), "a data directory was made");
}

#[test]
fn all_faults_are_reported_at_once() {
    let dir = DataDir::empty();
    fs::write(dir.path(), "in the way").unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let (cert, key) = (dir.write("c.pem", issue(|_| {}).certificate.pem()), dir.write("k.pem", ""));
    let (cert, key) = (cert.to_str().unwrap(), key.to_str().unwrap());
    let args = ["--metrics-listen", &taken, "--tls-cert", cert, "--tls-key", key, "--webhook-ca", key];
    let done = check(&dir, &args);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
    for told in [
        "--data: ",
        "is not a directory",
        &format!("--metrics-listen: cannot listen on {taken}: "),
        "k.pem: it holds no private key",
        "--webhook-ca: ",
        "would not start",
    ] {
        assert!(done.stderr.contains(told), "{told}: {}", done.stderr);
    }
    let json = check(&dir, &[&args[..], &["--json"]].concat());
    assert_eq!((json.code, json.json()["faults"].as_array().map(Vec::len)), (1, Some(4)), "{json:?}");
}

#[test]
fn beside_the_server_itself_its_address_may_be_taken() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let address = format!("127.0.0.1:{}", server.port);
    let mut command = std::process::Command::new(program());
    command.env_clear().env("TAXD_DATA", dir.path()).args(["serve", "--check-config", "--listen", &address]);
    finish(command, b"").ok();
}

#[test]
fn json_alone_is_wrong_usage() {
    let dir = DataDir::empty();
    let done = finish(serve_command(&dir.path(), &["--json"]), b"");
    assert!(done.code == 2 && done.stderr.contains("--check-config"), "{done:?}");
}
