//! `taxd backup` and `taxd restore`, beside a server under load and without one.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use taxd::base::value::sha256_hex;

use crate::support::large::{EARLIER, LARGE, earlier_bundle, large_bundle, sale};
use crate::support::{AtEnd, DataDir, Done, OwnRules, taxd};

/// The path of a file beside the data directory.
fn beside(dir: &DataDir, name: &str) -> std::path::PathBuf {
    dir.path().with_file_name(name)
}

/// Runs a command on a file, with more arguments.
fn on(dir: &DataDir, command: &str, file: &Path, more: &[&str]) -> Done {
    let args = [command, file.to_str().unwrap()];
    taxd(dir, args.iter().chain(more))
}

/// The names in the directory of a file that begin with its own.
fn named_like(file: &Path) -> Vec<String> {
    let own = file.file_name().unwrap().to_str().unwrap();
    let entries = fs::read_dir(file.parent().unwrap()).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.starts_with(own));
    names.sort();
    names
}

#[test]
fn a_backup_holds_all_and_restores_to_what_answered_before() {
    let own = OwnRules::none();
    own.import(&own.dir.write("earlier.json", earlier_bundle()), &[]).ok();
    let mut server = own.serve();
    assert_eq!(server.calculate(&sale(1)).envelope()["valor"], "1.00");
    own.dir.wait_until_logged();
    let file = beside(&own.dir, "one.redb");
    let done = on(&own.dir, "backup", &file, &["--json"]).ok().json();
    assert_eq!(
        (&done["rules"], &done["publications"], &done["schema_version"]),
        (&EARLIER.into(), &1.into(), &4.into())
    );
    let bytes = fs::read(&file).unwrap();
    assert_eq!(done["bytes"], bytes.len());
    assert_eq!(done["sha256"], sha256_hex(&bytes));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "it holds secrets");
    assert_eq!(named_like(&file), ["one.redb"], "nothing is left beside it");

    // Not over a file that is there, nor under a running server.
    let refused = on(&own.dir, "backup", &file, &[]);
    assert!(refused.code == 1 && refused.stderr.contains("--force"), "{refused:?}");
    assert!(fs::read(&file).unwrap() == bytes);
    let refused = on(&own.dir, "restore", &file, &["--force"]);
    assert!(refused.code == 1 && refused.stderr.contains("stop it first"), "{refused:?}");

    own.import(&own.dir.write("large.json", large_bundle()), &[]).ok();
    assert_eq!(server.calculate(&sale(1)).envelope()["valor"], "2.00");
    assert!(server.stop("TERM").success());
    let refused = on(&own.dir, "restore", &file, &[]);
    assert!(refused.code == 1 && refused.stderr.contains("--force"), "{refused:?}");
    let before = fs::read(own.dir.file()).unwrap();
    let done = on(&own.dir, "restore", &file, &["--force", "--json"]).ok().json();
    let kept = done["kept"].as_str().unwrap();
    assert!(Path::new(kept).extension().is_some_and(|e| e == "old") && fs::read(kept).unwrap() == before, "{done}");
    assert_eq!(fs::metadata(own.dir.file()).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read(&file).unwrap() == bytes, "the backup itself is left as it is");
    let server = own.serve();
    assert_eq!(server.calculate(&sale(1)).envelope()["valor"], "1.00");
    assert_eq!(server.calculate(&sale(LARGE - 1)).status, 404);
}

#[test]
fn a_backup_of_a_server_under_load_is_of_one_instant_and_stops_nothing() {
    let own = OwnRules::none();
    own.import(&own.dir.write("earlier.json", earlier_bundle()), &[]).ok();
    let large = own.dir.write("large.json", large_bundle());
    let server = own.serve();
    let over = AtomicBool::new(false);
    let backups = std::thread::scope(|scope| {
        // Also where something fails, so that the threads end.
        let at_end = AtEnd(&over);
        let calls = scope.spawn(|| {
            let mut calls = 0;
            while !over.load(Ordering::SeqCst) || calls < 100 {
                assert_eq!(server.calculate(&sale(calls % EARLIER)).status, 200);
                calls += 1;
            }
        });
        let changes = scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                own.dir.account("Mais uma", &[]);
            }
        });
        let import = scope.spawn(|| own.import(&large, &[]).ok());
        let mut backups = Vec::new();
        loop {
            // Asked before: only a backup that begins after the import has its rules for certain.
            let last = import.is_finished() && backups.len() >= 2;
            let file = beside(&own.dir, &format!("{}.redb", backups.len()));
            let done = on(&own.dir, "backup", &file, &["--json"]).ok().json();
            backups.push((file, done));
            if last {
                break;
            }
        }
        drop(at_end);
        import.join().unwrap();
        changes.join().unwrap();
        calls.join().unwrap();
        backups
    });
    for (file, done) in &backups {
        let whole = done["rules"] == EARLIER || done["rules"] == EARLIER + LARGE;
        assert!(whole, "an import is in a backup entirely or not at all: {done}");
        let checked = on(&own.dir, "check", file, &["--json"]).ok().json();
        assert_eq!((&checked["rules"], &checked["accounts"]), (&done["rules"], &done["accounts"]), "{checked}");
    }
    assert_eq!(backups.last().unwrap().1["rules"], EARLIER + LARGE);
    let checked = taxd(&own.dir, ["check", "--json"]).ok().json();
    assert_eq!((&checked["whole"], &checked["pages_verified"]), (&true.into(), &false.into()), "{checked}");
}

