//! A layout in the elements of another that says the same, so that one reader serves both.

use std::borrow::Cow;

use super::xml::{Element, first_step};

/// Copies each text from the first path of a row to the second, where it is found.
pub(super) fn moved(element: &mut Element<'_>, table: &[(&str, &str)]) {
    for (from, to) in table {
        if let Some(found) = element.find(from) {
            let text = found.text.clone();
            put(element, to, text);
        }
    }
}

/// The first element on a path, in which `*` is any element.
pub(super) fn found_mut<'e, 't>(element: &'e mut Element<'t>, path: &str) -> Option<&'e mut Element<'t>> {
    let (name, rest) = first_step(path);
    let child = element.children.iter_mut().find(|child| name == "*" || child.name == name)?;
    if rest.is_empty() { Some(child) } else { found_mut(child, rest) }
}

/// Sets the text at a path, whose elements are added where they are missing.
pub(super) fn put<'t>(element: &mut Element<'t>, path: &str, text: Cow<'t, str>) {
    let (name, rest) = first_step(path);
    let line = element.line;
    let at = element.children.iter().position(|child| child.name == name).unwrap_or_else(|| {
        element.children.push(Element { name: name.to_owned().into(), line, ..Element::default() });
        element.children.len() - 1
    });
    match element.children.get_mut(at) {
        Some(child) if rest.is_empty() => child.text = text,
        Some(child) => put(child, rest, text),
        None => {}
    }
}
