//! What the engine remembers: decoded rules, and answers to payloads.
//!
//! The result cache is exact. Each answer keeps the scope keys that its calculation asked
//! for; a publication names the keys that it touched, and exactly the answers that asked for
//! one of them are forgotten.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, RandomState};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::answer::Answer;

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

    /// How many entries it holds.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner).len()).sum()
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
    answer: Answer,
    /// Hashes of the scope keys asked for. Two keys with one hash cost an answer, never its
    /// correctness.
    probes: Arc<[u64]>,
}

/// Payload bytes, and whether the calculation memory was asked for.
type Key = (bool, Box<[u8]>);

/// How the result cache does, since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheState {
    /// Calculations that it answered.
    pub hits: u64,
    /// Calculations that it could not answer.
    pub misses: u64,
    /// Answers that it holds.
    pub entries: usize,
}

/// Answers by payload.
pub(super) struct ResultCache {
    entries: Sharded<Key, Entry>,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl ResultCache {
    pub(super) fn new(capacity: usize) -> Self {
        ResultCache { entries: Sharded::new(capacity), hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    pub(super) fn get(&self, payload: &[u8], memoria: bool) -> Option<Answer> {
        let found = match payload.len() {
            0..=MAX_PAYLOAD_BYTES => self.entries.get(&(memoria, Box::from(payload))),
            _ => None,
        };
        let count = if found.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        found.map(|entry| entry.answer.again())
    }

    /// How the cache does.
    pub(super) fn state(&self) -> CacheState {
        CacheState {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            entries: self.entries.len(),
        }
    }

    /// Keeps an answer, unless a publication came between its calculation and now.
    pub(super) fn put(
        &self,
        payload: &[u8],
        memoria: bool,
        answer: &Answer,
        probes: Vec<u64>,
        still_valid: impl FnOnce() -> bool,
    ) {
        if payload.len() <= MAX_PAYLOAD_BYTES && answer.len() <= MAX_ANSWER_BYTES {
            let entry = Entry { answer: answer.clone(), probes: probes.into() };
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
