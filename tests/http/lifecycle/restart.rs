//! Starting where another server runs, was killed, or cannot run.

use std::fs;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::support::{DataDir, finish, program, serve_command, taxd};

const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/rulesets");

#[test]
fn a_second_server_on_the_directory_is_refused() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let second = finish(serve_command(&dir.path(), &[]), b"");
    assert_eq!(second.code, 1);
    assert_eq!(second.stdout, "");
    assert!(second.stderr.contains("already running") && second.stderr.contains("--data"), "{}", second.stderr);
    assert_eq!(server.get("/sandbox", &[]).status, 200, "the first one serves on");
    assert!(taxd(&dir, ["account", "list"]).code == 0, "and its control socket is still its own");
}

#[test]
fn after_kill_9_it_starts_again_with_all_that_was_there() {
    let dir = DataDir::ready();
    let mut server = dir.serve(&[]);
    let account = taxd(&dir, ["account", "create", "Antes", "--json"]).ok().json();
    let client = account["client_id"].as_str().unwrap();
    let key = taxd(&dir, ["key", "create", "--account", client, "--kind", "live", "--json"]).ok().json();
    assert_eq!(server.stop("KILL").code(), None);
    assert!(dir.socket().exists(), "a killed server leaves its socket");
    // A command finds the file, not the dead socket.
    assert!(taxd(&dir, ["account", "list"]).ok().stdout.contains("Antes"));
    let server = dir.serve(&[]);
    let payload =
        json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "2026-03-10"});
    assert_eq!(server.calculate(&payload).status, 200, "the first key");
    assert_eq!(server.post_as(key["key"].as_str().unwrap(), "/v1/calculate", payload.to_string()).status, 200);
}

#[test]
fn a_data_file_whose_making_was_killed_is_made_again() {
    // The moments of the first milliseconds, a tenth apart: the file is made in one of them.
    for step in 0..80 {
        let dir = DataDir::empty();
        let mut child = Command::new(program())
            .args(["account", "create", "Antes", "--data"])
            .arg(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(100 * step));
        child.kill().unwrap();
        child.wait().unwrap();
        let done = taxd(&dir, ["account", "create", "Depois", "--json"]);
        assert_eq!(done.code, 0, "killed after {step} tenths of a millisecond: {done:?}");
    }
}

#[test]
fn an_import_that_is_killed_published_all_or_nothing() {
    for wait in [20, 60, 120, 250] {
        let dir = DataDir::empty();
        let mut child = Command::new(program())
            .args(["import", RULES, "--data"])
            .arg(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let report = taxd(&dir, ["import", RULES, "--json"]).ok().json();
        let (new, there) = (report["publicadas"].as_array().unwrap().len(), report["inalteradas"].as_u64().unwrap());
        assert!(new > 10_000 && there == 0 || new == 0 && there > 10_000, "{new} new, {there} there after {wait} ms");
    }
}

#[test]
fn an_address_in_use_is_said() {
    let dir = DataDir::ready();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let done = finish(serve_again(&dir, &address), b"");
    assert_eq!((done.code, done.stdout.as_str()), (1, ""));
    assert!(done.stderr.contains(&address) && done.stderr.contains("--listen"), "{}", done.stderr);
    assert!(!dir.socket().exists());
}

fn serve_again(dir: &DataDir, address: &str) -> Command {
    let mut command = Command::new(program());
    command.env_clear().args(["serve", "--listen", address, "--data"]).arg(dir.path());
    command
}

#[test]
fn a_file_that_is_not_a_data_file_is_reported_and_left_alone() {
    for content in [b"not a database".as_slice(), &[0; 4096], b""] {
        let dir = DataDir::ready();
        fs::write(dir.file(), content).unwrap();
        let done = taxd(&dir, ["account", "list"]);
        if content.is_empty() {
            // An empty file is what a crash before the first write leaves; it may be taken as new.
            assert!(matches!(done.code, 0 | 1), "{done:?}");
            continue;
        }
        assert_eq!(done.code, 1, "{done:?}");
        assert!(
            done.stderr.contains("taxd.redb") || done.stderr.contains(&dir.path().display().to_string()),
            "{done:?}"
        );
        assert!(!done.stderr.contains("panicked"), "{done:?}");
        assert_eq!(fs::read(dir.file()).unwrap(), content);
        let served = finish(serve_command(&dir.path(), &[]), b"");
        assert_eq!((served.code, served.stdout.as_str()), (1, ""));
    }
}

#[test]
fn a_directory_that_cannot_be_is_said() {
    let dir = DataDir::empty();
    let file = dir.write("file", "x");
    for path in [file.join("data"), file] {
        let done = finish(serve_command(&path, &[]), b"");
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
        assert!(done.stderr.contains(&path.display().to_string()) && !done.stderr.contains("panicked"), "{done:?}");
    }
}
