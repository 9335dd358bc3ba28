//! Values that many rule versions share: each is kept once, and a version has its index, of four bytes.

use std::hash::{BuildHasher, Hash};

use foldhash::quality::FixedState;
use indexmap::IndexSet;

use crate::base::value::{Municipio, Tributo, Uf};
use crate::law::rule::{Escopo, VersaoRegra};
use crate::store::{StoreError, StoreResult};

/// A set of values with an index for each.
#[derive(Debug, Clone)]
pub(super) struct Interner<T>(IndexSet<T>);

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner(IndexSet::new())
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The index of the value, which is added if it is new. Fails after four thousand million values.
    pub(super) fn index(&mut self, value: T) -> StoreResult<u32> {
        to_u32(self.0.insert_full(value).0 as u64)
    }

    pub(super) fn get(&self, index: u32) -> Option<&T> {
        self.0.get_index(usize::try_from(index).ok()?)
    }

    /// Which values pass, by index; `None` if the filter was not `asked` for.
    pub(super) fn passing(&self, asked: bool, passes: impl Fn(&T) -> bool) -> Option<Vec<bool>> {
        asked.then(|| self.0.iter().map(passes).collect())
    }
}

/// The number in four bytes. Fails if it does not fit.
pub(super) fn to_u32(number: u64) -> StoreResult<u32> {
    u32::try_from(number)
        .map_err(|_| StoreError::Corrupt(format!("more than {} values of one kind among the rules", u32::MAX)))
}

/// The UFs and the municipality that a scope names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Location {
    pub(super) uf_origem: Option<Uf>,
    pub(super) uf_destino: Option<Uf>,
    pub(super) municipio: Option<Municipio>,
}

impl Location {
    pub(super) fn of(escopo: &Escopo) -> Location {
        Location { uf_origem: escopo.uf_origem, uf_destino: escopo.uf_destino, municipio: escopo.municipio }
    }
}

/// A short hash of a scope. Only the search for gaps compares versions by it.
pub(super) fn scope_hash(tributo: Tributo, escopo: &Escopo) -> u32 {
    let hash = FixedState::default().hash_one((tributo, escopo));
    u32::try_from(hash >> 32).unwrap_or_default()
}

/// The tax of a version, and where it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Jurisdiction {
    pub(super) tributo: Tributo,
    pub(super) location: Location,
}

impl Jurisdiction {
    pub fn of(versao: &VersaoRegra) -> Jurisdiction {
        Jurisdiction { tributo: versao.tributo, location: Location::of(&versao.escopo) }
    }
}
