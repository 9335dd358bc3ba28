//! The rules that name a dimension which a lookup left open, by the keys before it.
//!
//! A calculation asks whether a field that was not given would have led to another rule. Reading the rules for each
//! calculation would cost up to half of it, so the lists are [kept](super::cache::keys).

use std::sync::Arc;

use super::cache::keys::{Kept, KeptList};
use super::touched::probe;
use crate::law::rule::{Chave, Dimension, Linha, Nomeada, OpenDimension, Place};
use crate::store::{RuleTables, StoreError, StoreResult};

/// Most keys of a list. A day is only searched among them, so a scope of millions of rules costs no more.
const MAX_KEYS: usize = 4_096;
/// Keys of the first reading when lists are not kept; each further one reads eight times as many.
const FIRST_READING: usize = 8;

/// The list of `chaves`, kept or read. `name` is emptied and used. `is_valid` returns true while no publication has begun
/// since the snapshot of `tables`.
pub(super) fn list(
    kept: &Kept,
    tables: &impl RuleTables,
    (chaves, open): (&mut dyn Iterator<Item = Chave>, &OpenDimension<'_>),
    name: &mut Vec<u8>,
    is_valid: &dyn Fn() -> bool,
) -> StoreResult<Option<Arc<KeptList<Nomeada>>>> {
    let Some(first) = chaves.next() else { return Ok(None) };
    first.write_before(open.dimension, name);
    name.extend_from_slice(open.begins);
    let read = || {
        let (mut probes, mut list) = (Vec::new(), Vec::new());
        for chave in std::iter::once(first).chain(chaves) {
            let begin = Begin::of(&chave, open);
            probes.push(begin.probe);
            for row in tables.rows(&begin.key, Place::From(&begin.first(open)), MAX_KEYS)? {
                list.extend(named(&row, open.dimension));
            }
        }
        Ok((probes, list))
    };
    kept.lists.find((name, probe(name)), is_valid, read).map(Some)
}

/// What the keys of a list begin with.
pub(super) struct Begin {
    key: Vec<u8>,
    /// Hash of the bytes before the dimension.
    pub(super) probe: u64,
}

impl Begin {
    pub(super) fn of(chave: &Chave, open: &OpenDimension<'_>) -> Begin {
        let mut key = chave.bytes_before(open.dimension);
        let probe = probe(&key);
        key.extend_from_slice(open.begins);
        Begin { key, probe }
    }

    /// Where reading begins: at the first key that names the dimension. No part of a key has a byte below 2.
    fn first(&self, open: &OpenDimension<'_>) -> Vec<u8> {
        let named: &[u8] = if open.begins.is_empty() { &[1] } else { &[] };
        [self.key.as_slice(), named].concat()
    }
}

fn named(row: &Linha, dimension: Dimension) -> impl Iterator<Item = Nomeada> {
    let valor: Box<str> = dimension.of(&row.chave).into();
    row.versoes.iter().map(move |(numero, vigencia)| Nomeada {
        valor: valor.clone(),
        numero: *numero,
        vigencia: *vigencia,
    })
}

/// Reads the versions of a list in growing parts until `take` has enough of it.
pub(super) fn read_until<E: From<StoreError>>(
    tables: &impl RuleTables,
    begin: &Begin,
    open: &OpenDimension<'_>,
    mut take: impl FnMut(&Nomeada) -> Result<bool, E>,
) -> Result<(), E> {
    let mut from = begin.first(open);
    let mut left = MAX_KEYS;
    let mut reading = FIRST_READING;
    while left > 0 {
        let rows = tables.rows(&begin.key, Place::From(&from), reading.min(left))?;
        for row in &rows {
            for version in named(row, open.dimension) {
                if take(&version)? {
                    return Ok(());
                }
            }
        }
        match rows.last() {
            Some(last) if rows.len() == reading.min(left) => from = [last.chave.as_slice(), &[0]].concat(),
            _ => return Ok(()),
        }
        left -= rows.len();
        reading *= 8;
    }
    Ok(())
}
