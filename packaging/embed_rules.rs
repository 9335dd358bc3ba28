//! Lists the files of `rulesets` that are compiled into a crate: the tables of codes into `law`, the bundles into `core`.
//!
//! The list is a slice of name and text, sorted by name, so that every build has the same order. Cargo runs this script
//! again when a file is added to one of the folders or removed from it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The folder, seen from that of a crate.
const RULESETS: &str = "../../rulesets";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=../../packaging/embed_rules.rs");
    match env!("CARGO_PKG_NAME") {
        "taxd-law" => list(&["tabelas"], "csv", "tabelas.rs"),
        "taxd-core" => list(&["estadual", "federal", "municipal"], "json", "bundles.rs"),
        other => Err(io::Error::other(format!("{other} has no files of the folder"))),
    }
}

/// Writes the list of the files in these folders that have this extension, each with its name and its text.
fn list(folders: &[&str], extension: &str, output: &str) -> io::Result<()> {
    let mut names = BTreeSet::new();
    for folder in folders {
        let path = Path::new(RULESETS).join(folder);
        println!("cargo::rerun-if-changed={}", path.display());
        for entry in fs::read_dir(path)? {
            let file = PathBuf::from(entry?.file_name());
            if file.extension().is_some_and(|own| own == extension) {
                names.insert(format!("{folder}/{}", file.display()));
            }
        }
    }
    let entry = |name| {
        format!("    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{RULESETS}/{name}\"))),\n")
    };
    let entries: String = names.iter().map(entry).collect();
    let out_dir = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out_dir).join(output), format!("&[\n{entries}]\n"))
}
