//! The counts of an account: use of its limits, totals, latest calls.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::latency::LatencySteps;
use super::paid_files::PaidFiles;
use super::quota::MonthCount;
use super::rate_limit::Window;
use super::sanitise::is_look_up;
use crate::base::value::{Month, Timestamp};
use crate::store::{StoreError, StoreResult};

/// Latest calls in memory: the most that a caller may ask of `recentes` (contract, section 4.4).
pub const RECENT: usize = 50;
/// Classes of status counted: 1xx to 5xx at their own index, anything else at 0.
const CLASSES: usize = 6;

/// A call that is over.
pub struct Call {
    /// Its number among the calls of its account, from 1.
    pub seq: u64,
    /// When it began.
    pub at: Timestamp,
    pub key_id: Arc<str>,
    pub method: &'static str,
    /// Sanitised path without query.
    pub path: Box<str>,
    pub status: u16,
    /// From the head of the request to the answer, in microseconds.
    pub latency_us: u32,
    /// Whether the answer came from the result cache.
    pub cached: bool,
    /// The rule that answered or refused.
    pub rule_id: Option<Arc<str>>,
    pub payload: CallPayload,
}

/// What is kept of a payload until the log is written, and of the latest calls.
pub enum CallPayload {
    /// As it was sent. Only shown or written once it is [sanitised](super::sanitise).
    Sent(Box<[u8]>),
    /// What the log will have of it.
    Sanitised(Arc<str>),
}

impl CallPayload {
    pub fn bytes(&self) -> &[u8] {
        match self {
            CallPayload::Sent(bytes) => bytes,
            CallPayload::Sanitised(text) => text.as_bytes(),
        }
    }
}

/// Totals of an account since it was created.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    pub calls: u64,
    by_class: [u64; CLASSES],
    /// Their latencies.
    pub latency: LatencySteps,
}

impl Totals {
    /// Calls answered with a status of that class: 2 for 2xx.
    pub fn of_class(&self, class: usize) -> u64 {
        self.by_class.get(class).copied().unwrap_or_default()
    }

    /// The latency that this share of the calls did not exceed, in milliseconds.
    pub fn latency_ms(&self, quantile: f64) -> u64 {
        (self.latency.at(quantile) + 500) / 1_000
    }

    fn add(&mut self, status: u16, latency_us: u32) {
        self.calls += 1;
        let class = usize::from(status / 100);
        if let Some(count) = self.by_class.get_mut(if class < CLASSES { class } else { 0 }) {
            *count += 1;
        }
        self.latency.add(latency_us, 1);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyUse {
    pub calls: u64,
    /// When the last one began, in milliseconds since 1970.
    pub last_ms: u64,
}

/// Everything counted of an account. One without calls takes some hundred bytes.
#[derive(Default)]
pub struct Counted {
    /// Calls of the last minute, for the rate limit.
    pub window: Window,
    /// Production calls of the month.
    pub live: MonthCount,
    /// Sandbox calls of the month, by lineage of keys.
    pub sandbox: BTreeMap<String, MonthCount>,
    pub totals: Totals,
    /// Use of each key, by `key_id`.
    pub keys: BTreeMap<Arc<str>, KeyUse>,
    /// Number of the last call that was removed from the log because of its age; 0 for none.
    pub pruned: u64,
    /// The latest calls of this process, in order, without the look-ups of the page.
    pub recent: VecDeque<Arc<Call>>,
    /// The files that were charged a short time ago.
    pub paid_files: PaidFiles,
}

impl Counted {
    /// When the last call of the account began, in milliseconds since 1970.
    pub fn last_call_ms(&self) -> u64 {
        self.keys.values().map(|used| used.last_ms).max().unwrap_or_default()
    }

    /// The sandbox calls of the keys of that lineage.
    pub fn sandbox_count(&self, lineage: &str) -> MonthCount {
        self.sandbox.get(lineage).copied().unwrap_or_default()
    }

    /// Counts a call and sets its number.
    pub fn add(&mut self, call: Call) -> Arc<Call> {
        self.totals.add(call.status, call.latency_us);
        let used = self.keys.entry(Arc::clone(&call.key_id)).or_insert(KeyUse { calls: 0, last_ms: 0 });
        used.calls += 1;
        used.last_ms = used.last_ms.max(call.at.millis());
        let call = Arc::new(Call { seq: self.totals.calls, ..call });
        if !is_look_up(&call.path) {
            if self.recent.len() >= RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(Arc::clone(&call));
        }
        call
    }

    fn restore(&mut self, kept: Kept) {
        let month = |ordinal, used| MonthCount { month: Month::from_ordinal(ordinal), used };
        self.totals.calls = kept.calls;
        self.totals.by_class = kept.by_class;
        for (latency_us, calls) in kept.latency_us {
            self.totals.latency.add(u32::try_from(latency_us).unwrap_or(u32::MAX), calls);
        }
        self.live = month(kept.live.0, kept.live.1);
        self.sandbox =
            kept.sandbox.into_iter().map(|(lineage, ordinal, used)| (lineage, month(ordinal, used))).collect();
        self.pruned = kept.pruned;
        self.keys = kept.keys.into_iter().map(|(key_id, used)| (Arc::from(key_id), used)).collect();
    }
}

/// The counts of an account, shared by all its calls.
pub struct Meter {
    counted: Mutex<Counted>,
}

/// What is stored of a meter: all but the window of the rate limit.
#[derive(Serialize, Deserialize)]
struct Kept {
    calls: u64,
    by_class: [u64; CLASSES],
    latency_us: Vec<(u64, u64)>,
    live: (u32, u64),
    sandbox: Vec<(String, u32, u64)>,
    keys: Vec<(String, KeyUse)>,
    pruned: u64,
}

impl Meter {
    /// An empty meter, or one as it was stored.
    pub fn new(kept: Option<&[u8]>) -> StoreResult<Meter> {
        let mut counted = Counted::default();
        if let Some(bytes) = kept {
            counted.restore(postcard::from_bytes(bytes).map_err(|e| StoreError::Corrupt(format!("totals: {e}")))?);
        }
        Ok(Meter { counted: Mutex::new(counted) })
    }

    /// The counts, locked. A thread that panics while they are locked leaves at most one call half counted.
    pub fn lock(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The encoding that is stored.
    pub fn kept(&self) -> StoreResult<Vec<u8>> {
        let counted = self.lock();
        let kept = Kept {
            calls: counted.totals.calls,
            by_class: counted.totals.by_class,
            latency_us: counted.totals.latency.kept().collect(),
            live: (counted.live.month.ordinal(), counted.live.used),
            sandbox: counted.sandbox.iter().map(|(lineage, c)| (lineage.clone(), c.month.ordinal(), c.used)).collect(),
            keys: counted.keys.iter().map(|(key_id, used)| (key_id.to_string(), *used)).collect(),
            pruned: counted.pruned,
        };
        drop(counted);
        postcard::to_stdvec(&kept).map_err(|e| StoreError::Corrupt(e.to_string()))
    }
}
