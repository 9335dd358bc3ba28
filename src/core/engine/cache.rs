//! The caches of the engine: decoded rules, and answers by payload.
//!
//! The result cache is exact. Each answer is kept with the scope keys that its calculation looked up. A
//! publication has a list of the keys that it touched, and removes exactly the answers that looked up one
//! of them.

pub(super) mod keys;

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::quality::RandomState;
use lru::LruCache;

use super::answer::{Answer, Extras};
use super::touched::Touched;
use crate::law::rule::VersaoRegra;

/// Number of shards: with one lock each, threads seldom wait for each other.
const SHARDS: usize = 16;
/// Entries removed under one lock.
const REMOVED_AT_ONCE: usize = 64;
/// Longest payload that is cached. The contract's payloads have a few hundred bytes; the memory of the cache
/// must be bounded whatever callers send.
const MAX_PAYLOAD_BYTES: usize = 4 * 1024;

/// Longest answer that is cached; the contract's have one or two KiB.
const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// Bytes of the result cache for each answer of its capacity: twice what an ordinary one takes, so that only
/// many large answers reach this limit before the capacity.
const BYTES_PER_RESULT: usize = 4 * 1024;

/// Estimate of what an entry takes in addition to its own bytes: its nodes in the map and in the list.
const ENTRY_OVERHEAD_BYTES: usize = 256;

/// Decoded versions by their numbers. A version never changes, so a decoded one stays correct.
pub(super) type Decoded = Sharded<u64, Arc<VersaoRegra>>;

/// Returns the bytes that an entry takes.
type Weigh<K, V> = fn(&K, &V) -> usize;

/// A least-recently-used map in shards, bounded by count and by bytes.
pub(super) struct Sharded<K, V> {
    shards: Vec<Mutex<Shard<K, V>>>,
    hasher: RandomState,
    weigh: Weigh<K, V>,
    shard_bytes: usize,
}

struct Shard<K, V> {
    entries: LruCache<K, V>,
    bytes: usize,
    evicted: u64,
}

impl<K: Hash + Eq, V: Clone> Sharded<K, V> {
    /// A map of up to `capacity` entries, of any size; one of capacity 0 stays empty.
    pub(super) fn new(capacity: usize) -> Self {
        Sharded::weighed(capacity, usize::MAX, |_, _| 0)
    }

    /// A map of up to `capacity` entries that take up to `bytes` together.
    pub(super) fn weighed(capacity: usize, bytes: usize, weigh: Weigh<K, V>) -> Self {
        let each = NonZeroUsize::new(capacity.div_ceil(SHARDS));
        let shards = match each {
            Some(each) => {
                (0..SHARDS).map(|_| Mutex::new(Shard { entries: LruCache::new(each), bytes: 0, evicted: 0 })).collect()
            }
            None => Vec::new(),
        };
        Sharded { shards, hasher: RandomState::default(), weigh, shard_bytes: bytes / SHARDS }
    }

    fn shard<Q: Hash + ?Sized>(&self, key: &Q) -> Option<MutexGuard<'_, Shard<K, V>>> {
        // A shard is consistent after every operation, so a poisoned lock can be used.
        let index = usize::try_from(self.hasher.hash_one(key) % SHARDS as u64).ok()?;
        self.shards.get(index).map(|s| s.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// False if the capacity is 0.
    fn has_room(&self) -> bool {
        !self.shards.is_empty()
    }

    /// The number of entries, their bytes, and how many were evicted.
    fn state(&self) -> (usize, usize, u64) {
        self.shards.iter().fold((0, 0, 0), |(entries, bytes, evicted), shard| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            (entries + shard.entries.len(), bytes + shard.bytes, evicted + shard.evicted)
        })
    }

    pub(super) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        Q: Hash + Eq + ?Sized,
        K: Borrow<Q>,
    {
        self.find(key, |value| Some(value.clone()))
    }

    /// What `take` returns of the value of that key.
    pub(super) fn find<Q, R>(&self, key: &Q, take: impl FnOnce(&V) -> Option<R>) -> Option<R>
    where
        Q: Hash + Eq + ?Sized,
        K: Borrow<Q>,
    {
        self.shard(key)?.entries.get(key).and_then(take)
    }

    /// Adds the entry if `still_valid` returns true under the lock of the shard. Evicts the least recently
    /// used entries to make room.
    pub(super) fn put_if(&self, key: K, value: V, still_valid: impl FnOnce() -> bool) {
        if let Some(mut shard) = self.shard(&key)
            && still_valid()
        {
            shard.bytes += (self.weigh)(&key, &value);
            // An entry of the same key is replaced, which is not an eviction.
            let replaced = u64::from(shard.entries.contains(&key));
            let before = shard.entries.len() as u64 - replaced;
            let mut gone = shard.entries.push(key, value);
            loop {
                if let Some((key, value)) = gone {
                    shard.bytes -= (self.weigh)(&key, &value);
                }
                if shard.bytes <= self.shard_bytes {
                    break;
                }
                gone = shard.entries.pop_lru();
            }
            shard.evicted += before + 1 - shard.entries.len() as u64;
        }
    }

