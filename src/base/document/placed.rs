//! The members of an object, each at the place of its declaration.

use super::node::{Node, Object};
use super::shape::Field;

/// Most fields of a declared object.
pub const MAX_FIELDS: usize = 64;

/// The members of an object, each at the place of its field: one pass over the object finds every field, the names that
/// are not declared, and whether a name may be repeated.
pub struct Placed<'o, 'a> {
    object: &'o Object<'a>,
    /// The member of each field, the first of several.
    values: [Option<&'o Node<'a>>; MAX_FIELDS],
    /// Names that are not declared, in the order of the document.
    pub unknown: Vec<&'o str>,
    /// False if no name is repeated, at any depth.
    pub may_repeat: bool,
}

impl<'o, 'a> Placed<'o, 'a> {
    /// The members of `object`. Members named in `beside` are not unknown; others read them.
    pub fn of(object: &'o Object<'a>, fields: &[Field], beside: &[&str]) -> Placed<'o, 'a> {
        let mut placed = Placed { object, values: [None; MAX_FIELDS], unknown: Vec::new(), may_repeat: false };
        let mut one_beside = false;
        // Most documents follow the order of the declaration.
        let mut next = 0;
        for (name, value) in &object.0 {
            placed.may_repeat |= matches!(value, Node::Object(_) | Node::List(_));
            let (before, after) = fields.split_at_checked(next).unwrap_or((fields, &[]));
            let place = match after.first() {
                Some(field) if field.name == name => Some(next),
                _ if beside.contains(&name.as_ref()) => {
                    placed.may_repeat |= std::mem::replace(&mut one_beside, true);
                    continue;
                }
                _ => {
                    let further = after.iter().position(|field| field.name == name).map(|place| place + next);
                    further.or_else(|| before.iter().position(|field| field.name == name))
                }
            };
            match place.and_then(|place| Some((place, placed.values.get_mut(place)?))) {
                Some((place, slot @ None)) => {
                    *slot = Some(value);
                    next = place + 1;
                }
                Some(_) => placed.may_repeat = true,
                None => {
                    placed.unknown.push(name);
                    placed.may_repeat = true;
                }
            }
        }
        placed
    }

    /// The members, to be taken field after field.
    pub fn members(&self) -> InOrder<'_, 'o, 'a> {
        InOrder { object: self.object, values: self.values.iter() }
    }
}

/// The members of an object in the order of the declaration.
pub struct InOrder<'p, 'o, 'a> {
    object: &'o Object<'a>,
    values: std::slice::Iter<'p, Option<&'o Node<'a>>>,
}

impl<'o, 'a> InOrder<'_, 'o, 'a> {
    pub fn object(&self) -> &'o Object<'a> {
        self.object
    }

    /// The member of the next field.
    pub fn take(&mut self) -> Option<&'o Node<'a>> {
        self.values.next().copied().flatten()
    }
}
