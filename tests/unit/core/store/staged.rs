//! A data file in the making is locked until it has its name.

use taxd_core::store::{FILE_NAME, Store, StoreError, begin_restore};
use tempfile::TempDir;

#[test]
fn a_staged_file_that_the_database_closed_is_not_taken_for_one_that_was_left() {
    let dir = TempDir::new().unwrap();
    drop(Store::open(dir.path()).unwrap());
    let (file, target) = (dir.path().join(FILE_NAME), dir.path().join("target.redb"));
    let staged = begin_restore(&file, &target).unwrap();
    drop(staged.open().unwrap());
    assert!(matches!(begin_restore(&file, &target), Err(StoreError::InUse)));
    let (bytes, _) = staged.digest().unwrap();
    staged.persist_new().unwrap();
    assert_eq!(std::fs::metadata(&target).unwrap().len(), bytes);
    drop(Store::inspect(&target).unwrap());
    drop(begin_restore(&file, &target).unwrap());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "a staged file that is given up is removed");
}
