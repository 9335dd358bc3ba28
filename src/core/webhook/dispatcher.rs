//! Reads due deliveries from the outbox into the scheduler, and writes outcomes back.
//!
//! It reads in pages, so that memory does not grow with the number of pending deliveries, and writes the
//! outcomes of many attempts in one transaction. Outcomes that a killed process had not written are lost:
//! their deliveries are due again when it starts, so a delivery is made at least once.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::address::shown_url;
use super::retry::{AttemptOutcome, LONGEST_WAIT_MS, Next, decide};
use super::scheduler::{QueuedDelivery, Scheduler};
use crate::base::value::Timestamp;
use crate::store::{Delivery, DeliveryState, OutboxWriter, Store, StoreError, StoreResult, Subscription};

/// Deliveries of one subscription that are read at once.
const PAGE: usize = 256;
/// Fewer queued deliveries than this make the dispatcher read more of the endpoint's.
const LOW_WATERMARK: usize = PAGE / 2;
/// Ended deliveries that one transaction deletes.
const FORGOTTEN_AT_ONCE: usize = 2_000;

#[derive(Debug, Clone)]
pub struct FinishedAttempt {
    pub subscription: u32,
    pub version: u64,
    /// Attempts made, this one included.
    pub attempts: u8,
    pub outcome: AttemptOutcome,
    pub at: Timestamp,
}

/// Changes for the scheduler, read without a lock on it.
#[derive(Debug, Default)]
pub struct SchedulerUpdate {
    /// All subscriptions, if they may have changed.
    subscriptions: Option<Vec<Arc<Subscription>>>,
    /// Due deliveries, by subscription.
    due: Vec<(u32, Vec<QueuedDelivery>)>,
}

impl SchedulerUpdate {
    pub fn apply(self, scheduler: &mut Scheduler) {
        if let Some(subscriptions) = &self.subscriptions {
            scheduler.set_subscriptions(subscriptions);
        }
        for (subscription, due) in self.due {
            scheduler.enqueue_all(subscription, due);
        }
    }
}

/// What the dispatcher remembers of one subscription's endpoint.
#[derive(Debug, Default)]
struct EndpointState {
    /// Versions that are queued or under way, or whose outcome is not written yet. Without it a delivery
    /// would be queued twice.
    claimed: HashSet<u64>,
    /// True if more was due than one page.
    more: bool,
    /// When the next delivery is due that was not due at the last read.
    next_ms: Option<u64>,
}

impl EndpointState {
    fn has_due(&self, now: Timestamp) -> bool {
        self.more || self.next_ms.is_some_and(|due| due <= now.millis() || is_out_of_reach(due, now))
    }
}

/// True if no retry waits that long: the clock was set back since the delivery was dated.
fn is_out_of_reach(due_ms: u64, now: Timestamp) -> bool {
    due_ms > now.millis() + LONGEST_WAIT_MS
}

pub struct Dispatcher {
    store: Arc<Store>,
    endpoints: BTreeMap<u32, EndpointState>,
    random: Box<dyn FnMut() -> u32 + Send>,
}

impl Dispatcher {
    /// Returns a dispatcher that draws the jitter of its retries from `random`, uniform over all of `u32`.
    pub fn new(store: Arc<Store>, random: Box<dyn FnMut() -> u32 + Send>) -> Dispatcher {
        Dispatcher { store, endpoints: BTreeMap::new(), random }
    }

    /// Returns the subscriptions whose queues run low, for [`load`](Self::load).
    pub fn needing_refill(&self, scheduler: &Scheduler) -> BTreeSet<u32> {
        self.low_queues(scheduler).map(|(number, _)| *number).collect()
    }

    /// The endpoints whose queues run low, without those of suspended accounts.
    fn low_queues(&self, scheduler: &Scheduler) -> impl Iterator<Item = (&u32, &EndpointState)> {
        self.endpoints
            .iter()
            .filter(|(number, _)| scheduler.waiting(**number) < LOW_WATERMARK && !scheduler.is_suspended(**number))
    }

    /// True if a queue runs low and more of its deliveries are due by now.
    pub fn has_work(&self, scheduler: &Scheduler, now: Timestamp) -> bool {
        self.low_queues(scheduler).any(|(_, endpoint)| endpoint.has_due(now))
    }

    /// Returns when the next delivery is due for a queue that runs low.
    pub fn next_due_ms(&self, scheduler: &Scheduler) -> Option<u64> {
        self.low_queues(scheduler).filter_map(|(_, endpoint)| endpoint.next_ms).min()
    }

    /// Reads what is due by now for the queues in `low`. If the outbox or the subscriptions `changed`
    /// (by a publication, a replay, a subscription command), also reads the subscriptions.
    pub fn load(&mut self, now: Timestamp, low: &BTreeSet<u32>, changed: bool) -> StoreResult<SchedulerUpdate> {
        let mut update = SchedulerUpdate::default();
        if changed {
            let subscriptions = self.store.subscriptions()?;
            self.endpoints.retain(|number, _| subscriptions.iter().any(|s| s.number == *number));
            for subscription in &subscriptions {
                self.endpoints.entry(subscription.number).or_default().more = true;
            }
            update.subscriptions = Some(subscriptions.into_iter().map(Arc::new).collect());
        }
        let outbox = self.store.read_outbox()?;
        let mut read = Vec::new();
        for (number, endpoint) in &self.endpoints {
            let is_low = low.contains(number) || endpoint.claimed.is_empty();
            if !endpoint.has_due(now) || !is_low {
                continue;
            }
            let set_back = outbox.first_due_ms(*number)?.is_some_and(|first| is_out_of_reach(first, now));
            let until = if set_back { u64::MAX } else { now.millis() };
            read.push((*number, outbox.due(*number, until, &endpoint.claimed, PAGE)?));
        }
        // Update the state only after every read succeeded; otherwise a delivery would be marked as claimed
        // and never queued.
        for (number, due) in read {
            let Some(endpoint) = self.endpoints.get_mut(&number) else { continue };
            endpoint.more = due.more;
            endpoint.next_ms = due.next_ms;
            endpoint.claimed.extend(due.now.iter().map(|delivery| delivery.version));
            let queued = due.now.iter().map(|d| QueuedDelivery { version: d.version, attempts: d.attempts });
            update.due.push((number, queued.collect()));
        }
        Ok(update)
    }

