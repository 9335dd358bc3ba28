//! A backup or a restore that is killed, or for which there is no room: nothing half made has a name
//! that somebody would trust, and the data are as they were.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::large::{LARGE, bundle_of_new, large_bundle, sale};
use crate::support::{DataDir, OwnRules, SmallDisk, program, taxd};

/// Moments of the whole at which it is killed, in twentieths; the last one is over.
const MOMENTS: [u32; 6] = [1, 6, 12, 17, 19, 24];

/// A data file with many rules, and its key.
fn many_rules() -> &'static (Vec<u8>, String) {
    static FILE: OnceLock<(Vec<u8>, String)> = OnceLock::new();
    FILE.get_or_init(|| {
        let own = OwnRules::none();
        own.import(&own.dir.write("rules.json", large_bundle()), &[]).ok();
        (fs::read(own.dir.file()).unwrap(), own.key)
    })
}

fn with_many_rules() -> DataDir {
    let dir = DataDir::empty();
    fs::create_dir(dir.path()).unwrap();
    fs::write(dir.file(), &many_rules().0).unwrap();
    dir
}

fn begin(dir: &DataDir, args: &[&str]) -> Child {
    let mut command = Command::new(program());
    command.env_clear().env("TAXD_DATA", dir.path()).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills it after a part of the time that it takes; true where it was done by then.
fn killed(mut child: Child, takes: Duration, moment: u32) -> bool {
    std::thread::sleep(takes * moment / 20);
    child.kill().unwrap();
    child.wait().unwrap().success()
}

fn beside(dir: &DataDir, name: &str) -> PathBuf {
    dir.path().with_file_name(name)
}

fn rules_in(dir: &DataDir, file: &Path) -> u64 {
    taxd(dir, ["check", file.to_str().unwrap(), "--json"]).ok().json()["rules"].as_u64().unwrap()
}

#[test]
fn a_backup_that_is_killed_is_there_entirely_or_not_at_all() {
    let dir = with_many_rules();
    let server = dir.serve_as(&many_rules().1);
    let file = beside(&dir, "backup.redb");
    let name = file.to_str().unwrap();
    let start = Instant::now();
    assert!(begin(&dir, &["backup", name]).wait().unwrap().success());
    let (takes, mut broken_off) = (start.elapsed(), 0);
    for moment in MOMENTS {
        fs::remove_file(&file).unwrap();
        let done = killed(begin(&dir, &["backup", name]), takes, moment);
        assert!(!done || file.exists(), "{moment}: it said that it was done");
        broken_off += usize::from(!file.exists());
        if file.exists() {
            assert_eq!(rules_in(&dir, &file), LARGE as u64, "{moment}");
        }
        assert_eq!(server.calculate(&sale(LARGE - 1)).status, 200, "{moment}: the server goes on");
        // A killed backup leaves a file that does not disturb the next one, which removes it.
        taxd(&dir, ["backup", name, "--force"]).ok();
        assert!(!beside(&dir, "backup.redb.partial").exists(), "{moment}");
    }
    assert!(broken_off > 0, "some were killed on the way");
    assert_eq!(rules_in(&dir, &file), LARGE as u64);
}

#[test]
fn a_restore_that_is_killed_leaves_the_data_of_before_or_those_of_the_backup() {
    let source = with_many_rules();
    let backup = beside(&source, "backup.redb");
    taxd(&source, ["backup", backup.to_str().unwrap()]).ok();
    let args = ["restore", backup.to_str().unwrap(), "--force"];
    let own = OwnRules::none();
    own.import(&own.dir.write("few.json", bundle_of_new(3)), &[]).ok();
    let before = fs::read(own.dir.file()).unwrap();
    let start = Instant::now();
    assert!(begin(&own.dir, &args).wait().unwrap().success());
    let (takes, mut old) = (start.elapsed(), 0);
    for moment in MOMENTS {
        fs::write(own.dir.file(), &before).unwrap();
        let done = killed(begin(&own.dir, &args), takes, moment);
        let rules = taxd(&own.dir, ["check", "--json"]).ok().json()["rules"].as_u64().unwrap();
        assert!(rules == LARGE as u64 || rules == 3 && !done, "{moment}: {rules} rules, done: {done}");
        old += usize::from(rules == 3);
        taxd(&own.dir, args).ok();
        assert!(!own.dir.path().join("taxd.redb.restoring").exists(), "{moment}");
    }
    assert!(old > 0, "some were killed on the way");
}

#[test]
fn a_backup_without_room_leaves_nothing_behind() {
    let dir = with_many_rules();
    let disk = beside(&dir, "disk");
    let Some(small) = SmallDisk::at(disk.clone(), 68) else { return };
    // Enough to begin with: 64 MiB are left free, for a server may live on the same disk.
    small.fill((64 * 1024 + 256) * 1024);
    let file = disk.join("backup.redb");
    let done = taxd(&dir, ["backup", file.to_str().unwrap()]);
    assert!(done.code == 1 && done.stderr.contains("64 MiB to stay free; free some room"), "{done:?}");
    let left: Vec<_> = fs::read_dir(&disk).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["ballast"]);

    // A restore needs the backup's size, and leaves free what taxd never uses up.
    let data = disk.join("data");
    fs::create_dir(&data).unwrap();
    let done = taxd(&dir, ["restore", dir.file().to_str().unwrap(), "--data", data.to_str().unwrap()]);
    assert!(done.code == 1 && done.stderr.contains("free some room"), "{done:?}");
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0);
    assert_eq!(rules_in(&dir, &dir.file()), LARGE as u64);
}

#[test]
fn root_restores_for_the_user_whose_directory_it_is() {
    const SOMEBODY: u32 = 65_534;
    let source = with_many_rules();
    let dir = DataDir::empty();
    fs::create_dir(dir.path()).unwrap();
    if chown(dir.path(), Some(SOMEBODY), Some(SOMEBODY)).is_err() {
        eprintln!("not tested: who runs the tests cannot give files away");
        return;
    }
    let done = taxd(&dir, ["restore", source.file().to_str().unwrap(), "--json"]).ok().json();
    assert_eq!(done["rules"], json!(LARGE));
    let file = fs::metadata(dir.file()).unwrap();
    assert_eq!((file.uid(), file.gid(), file.mode() & 0o777), (SOMEBODY, SOMEBODY, 0o600));
}

#[test]
fn two_backups_to_one_file_do_not_mix() {
    let dir = with_many_rules();
    let _server = dir.serve_as(&many_rules().1);
    let file = beside(&dir, "backup.redb");
    let args = ["backup", file.to_str().unwrap(), "--force"];
    let mut both = [begin(&dir, &args), begin(&dir, &args)];
    let done: Vec<bool> = both.iter_mut().map(|child| child.wait().unwrap().success()).collect();
    assert!(done.contains(&true), "one of them is made: {done:?}");
    assert_eq!(rules_in(&dir, &file), LARGE as u64);
}
