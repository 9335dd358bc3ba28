//! The scripts of the page as two files: those of the first view, and those of the parts that are read when they are first
//! opened. Apart, each would be compressed alone, and all of them would take a third more.
//!
//! A module becomes a function that returns what it exports, after the modules that it imports. Its lines stay lines, and
//! the source map beside each file (ECMA-426) leads an error to the file and line of the source.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Value, json};

/// The file of the first view, and the module that it begins with.
const FIRST: &str = "app";
/// The file of the other modules.
const REST: &str = "partes";
/// How `load.js` reads a module that is not of the first view, and how it does so from the file of them.
const LOAD: [&str; 2] =
    ["import(`/sandbox/${name}.js`)", "import(\"/sandbox/partes.js\").then((all) => all[`${name}_js`])"];

/// A script of the source, without `.js`, and its text.
type Module = (&'static str, &'static str);

/// Name and text of each file: a script, and its source map.
pub(super) fn files(all: &[Module]) -> Vec<(String, String)> {
    let (mut seen, mut first, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    add(FIRST, all, &mut seen, &mut first);
    for (name, _) in all {
        add(name, all, &mut seen, &mut rest);
    }
    let head = format!("import {{ {} }} from \"./{FIRST}.js\";\n", names(&first));
    [(FIRST, String::new(), first), (REST, head, rest)]
        .into_iter()
        .flat_map(|(name, head, modules)| {
            let (text, map) = file(name, head, &modules);
            [(format!("sandbox/{name}.js"), text), (format!("sandbox/{name}.js.map"), map.to_string())]
        })
        .collect()
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

/// What the modules are called in the files.
fn names(modules: &[Module]) -> String {
    modules.iter().map(|(name, _)| format!("{name}_js")).collect::<Vec<_>>().join(", ")
}

/// A file of modules, and its source map.
fn file(name: &str, head: String, modules: &[Module]) -> (String, Value) {
    let mut out = head;
    let mut sections = Vec::new();
    for (module, text) in modules {
        let (mut exports, mut body) = (Vec::new(), String::new());
        for line in text.lines() {
            body.push_str(&rewritten(without_margin(line), &mut exports));
            body.push('\n');
        }
        let _ = writeln!(out, "const {module}_js = (() => {{");
        let lines = vec!["AACA"; text.lines().count().saturating_sub(1)];
        let mappings = [vec!["AAAA"], lines].concat().join(";");
        sections.push(json!({
            "offset": {"line": out.lines().count(), "column": 0},
            "map": {"version": 3, "sources": [format!("{module}.js")], "sourcesContent": [text], "names": [],
                "mappings": mappings},
        }));
        let _ = writeln!(out, "{body}return {{ {} }};\n}})();", exports.join(", "));
    }
    let _ = write!(out, "export {{ {} }};\n//# sourceMappingURL={name}.js.map\n", names(modules));
    (out, json!({"version": 3, "file": format!("{name}.js"), "sections": sections}))
}

/// A line of a module within its function. What it exports is added to `exports`.
fn rewritten<'a>(line: &'a str, exports: &mut Vec<&'a str>) -> Cow<'a, str> {
    if let Some((names, module)) = import(line) {
        return format!("const {{ {} }} = {module}_js;", names.replace(" as ", ": ")).into();
    }
    let Some(declared) = line.strip_prefix("export ") else {
        let [apart, together] = LOAD;
        return if line.contains(apart) { line.replace(apart, together).into() } else { line.into() };
    };
    // `const NAME`, `function NAME`, `async function NAME`, `class NAME`.
    let name = declared.trim_start_matches("async ").split_once(' ').map_or("", |(_, rest)| rest);
    exports.extend(name.split(|c: char| !c.is_alphanumeric() && c != '_').next());
    rewritten(declared, exports)
}

/// A line without its indentation; a comment or a type becomes an empty line, so that an error still names the line of the
/// source.
pub(super) fn without_margin(line: &str) -> &str {
    let line = line.trim_start();
    let is_comment = line.starts_with("//") || line.starts_with("/**") && line.ends_with("*/");
    if is_comment { "" } else { line }
}
