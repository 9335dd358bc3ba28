//! Public types that share a name.

use std::collections::BTreeMap;

const KINDS: &[&str] = &["struct ", "enum ", "trait ", "type ", "union "];

/// How many public types have each name that more than one has.
pub fn shared(files: &[(String, String)]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for name in files.iter().flat_map(|(_, text)| text.lines()).filter_map(public_type) {
        *found.entry(name.to_owned()).or_default() += 1;
    }
    found.retain(|_, types| *types > 1);
    found
}

/// The name of the type that the line declares, if other modules see it.
fn public_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = if rest.starts_with('(') { rest.split_once(") ")?.1 } else { rest.strip_prefix(' ')? };
    let name = KINDS.iter().find_map(|kind| rest.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[test]
fn public_types_are_found() {
    assert_eq!(public_type("    pub(crate) struct Window<'a> {"), Some("Window"));
    assert_eq!(public_type("pub enum Turn;"), Some("Turn"));
    assert_eq!(public_type("struct Turn;"), None);
    assert_eq!(public_type("pub fn type_of()"), None);
}
