//! Hashes of scope keys: those that a calculation looked up, and those that a publication touched.
//!
//! The result cache is exact because both sides hash the same keys: an answer is removed if one of its
//! probes is among the touched ones.

use std::hash::BuildHasher;

use foldhash::quality::FixedState;

use crate::law::rule::{Chave, Dimension};

/// Hash of a scope key, or of one without its last dimension.
pub(super) fn probe(bytes: &[u8]) -> u64 {
    FixedState::default().hash_one(bytes)
}

/// Hashes of the scope keys that a publication touched, each also as far as every dimension that a lookup may leave
/// open.
#[derive(Debug, Default)]
pub(super) struct Touched {
    hashes: Vec<u64>,
    /// Hashes of the last key as far as each dimension. Most rules of a bundle have the same ones, and a million
    /// rules must not take a list of six million.
    last: [u64; Dimension::OPEN.len()],
}

impl Touched {
    pub(super) fn add(&mut self, chave: &Chave) {
        let bytes = chave.bytes();
        self.hashes.push(probe(&bytes));
        for (last, dimension) in self.last.iter_mut().zip(Dimension::OPEN) {
            let hash = probe(dimension.before(&bytes));
            if std::mem::replace(last, hash) != hash {
                self.hashes.push(hash);
            }
        }
    }

    /// Sorts them. Call it after the last [`add`](Self::add) and before the first [`contains_any`](Self::contains_any).
    pub(super) fn sort(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
    }

    /// The hashes, in order after [`sort`](Self::sort).
    pub(super) fn into_hashes(self) -> Vec<u64> {
        self.hashes
    }

    /// True if one of the hashes is among them.
    pub(super) fn contains_any(&self, probes: &[u64]) -> bool {
        probes.iter().any(|probe| self.hashes.binary_search(probe).is_ok())
    }
}