#[test]
fn a_file_that_is_not_a_backup_is_refused_with_a_sentence_and_changes_nothing() {
    let own = OwnRules::none();
    let whole = beside(&own.dir, "whole.redb");
    on(&own.dir, "backup", &whole, &[]).ok();
    let before = fs::read(own.dir.file()).unwrap();
    let bytes = fs::read(&whole).unwrap();
    let mut flipped = bytes.clone();
    let at = flipped.windows(6).rposition(|w| w == b"Testes").unwrap();
    flipped[at] ^= 1;
    let cases = [
        ("nothing", Vec::new(), "not a data file of taxd"),
        ("text", b"hello".to_vec(), "not a data file of taxd"),
        ("flipped", flipped, "damaged"),
        ("short", bytes[..bytes.len() / 2].to_vec(), ""),
    ];
    for (name, content, says) in cases {
        let file = own.dir.write(name, &content);
        for (command, more) in [("check", &[][..]), ("restore", &["--force"])] {
            let done = on(&own.dir, command, &file, more);
            // A check reports the damage of the file, and a restore is refused because of it.
            let told = if command == "check" { &done.stdout } else { &done.stderr };
            assert!(done.code == 1 && told.contains(says), "{command} {name}: {done:?}");
            assert!(command == "check" || done.stderr.contains(name), "{command} {name}: {done:?}");
        }
        assert!(fs::read(&file).unwrap() == content, "{name}");
    }
    assert!(fs::read(own.dir.file()).unwrap() == before);
    assert_eq!(named_like(&own.dir.file()), ["taxd.redb"]);
    for (args, says) in [
        (["backup", "-"], "not to stdout"),
        (["backup", "/"], "directory"),
        (["backup", "/nowhere/at/all"], "/nowhere/at/all"),
        (["restore", "/nowhere/at/all"], "/nowhere/at/all"),
    ] {
        let done = taxd(&own.dir, args.iter().chain(&["--force"]));
        assert!(done.code == 1 && done.stderr.contains(says), "{args:?}: {done:?}");
    }
    let empty = DataDir::empty();
    for args in [["backup", whole.to_str().unwrap()].as_slice(), &["check"]] {
        let done = taxd(&empty, args.iter().chain(&["--force"][..usize::from(args[0] == "backup")]));
        assert!(done.code == 1 && done.stderr.contains("there is no taxd data in"), "{args:?}: {done:?}");
    }
}

#[test]
fn force_writes_over_a_file_but_not_over_data_that_are_in_use_nor_a_link() {
    let (own, other) = (OwnRules::none(), OwnRules::none());
    let _server = other.serve();
    let [hard, link, plain] = ["hard.redb", "link.redb", "plain.redb"].map(|name| beside(&own.dir, name));
    fs::hard_link(own.dir.file(), &hard).unwrap();
    symlink(other.dir.file(), &link).unwrap();
    fs::write(&plain, "what was there").unwrap();
    let inode = |file: &Path| fs::symlink_metadata(file).unwrap().ino();
    for (target, says) in [
        (&own.dir.file(), "is the data file itself"),
        (&hard, "is the data file itself"),
        (&link, "is not a regular file"),
        (&other.dir.file(), "a taxd has it open"),
    ] {
        let before = inode(target);
        let done = on(&own.dir, "backup", target, &["--force"]);
        assert!(done.code == 1 && done.stderr.contains(says), "{target:?}: {done:?}");
        assert_eq!(inode(target), before, "{target:?} is left as it is");
        assert_eq!(named_like(target).len(), 1, "{target:?}: {:?}", named_like(target));
    }
    on(&own.dir, "backup", &plain, &["--force"]).ok();
    on(&own.dir, "check", &plain, &[]).ok();
}
