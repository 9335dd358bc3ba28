//! Lists the files that are compiled into the binary: the rule bundles, the tables of codes, and the files of the
//! sandbox page.
//!
//! Each list is a slice of name and text, sorted by name, so that every build has the same order. Cargo
//! runs this script again when a file is added to one of the folders or removed from it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=packaging/embed.rs");
    list("rulesets", &["estadual", "federal", "municipal"], &["json"], "bundles.rs")?;
    list("rulesets", &["tabelas"], &["csv"], "tabelas.rs")?;
    list("src/http", &["sandbox"], &["css", "html", "js", "svg"], "sandbox.rs")
}

/// Writes the list of the files in these folders of `root` that have one of these extensions.
fn list(root: &str, folders: &[&str], extensions: &[&str], output: &str) -> io::Result<()> {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in folders.iter().map(|folder| Path::new(root).join(folder)) {
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in fs::read_dir(folder)? {
            files.push(entry?.path());
        }
    }
    files.retain(|file| file.extension().and_then(OsStr::to_str).is_some_and(|e| extensions.contains(&e)));
    files.sort();
    let entry = |file: &PathBuf| {
        let file = file.display().to_string();
        let name = file.trim_start_matches(root).trim_start_matches('/');
        format!("    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{file}\"))),\n")
    };
    let entries: String = files.iter().map(entry).collect();
    let out_dir = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out_dir).join(output), format!("&[\n{entries}]\n"))
}
