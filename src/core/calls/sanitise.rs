//! Sanitised payloads and paths: only the fields of the tax, and nothing that may be a secret.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::base::document::{Document, Node, Object, has_too_many_values, parse_payload};
use crate::base::value::{REMOVED, looks_secret};
use crate::law::operation::OperationFacts;
use crate::law::tax;

/// Longest text that is not cut, in characters; the longest name of a municipality has 32.
const MAX_CHARS: usize = 64;

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
#[must_use]
pub fn clean_path(path: &str) -> Cow<'_, str> {
    if path.contains('%') { Cow::Borrowed(REMOVED) } else { clean(path) }
}

/// Path of the calculations of an operation, whose facts name no tax.
pub const OPERACAO: &str = "/sandbox/v1/operacao";
/// Path of the calculations of a list.
pub const LISTA: &str = "/sandbox/v1/lista";
/// Path of the audits of documents.
pub const DOCUMENTOS: &str = "/sandbox/v1/documentos";

/// True of what the page looks up by itself: all of its own paths but those that calculate.
pub fn is_look_up(path: &str) -> bool {
    path.starts_with("/sandbox/") && ![OPERACAO, LISTA, DOCUMENTOS].contains(&path)
}

/// The members of a payload that may be logged; of the facts of an operation if `is_operation`.
struct Subset<'a> {
    payload: &'a Object<'a>,
    is_operation: bool,
}

impl Serialize for Subset<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        let fields = match self.payload.get("tributo") {
            _ if self.is_operation => OperationFacts::FIELDS,
            Some(Node::Text(name)) => {
                map.serialize_entry("tributo", &clean(name))?;
                tax::find(name).map_or(&[][..], |entry| entry.payload)
            }
            _ => return map.end(),
        };
        for field in fields {
            match self.payload.get(field.name) {
                None => {}
                Some(Node::Text(text)) => map.serialize_entry(field.name, &clean(text))?,
                Some(Node::List(_)) => map.serialize_entry(field.name, "[lista]")?,
                Some(Node::Object(_)) => map.serialize_entry(field.name, "[objeto]")?,
                Some(plain @ (Node::Null | Node::Bool(_) | Node::Int(_) | Node::Float(_) | Node::Figure(_))) => {
                    map.serialize_entry(field.name, plain)?;
                }
            }
        }
        map.end()
    }
}

/// The sanitised subset of a payload (contract, section 2.5), as a JSON object: the fields of its tax with the values as
/// sent, long texts cut, and everything that looks like a key removed. Empty if it is not a payload or has too many
/// values. Sanitising the result changes nothing.
#[must_use]
pub fn sanitised(payload: &[u8]) -> String {
    subset(payload, false)
}

/// The same of what was sent to that path.
#[must_use]
pub fn sanitised_at(path: &str, payload: &[u8]) -> String {
    subset(payload, path == OPERACAO)
}

fn subset(payload: &[u8], is_operation: bool) -> String {
    if has_too_many_values(payload) {
        return "{}".to_owned();
    }
    let document = parse_payload(payload);
    let Ok(Node::Object(payload)) = &document else { return "{}".to_owned() };
    serde_json::to_string(&Subset { payload, is_operation }).unwrap_or_else(|_| "{}".to_owned())
}
