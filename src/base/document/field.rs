//! How a typed value is read from a document.

use super::fault::{Faults, Path};
use super::node::{Node, Object};
use super::placed::{InOrder, Placed};
use super::shape::{Field, Shape, names};
use crate::problem::ErrorCode;
use crate::sentence::{Reader, Sentence};
use crate::value::shorten;

/// A value that can be read from a document.
pub trait FromNode: Sized {
    const SHAPE: Shape;
    /// True for values that may be left out.
    const OPTIONAL: bool = false;

    /// Reads the value. Adds a fault and returns `None` if it is wrong. `within` is the object around the value: a
    /// município depends on the UF beside it.
    fn from_node(node: &Node<'_>, within: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self>;

    /// The value of an absent field, if it may be absent.
    fn absent() -> Option<Self> {
        None
    }

    /// The value of `null`, if it may be null.
    fn null() -> Option<Self> {
        Self::absent()
    }
}

/// A declared object: see [`document!`](crate::document!).
pub trait Document: Sized {
    const FIELDS: &'static [Field];

    /// Reads all fields and adds every fault. Ignores fields that are not declared.
    fn read(object: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        Self::read_placed(&Placed::of(object, Self::FIELDS, &[]), at, faults)
    }

    /// The same of members that are at their places already.
    fn read_placed(placed: &Placed<'_, '_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self>;
}

/// Reads the next field, whose name is `name`; `missing` names the fault of its absence.
pub fn read_field<T: FromNode>(
    members: &mut InOrder<'_, '_, '_>,
    name: &'static str,
    at: &Path<'_>,
    faults: &mut Faults,
    default: Option<fn() -> Option<T>>,
    missing: ErrorCode,
) -> Option<T> {
    let here = at.key(name);
    let value = match members.take() {
        Some(Node::Null) => T::null(),
        Some(node) => return T::from_node(node, members.object(), &here, faults),
        None => T::absent(),
    };
    let value = value.or_else(|| default.and_then(|default| default()));
    if value.is_none() {
        let shape = T::SHAPE.describe();
        let detail = Sentence::both(
            format!("O campo `{name}` é obrigatório: informe {shape}."),
            format!("Falta informar {}.", shape.read_by(Reader::Person)),
        );
        faults.add(&here, missing, detail);
    }
    value
}

/// The value of a declared default; `None` if the declaration is wrong.
pub fn default_value<T: FromNode>(node: &Node<'_>) -> Option<T> {
    T::from_node(node, &Object::default(), &Path::ROOT, &mut Faults::default())
}

/// The value of a node that must be an object with the fields of `T` and no other.
pub fn from_required<T: Document>(node: &Node<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<T> {
    let Node::Object(object) = node else {
        faults.add(at, ErrorCode::TipoInvalido, format!("Esperava um objeto; veio {}.", node.kind()));
        return None;
    };
    let placed = Placed::of(object, T::FIELDS, &[]);
    refuse_unknown(&placed, &names(T::FIELDS), at, faults);
    T::read_placed(&placed, at, faults)
}

/// Most unknown fields of an object that are reported one by one.
const MAX_UNKNOWN_FIELDS: usize = 50;

/// Adds a fault for every member that is not declared; `accepted` are the names to suggest instead. More than
/// [`MAX_UNKNOWN_FIELDS`] are one fault together: suggesting a name for each would cost more than a calculation.
pub fn refuse_unknown<'n>(
    placed: &Placed<'_, '_>,
    accepted: &(impl Iterator<Item = &'n str> + Clone),
    at: &Path<'_>,
    faults: &mut Faults,
) {
    let unknown = &placed.unknown;
    let listed = || accepted.clone().collect::<Vec<_>>().join(", ");
    if let Some(first) = unknown.first().filter(|_| unknown.len() > MAX_UNKNOWN_FIELDS) {
        let (shown, others, listed) = (shorten(first), unknown.len() - 1, listed());
        let detail = Sentence::both(
            format!("O campo `{shown}` e outros {others} não existem aqui. Os campos aceitos são: {listed}."),
            format!("O campo `{shown}` e outros {others} não se usam aqui."),
        );
        faults.add(&at.key(first), ErrorCode::CampoDesconhecido, detail);
        return;
    }
    for name in unknown {
        let hint = match nearest(name, accepted.clone()) {
            Some(near) => format!(" Você quis dizer `{near}`?"),
            None => format!(" Os campos aceitos são: {}.", listed()),
        };
        let shown = shorten(name);
        let detail =
            Sentence::both(format!("O campo `{shown}` não existe aqui.{hint}"), "Este cálculo não usa este campo.");
        faults.add(&at.key(name), ErrorCode::CampoDesconhecido, detail);
    }
}

/// Longer words are not compared: no name of the contract is as long.
const MAX_COMPARED_BYTES: usize = 60;

/// The candidate nearest to `word`, if one is near enough.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates.filter_map(|c| Some((edits(word, c)?, c))).min_by_key(|(edits, _)| *edits).map(|(_, c)| c)
}

/// The number of edits that make `candidate` of `word`; `None` if they are more than a third of its length.
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

/// Adds the fault that the value at `at` has the wrong type.
pub fn wrong_type(shape: &Shape, node: &Node<'_>, at: &Path<'_>, faults: &mut Faults) {
    let (shape, kind) = (shape.describe(), node.kind());
    let detail = Sentence::of(|to| format!("Esperava {}; veio {kind}.", shape.read_by(to)));
    faults.add(at, ErrorCode::TipoInvalido, detail);
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
