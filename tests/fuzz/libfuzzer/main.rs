//! Gives what libFuzzer makes to the reader that `TAXD_FUZZ_READER` names. With `TAXD_FUZZ_SEEDS`, a directory, it writes the
//! reader's seeds there before it begins.

#![no_main]

#[path = "../../unit/features/audit_run.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod audit_run;
#[path = "../readers.rs"]
mod readers;
#[path = "../../unit/core/support.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod support;

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use readers::{READERS, Reader};

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

static READER: LazyLock<&Reader> = LazyLock::new(|| {
    let name = std::env::var("TAXD_FUZZ_READER").unwrap_or_default();
    READERS.iter().find(|reader| reader.name == name).unwrap_or_else(|| {
        let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
        panic!("TAXD_FUZZ_READER is one of {}", names.join(", "))
    })
});

libfuzzer_sys::fuzz_target!(
    init: {
        if let Some(directory) = std::env::var_os("TAXD_FUZZ_SEEDS").map(PathBuf::from) {
            for (number, seed) in (READER.seeds)().iter().enumerate() {
                fs::write(directory.join(format!("seed-{number}")), seed).expect("a directory for seeds");
            }
        }
    },
    |bytes: &[u8]| {
        if let Err(sentence) = (READER.read)(bytes) {
            assert!(!sentence.trim().is_empty());
        }
    }
);
