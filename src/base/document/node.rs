//! A JSON document as a tree that keeps order and repeated keys, and borrows its text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use rust_decimal::Decimal;

use super::fault::{Faults, Path};
use crate::problem::ErrorCode;
use crate::value::{read_written, shorten};

/// One JSON value. Nesting is bounded by the parser (128 levels).
#[derive(Debug, Clone, PartialEq)]
pub enum Node<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without fraction or exponent that fits 64 bits.
    Int(i64),
    /// Any other number.
    Float(f64),
    Text(Cow<'a, str>),
    /// An amount or a rate that this program made. In JSON it is a string.
    Figure(Decimal),
    List(Vec<Node<'a>>),
    Object(Object<'a>),
}

/// Up to this many members, comparing all pairs is faster than hashing.
const FEW_MEMBERS: usize = 24;

/// Most repeated keys that are reported: a fault for each of thousands would cost more than parsing them.
const MAX_REPEATED: usize = 50;

/// 2^53: up to here every whole number is exact as a float.
const MAX_WHOLE_FLOAT: f64 = 9_007_199_254_740_992.0;

/// A JSON object: its members in the order of the document, repeated ones included.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object<'a>(pub Vec<(Cow<'a, str>, Node<'a>)>);

/// Why a text is not JSON. Line and column are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonFault {
    pub line: usize,
    /// Column of the fault, in bytes.
    pub column: usize,
    /// The reason in Portuguese.
    pub reason: &'static str,
}

impl fmt::Display for JsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "linha {}, coluna {}: {}", self.line, self.column, self.reason)
    }
}

impl JsonFault {
    /// The fault that `serde_json` reports.
    pub fn of(error: &serde_json::Error) -> JsonFault {
        let reason = match error.classify() {
            serde_json::error::Category::Eof => "o documento acaba antes da hora",
            _ if error.to_string().starts_with("recursion limit") => "o documento está aninhado demais",
            _ if error.to_string().starts_with("number out of range") => "número grande demais",
            _ if error.to_string().starts_with("trailing characters") => "há texto depois do fim do documento",
            _ => "erro de sintaxe",
        };
        JsonFault { line: error.line(), column: error.column(), reason }
    }
}

impl<'a> Object<'a> {
    /// The member of that name, or the first of several.
    pub fn get(&self, name: &str) -> Option<&Node<'a>> {
        self.0.iter().find(|(k, _)| k == name).map(|(_, v)| v)
    }

    /// Removes and returns it. The order of the others changes.
    pub fn take(&mut self, name: &str) -> Option<Node<'a>> {
        let place = self.0.iter().position(|(k, _)| k == name)?;
        Some(self.0.swap_remove(place).1)
    }

    /// The text of a member; `None` if it has none or is of another type.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.text()
    }

    /// Adds a member, or gives it another value.
    pub fn set(&mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Node<'a>>) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, member)) => *member = value.into(),
            None => self.0.push((name, value.into())),
        }
    }

    /// The same object, which borrows nothing.
    pub fn into_owned(self) -> Object<'static> {
        Object(self.0.into_iter().map(|(name, value)| (name.into_owned().into(), value.into_owned())).collect())
    }
}

/// Most values of a payload, with those in its lists and objects. A payload of the contract has some twenty, and a
/// value costs many times the memory of its bytes.
pub const MAX_PAYLOAD_VALUES: usize = 5_000;

/// True if a payload has more values, counted by its brackets and commas.
pub fn has_too_many_values(payload: &[u8]) -> bool {
    let begins_one = |byte: &&u8| matches!(byte, b',' | b'[' | b'{');
    payload.len() > MAX_PAYLOAD_VALUES && payload.iter().filter(begins_one).count() > MAX_PAYLOAD_VALUES
}

/// The bytes without the byte order mark (U+FEFF) that some editors write. A JSON reader may ignore it (RFC 8259,
/// section 8.1).
pub fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The text of a document, without a byte order mark. Fails if it is not UTF-8, or blank.
pub fn text_of(bytes: &[u8]) -> Result<&str, JsonFault> {
    let bytes = without_bom(bytes);
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let before = bytes.get(..e.valid_up_to()).unwrap_or_default();
        let line = before.split(|b| *b == b'\n').count();
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        JsonFault { line, column, reason: "o texto não é UTF-8" }
    })?;
    if text.trim_ascii().is_empty() {
        return Err(JsonFault { line: 1, column: 1, reason: "o documento está vazio" });
    }
    Ok(text)
}