    /// Removes every entry that is stale by what `of` takes of it. No lock is held while `stale` searches, and a few entries
    /// are removed at a time: a publication runs at a low priority, and a call that needs the shard would wait for it.
    /// Nothing may be added meanwhile.
    pub(super) fn forget<T>(&self, of: impl Fn(&V) -> T, stale: impl Fn(&T) -> bool)
    where
        K: Clone,
    {
        for shard in &self.shards {
            let lock = || shard.lock().unwrap_or_else(PoisonError::into_inner);
            let entries: Vec<(K, T)> = lock().entries.iter().map(|(key, value)| (key.clone(), of(value))).collect();
            let keys: Vec<K> = entries.into_iter().filter(|(_, part)| stale(part)).map(|(key, _)| key).collect();
            for keys in keys.chunks(REMOVED_AT_ONCE) {
                let mut shard = lock();
                let gone: Vec<(K, V)> = keys.iter().filter_map(|key| shard.entries.pop_entry(key)).collect();
                shard.bytes -= gone.iter().map(|(key, value)| (self.weigh)(key, value)).sum::<usize>();
                drop(shard);
                // Not earlier: freeing them takes longer than removing them.
                drop(gone);
            }
        }
    }
}

/// An answer, what it answers, and the keys that it depends on.
#[derive(Clone)]
struct CachedAnswer {
    /// What was asked for beside the result, and the bytes of the payload: two payloads may have one hash.
    extras: Extras,
    payload: Arc<[u8]>,
    answer: Answer,
    /// Hashes of the scope keys that its calculation looked up. If two keys have one hash, an answer may be
    /// removed without need; a stale one never stays.
    probes: Arc<[u64]>,
}

/// Where the answer to a payload is kept: a hash with a random seed.
#[derive(Clone, Copy)]
pub(super) struct CacheKey(u64);

/// Counts of the result cache since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheState {
    /// Calculations answered from the cache.
    pub hits: u64,
    /// Calculations that were not in the cache.
    pub misses: u64,
    pub entries: usize,
    /// Estimate of their bytes.
    pub bytes: usize,
    /// Answers that were evicted to make room.
    pub evictions: u64,
}

pub(super) struct ResultCache {
    /// By hash of the payload. Of two payloads with one hash, the last one is kept.
    entries: Sharded<u64, CachedAnswer>,
    hasher: RandomState,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl CachedAnswer {
    fn bytes(&self) -> usize {
        self.payload.len() + self.answer.len() + size_of_val(&*self.probes) + ENTRY_OVERHEAD_BYTES
    }
}

impl ResultCache {
    /// A cache of up to `capacity` answers that take [`BYTES_PER_RESULT`] each on average.
    pub(super) fn new(capacity: usize) -> Self {
        // Even a shard of few entries must have room for a large one.
        let bytes = capacity.saturating_mul(BYTES_PER_RESULT).max(SHARDS * 2 * MAX_ANSWER_BYTES);
        let entries = Sharded::weighed(capacity, bytes, |_, entry: &CachedAnswer| entry.bytes());
        ResultCache { entries, hasher: RandomState::default(), hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    /// Where the answer to a payload is kept, if it may be.
    pub(super) fn key(&self, payload: &[u8], extras: Extras) -> Option<CacheKey> {
        let kept = self.entries.has_room() && payload.len() <= MAX_PAYLOAD_BYTES;
        kept.then(|| CacheKey(self.hasher.hash_one((extras, payload))))
    }

    /// The cached answer. `key` is `None` while a sweep is open: nothing in the cache may be used then.
    pub(super) fn get(&self, key: Option<CacheKey>, payload: &[u8], extras: Extras) -> Option<Answer> {
        let answer = |entry: &CachedAnswer| {
            let is_asked = entry.extras == extras && *entry.payload == *payload;
            is_asked.then(|| entry.answer.clone())
        };
        let found = key.and_then(|CacheKey(hash)| self.entries.find(&hash, answer));
        let count = if found.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        found
    }

    pub(super) fn state(&self) -> CacheState {
        let (entries, bytes, evictions) = self.entries.state();
        CacheState {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            entries,
            bytes,
            evictions,
        }
    }

    /// Caches an answer if `still_valid` returns true under the lock of its shard.
    pub(super) fn put(
        &self,
        CacheKey(hash): CacheKey,
        payload: &[u8],
        extras: Extras,
        answer: &Answer,
        probes: Vec<u64>,
        still_valid: impl FnOnce() -> bool,
    ) {
        if answer.len() <= MAX_ANSWER_BYTES {
            let (payload, answer, probes) = (payload.into(), answer.marked_cached(), probes.into());
            let entry = CachedAnswer { extras, payload, answer, probes };
            self.entries.put_if(hash, entry, still_valid);
        }
    }

    /// Removes every answer that looked up one of the touched keys.
    pub(super) fn forget(&self, touched: &Touched) {
        self.entries.forget(|entry| Arc::clone(&entry.probes), |probes| touched.contains_any(probes));
    }

    pub(super) fn forget_all(&self) {
        self.entries.forget(|_| (), |()| true);
    }
}
