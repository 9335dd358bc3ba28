//! What the engine remembers: decoded rules, and answers to payloads.
//!
//! The result cache is exact. Each answer keeps the scope keys that its calculation asked
//! for; a publication names the keys that it touched, and exactly the answers that asked for
//! one of them are forgotten.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

/// Shards, so that threads seldom meet at one lock.
const SHARDS: usize = 16;
/// A payload longer than this is answered and not remembered: the contract's payloads have a
/// few hundred bytes, and the cache must stay small whatever is sent.
const MAX_PAYLOAD_BYTES: usize = 4 * 1024;

/// A longer answer is not remembered either; the contract's have one or two KiB.
const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// A least-recently-used map in shards.
pub(super) struct Sharded<K, V> {
    shards: Vec<Mutex<LruCache<K, V>>>,
    hasher: RandomState,
}

impl<K: Hash + Eq, V: Clone> Sharded<K, V> {
    /// Room for `capacity` entries in all; none for 0.
    pub(super) fn new(capacity: usize) -> Self {
        let each = NonZeroUsize::new(capacity.div_ceil(SHARDS));
        let shards = match each {
            Some(each) => (0..SHARDS).map(|_| Mutex::new(LruCache::new(each))).collect(),
            None => Vec::new(),
        };
        Sharded { shards, hasher: RandomState::new() }
    }

    fn shard<Q: Hash + ?Sized>(&self, key: &Q) -> Option<MutexGuard<'_, LruCache<K, V>>> {
        // A shard holds whole entries only, so one that a panicking thread left is still sound.
        let index = usize::try_from(self.hasher.hash_one(key) % SHARDS as u64).ok()?;
        self.shards.get(index).map(|s| s.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        Q: Hash + Eq + ?Sized,
        K: std::borrow::Borrow<Q>,
    {
        self.shard(key)?.get(key).cloned()
    }

    /// Keeps the entry if `still_valid` says so once no other thread can see the shard.
    pub(super) fn put_if(&self, key: K, value: V, still_valid: impl FnOnce() -> bool) {
        if let Some(mut shard) = self.shard(&key)
            && still_valid()
        {
            shard.put(key, value);
        }
    }
}

/// A remembered answer.
#[derive(Clone)]
struct Entry {
    body: Arc<[u8]>,
    /// Hashes of the scope keys asked for. Two keys with one hash cost an answer, never its
    /// correctness.
    probes: Arc<[u64]>,
}

/// Payload bytes, and whether the calculation memory was asked for.
type Key = (bool, Box<[u8]>);

/// Answers by payload.
pub(super) struct ResultCache {
    entries: Sharded<Key, Entry>,
}

impl ResultCache {
    pub(super) fn new(capacity: usize) -> Self {
        ResultCache { entries: Sharded::new(capacity) }
    }

    pub(super) fn get(&self, payload: &[u8], memoria: bool) -> Option<Arc<[u8]>> {
        if payload.len() > MAX_PAYLOAD_BYTES {
            return None;
        }
        self.entries.get(&(memoria, Box::from(payload))).map(|entry| entry.body)
    }

    /// Keeps an answer, unless a publication came between its calculation and now.
    pub(super) fn put(
        &self,
        payload: &[u8],
        memoria: bool,
        body: &[u8],
        probes: Vec<u64>,
        still_valid: impl FnOnce() -> bool,
    ) {
        if payload.len() <= MAX_PAYLOAD_BYTES && body.len() <= MAX_ANSWER_BYTES {
            let entry = Entry { body: Arc::from(body), probes: probes.into() };
            self.entries.put_if((memoria, Box::from(payload)), entry, still_valid);
        }
    }

    /// Forgets every answer that asked for one of the touched keys.
    pub(super) fn forget(&self, touched: &HashSet<u64>) {
        for shard in &self.entries.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let stale: Vec<Key> = shard
                .iter()
                .filter(|(_, entry)| entry.probes.iter().any(|p| touched.contains(p)))
                .map(|(key, _)| key.clone())
                .collect();
            for key in stale {
                shard.pop(&key);
            }
        }
    }
}
