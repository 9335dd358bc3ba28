//! The versions that answer under a scope key, kept in memory.
//!
//! Looking a key up in the data file costs some two thousand instructions, and most calculations ask for the same few
//! keys, many of which have no rule. The keys are kept as the result cache keeps answers: nothing is read or kept while
//! a publication is being swept, and a publication drops exactly the keys that it touches.

use super::cache::Sharded;
use super::touched::Touched;
use crate::base::value::Date;
use crate::core::store::{LookupEntry, RuleTables, StoreResult};

/// Most keys: those of the built-in rules, and as many that have no rule.
const MAX_KEYS: usize = 65_536;
/// Most bytes of all keys.
const MAX_BYTES: usize = 12 * 1024 * 1024;
/// Estimate of what a key takes in addition to its own bytes: its nodes in the map and in the list.
const KEY_OVERHEAD_BYTES: usize = 128;

/// A key and its versions.
#[derive(Clone)]
struct KeptKey {
    key: Box<[u8]>,
    versions: Box<[LookupEntry]>,
}

/// The keys that were looked up since the publications that touched them, by their [probes](super::touched::probe). Of
/// two keys with one hash, the last one is kept.
pub(super) struct KeptKeys(Sharded<u64, KeptKey>);

impl Default for KeptKeys {
    fn default() -> Self {
        KeptKeys(Sharded::weighed(MAX_KEYS, MAX_BYTES, |_, kept: &KeptKey| {
            kept.key.len() + size_of_val(&*kept.versions) + KEY_OVERHEAD_BYTES
        }))
    }
}

impl KeptKeys {
    /// Drops the keys that a publication touched.
    pub(super) fn forget(&self, touched: &Touched) {
        self.0.forget(|probe, _| touched.contains(*probe));
    }

    /// Drops every key.
    pub(super) fn forget_all(&self) {
        self.0.forget(|_, _| true);
    }

    /// The version that answers on that day, kept or read. `is_valid` returns true while no publication has begun since
    /// the snapshot of `tables`.
    pub(super) fn find(
        &self,
        tables: &impl RuleTables,
        (key, probe): (&[u8], u64),
        data: Date,
        is_valid: &dyn Fn() -> bool,
    ) -> StoreResult<Option<LookupEntry>> {
        let on_that_day = |versions: &[LookupEntry]| versions.iter().find(|v| v.vigencia.covers(data)).copied();
        let kept = self.0.find(&probe, |kept| (*kept.key == *key).then(|| on_that_day(&kept.versions)));
        if let Some(kept) = kept
            && is_valid()
        {
            return Ok(kept);
        }
        let versions: Box<[LookupEntry]> = tables.entries_at(key)?.into();
        let found = on_that_day(&versions);
        self.0.put_if(probe, KeptKey { key: key.into(), versions }, is_valid);
        Ok(found)
    }
}
