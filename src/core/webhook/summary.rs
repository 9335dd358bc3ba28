//! Counts of the outbox, for `taxd status` and the metrics.

use serde::{Deserialize, Serialize};

use super::address::shown_url;
use crate::base::value::Timestamp;
use crate::store::{Store, StoreResult};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxSummary {
    /// Number of subscriptions.
    pub endpoints: usize,
    pub pending: u64,
    /// Deliveries that failed for good and are not deleted yet.
    pub failed: u64,
    /// Deliveries that arrived and are not deleted yet.
    pub delivered: u64,
    /// For how long the oldest due delivery has been due, in milliseconds; `None` if none is due. Deliveries
    /// of suspended accounts wait and do not count.
    pub overdue_ms: Option<u64>,
    /// Endpoints that fail, without those of suspended accounts.
    pub failing: Vec<FailingEndpoint>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailingEndpoint {
    /// Id of the subscription.
    pub id: String,
    pub client_id: String,
    /// Its URL, without the part that may be a secret.
    pub url: String,
    /// When it began to fail, UTC.
    pub since: Option<Timestamp>,
    /// The outcome of its last attempt.
    pub last_error: String,
}

/// Returns the counts of the store's outbox. It costs a few reads for each subscription, and no more with
/// many deliveries.
pub fn summary(store: &Store, now: Timestamp) -> StoreResult<OutboxSummary> {
    let outbox = store.read_outbox()?;
    let suspended = store.suspended_accounts()?;
    let mut summary = OutboxSummary::default();
    for subscription in store.subscriptions()? {
        let endpoint = outbox.endpoint(subscription.number)?;
        summary.endpoints += 1;
        summary.pending += endpoint.pending;
        summary.failed += endpoint.failed;
        summary.delivered += endpoint.delivered;
        if suspended.contains(&subscription.client_id) {
            continue;
        }
        let due = outbox.first_due_ms(subscription.number)?;
        summary.overdue_ms = summary.overdue_ms.max(due.and_then(|due| now.millis().checked_sub(due)));
        if let Some(since) = endpoint.failing_since_ms {
            summary.failing.push(FailingEndpoint {
                id: subscription.id(),
                client_id: subscription.client_id,
                url: shown_url(&subscription.url),
                since: Timestamp::from_millis(since),
                last_error: endpoint.last_error.unwrap_or_default(),
            });
        }
    }
    Ok(summary)
}
