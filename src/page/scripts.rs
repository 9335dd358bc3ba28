//! The scripts of the page as two files: those of the first view, and those of the parts that are read when they are first
//! opened. Apart, each would be compressed alone, and all of them would take a third more.
//!
//! A module becomes a function that returns what it exports, after the modules that it imports. An export whose name no
//! other module exports is a name of the whole file, so that importing it takes no line. The source map beside each file
//! (ECMA-426) leads an error to the file and line of the source.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::short_names::{Names, shortened};
use super::squeeze::{Token, script, tokens};

/// The file of the first view, and the module that it begins with.
const FIRST: &str = "app";
/// The file of the other modules.
const REST: &str = "partes";
/// How `load.js` reads a module that is not of the first view, and how it does so from the file of them.
const LOAD: [&str; 2] =
    ["import(`/sandbox/${name}.js`)", "import(\"/sandbox/partes.js\").then((all) => all[`${name}_js`])"];

/// The lines from one mapping to the next, as its digit (base 64 of twice the number).
const DELTAS: [char; 16] = ['A', 'C', 'E', 'G', 'I', 'K', 'M', 'O', 'Q', 'S', 'U', 'W', 'Y', 'a', 'c', 'e'];

/// A script of the source, without `.js`, and its text.
type Module = (&'static str, &'static str);

/// Name and text of each file: a script, and its source map.
pub(super) fn files(all: &[Module]) -> Vec<(String, String)> {
    let (mut seen, mut first, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    add(FIRST, all, &mut seen, &mut first);
    for (name, _) in all {
        add(name, all, &mut seen, &mut rest);
    }
    let exports = exports(all);
    let bodies: Vec<Body> = first.iter().chain(&rest).map(|module| Body::of(*module, &exports)).collect();
    let tokens: Vec<_> = bodies.iter().map(|body| tokens(&body.text)).collect();
    let names = shortened(&tokens, &exports);
    let shared = |name: &'static str| names.first().and_then(|names| names.get(name)).map_or(name, String::as_str);
    let listed = |names: &[&'static str]| names.iter().map(|name| shared(name)).collect::<Vec<_>>().join(",");
    let mut modules: Vec<_> = bodies.into_iter().zip(&tokens).zip(&names).collect();
    let others = modules.split_off(first.len());
    let mut head = format!("import{{{}}}from\"./{FIRST}.js\";\n", exported(&modules));
    for (module, _) in &first {
        let imported =
            rest.iter().flat_map(|(_, text)| text.lines()).filter_map(import).filter(|(_, from)| from == module);
        let used: BTreeSet<&str> =
            imported.flat_map(|(names, _)| names.split(", ")).filter(|name| exports.get(name) == Some(&true)).collect();
        if !used.is_empty() {
            let _ = writeln!(head, "const{{{}}}={module}_js;", listed(&used.into_iter().collect::<Vec<_>>()));
        }
    }
    [(FIRST, String::new(), modules), (REST, head, others)]
        .into_iter()
        .flat_map(|(name, head, modules)| {
            let (text, map) = file(name, head, &modules, &exports, listed);
            [(format!("sandbox/{name}.js"), text), (format!("sandbox/{name}.js.map"), map.to_string())]
        })
        .collect()
}

/// The names that modules export, and whether one module alone does so.
fn exports(all: &[Module]) -> BTreeMap<&'static str, bool> {
    let mut found = BTreeMap::new();
    for name in all.iter().flat_map(|(_, text)| text.lines()).filter_map(export) {
        found.entry(name).and_modify(|is_unique| *is_unique = false).or_insert(true);
    }
    found
}

/// Adds a module after those that it imports.
fn add(name: &str, all: &[Module], seen: &mut Vec<&'static str>, found: &mut Vec<Module>) {
    let Some(module) = all.iter().find(|(known, _)| *known == name).filter(|(known, _)| !seen.contains(known)) else {
        return;
    };
    seen.push(module.0);
    for (_, import) in module.1.lines().filter_map(import) {
        add(import, all, seen, found);
    }
    found.push(*module);
}

/// The names that a line imports, and the module that it imports them from.
fn import(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("import { ")?.strip_suffix(".js\";")?.split_once(" } from \"./")
}

/// What a line exports: `const NAME`, `function NAME`, `async function NAME`, `class NAME`.
fn export(line: &str) -> Option<&str> {
    let (_, declared) = line.strip_prefix("export ")?.trim_start_matches("async ").split_once(' ')?;
    declared.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// A module within its function, line by line.
struct Body {
    module: Module,
    text: String,
    /// From each of its lines to the line of the source.
    mappings: String,
}

impl Body {
    fn of(module: Module, exports: &BTreeMap<&str, bool>) -> Body {
        let (mut text, mut mappings, mut skipped) = (String::new(), Vec::new(), 0);
        for line in module.1.lines() {
            let line = rewritten(without_margin(line), exports);
            // The first line is kept, and one at the end of the digits.
            if line.is_empty() && !mappings.is_empty() && skipped + 2 < DELTAS.len() {
                skipped += 1;
                continue;
            }
            let delta = if mappings.is_empty() { 'A' } else { DELTAS.get(skipped + 1).copied().unwrap_or('C') };
            mappings.push(format!("AA{delta}A"));
            skipped = 0;
            let _ = writeln!(text, "{line}");
        }
        Body { module, text, mappings: mappings.join(";") }
    }
}

/// A module in a file: its body, the words of that, and their names.
type Placed<'m> = ((Body, &'m Vec<Token>), &'m Names<'m>);

