//! Lists the files that are compiled into the binary: the rule bundles, the tables of codes, and the files of the
//! sandbox page.
//!
//! Each list is a slice of name and text, sorted by name, so that every build has the same order. Cargo
//! runs this script again when a file is added to one of the folders or removed from it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=packaging/embed.rs");
    list("rulesets", &["estadual", "federal", "municipal"], &["json"], "bundles.rs")?;
    list("rulesets", &["tabelas"], &["csv"], "tabelas.rs")?;
    page("page.rs")
}

/// Writes the list of the files of the page, each by its own name: those of the shell, and those of each feature.
fn page(output: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed=src/features");
    let mut folders = vec![PathBuf::from("src/page")];
    for entry in fs::read_dir("src/features")? {
        folders.push(entry?.path());
    }
    folders.retain(|folder| folder.is_dir());
    write(files(&folders, &["css", "html", "js", "svg"])?, output, |file| {
        Some(Path::new("sandbox").join(file.file_name()?))
    })
}

/// Writes the list of the files in these folders of `root` that have one of these extensions.
fn list(root: &str, folders: &[&str], extensions: &[&str], output: &str) -> io::Result<()> {
    let folders: Vec<PathBuf> = folders.iter().map(|folder| Path::new(root).join(folder)).collect();
    write(files(&folders, extensions)?, output, |file| file.strip_prefix(root).ok().map(Path::to_owned))
}

/// The files of the folders with one of these extensions.
fn files(folders: &[PathBuf], extensions: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in folders {
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in fs::read_dir(folder)? {
            files.push(entry?.path());
        }
    }
    files.retain(|file| file.extension().and_then(OsStr::to_str).is_some_and(|e| extensions.contains(&e)));
    Ok(files)
}

/// Writes the list of the files, each with its name and its text, by name. Fails if two have one name.
fn write(files: Vec<PathBuf>, output: &str, name: impl Fn(&Path) -> Option<PathBuf>) -> io::Result<()> {
    let mut named: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for file in files {
        let name = name(&file).unwrap_or_else(|| file.clone());
        if let Some(other) = named.insert(name, file.clone()) {
            return Err(io::Error::other(format!("{} and {} have one name", other.display(), file.display())));
        }
    }
    let entry = |(name, file): (&PathBuf, &PathBuf)| {
        let (name, file) = (name.display().to_string(), file.display());
        format!("    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{file}\"))),\n")
    };
    let entries: String = named.iter().map(entry).collect();
    let out_dir = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out_dir).join(output), format!("&[\n{entries}]\n"))
}
