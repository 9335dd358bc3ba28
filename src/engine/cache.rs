//! What the engine remembers: decoded rules, and answers to payloads.
//!
//! The result cache is exact. Each answer keeps the scope keys that its calculation asked
//! for; a publication names the keys that it touched, and exactly the answers that asked for
//! one of them are forgotten.

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::quality::RandomState;
use lru::LruCache;

use super::answer::Answer;
use super::resolve::Touched;

/// Shards, so that threads seldom meet at one lock.
const SHARDS: usize = 16;
/// A payload longer than this is answered and not remembered: the contract's payloads have a
/// few hundred bytes, and the cache must stay small whatever is sent.
const MAX_PAYLOAD_BYTES: usize = 4 * 1024;

/// A longer answer is not remembered either; the contract's have one or two KiB.
const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// Bytes that the result cache may take for each answer that it may hold: twice what an ordinary
/// one takes, so that only a crowd of large ones is held to this bound.
const BYTES_PER_RESULT: usize = 4 * 1024;

/// About what an entry takes beside its own bytes: its nodes in the map and in the list.
const ENTRY_OVERHEAD_BYTES: usize = 256;

/// What an entry takes, in bytes.
type Weigh<K, V> = fn(&K, &V) -> usize;

/// A least-recently-used map in shards, bounded by count and by bytes.
pub(super) struct Sharded<K, V> {
    shards: Vec<Mutex<Shard<K, V>>>,
    hasher: RandomState,
    weigh: Weigh<K, V>,
    /// What a shard may take.
    shard_bytes: usize,
}

struct Shard<K, V> {
    entries: LruCache<K, V>,
    /// What they take together.
    bytes: usize,
    /// How many made room for others.
    evicted: u64,
}

impl<K: Hash + Eq, V: Clone> Sharded<K, V> {
    /// Room for `capacity` entries in all, whatever each takes; none for 0.
    pub(super) fn new(capacity: usize) -> Self {
        Sharded::weighed(capacity, usize::MAX, |_, _| 0)
    }

    /// Room for `capacity` entries in all, and no more of them than take `bytes` together.
    fn weighed(capacity: usize, bytes: usize, weigh: Weigh<K, V>) -> Self {
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
        // A shard holds whole entries only, so one that a panicking thread left is still sound.
        let index = usize::try_from(self.hasher.hash_one(key) % SHARDS as u64).ok()?;
        self.shards.get(index).map(|s| s.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// False where it never holds anything.
    fn has_room(&self) -> bool {
        !self.shards.is_empty()
    }

    /// How many entries it holds, what they take in bytes, and how many made room for others.
    fn state(&self) -> (usize, usize, u64) {
        self.shards.iter().fold((0, 0, 0), |(entries, bytes, evicted), shard| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            (entries + shard.entries.len(), bytes + shard.bytes, evicted + shard.evicted)
        })
    }

    pub(super) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        Q: Hash + Eq + ?Sized,
        K: std::borrow::Borrow<Q>,
    {
        self.shard(key)?.entries.get(key).cloned()
    }

    /// Keeps the entry if `still_valid` says so once no other thread can see the shard. What was
    /// used least recently makes room for it.
    pub(super) fn put_if(&self, key: K, value: V, still_valid: impl FnOnce() -> bool) {
        if let Some(mut shard) = self.shard(&key)
            && still_valid()
        {
            shard.bytes += (self.weigh)(&key, &value);
            // What stood under the same key is replaced.
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

    /// Forgets every entry that is stale.
    fn forget(&self, stale: impl Fn(&V) -> bool)
    where
        K: Clone,
    {
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let keys: Vec<K> =
                shard.entries.iter().filter(|(_, value)| stale(value)).map(|(key, _)| key.clone()).collect();
            for key in keys {
                if let Some((key, value)) = shard.entries.pop_entry(&key) {
                    shard.bytes -= (self.weigh)(&key, &value);
                }
            }
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
    /// About what they take, in bytes.
    pub bytes: usize,
    /// Answers that made room for others.
    pub evictions: u64,
}

/// Answers by payload.
pub(super) struct ResultCache {
    entries: Sharded<Key, Entry>,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Entry {
    fn bytes(key: &Key, entry: &Entry) -> usize {
        key.1.len() + entry.answer.len() + size_of_val(&*entry.probes) + ENTRY_OVERHEAD_BYTES
    }
}

impl ResultCache {
    /// Room for `capacity` answers in all, and no more of them than take [`BYTES_PER_RESULT`] each
    /// on an average.
    pub(super) fn new(capacity: usize) -> Self {
        // A shard of few entries still has room for a large one.
        let bytes = capacity.saturating_mul(BYTES_PER_RESULT).max(SHARDS * 2 * MAX_ANSWER_BYTES);
        let entries = Sharded::weighed(capacity, bytes, Entry::bytes);
        ResultCache { entries, hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    /// The answer that is kept, if what is kept `counts` now.
    pub(super) fn get(&self, payload: &[u8], memoria: bool, counts: bool) -> Option<Answer> {
        let found = match payload.len() {
            0..=MAX_PAYLOAD_BYTES if counts && self.entries.has_room() => {
                self.entries.get(&(memoria, Box::from(payload)))
            }
            _ => None,
        };
        let count = if found.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        found.map(|entry| entry.answer.again())
    }

    /// How the cache does.
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

    /// Keeps an answer if it is still valid, which is asked once no other thread can see its shard.
    pub(super) fn put(
        &self,
        payload: &[u8],
        memoria: bool,
        answer: &Answer,
        probes: Vec<u64>,
        still_valid: impl FnOnce() -> bool,
    ) {
        if self.entries.has_room() && payload.len() <= MAX_PAYLOAD_BYTES && answer.len() <= MAX_ANSWER_BYTES {
            let entry = Entry { answer: answer.clone(), probes: probes.into() };
            self.entries.put_if((memoria, Box::from(payload)), entry, still_valid);
        }
    }

    /// Forgets every answer that asked for one of the touched keys.
    pub(super) fn forget(&self, touched: &Touched) {
        self.entries.forget(|entry| entry.probes.iter().any(|probe| touched.contains(*probe)));
    }

    /// Forgets every answer.
    pub(super) fn forget_all(&self) {
        self.entries.forget(|_| true);
    }
}
