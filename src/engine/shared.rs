//! Values that many rule versions share, each kept once, and each version a short number of it.

use std::hash::{BuildHasher, Hash};

use foldhash::quality::FixedState;
use indexmap::IndexSet;

use crate::rule::{Escopo, VersaoRegra};
use crate::store::{StoreError, StoreResult};
use crate::value::{Municipio, Tributo, Uf};

/// Values that many versions share, each once.
#[derive(Debug, Clone)]
pub(super) struct Shared<T>(IndexSet<T>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Shared(IndexSet::new())
    }
}

impl<T: Hash + Eq> Shared<T> {
    /// Where the value stands; it is added where it is not there yet.
    pub(super) fn index(&mut self, value: T) -> StoreResult<u32> {
        short(self.0.insert_full(value).0 as u64)
    }

    /// The value that stands there.
    pub(super) fn get(&self, index: u32) -> Option<&T> {
        self.0.get_index(usize::try_from(index).ok()?)
    }

    /// Which of them pass, by index; `None` where all do.
    pub(super) fn passing(&self, asked: bool, passes: impl Fn(&T) -> bool) -> Option<Vec<bool>> {
        asked.then(|| self.0.iter().map(passes).collect())
    }
}

/// A number that is kept in half its length.
pub(super) fn short(number: u64) -> StoreResult<u32> {
    u32::try_from(number)
        .map_err(|_| StoreError::Corrupt(format!("more than {} values of one kind among the rules", u32::MAX)))
}

/// Where versions apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) uf_origem: Option<Uf>,
    pub(super) uf_destino: Option<Uf>,
    pub(super) municipio: Option<Municipio>,
}

impl Place {
    /// Where a rule of that scope applies.
    pub(super) fn of(escopo: &Escopo) -> Place {
        Place { uf_origem: escopo.uf_origem, uf_destino: escopo.uf_destino, municipio: escopo.municipio }
    }
}

/// A short hash of a scope. Versions are told apart by it only where an import looks for gaps.
pub(super) fn scope_hash(tributo: Tributo, escopo: &Escopo) -> u32 {
    let hash = FixedState::default().hash_one((tributo, escopo));
    u32::try_from(hash >> 32).unwrap_or_default()
}

/// To which tax a version belongs, and where it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Reach {
    pub(super) tributo: Tributo,
    pub(super) place: Place,
}

impl Reach {
    /// That of a version.
    pub(super) fn of(versao: &VersaoRegra) -> Reach {
        Reach { tributo: versao.tributo, place: Place::of(&versao.escopo) }
    }
}
