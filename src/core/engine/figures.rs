//! Whether a rule answers, from the figures that its content establishes.

use crate::base::document::{Field, Node, Object, Shape};
use crate::law::tax::Entry;

/// What a rule does with the requests that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleState {
    Answers,
    /// It refuses some of them, because a figure is null.
    Partly,
    /// It refuses all of them, because a figure is null.
    Refuses,
    /// It refuses all of them, because their regime is calculated by other means.
    RefusesByName,
    /// It refuses all of them, because the tax is extinct.
    Extinct,
}

/// The state of a rule with this content. A null refuses some requests. It refuses every request if it is a figure of
/// the content itself, or if all of a list of brackets is null, unless a member beside it answers some
/// ([`Entry::answers_without_figure`]), or the null leaves a part of the answer of this scope
/// ([`Entry::answers_beside_null`]). `palavras` are the words of its scope.
pub(super) fn state_of(content: &Object<'_>, entry: &Entry, palavras: &[&'static str]) -> RuleState {
    if content.get("recusa").is_some() {
        return RuleState::RefusesByName;
    }
    if (entry.extinction)(content).is_some() {
        return RuleState::Extinct;
    }
    let (mut needed, mut nulls_beside, mut answers_beside) = (Figures::default(), 0, false);
    let part = entry.answers_beside_null.filter(|(_, palavra)| palavras.contains(palavra)).map(|(campo, _)| campo);
    for (field, value) in declared(content, entry.conteudo) {
        if part == Some(field.name) && *value == Node::Null {
            nulls_beside += 1;
            answers_beside = true;
        } else if entry.answers_without_figure.contains(&field.name) {
            let mut beside = Figures::default();
            beside.add(&field.shape, field.name, value, content, entry);
            nulls_beside += beside.null;
            answers_beside |= beside.established > 0 || beside.null == 0;
        } else if matches!(field.shape, Shape::Document(_)) {
            needed.add(&field.shape, field.name, value, content, entry);
        } else {
            needed.add_whole(&field.shape, field.name, value, content, entry);
        }
    }
    if needed.null + nulls_beside == 0 {
        RuleState::Answers
    } else if !answers_beside && (needed.all_null > 0 || needed.established == 0) {
        RuleState::Refuses
    } else {
        RuleState::Partly
    }
}

/// The members of an object that are declared, each with its declaration.
fn declared<'o, 'a>(object: &'o Object<'a>, fields: &'o [Field]) -> impl Iterator<Item = (&'o Field, &'o Node<'a>)> {
    object.0.iter().filter_map(|(name, value)| Some((fields.iter().find(|field| field.name == name)?, value)))
}

#[derive(Default)]
struct Figures {
    established: usize,
    null: usize,
    /// Figures of the content itself that are null, and lists that have null figures and no established one.
    all_null: usize,
}

impl Figures {
    /// Counts the figures of a value, and the value itself if all of them are null.
    fn add_whole(&mut self, shape: &Shape, name: &str, value: &Node<'_>, within: &Object<'_>, entry: &Entry) {
        let mut inner = Figures::default();
        inner.add(shape, name, value, within, entry);
        self.established += inner.established;
        self.null += inner.null;
        self.all_null += inner.all_null + usize::from(inner.established == 0 && inner.null > 0);
    }

    /// Counts the figures of a value of this shape: its amounts and rates. Leaves out those whose null needs no reason,
    /// such as the open end of a last bracket.
    fn add(&mut self, shape: &Shape, name: &str, value: &Node<'_>, within: &Object<'_>, entry: &Entry) {
        match (shape, value) {
            (Shape::List(inner), Node::List(items)) => {
                for item in items {
                    self.add(inner, name, item, within, entry);
                }
            }
            // A single value counts as a list of one.
            (Shape::List(inner), one) => self.add(inner, name, one, within, entry),
            (Shape::Document(fields), Node::Object(object)) => {
                for (field, value) in declared(object, fields) {
                    if matches!(field.shape, Shape::List(_)) {
                        self.add_whole(&field.shape, field.name, value, object, entry);
                    } else {
                        self.add(&field.shape, field.name, value, object, entry);
                    }
                }
            }
            (Shape::Amount | Shape::PositiveAmount | Shape::Rate | Shape::SignedRate, value)
                if (entry.null_needs_motivo)(name, within) =>
            {
                *(if *value == Node::Null { &mut self.null } else { &mut self.established }) += 1;
            }
            // A method of calculation that is not established refuses as a figure does.
            (Shape::OneOf(_), Node::Null) if (entry.null_needs_motivo)(name, within) => self.null += 1,
            _ => {}
        }
    }
}