/// What the modules are called in the files.
fn exported(modules: &[Placed]) -> String {
    modules.iter().map(|((body, _), _)| format!("{}_js", body.module.0)).collect::<Vec<_>>().join(",")
}

/// A file of modules, and its source map.
fn file(
    name: &str,
    head: String,
    modules: &[Placed],
    exports: &BTreeMap<&str, bool>,
    listed: impl Fn(&[&'static str]) -> String,
) -> (String, Value) {
    let mut out = head;
    let mut sections = Vec::new();
    for ((body, tokens), names) in modules {
        let (module, text) = body.module;
        let named = |name| names.get(name).map_or(name, String::as_str);
        let own: Vec<&str> = text.lines().filter_map(export).collect();
        let unique: Vec<&str> = own.iter().copied().filter(|name| exports.get(name) == Some(&true)).collect();
        let _ = writeln!(out, "const {module}_js=(()=>{{");
        sections.push(json!({
            "offset": {"line": out.lines().count(), "column": 0},
            "map": {"version": 3, "sources": [format!("{module}.js")], "sourcesContent": [text], "names": [],
                "mappings": body.mappings},
        }));
        let _ = writeln!(out, "{}return{{{}}};\n}})();", script(tokens, named), listed(&own));
        if !unique.is_empty() {
            let _ = writeln!(out, "const{{{}}}={module}_js;", listed(&unique));
        }
    }
    let _ = write!(out, "export{{{}}};\n//# sourceMappingURL={name}.js.map\n", exported(modules));
    (out, json!({"version": 3, "file": format!("{name}.js"), "sections": sections}))
}

/// A line of a module within its function.
fn rewritten<'a>(line: &'a str, exports: &BTreeMap<&str, bool>) -> Cow<'a, str> {
    if let Some((names, module)) = import(line) {
        let others: Vec<&str> = names.split(", ").filter(|name| exports.get(name) != Some(&true)).collect();
        let names = others.join(", ").replace(" as ", ": ");
        return if names.is_empty() { "".into() } else { format!("const {{ {names} }} = {module}_js;").into() };
    }
    let line = line.strip_prefix("export ").unwrap_or(line);
    let [apart, together] = LOAD;
    if line.contains(apart) { line.replace(apart, together).into() } else { line.into() }
}

/// A line without its indentation; a comment or a type becomes an empty line, so that an error still names the line of the
/// source.
pub(super) fn without_margin(line: &str) -> &str {
    let line = line.trim_start();
    let is_comment = line.starts_with("//") || line.starts_with("/**") && line.ends_with("*/");
    if is_comment { "" } else { line }
}
