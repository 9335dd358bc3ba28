//! Data files of older schema versions: migrated when they are opened, the file of before kept.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use redb::{Database, TableDefinition};
use serde_json::{Value, json};
use taxd::core::store::SCHEMA_VERSION;

use crate::support::golden::{self, OLDEST, golden};
use crate::support::{DataDir, Server, program, taxd};

/// The files in the data directory, by name.
fn files(dir: &DataDir) -> Vec<String> {
    let entries = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let mut names: Vec<String> = files.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Members that depend on the day of the test, or on the call.
const PASSING: [&str; 4] = ["request_id", "cached", "chamadas_24h", "cota"];

/// All that was recorded must be there again; members that a later taxd adds do not matter.
#[track_caller]
fn same(recorded: &Value, now: &Value, place: &str) {
    match (recorded, now) {
        (Value::Object(recorded), Value::Object(members)) => {
            for (name, value) in recorded.iter().filter(|(name, _)| !PASSING.contains(&name.as_str())) {
                same(value, members.get(name).unwrap_or(&Value::Null), &format!("{place}.{name}"));
            }
        }
        (Value::Array(recorded), Value::Array(items)) if recorded.len() == items.len() => {
            recorded.iter().zip(items).enumerate().for_each(|(i, (one, now))| same(one, now, &format!("{place}[{i}]")));
        }
        // A refusal may say more than it did.
        (Value::String(recorded), Value::String(now)) if place.ends_with(".detail") => {
            assert!(now.starts_with(recorded.as_str()), "{place}: {recorded:?} {now:?}");
        }
        _ => assert_eq!(now, recorded, "{place}"),
    }
}

fn ask(server: &Server, path: &str, body: &Value) -> Value {
    if body.is_null() { server.get_own(path).json() } else { server.post(path, body.to_string()).json() }
}

#[test]
fn a_file_of_every_schema_version_answers_as_it_did() {
    for version in OLDEST..=SCHEMA_VERSION {
        let golden = golden(version);
        let dir = golden.in_dir();
        // Looked at first: a check writes nothing, and migrates in memory.
        let whole = taxd(&dir, ["check", "--json"]).ok().json();
        assert_eq!(whole["findings"], json!([]), "{version}");
        assert_eq!(whole["examples"], json!({"hold": 3, "overtaken": 4}), "{version}");
        assert!(fs::read(dir.file()).unwrap() == golden.file, "{version}: the check wrote to it");

        let account = golden.recorded["shown"]["account show"]["account"]["client_id"].as_str().unwrap().to_owned();
        for (command, recorded) in golden.recorded["shown"].as_object().unwrap() {
            let more: &[&str] = match command.as_str() {
                "account show" => &[&account, "--recent", "50"],
                "outbox list" => &["--limit", "1000"],
                _ => &[],
            };
            let shown = taxd(&dir, command.split(' ').chain(more.iter().copied()).chain(["--json"])).ok().json();
            same(recorded, &shown, &format!("{version}: {command}: "));
        }
        let mut kept = files(&dir);
        assert_eq!(kept.remove(0), "taxd.redb");
        if version == SCHEMA_VERSION {
            assert_eq!(kept, [""; 0], "nothing was migrated");
        } else {
            assert_eq!(kept.len(), 1, "{kept:?}");
            assert!(kept[0].starts_with(&format!("taxd.redb.schema-{version}.")), "{kept:?}");
            let kept = dir.path().join(&kept[0]);
            assert!(fs::read(&kept).unwrap().len() == golden.file.len(), "{version}: it was written to");
            assert_eq!(taxd(&dir, ["check", kept.to_str().unwrap(), "--json"]).ok().json()["findings"], json!([]));
        }

        let server = Server::start(&dir.path(), Some(golden.key()), &["--log-keep", "36500", "--outbox-keep", "36500"]);
        for recorded in golden.recorded["answers"].as_array().unwrap() {
            let answer = ask(&server, recorded["path"].as_str().unwrap(), &recorded["body"]);
            same(&recorded["answer"], &answer, &format!("{version}: {} {}: ", recorded["path"], recorded["body"]));
        }
        assert_eq!(taxd(&dir, ["check", "--json"]).ok().json()["findings"], json!([]), "{version}");
    }
}

#[test]
fn a_server_says_what_it_migrated_and_where_the_old_file_is() {
    let golden = golden(OLDEST);
    let dir = golden.in_dir();
    let server = Server::start(&dir.path(), Some(golden.key()), &[]);
    server.wait_for_log("the data file is migrated");
    let kept = files(&dir).into_iter().find(|name| name.contains("schema-2")).unwrap();
    assert!(server.log().contains(&kept), "{}", server.log());
}

#[test]
fn a_backup_of_an_older_version_is_restored_and_migrated() {
    let golden = golden(OLDEST);
    let dir = DataDir::empty();
    let backup = dir.write("old.redb", &golden.file);
    let args = ["restore", backup.to_str().unwrap(), "--json"];
    assert_eq!(taxd(&dir, args).ok().json()["kept"], Value::Null);
    assert_eq!(files(&dir), ["taxd.redb"]);
    assert_eq!(taxd(&dir, ["check", "--json"]).ok().json()["findings"], json!([]));
    assert!(fs::read(&backup).unwrap() == golden.file, "the backup is left as it is");
}

#[test]
fn a_file_of_a_newer_taxd_and_one_of_none_that_was_released_are_refused_and_left_alone() {
    const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
    for (version, says) in [(SCHEMA_VERSION + 1, "written by a newer taxd"), (1, "no released taxd wrote")] {
        let dir = golden::current().in_dir();
        let db = Database::open(dir.file()).unwrap();
        let txn = db.begin_write().unwrap();
        txn.open_table(META).unwrap().insert("schema_version", version).unwrap();
        txn.commit().unwrap();
        drop(db);
        let backup = dir.write("backup.redb", fs::read(dir.file()).unwrap());
        let other = DataDir::empty();
        let file = backup.to_str().unwrap();
        let refused = [
            taxd(&dir, ["status"]),
            taxd(&dir, ["check"]),
            taxd(&dir, ["backup", "x.redb"]),
            taxd(&dir, ["serve", "--listen", "127.0.0.1:0"]),
            taxd(&other, ["check", file]),
            taxd(&other, ["restore", file]),
        ];
        for done in refused {
            assert!(done.code == 1 && done.stderr.contains(says), "{version}: {done:?}");
        }
        assert_eq!(files(&dir), ["taxd.redb"], "{version}");
        assert_eq!(taxd(&other, ["check"]).code, 1, "nothing was restored");
    }
}

#[test]
fn a_migration_that_is_killed_leaves_the_file_of_before_or_that_of_after() {
    let golden = golden(OLDEST);
    let begin = |dir: &DataDir| {
        let mut command = Command::new(program());
        command.env_clear().args(["account", "list", "--data"]).arg(dir.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let dir = golden.in_dir();
    let start = Instant::now();
    assert!(begin(&dir).wait().unwrap().success());
    let takes = start.elapsed();
    for step in 1..=20 {
        let dir = golden.in_dir();
        let mut child = begin(&dir);
        std::thread::sleep(takes * step / 20 + Duration::from_millis(1));
        child.kill().unwrap();
        child.wait().unwrap();
        let migrated = files(&dir).iter().any(|name| name.contains("schema-2"));
        let whole = taxd(&dir, ["check", "--json"]).ok().json();
        assert_eq!(whole["findings"], json!([]), "killed at {step} of 20, migrated: {migrated}");
        // The next start completes the migration, whatever files were left.
        assert_eq!(taxd(&dir, ["account", "list", "--json"]).ok().json().as_array().unwrap().len(), 2);
        let names = files(&dir);
        assert!(names.iter().all(|name| name == "taxd.redb" || name.contains(".schema-2.")), "{names:?}");
    }
}
