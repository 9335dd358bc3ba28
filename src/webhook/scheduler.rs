//! Which delivery goes out next.
//!
//! Each subscription has a lane. Lanes take turns, so that a long queue does not hold up a
//! short one; a lane that delivers may have several attempts under way, one that fails has
//! one and pauses after it; and lanes that are slow or fail together never take all the
//! places, so that however many endpoints hang, the others go on at full speed.
//!
//! The pause is what lets a long queue outlive a short outage: an endpoint that refuses at
//! once would otherwise use up the attempts of thousands of deliveries while it restarts.
//!
//! The lanes of a suspended account keep what waits in them, and nothing goes out of them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::store::Subscription;

/// Attempts under way at once, in all.
pub(super) const MAX_IN_FLIGHT: usize = 64;
/// Of those, the ones that lanes may take which are slow or not yet known.
const MAX_SLOW_IN_FLIGHT: usize = 48;
/// Attempts under way at once to one endpoint that takes them.
pub(super) const MAX_ENDPOINT_IN_FLIGHT: usize = 4;
/// An attempt that takes this long makes its lane a slow one.
const SLOW: Duration = Duration::from_secs(1);

/// Pause of a lane after one failed attempt; it doubles with each more in a row.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Its longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A delivery that waits for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuedDelivery {
    /// Number of the version.
    pub version: u64,
    /// Attempts made so far.
    pub attempts: u8,
}

/// A delivery whose turn it is.
#[derive(Debug, Clone)]
pub struct Job {
    /// To whom.
    pub subscription: Arc<Subscription>,
    /// Number of the version.
    pub version: u64,
    /// Attempts made before this one.
    pub attempts: u8,
}

#[derive(Debug)]
struct EndpointQueue {
    subscription: Arc<Subscription>,
    queue: VecDeque<QueuedDelivery>,
    in_flight: usize,
    /// Attempts it may have under way: 1 after a failed one, more with each good one.
    concurrency: usize,
    /// Its last attempt was slow or failed, or there was none yet.
    slow: bool,
    /// Failed attempts in a row.
    failures: u32,
    /// Nothing begins before.
    resumes_at: Duration,
    /// Its subscription was removed: what is under way ends, nothing more begins.
    removed: bool,
}

/// The lanes of all subscriptions.
#[derive(Debug, Default)]
pub struct Scheduler {
    /// By the number of the subscription.
    all: BTreeMap<u32, EndpointQueue>,
    /// Whose turn it was last.
    last: u32,
    /// Accounts that are suspended.
    suspended: BTreeSet<String>,
}

impl Scheduler {
    /// Learns of the subscriptions that there are now.
    pub fn set_subscriptions(&mut self, subscriptions: &[Arc<Subscription>]) {
        for (number, endpoint) in &mut self.all {
            if !subscriptions.iter().any(|s| s.number == *number) {
                endpoint.removed = true;
                endpoint.queue.clear();
            }
        }
        self.all.retain(|_, endpoint| !endpoint.removed || endpoint.in_flight > 0);
        for subscription in subscriptions {
            let endpoint = self.all.entry(subscription.number).or_insert_with(|| EndpointQueue {
                subscription: Arc::clone(subscription),
                queue: VecDeque::new(),
                in_flight: 0,
                concurrency: 1,
                // Until it has shown otherwise: many new ones that hang must not take every place.
                slow: true,
                failures: 0,
                resumes_at: Duration::ZERO,
                removed: false,
            });
            endpoint.subscription = Arc::clone(subscription);
        }
    }

    /// Learns which accounts are suspended now. What is under way to them ends; nothing more begins.
    pub fn set_suspended(&mut self, accounts: BTreeSet<String>) {
        self.suspended = accounts;
    }

    /// True if the lane is one of a suspended account.
    #[must_use]
    pub fn is_suspended(&self, subscription: u32) -> bool {
        self.all.get(&subscription).is_some_and(|endpoint| self.suspends(endpoint))
    }

    fn suspends(&self, endpoint: &EndpointQueue) -> bool {
        self.suspended.contains(&endpoint.subscription.client_id)
    }

    /// Puts deliveries at the end of a lane.
    pub fn enqueue_all(&mut self, subscription: u32, deliveries: impl IntoIterator<Item = QueuedDelivery>) {
        if let Some(endpoint) = self.all.get_mut(&subscription).filter(|endpoint| !endpoint.removed) {
            endpoint.queue.extend(deliveries);
        }
    }

    /// How many deliveries wait in a lane.
    #[must_use]
    pub fn waiting(&self, subscription: u32) -> usize {
        self.all.get(&subscription).map_or(0, |endpoint| endpoint.queue.len())
    }

    /// Attempts under way.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.all.values().map(|endpoint| endpoint.in_flight).sum()
    }

    /// True where a delivery may go out at that time. All times here are counted from one
    /// instant of the caller's choice, by a clock that is never set back.
    #[must_use]
    pub fn is_ready(&self, now: Duration) -> bool {
        self.next_endpoint(now).is_some()
    }

    /// When the first pause is over of a lane where something waits.
    #[must_use]
    pub fn next_resume(&self, now: Duration) -> Option<Duration> {
        let waiting = self.all.values().filter(|endpoint| !endpoint.queue.is_empty() && endpoint.resumes_at > now);
        waiting.filter(|endpoint| !self.suspends(endpoint)).map(|endpoint| endpoint.resumes_at).min()
    }

    fn next_endpoint(&self, now: Duration) -> Option<u32> {
        let slow: usize = self.all.values().filter(|endpoint| endpoint.slow).map(|endpoint| endpoint.in_flight).sum();
        if self.in_flight() >= MAX_IN_FLIGHT {
            return None;
        }
        let may_go = |endpoint: &EndpointQueue| {
            let has_place = endpoint.in_flight < endpoint.concurrency && (!endpoint.slow || slow < MAX_SLOW_IN_FLIGHT);
            has_place && !endpoint.queue.is_empty() && endpoint.resumes_at <= now && !self.suspends(endpoint)
        };
        let after = self.all.range(self.last.saturating_add(1)..);
        let mut in_turn = after.chain(self.all.range(..=self.last));
        in_turn.find(|(_, endpoint)| may_go(endpoint)).map(|(number, _)| *number)
    }

    /// The delivery whose turn it is; it is under way until [`done`](Self::done) is told.
    pub fn take(&mut self, now: Duration) -> Option<Job> {
        let number = self.next_endpoint(now)?;
        let endpoint = self.all.get_mut(&number)?;
        let QueuedDelivery { version, attempts } = endpoint.queue.pop_front()?;
        endpoint.in_flight += 1;
        self.last = number;
        Some(Job { subscription: Arc::clone(&endpoint.subscription), version, attempts })
    }

    /// An attempt is over: how long it took, and whether it delivered.
    pub fn done(&mut self, subscription: u32, now: Duration, took: Duration, delivered: bool) {
        let Some(endpoint) = self.all.get_mut(&subscription) else { return };
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
            self.all.remove(&subscription);
        }
    }
}
