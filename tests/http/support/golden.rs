//! The golden data files (`tests/golden/store`), each written by the last taxd of its schema version.

use std::fs;

use serde_json::Value;
use taxd::core::store::SCHEMA_VERSION;

use super::DataDir;

/// The oldest version with a golden file.
pub const OLDEST: u64 = 2;

/// A golden file, and the answers that its taxd gave.
pub struct Golden {
    pub file: Vec<u8>,
    pub recorded: Value,
}

/// Reads the golden file of a schema version.
pub fn golden(version: u64) -> Golden {
    let path = |end: &str| format!("{}/tests/golden/store/schema-{version}.{end}", env!("CARGO_MANIFEST_DIR"));
    let read = |end| fs::read(path(end)).unwrap_or_else(|e| panic!("{}: {e}", path(end)));
    let file = zstd::stream::decode_all(read("redb.zst").as_slice()).unwrap();
    Golden { file, recorded: serde_json::from_slice(&read("json")).unwrap() }
}

/// Reads the golden file of the current version.
pub fn current() -> Golden {
    golden(SCHEMA_VERSION)
}

impl Golden {
    /// Creates a data directory with the file.
    pub fn in_dir(&self) -> DataDir {
        let dir = DataDir::empty();
        fs::create_dir(dir.path()).unwrap();
        fs::write(dir.file(), &self.file).unwrap();
        dir
    }

    /// Returns the key whose calls were recorded.
    pub fn key(&self) -> &str {
        self.recorded["key"].as_str().unwrap()
    }
}
