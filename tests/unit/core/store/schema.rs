//! The tables of a schema version: a change of the tables needs a higher version and a migration.

use std::fs;

use taxd_core::store::{SCHEMA_VERSION, fingerprint};

fn golden(name: &str) -> String {
    format!("{}/tests/golden/store/{name}", crate::ROOT)
}

#[test]
fn the_tables_are_those_of_the_schema_version() {
    let recorded = fs::read_to_string(golden(&format!("schema-{SCHEMA_VERSION}.txt"))).unwrap();
    assert_eq!(
        fingerprint(),
        recorded,
        "the tables have changed: make a golden file with the last taxd of this version (tests/golden/store/make), \
         raise SCHEMA_VERSION, write the step in src/core/store/migration, and the new list of tables beside this one"
    );
}

#[test]
fn there_is_a_golden_file_of_every_version_since_the_second() {
    for version in 2..=SCHEMA_VERSION {
        for end in ["redb.zst", "json"] {
            let path = golden(&format!("schema-{version}.{end}"));
            assert!(fs::metadata(&path).is_ok_and(|file| file.len() > 1_000), "{path}");
        }
    }
}

/// The list from which everything that is done with all tables is made.
#[test]
fn no_table_is_declared_beside_the_list() {
    let mut found = Vec::new();
    let mut folders = vec![format!("{}/src", crate::ROOT).into()];
    while let Some(folder) = folders.pop() {
        let folder: std::path::PathBuf = folder;
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read_to_string(&path).is_ok_and(|text| text.contains("TableDefinition::new(")) {
                found.push(path.strip_prefix(crate::ROOT).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    // A migration says itself what the tables were.
    found.retain(|path| !path.starts_with("src/core/store/migration/"));
    assert_eq!(found, ["src/core/store/schema.rs"]);
}
