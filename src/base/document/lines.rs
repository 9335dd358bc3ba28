//! Finds the lines of faulty values.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::fault::PathStep;
use super::node::without_bom;
use super::raw;

/// Finds the lines of values in one document. Used only when there are faults to report. The items of a list
/// with many faults are located once.
pub struct Lines<'s> {
    source: &'s str,
    /// Offset of every line end.
    ends: Vec<usize>,
    lists: HashMap<Vec<PathStep>, Vec<&'s str>>,
}

impl<'s> Lines<'s> {
    /// The lines of a document. Bytes that [`Node::parse`](super::Node::parse) refuses have none.
    pub fn of(bytes: &'s [u8]) -> Lines<'s> {
        let source = std::str::from_utf8(without_bom(bytes)).unwrap_or_default();
        let ends = source.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect();
        Lines { source, ends, lists: HashMap::new() }
    }

    /// The line (from 1) on which the value at `path` begins. If the value does not exist, the line of the deepest
    /// part of the path that does. The first `list` steps lead to the list that is worth keeping. If a key is
    /// repeated, `last` selects its last occurrence, otherwise its first.
    pub fn line(&mut self, path: &[PathStep], list: usize, last: bool) -> usize {
        let source = self.source;
        let here = match (path.get(..list), path.get(list), path.get(list + 1..)) {
            (Some(head), Some(PathStep::Index(i)), Some(rest)) => {
                let items = self
                    .lists
                    .entry(head.to_vec())
                    .or_insert_with(|| texts_of(descend(source, head, false)).unwrap_or_default());
                items.get(*i).map_or_else(|| descend(source, head, last), |item| descend(item, rest, last))
            }
            _ => descend(source, path, last),
        };
        // `here` is a slice of `source`, so the distance between them is a byte offset.
        let offset = (here.as_ptr() as usize).saturating_sub(source.as_ptr() as usize);
        self.ends.partition_point(|end| *end < offset) + 1
    }
}

fn texts_of(list: &str) -> Option<Vec<&str>> {
    Some(raw::items(list).ok()?.into_iter().map(RawValue::get).collect())
}

/// The text of the value at `path`, as deep as the path exists.
fn descend<'s>(source: &'s str, path: &[PathStep], last: bool) -> &'s str {
    let mut here = source;
    for step in path {
        let next = match step {
            PathStep::Key(name) => raw::members(here).ok().and_then(|members| {
                let mut named = members.into_iter().filter(|(k, _)| k == name).map(|(_, v)| v.get());
                if last { named.next_back() } else { named.next() }
            }),
            PathStep::Index(i) => texts_of(here).and_then(|items| items.get(*i).copied()),
        };
        match next {
            Some(inner) => here = inner,
            None => break,
        }
    }
    here
}
