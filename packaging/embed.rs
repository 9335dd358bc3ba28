//! Lists and packs the files of the sandbox page, which are compiled into the binary: packing takes a second, and makes
//! them a twenty-fifth smaller than gzip does. They are sorted by name, so that every build has the same order. Cargo runs
//! this script again when a file is added to one of the folders or removed from it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

#[path = "../src/page/scripts.rs"]
mod scripts;
#[path = "../src/page/short_names.rs"]
mod short_names;
#[path = "../src/page/squeeze.rs"]
mod squeeze;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=packaging/embed.rs");
    page("page.rs")
}

/// The only file of styles that is served: those of the shell in their order, then those of the parts by name. They are one
/// file: apart, they are half as large again when they are packed.
const STYLE: &str = "base.css";
const STYLES: [&str; 3] = [STYLE, "parts.css", "print.css"];
const PAGE: &str = "page.html";
/// What the first script reads: a browser asks for it with the script.
const PRELOAD: &str = "<link rel=\"preload\" as=\"fetch\" crossorigin href=\"/sandbox/dados.json\">\n</head>";

/// Writes the list of the files of the page, those of the shell and those of each feature: name, content, and that packed.
fn page(output: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed=src/features");
    let mut folders = vec![PathBuf::from("src/page")];
    for entry in fs::read_dir("src/features")? {
        folders.push(entry?.path());
    }
    folders.retain(|folder| folder.is_dir());
    let mut sources: BTreeMap<&'static str, &'static str> = BTreeMap::new();
    for file in files(&folders, &["css", "html", "js", "svg"])? {
        let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
        if sources.insert(name.clone().leak(), fs::read_to_string(&file)?.leak()).is_some() {
            return Err(io::Error::other(format!("two files of the page are called {name}")));
        }
    }
    let modules: Vec<_> = sources.iter().filter_map(|(name, text)| Some((name.strip_suffix(".js")?, *text))).collect();
    let mut made = scripts::files(&modules);
    let of = |name: &str| sources.get(name).copied().unwrap_or_default();
    let parts = sources.keys().filter(|name| has_extension(name, "css") && !STYLES.contains(name));
    let styles: String = STYLES.iter().chain(parts).map(|name| of(name)).collect();
    made.push((format!("sandbox/{STYLE}"), without_margins(&styles.lines().map(style).collect::<String>())));
    made.push((format!("sandbox/{PAGE}"), without_margins(&of(PAGE).replacen("</head>", PRELOAD, 1))));
    let drawings = sources.iter().filter(|(name, _)| has_extension(name, "svg"));
    made.extend(drawings.map(|(name, text)| (format!("sandbox/{name}"), without_margins(text))));
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?);
    fs::create_dir_all(out_dir.join("sandbox"))?;
    let mut entries = String::new();
    for (name, text) in &made {
        let gzip = format!("{name}.gz");
        let mut packed = Vec::new();
        // A map is read by who looks for an error.
        if !has_extension(name, "map") {
            zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, text.as_bytes(), &mut packed)?;
        }
        fs::write(out_dir.join(name), text)?;
        fs::write(out_dir.join(&gzip), packed)?;
        let [own, packed] =
            [name, &gzip].map(|file| format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{file}\"))"));
        let _ = writeln!(entries, "    ({name:?}, {own}, {packed}),");
    }
    fs::write(out_dir.join(output), format!("&[\n{entries}]\n"))
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit('.').next() == Some(extension)
}

/// A line of styles without comment and the spaces that separate nothing; one with a text as it is.
fn style(line: &str) -> String {
    let is_comment = line.starts_with("/*") && line.ends_with("*/");
    let spaces = [
        (" { ", "{"),
        (" {", "{"),
        ("; }", "}"),
        (" }", "}"),
        ("; ", ";"),
        (": ", ":"),
        (", ", ","),
        (" > ", ">"),
        (" + ", "+"),
    ];
    let squeezed = |line: String, (spaced, bare): (&str, &str)| line.replace(spaced, bare);
    let line = match line {
        _ if is_comment => String::new(),
        _ if line.contains(['"', '\'']) || line.contains("calc(") => line.to_owned(),
        _ => spaces.into_iter().fold(line.to_owned(), squeezed),
    };
    line + "\n"
}

/// The lines of a file without their indentation.
fn without_margins(file: &str) -> String {
    file.lines().map(scripts::without_margin).flat_map(|line| [line, "\n"]).collect()
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
