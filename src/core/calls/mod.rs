//! Callers: keys, limits, the call log, and consumption (contract, sections 2.5, 4.4, 5 and 8).
//!
//! A call is [identified](Calls::identify) by its key and [admitted](Calls::admit) within the limits of its account.
//! Once it is answered it is [recorded](Calls::record): counted at once in memory, and written to the log by another
//! thread. No call waits for the file.

mod admission;
mod age;
mod bill;
mod directory;
mod known_key;
mod latency;
mod logged;
pub mod meter;
mod paid_files;
mod queue;
mod quota;
mod rate_limit;
mod sanitise;
mod staged;
mod traffic;
mod usage;
mod writer;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

pub use admission::{Allowance, Charge, Refusal};
pub use bill::Bill;
pub use directory::{Caller, Client};
pub use known_key::KnownKey;
pub use latency::LatencySteps;
pub use logged::{LoggedCall, MAX_CALLS, decode as decode_block, encode as encode_block};
pub use meter::{Call, CallPayload, Counted, KeyUse, Meter, RECENT, Totals};
pub use paid_files::{FREE_MINUTES, FileDigest, PaidFiles};
pub use queue::LogState;
pub use quota::{MonthCount, SANDBOX_CALLS_A_MONTH};
pub use rate_limit::{RateDecision, Window};
pub use sanitise::{DOCUMENTOS, LISTA, OPERACAO, SUPOSTO, clean_path, sanitised, sanitised_at, sanitised_node};
pub use traffic::{Latencies, STATUSES, STEPS_US, TaxTraffic, Traffic};
pub use usage::{CallCounts, KeyUsage, LatencyPercentiles, QuotaUse, RecentCall, Usage, usage};

use serde::{Deserialize, Serialize};

use crate::base::value::{ApiKey, Clock, KeyDigest, Timestamp};
use crate::store::{Store, StoreResult};
use age::AgeClock;
use directory::Directory;
use queue::CallLog;

/// Shortest time for which calls are kept: the day that `chamadas_24h` counts, and one more.
pub const MIN_KEPT_DAYS: u64 = 2;

/// Everything about calls that the threads of the process share.
pub struct Calls {
    clock: Clock,
    age_clock: AgeClock,
    /// Never locked while the disk is waited for.
    directory: RwLock<Directory>,
    /// Changes of the directory since the start.
    changes: AtomicU64,
    /// Locked while accounts are read from the store, so that of two changes the later one wins.
    reloading: Mutex<()>,
    log: CallLog,
    traffic: Traffic,
    mistyped_keys: AtomicU64,
    unknown_keys: AtomicU64,
}

/// Calls refused because of their key, since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedKeys {
    /// The checksum of the key is wrong: a typo, or part of the key is missing.
    pub mistyped: u64,
    /// The key is well formed, but unknown, revoked or expired.
    pub unknown: u64,
}

impl Calls {
    /// Reads accounts, keys and meters.
    pub fn open(store: &Store, clock: Clock) -> StoreResult<Calls> {
        let directory = Directory::read(store, &HashMap::new())?;
        Ok(Calls {
            age_clock: AgeClock::start(&clock, store.log_time_ms()?),
            clock,
            directory: RwLock::new(directory),
            changes: AtomicU64::new(0),
            reloading: Mutex::default(),
            log: CallLog::default(),
            traffic: Traffic::default(),
            mistyped_keys: AtomicU64::new(0),
            unknown_keys: AtomicU64::new(0),
        })
    }

    /// Reads all accounts and keys again, after a change of the store that may concern any.
    pub fn reload(&self, store: &Store) -> StoreResult<()> {
        let _one_at_a_time = self.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        let meters = self.clients().into_iter().map(|c| (Arc::clone(&c.client_id), Arc::clone(&c.meter))).collect();
        let directory = Directory::read(store, &meters)?;
        let before = self.change(|known| std::mem::replace(known, directory));
        // Not earlier: it has many parts, and no call waits while they are freed.
        drop(before);
        Ok(())
    }

