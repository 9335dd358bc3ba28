//! Which delivery goes out next; pure.
//!
//! Each subscription has a queue of its own, and the queues take turns (round robin), so that a long one
//! does not delay a short one. An endpoint that delivers may have several attempts under way; one that
//! fails has one at a time and pauses after it. All endpoints that are slow or failing share 48 of the 64
//! attempts, so that any number of endpoints may hang and the others still deliver at full speed.
//!
//! The pause lets a long queue survive a short outage: an endpoint that refuses connections at once would
//! otherwise use up the attempts of thousands of deliveries while it restarts.
//!
//! The queue of a suspended account keeps its deliveries, and none of them goes out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::store::Subscription;

/// Attempts under way at once, over all endpoints.
pub(super) const MAX_IN_FLIGHT: usize = 64;
/// Attempts under way at once to endpoints that are slow, failing or new.
const MAX_SLOW_IN_FLIGHT: usize = 48;
/// Attempts under way at once to one endpoint that delivers.
pub(super) const MAX_ENDPOINT_IN_FLIGHT: usize = 4;
/// An attempt that takes this long marks its endpoint as slow.
const SLOW: Duration = Duration::from_secs(1);

/// Pause of an endpoint after one failed attempt; it doubles with each further failure in a row.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause of an endpoint.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A delivery in the queue of its endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuedDelivery {
    pub version: u64,
    /// Attempts made so far.
    pub attempts: u8,
}

/// A delivery to be attempted now.
#[derive(Debug, Clone)]
pub struct Job {
    pub subscription: Arc<Subscription>,
    pub version: u64,
    /// Attempts made before this one.
    pub attempts: u8,
}

#[derive(Debug)]
struct EndpointQueue {
    subscription: Arc<Subscription>,
    queue: VecDeque<QueuedDelivery>,
    in_flight: usize,
    /// Attempts that may be under way: 1 after a failed one, one more with each that delivers.
    concurrency: usize,
    /// True if the last attempt was slow or failed, or there was none yet.
    slow: bool,
    /// Failed attempts in a row.
    failures: u32,
    /// No attempt starts before this time.
    resumes_at: Duration,
    /// True if the subscription was removed: attempts under way end, no other starts.
    removed: bool,
}

/// The queues of all subscriptions.
///
/// Times are counted from one instant of the caller's choice, by a monotonic clock.
#[derive(Debug, Default)]
pub struct Scheduler {
    /// By number of the subscription.
    endpoints: BTreeMap<u32, EndpointQueue>,
    /// Number of the subscription that had the last turn.
    last: u32,
    /// Suspended accounts, by client id.
    suspended: BTreeSet<String>,
}

impl Scheduler {
    /// Replaces the subscriptions. New ones get an empty queue, removed ones lose theirs.
    pub fn set_subscriptions(&mut self, subscriptions: &[Arc<Subscription>]) {
        for (number, endpoint) in &mut self.endpoints {
            if !subscriptions.iter().any(|s| s.number == *number) {
                endpoint.removed = true;
                endpoint.queue.clear();
            }
        }
        self.endpoints.retain(|_, endpoint| !endpoint.removed || endpoint.in_flight > 0);
        for subscription in subscriptions {
            let endpoint = self.endpoints.entry(subscription.number).or_insert_with(|| EndpointQueue {
                subscription: Arc::clone(subscription),
                queue: VecDeque::new(),
                in_flight: 0,
                concurrency: 1,
                // Until its first attempt: many new endpoints that hang must not occupy every worker.
                slow: true,
                failures: 0,
                resumes_at: Duration::ZERO,
                removed: false,
            });
            endpoint.subscription = Arc::clone(subscription);
        }
    }

    /// Replaces the suspended accounts. Attempts under way to them end; no other starts.
    pub fn set_suspended(&mut self, accounts: BTreeSet<String>) {
        self.suspended = accounts;
    }

    /// True if the subscription belongs to a suspended account.
    pub fn is_suspended(&self, subscription: u32) -> bool {
        self.endpoints.get(&subscription).is_some_and(|endpoint| self.suspends(endpoint))
    }

