//! Sanitised payloads and paths: only the fields of the tax, and nothing that may be a secret.

use std::borrow::Cow;

use crate::base::document::{
    Document, Node, Object, Placed, WriteResult, has_too_many_values, parse_payload, write_plain, write_text,
};
use crate::base::value::{REMOVED, looks_secret};
use crate::law::operation::OperationFacts;
use crate::law::tax;

/// Longest text that is not cut, in characters; the longest name of a municipality has 32.
const MAX_CHARS: usize = 64;

/// The member that names the tax.
const TRIBUTO: &str = "tributo";

/// A text, cut or replaced.
fn clean(text: &str) -> Cow<'_, str> {
    if looks_secret(text) {
        return Cow::Borrowed(REMOVED);
    }
    if text.len() <= MAX_CHARS {
        return Cow::Borrowed(text);
    }
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// A path without escapes and secrets.
pub fn clean_path(path: &str) -> Cow<'_, str> {
    if path.contains('%') { Cow::Borrowed(REMOVED) } else { clean(path) }
}

/// Path of the calculations of an operation, whose facts name no tax.
pub const OPERACAO: &str = "/sandbox/v1/operacao";
/// Path of the calculations of a list.
pub const LISTA: &str = "/sandbox/v1/lista";
/// Path of the audits of documents.
pub const DOCUMENTOS: &str = "/sandbox/v1/documentos";

/// The end of the logged path of a call that supposed a figure: its answer was not law, so nothing that compares calls with
/// the rules may take it for one.
pub const SUPOSTO: &str = "?supondo";

/// The path without the mark of a supposed figure.
fn unmarked(path: &str) -> &str {
    path.strip_suffix(SUPOSTO).unwrap_or(path)
}

/// True of what the page looks up by itself: all of its own paths but those that calculate.
pub fn is_look_up(path: &str) -> bool {
    path.starts_with("/sandbox/") && ![OPERACAO, LISTA, DOCUMENTOS].contains(&unmarked(path))
}

/// Writes a member of the log's object. Its name is a declared one, without letters to escape.
fn write_member(out: &mut Vec<u8>, name: &str, value: &Node<'_>) -> WriteResult {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    write_plain(out, name.as_bytes());
    out.push(b':');
    match value {
        Node::Text(text) => write_text(out, &clean(text)),
        Node::List(_) => write_text(out, "[lista]"),
        Node::Object(_) => write_text(out, "[objeto]"),
        Node::Null | Node::Bool(_) | Node::Int(_) | Node::Float(_) | Node::Figure(_) => {
            serde_json::to_writer(out, value)
        }
    }
}

/// Writes the members of a payload that may be logged, in the order of their declaration; of the facts of an operation
/// if `is_operation`.
fn write_subset(out: &mut Vec<u8>, payload: &Object<'_>, is_operation: bool) -> WriteResult {
    let (fields, beside) = match payload.get(TRIBUTO) {
        _ if is_operation => (OperationFacts::FIELDS, &[][..]),
        Some(tributo @ Node::Text(name)) => {
            write_member(out, TRIBUTO, tributo)?;
            (tax::find(name).map_or(&[][..], |entry| entry.payload), &[TRIBUTO][..])
        }
        _ => return Ok(()),
    };
    let placed = Placed::of(payload, fields, beside);
    let mut members = placed.members();
    for field in fields {
        if let Some(value) = members.take() {
            write_member(out, field.name, value)?;
        }
    }
    Ok(())
}

/// The sanitised subset of a payload (contract, section 2.5), as a JSON object: the fields of its tax with the values as
/// sent, long texts cut, and everything that looks like a key removed. Empty if it is not a payload or has too many
/// values. Sanitising the result changes nothing.
pub fn sanitised(payload: &[u8]) -> String {
    subset(payload, false)
}

/// The same of what was sent to that path.
pub fn sanitised_at(path: &str, payload: &[u8]) -> String {
    subset(payload, unmarked(path) == OPERACAO)
}

fn subset(bytes: &[u8], is_operation: bool) -> String {
    if has_too_many_values(bytes) {
        return "{}".to_owned();
    }
    parse_payload(bytes).map_or_else(|_| "{}".to_owned(), |payload| subset_of(&payload, bytes.len(), is_operation))
}

/// The same of a payload of a calculation that was parsed already, of so many bytes.
pub fn sanitised_node(payload: &Node<'_>, bytes: usize) -> String {
    subset_of(payload, bytes, false)
}

fn subset_of(payload: &Node<'_>, bytes: usize, is_operation: bool) -> String {
    let Node::Object(payload) = payload else { return "{}".to_owned() };
    let mut out = Vec::with_capacity(bytes + 1);
    out.push(b'{');
    match write_subset(&mut out, payload, is_operation) {
        Ok(()) => out.push(b'}'),
        Err(_) => out = b"{}".to_vec(),
    }
    String::from_utf8(out).unwrap_or_else(|_| "{}".to_owned())
}
