//! Calls since the start of the process, by tax, status and latency, for Prometheus.
//!
//! Every call is counted, also one without a valid key. Counting is three atomic additions, seldom to a number that
//! another thread uses at the same time: no lock, no allocation, no clock. With the families of `prometheus-client`
//! (0.25) it would be three locks, two of them shared by all threads, and take eight times as long.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::base::value::Tributo;
use crate::law::tax;

/// Statuses with a count of their own; all others share one.
pub const STATUSES: [u16; 16] = [200, 304, 400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 499, 500, 503];

/// Usual statuses of a call that named a tax: shown even with a count of 0.
const OF_A_TAX: [u16; 4] = [200, 404, 422, 500];

/// Upper bounds of the latency buckets, in microseconds. The targets of the contract (section 8), 5 ms and 200 ms, are
/// among them. A last bucket has the rest.
pub const STEPS_US: [u32; 17] = [
    50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000,
    5_000_000, 10_000_000,
];

/// Number of shards, so that threads seldom count in the same one.
const SHARDS: usize = 8;

static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SHARD: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
}

/// Counts of latencies by bucket, and their sum.
#[derive(Debug, Default)]
struct Steps {
    counts: [AtomicU64; STEPS_US.len() + 1],
    sum_us: AtomicU64,
}

#[derive(Debug, Default)]
struct Counts {
    statuses: [AtomicU64; STATUSES.len() + 1],
    calculated: Steps,
    cached: Steps,
}

/// Counts of every tax and of no tax, in that order, on cache lines of their own.
#[derive(Debug)]
#[repr(align(128))]
struct Shard(Vec<Counts>);

#[derive(Debug)]
pub struct Traffic {
    shards: Vec<Shard>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Latencies {
    /// Calls in each bucket; the last one is above all [`STEPS_US`].
    pub counts: [u64; STEPS_US.len() + 1],
    /// Sum of all latencies, in microseconds.
    pub sum_us: u64,
}

impl Latencies {
    pub fn calls(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn add(&mut self, steps: &Steps) {
        add(&mut self.counts, &steps.counts);
        self.sum_us += steps.sum_us.load(Ordering::Relaxed);
    }
}

/// The calls of one tax, or of none, since the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaxTraffic {
    /// The tax; `None` for calls that did not name one.
    pub tributo: Option<Tributo>,
    /// Calls by status: those of [`STATUSES`], then all others.
    pub by_status: [u64; STATUSES.len() + 1],
    /// Latencies of calculated answers, refusals, and calls that are not calculations.
    pub calculated: Latencies,
    /// Latencies of answers from the result cache.
    pub cached: Latencies,
}

impl TaxTraffic {
    /// Status (`None` for all others) and calls, of the statuses that occurred and the usual ones.
    pub fn statuses(&self) -> impl Iterator<Item = (Option<u16>, u64)> {
        let named = STATUSES.iter().map(|status| Some(*status)).chain([None]);
        let may_be = |status: Option<u16>| match self.tributo {
            Some(_) => status.is_some_and(|status| OF_A_TAX.contains(&status)),
            None => status.is_some(),
        };
        named.zip(self.by_status).filter(move |(status, calls)| *calls > 0 || may_be(*status))
    }
}

fn add(sums: &mut [u64], counts: &[AtomicU64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count.load(Ordering::Relaxed);
    }
}

impl Default for Traffic {
    fn default() -> Self {
        let shard = || Shard((0..=tax::REGISTRY.len()).map(|_| Counts::default()).collect());
        Traffic { shards: (0..SHARDS).map(|_| shard()).collect() }
    }
}

impl Traffic {
    /// Counts a call that was answered.
    pub fn count(&self, tributo: Option<Tributo>, status: u16, latency_us: u32, cached: bool) {
        let of_tax = tributo.and_then(|tributo| tax::REGISTRY.iter().position(|entry| entry.tributo == tributo));
        let shard = self.shards.get(SHARD.with(|shard| *shard));
        let Some(counts) = shard.and_then(|shard| shard.0.get(of_tax.unwrap_or(tax::REGISTRY.len()))) else { return };
        let one_more = |counts: &[AtomicU64], at: usize| {
            if let Some(count) = counts.get(at) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        };
        one_more(&counts.statuses, STATUSES.iter().position(|s| *s == status).unwrap_or(STATUSES.len()));
        let steps = if cached { &counts.cached } else { &counts.calculated };
        one_more(&steps.counts, STEPS_US.partition_point(|end| *end < latency_us));
        steps.sum_us.fetch_add(u64::from(latency_us), Ordering::Relaxed);
    }

    /// The calls of every tax and of none, in that order.
    pub fn by_tax(&self) -> Vec<TaxTraffic> {
        let names = tax::REGISTRY.iter().map(|entry| Some(entry.tributo)).chain([None]);
        let of = |(at, tributo): (usize, Option<Tributo>)| {
            let mut sum = TaxTraffic { tributo, ..TaxTraffic::default() };
            for counts in self.shards.iter().filter_map(|shard| shard.0.get(at)) {
                add(&mut sum.by_status, &counts.statuses);
                sum.calculated.add(&counts.calculated);
                sum.cached.add(&counts.cached);
            }
            sum
        };
        names.enumerate().map(of).collect()
    }

    pub fn calls(&self) -> u64 {
        self.by_tax().iter().flat_map(|tax| tax.by_status).sum()
    }
}
