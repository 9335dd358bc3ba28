//! Circles of modules: two modules of one folder that name each other, directly or through others.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{absolute, module, named, used};
use super::without_comments;

/// The siblings that each module of a folder names.
type Graph<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// A source file as this reads it.
struct Source {
    /// The path of its module.
    module: Vec<String>,
    /// Its text without comments.
    code: String,
}

impl Source {
    fn of((path, text): &(String, String)) -> Source {
        Source { module: module(path).into_iter().map(str::to_owned).collect(), code: without_comments(text) }
    }
}

/// True for the commands and the pages of the features, which form rows of their own (see `arrows`).
fn is_surface(path: &str) -> bool {
    let inner = path.strip_prefix("src/features/").and_then(|path| path.split_once('/'));
    inner.is_some_and(|(_, file)| ["command", "page"].iter().any(|surface| file.starts_with(surface)))
}

/// How many modules of each folder below `src` are part of a circle. Folders without a circle are left out.
pub fn by_folder(files: &[(String, String)]) -> BTreeMap<String, usize> {
    let sources: Vec<Source> = files.iter().filter(|(path, _)| !is_surface(path)).map(Source::of).collect();
    let folders: BTreeSet<&[String]> = sources.iter().map(|source| &source.module[..source.module.len() - 1]).collect();
    let counted = folders.into_iter().filter(|folder| !folder.is_empty()).map(|folder| {
        let graph = graph(folder, &sources);
        (format!("src/{}", folder.join("/")), graph.keys().filter(|module| is_in_a_circle(&graph, module)).count())
    });
    counted.filter(|(_, modules)| *modules > 0).collect()
}

fn graph<'a>(folder: &[String], sources: &'a [Source]) -> Graph<'a> {
    let inside = || sources.iter().filter(|source| source.module.starts_with(folder));
    let child_of = |source: &'a Source| source.module.get(folder.len()).map(String::as_str);
    let children: BTreeSet<&str> = inside().filter_map(child_of).collect();
    // The module of the folder itself makes items of its children its own by `pub use`.
    let own_uses = inside().filter(|source| source.module.len() == folder.len()).flat_map(|source| used(&source.code));
    let re_exported: BTreeMap<&str, &str> =
        own_uses.filter(|path| children.contains(path[0])).filter_map(|path| Some((*path.last()?, path[0]))).collect();
    let mut graph = Graph::new();
    for (source, module) in inside().filter_map(|source| Some((source, child_of(source)?))) {
        let within: Vec<&str> = source.module.iter().map(String::as_str).collect();
        let paths = named(&source.code).into_iter().map(|path| absolute(&path, &within));
        let siblings = paths.filter(|path| path.iter().take(folder.len()).eq(folder)).filter_map(|path| {
            let name = *path.get(folder.len())?;
            children.get(name).or_else(|| re_exported.get(name)).copied()
        });
        graph.entry(module).or_default().extend(siblings.filter(|sibling| *sibling != module));
    }
    graph
}

/// Whether the module is reached from itself.
fn is_in_a_circle(graph: &Graph, module: &str) -> bool {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![module];
    while let Some(next) = open.pop() {
        for sibling in graph.get(next).into_iter().flatten() {
            if reached.insert(*sibling) {
                open.push(sibling);
            }
        }
    }
    reached.contains(module)
}

#[test]
fn a_circle_is_found_in_groups_and_through_re_exports() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let mut files = vec![
        file("src/a/mod.rs", "mod one;\nmod two;\nmod three;\npub use three::{Third, Other};\n"),
        file("src/a/one.rs", "use crate::a::{\n    two::Second,\n};\n"),
        file("src/a/two.rs", "fn f() -> super::Other {}\n"),
        file("src/a/three/mod.rs", "// use super::one::First;\n"),
    ];
    assert_eq!(by_folder(&files), BTreeMap::new());
    files.push(file("src/a/three/deep.rs", "use super::super::one::First;\n"));
    assert_eq!(by_folder(&files), BTreeMap::from([("src/a".to_owned(), 3)]));
}