    fn suspends(&self, endpoint: &EndpointQueue) -> bool {
        self.suspended.contains(&endpoint.subscription.client_id)
    }

    /// Appends deliveries to the queue of a subscription. Ignores one that was removed.
    pub fn enqueue_all(&mut self, subscription: u32, deliveries: impl IntoIterator<Item = QueuedDelivery>) {
        if let Some(endpoint) = self.endpoints.get_mut(&subscription).filter(|endpoint| !endpoint.removed) {
            endpoint.queue.extend(deliveries);
        }
    }

    /// Returns how many deliveries are queued for a subscription.
    pub fn waiting(&self, subscription: u32) -> usize {
        self.endpoints.get(&subscription).map_or(0, |endpoint| endpoint.queue.len())
    }

    /// Returns the number of attempts under way.
    pub fn in_flight(&self) -> usize {
        self.endpoints.values().map(|endpoint| endpoint.in_flight).sum()
    }

    /// True if a delivery may go out at that time.
    pub fn is_ready(&self, now: Duration) -> bool {
        self.next_endpoint(now).is_some()
    }

    /// Returns when the first pause ends of an endpoint with queued deliveries.
    pub fn next_resume(&self, now: Duration) -> Option<Duration> {
        let waiting =
            self.endpoints.values().filter(|endpoint| !endpoint.queue.is_empty() && endpoint.resumes_at > now);
        waiting.filter(|endpoint| !self.suspends(endpoint)).map(|endpoint| endpoint.resumes_at).min()
    }

    fn next_endpoint(&self, now: Duration) -> Option<u32> {
        let slow: usize =
            self.endpoints.values().filter(|endpoint| endpoint.slow).map(|endpoint| endpoint.in_flight).sum();
        if self.in_flight() >= MAX_IN_FLIGHT {
            return None;
        }
        let may_go = |endpoint: &EndpointQueue| {
            let has_slot = endpoint.in_flight < endpoint.concurrency && (!endpoint.slow || slow < MAX_SLOW_IN_FLIGHT);
            has_slot && !endpoint.queue.is_empty() && endpoint.resumes_at <= now && !self.suspends(endpoint)
        };
        let after = self.endpoints.range(self.last.saturating_add(1)..);
        let mut in_turn = after.chain(self.endpoints.range(..=self.last));
        in_turn.find(|(_, endpoint)| may_go(endpoint)).map(|(number, _)| *number)
    }

    /// Takes the next delivery. It counts as under way until [`done`](Self::done). `None` if none may go
    /// out at that time.
    pub fn take(&mut self, now: Duration) -> Option<Job> {
        let number = self.next_endpoint(now)?;
        let endpoint = self.endpoints.get_mut(&number)?;
        let QueuedDelivery { version, attempts } = endpoint.queue.pop_front()?;
        endpoint.in_flight += 1;
        self.last = number;
        Some(Job { subscription: Arc::clone(&endpoint.subscription), version, attempts })
    }

    /// Ends an attempt, which took that long.
    pub fn done(&mut self, subscription: u32, now: Duration, took: Duration, delivered: bool) {
        let Some(endpoint) = self.endpoints.get_mut(&subscription) else { return };
        endpoint.in_flight = endpoint.in_flight.saturating_sub(1);
        endpoint.slow = took >= SLOW || !delivered;
        if delivered {
            (endpoint.failures, endpoint.resumes_at) = (0, Duration::ZERO);
            endpoint.concurrency = (endpoint.concurrency + 1).min(MAX_ENDPOINT_IN_FLIGHT);
        } else {
            let pause = FIRST_PAUSE.saturating_mul(2u32.saturating_pow(endpoint.failures)).min(LONGEST_PAUSE);
            (endpoint.failures, endpoint.resumes_at) = (endpoint.failures.saturating_add(1), now + pause);
            endpoint.concurrency = 1;
        }
        if endpoint.removed && endpoint.in_flight == 0 {
            self.endpoints.remove(&subscription);
        }
    }
}
