//! A data file in the making is nobody else's until it is in its place.

use taxd::store::{FILE_NAME, Store, StoreError, begin_restore};
use tempfile::TempDir;

#[test]
fn a_draft_that_the_database_let_go_of_is_not_taken_for_one_that_was_left() {
    let dir = TempDir::new().unwrap();
    drop(Store::open(dir.path()).unwrap());
    let (file, target) = (dir.path().join(FILE_NAME), dir.path().join("target.redb"));
    let draft = begin_restore(&file, &target).unwrap();
    drop(draft.open().unwrap());
    assert!(matches!(begin_restore(&file, &target), Err(StoreError::InUse)));
    let (bytes, _) = draft.digest().unwrap();
    draft.place_new().unwrap();
    assert_eq!(std::fs::metadata(&target).unwrap().len(), bytes);
    drop(Store::inspect(&target).unwrap());
    drop(begin_restore(&file, &target).unwrap());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "a draft that is given up is removed");
}
