//! A JSON document as a tree that keeps order and repeated keys, and borrows its text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::fault::{Faults, Path};
use crate::base::problem::ErrorCode;
use crate::base::value::shorten;

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
    #[must_use]
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
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node<'a>> {
        self.0.iter().find(|(k, _)| k == name).map(|(_, v)| v)
    }

    /// Removes and returns it. The order of the others changes.
    pub fn take(&mut self, name: &str) -> Option<Node<'a>> {
        let place = self.0.iter().position(|(k, _)| k == name)?;
        Some(self.0.swap_remove(place).1)
    }
}

/// Most values of a payload, with those in its lists and objects. A payload of the contract has some twenty, and a
/// value costs many times the memory of its bytes.
pub const MAX_PAYLOAD_VALUES: usize = 5_000;

/// True if a payload has more values, counted by its brackets and commas.
#[must_use]
pub fn has_too_many_values(payload: &[u8]) -> bool {
    let begins_one = |byte: &&u8| matches!(byte, b',' | b'[' | b'{');
    payload.len() > MAX_PAYLOAD_VALUES && payload.iter().filter(begins_one).count() > MAX_PAYLOAD_VALUES
}

/// The bytes without the byte order mark (U+FEFF) that some editors write. A JSON reader may ignore it (RFC 8259,
/// section 8.1).
#[must_use]
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

    /// Fails unless the bytes are one document. Keeps nothing in memory.
    pub fn check(bytes: &[u8]) -> Result<(), JsonFault> {
        serde_json::from_str::<Skipped>(text_of(bytes)?).map(drop).map_err(|e| JsonFault::of(&e))
    }

    /// The value as a whole number. `2026.0` is one, as in JSON Schema. `None` for any other value, and beyond 2^53
    /// for a float.
    #[must_use]
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

    /// The type in Portuguese, for a sentence such as "veio um texto".
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Node::Null => "nulo",
            Node::Bool(_) => "um booleano",
            Node::Int(_) | Node::Float(_) => "um número",
            Node::Text(_) => "um texto",
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

/// A string, borrowed from the document if it has no escapes.
struct Borrowed<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Borrowed<'de> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match d.deserialize_str(NodeVisitor)? {
            Node::Text(text) => Ok(Borrowed(text)),
            _ => Err(serde::de::Error::custom("a string was expected")),
        }
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }
    fn visit_bool<E>(self, v: bool) -> Result<Node<'de>, E> {
        Ok(Node::Bool(v))
    }
    fn visit_i64<E>(self, v: i64) -> Result<Node<'de>, E> {
        Ok(Node::Int(v))
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "only its being a number matters: no figure is read from a JSON number"
    )]
    fn visit_u64<E>(self, v: u64) -> Result<Node<'de>, E> {
        Ok(i64::try_from(v).map_or(Node::Float(v as f64), Node::Int))
    }
    fn visit_f64<E>(self, v: f64) -> Result<Node<'de>, E> {
        Ok(Node::Float(v))
    }
    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(v)))
    }
    fn visit_str<E>(self, v: &str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(v.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = map.next_key::<Borrowed<'de>>()? {
            members.push((key.0, map.next_value()?));
        }
        Ok(Node::Object(Object(members)))
    }
}

/// Any value, parsed and dropped. The parser limits its nesting, as for a [`Node`].
struct Skipped;

impl<'de> Visitor<'de> for Skipped {
    type Value = Skipped;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Skipped, E> {
        Ok(Skipped)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Skipped, E> {
        Ok(Skipped)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Skipped, E> {
        Ok(Skipped)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Skipped, E> {
        Ok(Skipped)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Skipped, E> {
        Ok(Skipped)
    }
    fn visit_str<E>(self, _: &str) -> Result<Skipped, E> {
        Ok(Skipped)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Skipped, A::Error> {
        while seq.next_element::<Skipped>()?.is_some() {}
        Ok(Skipped)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Skipped, A::Error> {
        while map.next_entry::<Skipped, Skipped>()?.is_some() {}
        Ok(Skipped)
    }
}

impl<'de> Deserialize<'de> for Skipped {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Skipped)
    }
}

impl<'de> Deserialize<'de> for Node<'de> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(NodeVisitor)
    }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Null => s.serialize_unit(),
            Node::Bool(v) => s.serialize_bool(*v),
            Node::Int(v) => s.serialize_i64(*v),
            Node::Float(v) => s.serialize_f64(*v),
            Node::Text(v) => s.serialize_str(v),
            Node::List(items) => {
                let mut seq = s.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Node::Object(object) => {
                let mut map = s.serialize_map(Some(object.0.len()))?;
                for (key, value) in &object.0 {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl From<&'static str> for Node<'static> {
    fn from(text: &'static str) -> Self {
        Node::Text(Cow::Borrowed(text))
    }
}

impl From<bool> for Node<'static> {
    fn from(value: bool) -> Self {
        Node::Bool(value)
    }
}
