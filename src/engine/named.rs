//! The rules that name a dimension which a lookup left open, by the keys before it.
//!
//! A calculation asks whether a field that was not given would have led to another rule. Reading the rules for each
//! calculation would cost up to half of it, so the lists are kept as the result cache keeps answers: nothing is read or
//! kept while a publication is being swept, and a publication drops exactly the lists of the keys that it touches.

use std::sync::Arc;

use super::cache::Sharded;
use super::touched::{Touched, probe};
use crate::rule::{Dimension, Linha, Nomeada, Place};
use crate::store::{RuleTables, StoreResult};

/// Most keys of a list. A day is only searched among them, so a scope of millions of rules costs no more.
const MAX_KEYS: usize = 4_096;
/// Keys of the first reading when lists are not kept; each further one reads eight times as many.
const FIRST_READING: usize = 8;
/// Most lists: one for each NCM of the TIPI, and for its prefixes.
const MAX_LISTS: usize = 32_768;
/// Most bytes of all lists.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A list, and the hash of the bytes that its keys begin with.
#[derive(Clone)]
pub(super) struct NamedList {
    probe: u64,
    list: Arc<[Nomeada]>,
}

/// The lists that were read since the publications that touched them.
pub(super) struct NamedLists(Sharded<Box<[u8]>, NamedList>);

impl Default for NamedLists {
    fn default() -> Self {
        NamedLists(Sharded::weighed(MAX_LISTS, MAX_BYTES, |key, kept: &NamedList| {
            let values: usize = kept.list.iter().map(|named| size_of::<Nomeada>() + named.valor.len()).sum();
            key.len() + size_of::<NamedList>() + values
        }))
    }
}

impl NamedLists {
    /// Drops the lists whose keys begin with touched bytes.
    pub(super) fn forget(&self, touched: &Touched) {
        self.0.forget(|kept| touched.contains(kept.probe));
    }

    /// Drops every list.
    pub(super) fn forget_all(&self) {
        self.0.forget(|_| true);
    }

    /// The list of the keys that begin with `prefix`, kept or read. `is_valid` returns true while no publication has
    /// begun since the snapshot of `tables`.
    pub(super) fn list(
        &self,
        tables: &impl RuleTables,
        prefix: &[u8],
        dimension: Dimension,
        is_valid: &dyn Fn() -> bool,
    ) -> StoreResult<Arc<[Nomeada]>> {
        if let Some(kept) = self.0.get(prefix)
            && is_valid()
        {
            return Ok(kept.list);
        }
        let list: Arc<[Nomeada]> = tables
            .rows(prefix, Place::From(&first_named(prefix)), MAX_KEYS)?
            .iter()
            .flat_map(|row| named(row, dimension))
            .collect();
        let kept = NamedList { probe: probe(prefix), list: Arc::clone(&list) };
        self.0.put_if(prefix.into(), kept, is_valid);
        Ok(list)
    }
}

/// The first bytes after `prefix` that name the next dimension: no part of a key has a byte below 2.
fn first_named(prefix: &[u8]) -> Vec<u8> {
    [prefix, &[1]].concat()
}

fn named(row: &Linha, dimension: Dimension) -> impl Iterator<Item = Nomeada> {
    let valor: Box<str> = dimension.of(&row.chave).into();
    row.versoes.iter().map(move |(numero, vigencia)| Nomeada {
        valor: valor.clone(),
        numero: *numero,
        vigencia: *vigencia,
    })
}

/// Reads the list in growing parts until `take` has enough of it.
pub(super) fn read_until<E: From<crate::store::StoreError>>(
    tables: &impl RuleTables,
    prefix: &[u8],
    dimension: Dimension,
    mut take: impl FnMut(&Nomeada) -> Result<bool, E>,
) -> Result<(), E> {
    let mut from = first_named(prefix);
    let mut left = MAX_KEYS;
    let mut reading = FIRST_READING;
    while left > 0 {
        let rows = tables.rows(prefix, Place::From(&from), reading.min(left))?;
        for row in &rows {
            for version in named(row, dimension) {
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