impl<'a> Node<'a> {
    /// Reads one document; nothing may follow it. A byte order mark before it is skipped and not counted in columns.
    pub fn parse(bytes: &'a [u8]) -> Result<Node<'a>, JsonFault> {
        Node::parse_text(text_of(bytes)?)
    }

    /// As [`parse`](Self::parse), of a text that has no byte order mark and is not empty.
    pub fn parse_text(text: &'a str) -> Result<Node<'a>, JsonFault> {
        serde_json::from_str(text).map_err(|e| JsonFault::of(&e))
    }

    /// The value as a whole number. `2026.0` is one, as in JSON Schema. `None` for any other value, and beyond 2^53
    /// for a float.
    pub fn whole(&self) -> Option<i64> {
        match *self {
            Node::Int(value) => Some(value),
            Node::Float(value) if value.fract() == 0.0 && value.abs() <= MAX_WHOLE_FLOAT =>
            {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole, and far within 64 bits")]
                Some(value as i64)
            }
            _ => None,
        }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        if let Node::Text(text) = self { Some(text) } else { None }
    }

    /// The same, moved out.
    pub fn into_text(self) -> Option<Cow<'a, str>> {
        if let Node::Text(text) = self { Some(text) } else { None }
    }

    /// The figure, which JSON writes as a string.
    pub fn figure(&self) -> Option<Decimal> {
        match self {
            Node::Figure(figure) => Some(*figure),
            Node::Text(text) => read_written(text),
            _ => None,
        }
    }

    /// The same value, which borrows nothing.
    pub fn into_owned(self) -> Node<'static> {
        match self {
            Node::Null => Node::Null,
            Node::Bool(value) => Node::Bool(value),
            Node::Int(value) => Node::Int(value),
            Node::Float(value) => Node::Float(value),
            Node::Figure(value) => Node::Figure(value),
            Node::Text(text) => Node::Text(text.into_owned().into()),
            Node::List(items) => Node::List(items.into_iter().map(Node::into_owned).collect()),
            Node::Object(object) => Node::Object(object.into_owned()),
        }
    }

    /// The type in Portuguese, for a sentence such as "veio um texto".
    pub fn kind(&self) -> &'static str {
        match self {
            Node::Null => "nulo",
            Node::Bool(_) => "um booleano",
            Node::Int(_) | Node::Float(_) => "um número",
            Node::Text(_) | Node::Figure(_) => "um texto",
            Node::List(_) => "uma lista",
            Node::Object(_) => "um objeto",
        }
    }

    /// Reports repeated keys, at any depth, up to [`MAX_REPEATED`].
    pub fn refuse_repeated(&self, at: &Path<'_>, faults: &mut Faults) {
        self.report_repeated(at, faults, &mut { MAX_REPEATED });
    }

    /// Reports up to `most` repeated keys and subtracts them from it.
    fn report_repeated(&self, at: &Path<'_>, faults: &mut Faults, most: &mut usize) {
        match self {
            Node::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    item.report_repeated(&at.index(i), faults, most);
                }
            }
            Node::Object(object) => object.report_repeated(at, faults, most),
            _ => {}
        }
    }
}

impl Object<'_> {
    /// Reports repeated keys of the object and of everything in it, up to [`MAX_REPEATED`].
    pub fn refuse_repeated(&self, at: &Path<'_>, faults: &mut Faults) {
        self.report_repeated(at, faults, &mut { MAX_REPEATED });
    }

    fn report_repeated(&self, at: &Path<'_>, faults: &mut Faults, most: &mut usize) {
        let mut seen = (self.0.len() > FEW_MEMBERS).then(HashSet::new);
        for (index, (key, value)) in self.0.iter().enumerate() {
            let repeated = match &mut seen {
                Some(seen) => !seen.insert(key.as_ref()),
                None => self.0.iter().take(index).any(|(before, _)| before == key),
            };
            if *most == 0 {
                return;
            }
            if repeated {
                *most -= 1;
                faults.add(
                    &at.key(key),
                    ErrorCode::ChaveDuplicada,
                    format!("O campo `{}` aparece mais de uma vez; deixe só um.", shorten(key)),
                );
            }
            value.report_repeated(&at.key(key), faults, most);
        }
    }
}

impl<'a> From<&'a str> for Node<'a> {
    fn from(text: &'a str) -> Self {
        Node::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Node<'_> {
    fn from(text: String) -> Self {
        Node::Text(Cow::Owned(text))
    }
}

impl From<Decimal> for Node<'_> {
    fn from(figure: Decimal) -> Self {
        Node::Figure(figure)
    }
}

impl From<bool> for Node<'_> {
    fn from(value: bool) -> Self {
        Node::Bool(value)
    }
}
