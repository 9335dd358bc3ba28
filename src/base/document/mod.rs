//! Documents become typed values, once, with every fault named.
//!
//! A payload, a scope, the content of a rule and the rule itself are all declared with the
//! [`document!`](crate::document!) macro: one declaration gives the struct, its reading, and the list of fields that
//! the sandbox form and the `OpenAPI` description are made from. Reading never stops at the first fault, so that a
//! caller can correct a document at once. [`components!`](crate::components!) does the same for what an answer shows.

mod declare;
mod fault;
mod field;
mod flat;
mod json;
mod lines;
mod node;
mod placed;
pub mod raw;
mod shape;
mod shown;
mod unchecked;
mod words;
mod written;

pub use fault::{Fault, Faults, Path, PathStep};
pub use field::{
    Document, FromNode, default_value, edits, from_required, nearest, read_field, refuse_unknown, wrong_type,
};
pub use flat::parse_payload;
pub use lines::Lines;
pub use node::{JsonFault, MAX_PAYLOAD_VALUES, Node, Object, has_too_many_values, text_of, without_bom};
pub use placed::{InOrder, MAX_FIELDS, Placed};
pub use shape::{Field, Role, Shape, names};
pub use shown::{AnyComponents, Shown, Sometimes};
pub use unchecked::WhenUsed;
pub use words::Words;
pub use written::{WriteResult, close_object, is_plain, write_list, write_plain, write_text};
