//! The rules that name a dimension which a lookup left open, by the keys before it.
//!
//! A calculation asks whether a field that was not given would have led to another rule. Reading the rules for each
//! calculation would cost up to half of it, so the lists are kept as the result cache keeps answers: nothing is read or
//! kept while a publication is being swept, and a publication drops exactly the lists of the keys that it touches.

use std::sync::Arc;

use super::cache::Sharded;
use super::touched::{Touched, probe};
use crate::core::store::{RuleTables, StoreError, StoreResult};
use crate::law::rule::{Chave, Dimension, Linha, Nomeada, OpenDimension, Place};

/// Most keys of a list. A day is only searched among them, so a scope of millions of rules costs no more.
const MAX_KEYS: usize = 4_096;
/// Keys of the first reading when lists are not kept; each further one reads eight times as many.
const FIRST_READING: usize = 8;
/// Most lists: one for each NCM of the TIPI, and for its prefixes.
const MAX_LISTS: usize = 32_768;
/// Most bytes of all lists.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A list, and the hashes of the bytes that its keys begin with, as far as their open dimension.
#[derive(Clone)]
pub(super) struct NamedList {
    pub(super) probes: Arc<[u64]>,
    pub(super) list: Arc<[Nomeada]>,
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
        self.0.forget(|_, kept| kept.probes.iter().any(|probe| touched.contains(*probe)));
    }

    /// Drops every list.
    pub(super) fn forget_all(&self) {
        self.0.forget(|_, _| true);
    }

    /// The list of `chaves`, kept or read. `is_valid` returns true while no publication has begun since the snapshot of
    /// `tables`.
    pub(super) fn list(
        &self,
        tables: &impl RuleTables,
        chaves: &mut dyn Iterator<Item = Chave>,
        open: &OpenDimension<'_>,
        is_valid: &dyn Fn() -> bool,
    ) -> StoreResult<NamedList> {
        let Some(first) = chaves.next() else { return Ok(NamedList { probes: [].into(), list: [].into() }) };
        let name = Begin::of(&first, open).key;
        if let Some(kept) = self.0.get(name.as_slice())
            && is_valid()
        {
            return Ok(kept);
        }
        let (mut probes, mut list) = (Vec::new(), Vec::new());
        for chave in std::iter::once(first).chain(chaves) {
            let begin = Begin::of(&chave, open);
            probes.push(begin.probe);
            for row in tables.rows(&begin.key, Place::From(&begin.first(open)), MAX_KEYS)? {
                list.extend(named(&row, open.dimension));
            }
        }
        let kept = NamedList { probes: probes.into(), list: list.into() };
        self.0.put_if(name.into(), kept.clone(), is_valid);
        Ok(kept)
    }
}

/// What the keys of a list begin with.
pub(super) struct Begin {
    /// The bytes.
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
