//! A field that some rules use and the others ignore.

use super::fault::{Faults, Path};
use super::field::FromNode;
use super::node::{Node, Object};
use super::shape::Shape;

/// An optional value that is checked when a rule uses it: a rule that ignores the field ignores its faults too.
#[derive(Debug, Clone, PartialEq)]
pub struct WhenUsed<T>(Result<Option<T>, Faults>);

impl<T: Copy> WhenUsed<T> {
    /// The value; `None` if it was left out. Fails with its faults.
    pub fn checked(&self) -> Result<Option<T>, Faults> {
        self.0.clone()
    }

    /// True if the field is neither left out nor of the described form.
    pub fn is_faulty(&self) -> bool {
        self.0.is_err()
    }
}

impl<T: FromNode> FromNode for WhenUsed<T> {
    const SHAPE: Shape = T::SHAPE;
    const OPTIONAL: bool = true;

    /// Never adds a fault.
    fn from_node(node: &Node<'_>, within: &Object<'_>, at: &Path<'_>, _: &mut Faults) -> Option<Self> {
        let mut faults = Faults::default();
        Some(match T::from_node(node, within, at, &mut faults) {
            Some(value) if faults.is_empty() => WhenUsed(Ok(Some(value))),
            _ => WhenUsed(Err(faults)),
        })
    }

    fn absent() -> Option<Self> {
        Some(WhenUsed(Ok(None)))
    }
}
