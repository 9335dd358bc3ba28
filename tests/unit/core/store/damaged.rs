//! A data file whose disk damaged it: it is refused, never opened as an empty one.

use std::fs;

use taxd_core::store::{Block, FILE_NAME, Store, StoreError};
use tempfile::TempDir;

/// Where the header of a data file has its flags, and its two commit slots (redb's file format, version 3).
const FLAGS: usize = 9;
const SLOTS: [usize; 2] = [64, 192];
const SLOT_BYTES: usize = 128;
const PAGE_BYTES: usize = 4096;

/// A server was killed, and the disk has lost the last commit's pages and the commit before it. redb until 4.5 took
/// the commit slot that it could not read for an empty database: taxd started without a rule, an account or a call.
#[test]
fn a_file_without_a_commit_that_can_be_read_is_refused_and_left_as_it_is() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join(FILE_NAME);
    let store = Store::open(dir.path()).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    drop(store);
    fs::write(&file, &bytes).unwrap();
    drop(Store::open(dir.path()).expect("what a killed server leaves is repaired"));

    let primary = usize::from(bytes[FLAGS] & 1);
    let secondary = SLOTS[1 - primary];
    // All but its first byte, the version of the format.
    bytes[secondary + 1..secondary + SLOT_BYTES].fill(0);
    for page in bytes.chunks_mut(PAGE_BYTES).skip(1) {
        page[4..].iter_mut().for_each(|byte| *byte ^= 1);
    }
    fs::write(&file, &bytes).unwrap();
    let opened = Store::open(dir.path()).map(drop);
    assert!(opened.is_err(), "{opened:?}");
    assert!(fs::read(&file).unwrap() == bytes, "what is left of the file may be needed");
}

/// redb panics on a page whose kind it does not know. `taxd check` and `taxd serve` ended with that panic.
#[test]
fn a_page_of_a_kind_that_does_not_exist_is_damage() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join(FILE_NAME);
    drop(Store::open(dir.path()).unwrap());
    let mut bytes = fs::read(&file).unwrap();
    for page in bytes.chunks_mut(PAGE_BYTES).skip(1) {
        page[0] = 0xEE;
    }
    fs::write(&file, &bytes).unwrap();
    for opened in [Store::open(dir.path()).map(drop), Store::inspect(&file).map(drop)] {
        assert!(opened.as_ref().is_err_and(StoreError::is_damage), "{opened:?}");
    }
}

/// redb panics on a damaged page of the call log, too. That ended the thread of the log: the calls that it held were lost
/// and not counted.
#[test]
fn a_panic_of_the_database_while_calls_are_written_is_damage_and_the_next_write_holds() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let block = |last_seq| Block { last_ms: last_seq, last_seq, bytes: vec![7; 3_000] };
    let refused = store.write_calls::<()>(true, |writer| {
        writer.put_block("acc_1", &block(1))?;
        panic!("a page of a kind that does not exist")
    });
    assert!(refused.as_ref().is_err_and(StoreError::is_damage), "{refused:?}");
    store.write_calls(true, |writer| writer.put_block("acc_1", &block(2))).unwrap();
    let last = store.write_calls(true, |writer| writer.last_block("acc_1")).unwrap().flatten();
    assert_eq!(last, Some(block(2)));
    drop(store);
    Store::inspect(&dir.path().join(FILE_NAME)).expect("nothing of the panic is in the file");
}