    /// Reads one account and its keys again, after a change of the store: `new_key` is one that it did not have.
    pub fn reload_account(&self, store: &Store, client_id: &str, new_key: Option<KeyDigest>) -> StoreResult<()> {
        let _one_at_a_time = self.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.client(client_id);
        let keys: Vec<KeyDigest> = known.iter().flat_map(|known| &known.keys).copied().chain(new_key).collect();
        let changed = Directory::new(store.client(client_id, &keys)?, |_| match &known {
            Some(known) => Ok(Arc::clone(&known.meter)),
            None => Ok(Arc::new(Meter::new(None)?)),
        })?;
        self.change(|known| known.put(changed));
        Ok(())
    }

    fn directory(&self) -> RwLockReadGuard<'_, Directory> {
        self.directory.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Directory) -> T) -> T {
        let mut directory = self.directory.write().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&mut directory);
        // While it is locked, so that nobody reads the state of before with the number of after.
        self.changes.fetch_add(1, Ordering::Release);
        changed
    }

    /// The owner of the key that was sent (`None` if it is unknown), and whether the key is valid now. An invalid key takes
    /// the same time whatever is wrong with it. A valid one becomes the key that is `known` of the connection.
    #[must_use]
    pub fn identify(&self, sent: &[u8], known: &mut KnownKey, now: Timestamp) -> (Option<Arc<Caller>>, bool) {
        // Before the directory is read: a change meanwhile makes what is found here unknown again.
        let changes = self.changes.load(Ordering::Acquire);
        if let Some(caller) = known.owner(sent, changes).filter(|caller| caller.key.is_good(now)) {
            return (Some(Arc::clone(caller)), true);
        }
        let text = String::from_utf8_lossy(sent);
        let digest = ApiKey::digest_of(&text);
        let caller = self.directory().callers.get(&digest).cloned();
        let valid = caller.as_ref().filter(|caller| caller.key.is_good(now));
        let good = valid.is_some();
        if let Some(caller) = valid {
            known.remember(sent, caller, changes);
        } else {
            let well_formed = ApiKey::parse(&text).is_some();
            let count = if well_formed { &self.unknown_keys } else { &self.mistyped_keys };
            count.fetch_add(1, Ordering::Relaxed);
        }
        (caller, good)
    }

    /// Counts a call that was answered, and queues it for the log.
    pub fn record(&self, caller: &Caller, call: Call) {
        let mut counted = caller.client.meter.lock();
        let call = counted.add(call);
        // Queued while the counts are locked, so that the log has the calls of an account in
        // the order of their numbers.
        self.log.push(&caller.client.client_id, &call);
    }

    pub fn client(&self, client_id: &str) -> Option<Arc<Client>> {
        self.directory().clients.get(client_id).cloned()
    }

    /// The ids of the accounts with that name, in either case, in order.
    pub fn named(&self, nome: &str) -> Vec<Arc<str>> {
        self.directory().named(nome)
    }

    /// Every account, in no particular order.
    pub fn clients(&self) -> Vec<Arc<Client>> {
        self.directory().clients.values().map(Arc::clone).collect()
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The time that the ages of logged calls refer to, in milliseconds since 1970.
    fn age_now_ms(&self) -> u64 {
        self.age_clock.now_ms(&self.clock)
    }

    pub fn log_state(&self) -> LogState {
        self.log.state()
    }

    /// Calls since the start, by tax, status and latency.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Calls refused because of their key.
    pub fn refused_keys(&self) -> RefusedKeys {
        RefusedKeys {
            mistyped: self.mistyped_keys.load(Ordering::Relaxed),
            unknown: self.unknown_keys.load(Ordering::Relaxed),
        }
    }

    /// Asks the writer to write everything that is queued, and to stop.
    pub fn stop_log(&self) {
        self.log.stop();
    }
}
