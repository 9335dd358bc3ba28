//! Hashes of scope keys: those that a calculation looked up, and those that a publication touched.
//!
//! The result cache is exact because both sides hash the same keys: an answer is removed if one of its
//! probes is among the touched ones.

use std::hash::BuildHasher;

use foldhash::quality::FixedState;

use crate::rule::Chave;

/// Hash of a scope key, or of one without its last dimension.
pub(super) fn probe(bytes: &[u8]) -> u64 {
    FixedState::default().hash_one(bytes)
}

/// Hashes of the scope keys that a publication touched, each also without its last dimension, since a lookup
/// may leave that open.
#[derive(Debug, Default)]
pub(super) struct Touched(Vec<u64>);

impl Touched {
    pub(super) fn add(&mut self, chave: &Chave) {
        self.0.extend([probe(&chave.bytes()), probe(&chave.bytes_before_last())]);
    }

    /// Sorts them. Call it after the last [`add`](Self::add) and before the first [`contains`](Self::contains).
    pub(super) fn sort(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// True if the hash is among them.
    pub(super) fn contains(&self, probe: u64) -> bool {
        self.0.binary_search(&probe).is_ok()
    }
}
