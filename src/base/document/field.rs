//! How a typed value is read from a document, and how the declaration of a value describes it.

use super::fault::{Faults, Path};
use super::node::{Node, Object};
use super::words::Words;
use crate::base::problem::ErrorCode;
use crate::base::value::shorten;

/// What a value looks like: for reading it, for the form, for the API description and for the sentences of
/// faults. A declaration of an answer uses the same shapes: an amount is then in BRL with two places, and a list
/// is always written as a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Any text.
    Text,
    /// A text of a fixed form, described by an example.
    Code {
        /// What it is called, in Portuguese.
        name: &'static str,
        /// Regular expression of the accepted form.
        pattern: &'static str,
        /// One that is accepted.
        example: &'static str,
    },
    /// A decimal string, not below zero.
    Amount,
    /// A decimal string above zero.
    PositiveAmount,
    /// A decimal string in percent points, not below zero.
    Rate,
    /// A difference in percent points, with or without a sign.
    SignedRate,
    /// A date, `YYYY-MM-DD`.
    Date,
    /// An instant, ISO 8601 with an offset.
    Instant,
    /// One of the listed texts.
    OneOf(Words),
    /// `true` or `false`.
    Bool,
    /// A whole number within the bounds, both included.
    Int {
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A list of such values.
    List(&'static Shape),
    /// An object with these fields.
    Document(&'static [Field]),
}

/// One declared field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// Name in the document.
    pub name: &'static str,
    /// What people call it, in Portuguese.
    pub label: &'static str,
    /// What else to know of it: the rest of the description, with the punctuation after the label.
    pub rest: &'static str,
    /// What it looks like.
    pub shape: Shape,
    /// True if it may not be left out.
    pub required: bool,
    /// True if it may be null.
    pub nullable: bool,
    /// JSON text of the value that applies when it is left out.
    pub default: Option<&'static str>,
}

impl Field {
    /// What the field means: the label and what else to know.
    #[must_use]
    pub fn description(&self) -> String {
        [self.label, self.rest].concat()
    }

    /// A field that may be left out and has no default.
    #[must_use]
    pub const fn optional(name: &'static str, shape: Shape, label: &'static str) -> Field {
        Field { name, label, rest: "", shape, required: false, nullable: false, default: None }
    }
}

/// A value that can be read from a document.
pub trait FromNode: Sized {
    /// What the value looks like.
    const SHAPE: Shape;
    /// True for values that may be left out.
    const OPTIONAL: bool = false;

    /// Reads the value. Adds a fault and returns `None` if it is wrong. `within` is the object around the value: a
    /// município depends on the UF beside it.
    fn from_node(node: &Node<'_>, within: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self>;

    /// The value of an absent field, if it may be absent.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// The value of `null`, if it may be null.
    #[must_use]
    fn null() -> Option<Self> {
        Self::absent()
    }
}

/// A declared object: see [`document!`](crate::document!).
pub trait Document: Sized {
    /// Its fields, in order.
    const FIELDS: &'static [Field];

    /// Reads all fields and adds every fault. Ignores fields that are not declared.
    fn read(object: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self>;
}

/// Reads the field `name` of `object`; `missing` names the fault of its absence.
pub fn read_field<T: FromNode>(
    object: &Object<'_>,
    name: &'static str,
    at: &Path<'_>,
    faults: &mut Faults,
    default: Option<Node<'static>>,
    missing: ErrorCode,
) -> Option<T> {
    let here = at.key(name);
    let value = match object.get(name) {
        Some(Node::Null) => T::null(),
        Some(node) => return T::from_node(node, object, &here, faults),
        None => T::absent(),
    };
    if value.is_some() {
        return value;
    }
    if let Some(node) = default {
        return T::from_node(&node, object, &here, faults);
    }
    faults.add(&here, missing, format!("O campo `{name}` é obrigatório: informe {}.", T::SHAPE.describe()));
    None
}

/// The value of a node that must be an object with the fields of `T` and no other.
pub fn from_required<T: Document>(node: &Node<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<T> {
    let Node::Object(object) = node else {
        faults.add(at, ErrorCode::TipoInvalido, format!("Esperava um objeto; veio {}.", node.kind()));
        return None;
    };
    refuse_unknown(object, T::FIELDS, at, faults);
    T::read(object, at, faults)
}

/// Most unknown fields of an object that are reported one by one.
const MAX_UNKNOWN_FIELDS: usize = 50;

/// Adds a fault for every member of `object` that is not declared. More than [`MAX_UNKNOWN_FIELDS`] are one fault
/// together: suggesting a name for each would cost more than a calculation.
pub fn refuse_unknown(object: &Object<'_>, fields: &[Field], at: &Path<'_>, faults: &mut Faults) {
    let unknown = unknown_fields(object, fields);
    let accepted = || fields.iter().map(|f| f.name).collect::<Vec<_>>().join(", ");
    if let Some(first) = unknown.first().filter(|_| unknown.len() > MAX_UNKNOWN_FIELDS) {
        let (shown, others, accepted) = (shorten(first), unknown.len() - 1, accepted());
        let detail =
            format!("O campo `{shown}` e outros {others} não existem aqui. Os campos aceitos são: {accepted}.");
        faults.add(&at.key(first), ErrorCode::CampoDesconhecido, detail);
        return;
    }
    for name in unknown {
        let hint = match nearest(name, fields.iter().map(|f| f.name)) {
            Some(near) => format!(" Você quis dizer `{near}`?"),
            None => format!(" Os campos aceitos são: {}.", accepted()),
        };
        let shown = shorten(name);
        faults.add(&at.key(name), ErrorCode::CampoDesconhecido, format!("O campo `{shown}` não existe aqui.{hint}"));
    }
}

/// The members of `object` that are not declared, in the document's order.
#[must_use]
pub fn unknown_fields<'a>(object: &'a Object<'_>, fields: &[Field]) -> Vec<&'a str> {
    let known = |name: &str| fields.iter().any(|f| f.name == name);
    object.0.iter().map(|(k, _)| k.as_ref()).filter(|k| !known(k)).collect()
}

/// Longer words are not compared: no name of the contract is as long.
const MAX_COMPARED_BYTES: usize = 60;

/// The candidate nearest to `word`, if one is near enough.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates.filter_map(|c| Some((edits(word, c)?, c))).min_by_key(|(edits, _)| *edits).map(|(_, c)| c)
}

/// The number of edits that make `candidate` of `word`; `None` if they are more than a third of its length.
#[must_use]
pub fn edits(word: &str, candidate: &str) -> Option<usize> {
    let most = (candidate.chars().count() / 3).max(1);
    if word.len() > MAX_COMPARED_BYTES || least_edits(word, candidate) > most {
        return None;
    }
    Some(strsim::damerau_levenshtein(word, candidate)).filter(|edits| *edits <= most)
}

/// A lower bound of the edits between the words, from how often each letter occurs. It costs a fiftieth of
/// counting the edits.
fn least_edits(word: &str, candidate: &str) -> usize {
    const BUCKETS: usize = 32;
    let bucket = |c: char| u32::from(c) as usize % BUCKETS;
    let mut balance = [0_isize; BUCKETS];
    let mut count = |text: &str, by: isize| {
        for c in text.chars() {
            if let Some(letter) = balance.get_mut(bucket(c)) {
                *letter += by;
            }
        }
    };
    count(word, 1);
    count(candidate, -1);
    let sum = |sign: isize| balance.iter().map(|letter| (letter * sign).max(0).unsigned_abs()).sum::<usize>();
    sum(1).max(sum(-1))
}

impl Shape {
    /// The accepted values in Portuguese: "um decimal entre aspas, como ...".
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Shape::Text => "um texto".to_owned(),
            Shape::Code { name, example, .. } => format!("{name} (como \"{example}\")"),
            Shape::Amount | Shape::PositiveAmount => "um decimal entre aspas, como \"1234.50\"".to_owned(),
            Shape::Rate | Shape::SignedRate => {
                "uma alíquota em pontos percentuais entre aspas, como \"18.00\"".to_owned()
            }
            Shape::Date => "uma data AAAA-MM-DD".to_owned(),
            Shape::Instant => "um instante em ISO 8601".to_owned(),
            Shape::OneOf(words) => format!("um destes: {}", words.listed()),
            Shape::Bool => "true ou false".to_owned(),
            Shape::Int { min, max } => format!("um inteiro de {min} a {max}"),
            Shape::List(inner) => format!("uma lista de itens, cada um {}", inner.describe()),
            Shape::Document(fields) => {
                format!("um objeto com {}", fields.iter().map(|f| f.name).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Adds the fault that the value at `at` has the wrong type.
pub fn wrong_type(shape: &Shape, node: &Node<'_>, at: &Path<'_>, faults: &mut Faults) {
    faults.add(at, ErrorCode::TipoInvalido, format!("Esperava {}; veio {}.", shape.describe(), node.kind()));
}

impl<T: FromNode> FromNode for Option<T> {
    const SHAPE: Shape = T::SHAPE;
    const OPTIONAL: bool = true;

    fn from_node(node: &Node<'_>, within: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        T::from_node(node, within, at, faults).map(Some)
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    fn null() -> Option<Self> {
        Some(T::null())
    }
}

/// A list that may be left out (empty). A single value is read as a list of one.
impl<T: FromNode> FromNode for Vec<T>
where
    T: 'static,
{
    const SHAPE: Shape = Shape::List(&T::SHAPE);
    const OPTIONAL: bool = true;

    fn from_node(node: &Node<'_>, within: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        match node {
            Node::List(items) => {
                let read: Vec<Option<T>> = items
                    .iter()
                    .enumerate()
                    .map(|(i, item)| T::from_node(item, within, &at.index(i), faults))
                    .collect();
                read.into_iter().collect()
            }
            Node::Object(_) => {
                wrong_type(&Self::SHAPE, node, at, faults);
                None
            }
            one => T::from_node(one, within, at, faults).map(|v| vec![v]),
        }
    }
    fn absent() -> Option<Self> {
        Some(Vec::new())
    }
}

impl FromNode for bool {
    const SHAPE: Shape = Shape::Bool;

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        if let Node::Bool(value) = node {
            return Some(*value);
        }
        wrong_type(&Self::SHAPE, node, at, faults);
        None
    }
}
