//! How the outbox stands: what `taxd status` and the metrics show.

use serde::Serialize;

use super::address::shown_url;
use crate::store::{Store, StoreResult};
use crate::value::Timestamp;

/// The outbox in figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OutboxSummary {
    /// Subscriptions there are.
    pub endpoints: usize,
    /// Deliveries that are pending.
    pub pending: u64,
    /// Deliveries that failed for good and are not yet forgotten.
    pub failed: u64,
    /// Deliveries that arrived and are not yet forgotten.
    pub delivered: u64,
    /// For how long the longest due of the pending ones has been due, in milliseconds; none
    /// where nothing is due. Those of suspended accounts wait, and do not count.
    pub overdue_ms: Option<u64>,
    /// Endpoints that take nothing, but for those of suspended accounts.
    pub failing: Vec<FailingEndpoint>,
}

/// An endpoint that takes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailingEndpoint {
    /// Id of the subscription.
    pub id: String,
    /// Account it belongs to.
    pub client_id: String,
    /// Its address, without what may be a secret in it.
    pub url: String,
    /// Since when, UTC.
    pub since: Option<Timestamp>,
    /// What its last attempt came to.
    pub last_error: String,
}

/// How the outbox of the store stands now. It costs a few reads for each subscription, however
/// many deliveries there are.
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
