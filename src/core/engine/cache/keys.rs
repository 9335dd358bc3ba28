//! What was read of the rules, kept in memory: the versions under a key, under the keys of an NCM and its prefixes, and
//! the lists of [`named`](crate::engine::named).
//!
//! Looking a key up in the data file costs some two thousand instructions, and most calculations ask for the same few
//! keys, many of which have no rule. What was read is kept as the result cache keeps answers: nothing is read or kept
//! while a publication is being swept, and a publication drops exactly what depends on a key that it touches.

use std::sync::Arc;

use super::Sharded;
use crate::base::value::Ncm;
use crate::engine::touched::{Touched, probe};
use crate::law::rule::{Chave, Nomeada};
use crate::store::{LookupEntry, RuleTables, StoreResult};

/// Most keys, and most NCMs in a place: those of the built-in rules, and as many that have no rule.
const MAX_KEYS: usize = 65_536;
const MAX_KEYS_BYTES: usize = 16 * 1024 * 1024;
/// Most lists: one for each NCM of the TIPI, and for its prefixes.
const MAX_LISTS: usize = 32_768;
const MAX_LISTS_BYTES: usize = 8 * 1024 * 1024;
/// Estimate of what is taken in addition to the bytes of the parts: the nodes in the map and in the list.
const OVERHEAD_BYTES: usize = 192;
/// Ends the name of a series of keys. No key has the byte.
const SERIES: u8 = 1;

/// A version under one of several keys, with the place of that key among them.
pub(in crate::engine) type KeyVersion = (usize, LookupEntry);

/// What was read under a name, and the hashes of the keys that it depends on.
pub(in crate::engine) struct KeptList<T> {
    name: Box<[u8]>,
    pub(in crate::engine) probes: Box<[u64]>,
    pub(in crate::engine) list: Box<[T]>,
}

impl<T> KeptList<T> {
    /// The memory that it takes; `heap` is what an item takes beside itself.
    fn bytes(&self, heap: impl Fn(&T) -> usize) -> usize {
        let list = size_of_val(&*self.list) + self.list.iter().map(heap).sum::<usize>();
        self.name.len() + size_of_val(&*self.probes) + list + OVERHEAD_BYTES
    }
}

/// The lists read since the publications that touched them, by the hashes of their names. Of two names with one hash, the
/// last one is kept.
pub(in crate::engine) struct KeptLists<T>(Sharded<u64, Arc<KeptList<T>>>);

impl<T> KeptLists<T> {
    fn forget(&self, touched: &Touched) {
        self.0.forget(Arc::clone, |kept| touched.contains_any(&kept.probes));
    }

    /// The list of that name and its hash, kept or made by `read`, which returns probes and list. `is_valid` returns
    /// true while no publication has begun since the snapshot that `read` reads.
    pub(in crate::engine) fn find(
        &self,
        (name, hash): (&[u8], u64),
        is_valid: &dyn Fn() -> bool,
        read: impl FnOnce() -> StoreResult<(Vec<u64>, Vec<T>)>,
    ) -> StoreResult<Arc<KeptList<T>>> {
        let kept = self.0.find(&hash, |kept| (*kept.name == *name).then(|| Arc::clone(kept)));
        if let Some(kept) = kept
            && is_valid()
        {
            return Ok(kept);
        }
        let (probes, list) = read()?;
        let list = Arc::new(KeptList { name: name.into(), probes: probes.into(), list: list.into() });
        self.0.put_if(hash, Arc::clone(&list), is_valid);
        Ok(list)
    }
}

pub(in crate::engine) struct Kept {
    keys: KeptLists<KeyVersion>,
    /// Lists of the rules that name an open dimension.
    pub(in crate::engine) lists: KeptLists<Nomeada>,
}

impl Default for Kept {
    fn default() -> Self {
        let keys = Sharded::weighed(MAX_KEYS, MAX_KEYS_BYTES, |_, kept: &Arc<KeptList<_>>| kept.bytes(|_| 0));
        let lists = Sharded::weighed(MAX_LISTS, MAX_LISTS_BYTES, |_, kept: &Arc<KeptList<Nomeada>>| {
            kept.bytes(|named| named.valor.len())
        });
        Kept { keys: KeptLists(keys), lists: KeptLists(lists) }
    }
}

impl Kept {
    /// Drops what depends on a key that a publication touched.
    pub(in crate::engine) fn forget(&self, touched: &Touched) {
        self.keys.forget(touched);
        self.lists.forget(touched);
    }

    pub(in crate::engine) fn forget_all(&self) {
        self.keys.0.forget(|_| (), |()| true);
        self.lists.0.forget(|_| (), |()| true);
    }

    /// The versions under the key of these bytes and this hash.
    pub(in crate::engine) fn key(
        &self,
        tables: &impl RuleTables,
        (key, hash): (&[u8], u64),
        is_valid: &dyn Fn() -> bool,
    ) -> StoreResult<Arc<KeptList<KeyVersion>>> {
        let read = || Ok((vec![hash], tables.entries_at(key)?.into_iter().map(|entry| (0, entry)).collect()));
        self.keys.find((key, hash), is_valid, read)
    }

    /// The versions under the keys of an NCM in these places ([`Chave::under`]). `name` is emptied and used.
    pub(in crate::engine) fn series(
        &self,
        tables: &impl RuleTables,
        (places, ncm): (&[Chave], &Ncm),
        name: &mut Vec<u8>,
        is_valid: &dyn Fn() -> bool,
    ) -> StoreResult<Arc<KeptList<KeyVersion>>> {
        name.clear();
        for place in places {
            place.write(name);
        }
        name.extend_from_slice(ncm.as_bytes());
        name.push(SERIES);
        let read = || {
            let (mut probes, mut list) = (Vec::new(), Vec::new());
            for (place, key) in Chave::under(places, ncm).enumerate() {
                let key = key.bytes();
                let hash = probe(&key);
                probes.push(hash);
                // Other NCMs have the shorter prefixes too.
                if place < places.len() {
                    list.extend(tables.entries_at(&key)?.into_iter().map(|entry| (place, entry)));
                } else {
                    let shared = self.key(tables, (&key, hash), is_valid)?;
                    list.extend(shared.list.iter().map(|(_, entry)| (place, *entry)));
                }
            }
            Ok((probes, list))
        };
        self.keys.find((name, probe(name)), is_valid, read)
    }
}