    /// Writes the outcomes of these attempts in one transaction.
    pub fn record(&mut self, finished: &[FinishedAttempt]) -> StoreResult<()> {
        if finished.is_empty() {
            return Ok(());
        }
        let random = &mut self.random;
        let (transitions, retries) = self.store.write_outbox(|outbox| {
            let mut batches: BTreeMap<u32, EndpointOutcomes<'_>> = BTreeMap::new();
            let mut retries = Vec::new();
            for attempt in finished {
                let Some(delivery) = record_one(outbox, attempt, random())? else { continue };
                batches.entry(attempt.subscription).or_default().add(attempt);
                if delivery.state == DeliveryState::Pending {
                    retries.push((delivery.subscription, delivery.at_ms));
                }
            }
            let mut transitions = Vec::new();
            for (number, batch) in batches {
                transitions.extend(batch.judge(outbox, number)?);
            }
            Ok::<_, StoreError>((transitions, retries))
        })?;
        transitions.iter().for_each(EndpointTransition::log);
        for attempt in finished {
            if let Some(endpoint) = self.endpoints.get_mut(&attempt.subscription) {
                endpoint.claimed.remove(&attempt.version);
            }
        }
        for (subscription, due) in retries {
            if let Some(endpoint) = self.endpoints.get_mut(&subscription) {
                endpoint.next_ms = Some(endpoint.next_ms.map_or(due, |next| next.min(due)));
            }
        }
        Ok(())
    }

    /// Deletes some of the deliveries that ended before that instant. Returns true if there may be more.
    pub fn forget_ended(&mut self, before_ms: u64) -> StoreResult<bool> {
        self.store.write_outbox(|outbox| {
            let mut left = FORGOTTEN_AT_ONCE;
            for subscription in outbox.subscriptions()? {
                for state in DeliveryState::ENDED {
                    let old = outbox.ended(subscription.number, state, (0, before_ms), left)?;
                    outbox.forget(subscription.number, &old)?;
                    left -= old.len();
                }
            }
            Ok(left == 0)
        })
    }
}

/// Writes the outcome of one attempt. Returns the delivery as it is now; `None` if it is no longer pending,
/// as after the subscription was removed.
fn record_one(outbox: &mut OutboxWriter<'_>, attempt: &FinishedAttempt, random: u32) -> StoreResult<Option<Delivery>> {
    let known = outbox.delivery(attempt.subscription, attempt.version)?;
    let Some(mut delivery) = known.filter(|d| d.state == DeliveryState::Pending) else { return Ok(None) };
    delivery.attempts = attempt.attempts;
    delivery.outcome = attempt.outcome.to_string();
    delivery.at_ms = attempt.at.millis();
    match decide(attempt.attempts, &attempt.outcome, random) {
        Next::Delivered => delivery.state = DeliveryState::Delivered,
        Next::Failed => delivery.state = DeliveryState::Failed,
        Next::Retry(wait) => delivery.at_ms += u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
    }
    outbox.put(&delivery)?;
    Ok(Some(delivery))
}

/// The attempts on one endpoint that are written together.
#[derive(Default)]
struct EndpointOutcomes<'a> {
    delivered: bool,
    last_failure: Option<&'a FinishedAttempt>,
}

/// An endpoint that began to fail, or works again.
struct EndpointTransition {
    id: String,
    url: String,
    /// `None` if it works again.
    error: Option<String>,
}

impl<'a> EndpointOutcomes<'a> {
    fn add(&mut self, attempt: &'a FinishedAttempt) {
        if attempt.outcome.is_delivered() {
            self.delivered = true;
        } else {
            self.last_failure = Some(attempt);
        }
    }

    /// Updates the state of the endpoint: it works if any of these attempts delivered, else it fails.
    /// Returns the transition if that changed, so that it is logged once and not with every delivery.
    fn judge(self, outbox: &mut OutboxWriter<'_>, number: u32) -> StoreResult<Option<EndpointTransition>> {
        let Some(subscription) = outbox.subscription(number)? else { return Ok(None) };
        let endpoint = outbox.endpoint(number)?;
        let failed_before = endpoint.failing_since_ms.is_some();
        let failure = self.last_failure.filter(|_| !self.delivered);
        endpoint.failing_since_ms = failure.map(|f| endpoint.failing_since_ms.unwrap_or(f.at.millis()));
        endpoint.last_error = failure.map(|f| f.outcome.to_string());
        let error = endpoint.last_error.clone();
        let changed = failed_before != error.is_some();
        Ok(changed.then(|| EndpointTransition { id: subscription.id(), url: shown_url(&subscription.url), error }))
    }
}

impl EndpointTransition {
    fn log(&self) {
        let (id, url) = (&self.id, &self.url);
        match &self.error {
            Some(error) => tracing::warn!(subscription = id, url, error, "a webhook endpoint takes no deliveries"),
            None => tracing::info!(subscription = id, url, "a webhook endpoint takes deliveries again"),
        }
    }
}
