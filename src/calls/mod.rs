//! Who calls: keys, limits, the call log, and consumption (contract, sections 2.5, 4.4, 5 and 8).
//!
//! A call is [identified](Calls::identify) by its key, [admitted](admit) within the limits of
//! its account, and, once answered, [recorded](Calls::record): counted at once in memory, and
//! written to the log by a thread of its own.

mod admission;
mod age;
mod audit;
mod block;
mod directory;
mod log;
mod meter;
mod quota;
mod sanitise;
mod traffic;
mod usage;
mod window;
mod writer;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

pub use admission::{Allowance, Refusal};
pub use audit::check;
pub use block::{LoggedCall, MAX_CALLS, decode as decode_block, encode as encode_block};
pub use directory::{Caller, Client};
pub use log::LogState;
pub use meter::{Call, KeyUse, Meter, RECENT, Totals};
pub use quota::{MonthCount, SANDBOX_CALLS_A_MONTH};
pub use sanitise::{clean_path, sanitised};
pub use traffic::{Latencies, STATUSES, STEPS_US, TaxTraffic, Traffic};
pub use usage::usage;
pub use window::{RateDecision, Window};

use crate::store::{Store, StoreResult};
use crate::value::{ApiKey, Clock, Timestamp};
use age::AgeClock;
use directory::Directory;
use log::CallLog;

/// Shortest time for which calls are kept: the day that `chamadas_24h` counts, and a little.
pub const MIN_KEPT_DAYS: u64 = 2;

/// Everything about calls that the process shares.
pub struct Calls {
    clock: Clock,
    age_clock: AgeClock,
    directory: RwLock<Arc<Directory>>,
    /// Locked while the directory is read from the store, so that of two changes the later one counts.
    reloading: Mutex<()>,
    log: CallLog,
    traffic: Traffic,
    mistyped_keys: AtomicU64,
    unknown_keys: AtomicU64,
}

/// Calls refused because their key opens nothing, since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedKeys {
    /// The checksum in the key does not hold: a typo, or a key cut short.
    pub mistyped: u64,
    /// Well formed, and not a key of this service, or no longer one.
    pub unknown: u64,
}

impl Calls {
    /// Reads who may call, and what was counted of them.
    pub fn open(store: &Store, clock: Clock) -> StoreResult<Calls> {
        let directory = Directory::read(store, &Directory::default())?;
        Ok(Calls {
            age_clock: AgeClock::start(&clock, directory.clients().map(|c| c.meter.lock().last_call_ms()).max()),
            clock,
            directory: RwLock::new(Arc::new(directory)),
            reloading: Mutex::default(),
            log: CallLog::default(),
            traffic: Traffic::default(),
            mistyped_keys: AtomicU64::new(0),
            unknown_keys: AtomicU64::new(0),
        })
    }

    /// Reads anew who may call, after the store was changed.
    pub fn reload(&self, store: &Store) -> StoreResult<()> {
        let _one_at_a_time = self.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        // Read aside: callers go on being identified, also when the disk is slow.
        let directory = Arc::new(Directory::read(store, &self.directory())?);
        *self.directory.write().unwrap_or_else(PoisonError::into_inner) = directory;
        Ok(())
    }

    fn directory(&self) -> Arc<Directory> {
        Arc::clone(&self.directory.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The key that a caller sent, and whether it opens the door; `None` for one that was
    /// never given out. A key that opens nothing costs the same work, whatever it is.
    #[must_use]
    pub fn identify(&self, sent: &str) -> (Option<Arc<Caller>>, bool) {
        let digest = ApiKey::digest_of(sent);
        let caller = self.directory().caller(&digest).cloned();
        let good = caller.as_ref().is_some_and(|caller| caller.key.is_good(self.clock.now()));
        if !good {
            let well_formed = ApiKey::parse(sent).is_some();
            let count = if well_formed { &self.unknown_keys } else { &self.mistyped_keys };
            count.fetch_add(1, Ordering::Relaxed);
        }
        (caller, good)
    }

    /// Lets a call pass, and counts it, or says why not.
    pub fn admit(&self, caller: &Caller) -> (Allowance, Result<(), Refusal>) {
        admission::admit(caller, self.clock.now(), self.clock.uptime_ms())
    }

    /// What a call would be told of its limits, without counting one.
    #[must_use]
    pub fn look(&self, caller: &Caller) -> Allowance {
        admission::look(caller, self.clock.uptime_ms())
    }

    /// Counts a call that was answered, and hands it to the log.
    pub fn record(&self, caller: &Caller, call: Call) {
        let mut counted = caller.client.meter.lock();
        let call = counted.add(call);
        // In the queue while the counts are held, so that the log has an account's calls in
        // the order of their numbers.
        self.log.push(&caller.client.client_id, &call);
    }

    /// The account of that id.
    #[must_use]
    pub fn client(&self, client_id: &str) -> Option<Arc<Client>> {
        self.directory().client(client_id).cloned()
    }

    /// Every account, in no order.
    #[must_use]
    pub fn clients(&self) -> Vec<Arc<Client>> {
        self.directory().clients().map(Arc::clone).collect()
    }

    /// The instant it is.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The instant from which the ages of logged calls count back, in milliseconds since 1970.
    fn age_now_ms(&self) -> u64 {
        self.age_clock.now_ms(&self.clock)
    }

    /// How the log does.
    #[must_use]
    pub fn log_state(&self) -> LogState {
        self.log.state()
    }

    fn log(&self) -> &CallLog {
        &self.log
    }

    /// Calls since the start, by tax, status and latency.
    #[must_use]
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Calls refused because of their key.
    #[must_use]
    pub fn refused_keys(&self) -> RefusedKeys {
        RefusedKeys {
            mistyped: self.mistyped_keys.load(Ordering::Relaxed),
            unknown: self.unknown_keys.load(Ordering::Relaxed),
        }
    }

    /// Writes the log, on the calling thread, until [`stop_log`](Self::stop_log); keeps calls for `keep`.
    pub fn run_log(&self, store: &Store, keep: Duration) {
        writer::run(self, store, keep);
    }

    /// Takes away a bounded part of the logged calls that are older than `keep`; true where
    /// there may be more.
    pub fn prune_log(&self, store: &Store, keep: Duration) -> StoreResult<bool> {
        writer::prune(self, store, keep)
    }

    /// Has the log written to its end, and its writer stop.
    pub fn stop_log(&self) {
        self.log.stop();
    }
}
