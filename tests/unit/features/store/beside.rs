//! One process writes to a data file, and others read it meanwhile. Here each opening is that of a process.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use taxd::features::control::data_dir;
use taxd_core::store::{FILE_NAME, Snapshot, Store, StoreError, begin_restore, finish_restore, write_backup};
use tempfile::TempDir;

const NAME: &str = "counted";

fn reader(dir: &Path) -> Store {
    Store::open_to_read(dir).unwrap().expect("a file that can be read as it is")
}

fn counted(store: &Store) -> Option<String> {
    store.setting(NAME).unwrap()
}

/// What a backup of the snapshot has.
fn copied(snapshot: &Snapshot) -> Option<String> {
    let dir = TempDir::new().unwrap();
    write_backup(snapshot, &dir.path().join(FILE_NAME), &mut |_| {}).unwrap().persist_new().unwrap();
    counted(&reader(dir.path()))
}

#[test]
fn a_reader_sees_each_commit_and_keeps_the_snapshot_that_it_took() {
    let dir = TempDir::new().unwrap();
    let writer = Store::open(dir.path()).unwrap();
    writer.put_setting(NAME, Some("0")).unwrap();
    let before = reader(dir.path());
    let snapshot = before.snapshot().unwrap();
    for count in 1..=200 {
        let written = count.to_string();
        writer.put_setting(NAME, Some(&written)).unwrap();
        assert_eq!(counted(&before).as_ref(), Some(&written));
        assert_eq!(counted(&reader(dir.path())).as_ref(), Some(&written));
    }
    // The pages of a snapshot were once another process's to reuse.
    assert_eq!(copied(&snapshot).as_deref(), Some("0"));
    drop(writer);
    assert_eq!(counted(&before).as_deref(), Some("200"));
    assert_eq!(copied(&snapshot).as_deref(), Some("0"));
}

#[test]
fn there_is_one_writer_and_no_reader_is_in_its_way() {
    let dir = TempDir::new().unwrap();
    let writer = Store::open(dir.path()).unwrap();
    let readers = [reader(dir.path()), reader(dir.path())];
    assert!(matches!(Store::open(dir.path()), Err(StoreError::InUse)));
    for reader in &readers {
        let refused = reader.put_setting(NAME, Some("1")).unwrap_err();
        assert!(matches!(&refused, StoreError::Disk(e) if e.kind() == ErrorKind::ReadOnlyFilesystem), "{refused:?}");
    }
    drop(writer);
    let writer = Store::open(dir.path()).unwrap();
    writer.put_setting(NAME, Some("2")).unwrap();
    assert_eq!(readers.map(|reader| counted(&reader)), [Some("2".to_owned()), Some("2".to_owned())]);
}

/// A copy of a file that is being written would be half of one state and half of another.
#[test]
fn a_file_is_copied_beside_readers_alone_and_replaced_beside_nobody() {
    let dir = TempDir::new().unwrap();
    let (file, target) = (dir.path().join(FILE_NAME), dir.path().join("other.redb"));
    let writer = Store::open(dir.path()).unwrap();
    let copied = || begin_restore(&file, &target).map(drop);
    assert!(matches!(copied(), Err(StoreError::InUse)));
    assert!(matches!(Store::inspect(&file).map(drop), Err(StoreError::InUse)));
    drop(writer);
    let read = reader(dir.path());
    copied().unwrap();
    Store::inspect(&file).unwrap();
    let replaced = || finish_restore(begin_restore(&file, &file)?).map(drop);
    assert!(matches!(replaced(), Err(StoreError::InUse)));
    drop(read);
    replaced().unwrap();
}

/// A file that a killed process left is repaired by the next one that may write.
#[test]
fn a_file_that_was_not_closed_is_not_read_before_it_is_repaired() {
    let dir = TempDir::new().unwrap();
    assert!(Store::open_to_read(dir.path()).unwrap().is_none(), "there is no file");
    let writer = Store::open(dir.path()).unwrap();
    writer.put_setting(NAME, Some("1")).unwrap();
    let killed = TempDir::new().unwrap();
    fs::copy(dir.path().join(FILE_NAME), killed.path().join(FILE_NAME)).unwrap();
    assert!(Store::open_to_read(killed.path()).unwrap().is_none());
    // A command repairs it and then only reads: the copy of such a file once failed as if the disk had, because the
    // database was closed under its snapshot, and no server could start meanwhile.
    let read = data_dir::open_to_read(killed.path()).unwrap();
    assert_eq!(counted(&read).as_deref(), Some("1"));
    drop(Store::open(killed.path()).unwrap());
    let snapshot = read.snapshot().unwrap();
    drop(read);
    assert_eq!(copied(&snapshot).as_deref(), Some("1"));
}
