//! Asking the outbox: what is due, and what became of what was.

use std::collections::HashSet;

use redb::{ReadOnlyTable, ReadTransaction};

use super::encoding::OrderKey;
use super::outbox::{Delivery, DeliveryState, Endpoint, delivery_in, endpoint_in, span};
use super::{Store, StoreResult, schema};

/// What of a subscription is due.
#[derive(Debug, Default)]
pub struct Due {
    /// Deliveries, the longest due first.
    pub now: Vec<Delivery>,
    /// True where more is due than was asked for.
    pub more: bool,
    /// When the next one is due that is not yet.
    pub next_ms: Option<u64>,
}

/// The outbox in one snapshot.
pub struct OutboxReader {
    outbox: ReadOnlyTable<(u32, u64), &'static [u8]>,
    order: ReadOnlyTable<OrderKey, ()>,
    endpoints: ReadOnlyTable<u32, &'static [u8]>,
}

impl OutboxReader {
    fn open(txn: &ReadTransaction) -> StoreResult<OutboxReader> {
        Ok(OutboxReader {
            outbox: txn.open_table(schema::OUTBOX)?,
            order: txn.open_table(schema::OUTBOX_ORDER)?,
            endpoints: txn.open_table(schema::ENDPOINTS)?,
        })
    }

    /// The delivery of a version to a subscription.
    pub fn delivery(&self, subscription: u32, version: u64) -> StoreResult<Option<Delivery>> {
        delivery_in(&self.outbox, (subscription, version))
    }

    /// How the deliveries to a subscription stand.
    pub fn endpoint(&self, subscription: u32) -> StoreResult<Endpoint> {
        endpoint_in(&self.endpoints, subscription)
    }

    /// When the longest due of the pending deliveries to a subscription is or was due.
    pub fn first_due_ms(&self, subscription: u32) -> StoreResult<Option<u64>> {
        let mut rows = self.order.range(span(subscription, DeliveryState::Pending, 0, u64::MAX))?;
        Ok(rows.next().transpose()?.map(|(key, _)| key.value().2))
    }

    /// What is due to a subscription until then, `queued` versions left out, `limit` at most.
    pub fn due(&self, subscription: u32, until_ms: u64, queued: &HashSet<u64>, limit: usize) -> StoreResult<Due> {
        let mut due = Due::default();
        for entry in self.order.range(span(subscription, DeliveryState::Pending, 0, u64::MAX))? {
            let (_, _, at_ms, version) = entry?.0.value();
            if at_ms > until_ms {
                due.next_ms = Some(at_ms);
                break;
            }
            if queued.contains(&version) {
                continue;
            }
            if due.now.len() == limit {
                due.more = true;
                break;
            }
            due.now.extend(self.delivery(subscription, version)?);
        }
        Ok(due)
    }

    /// The last deliveries to a subscription in that state, the latest first, `limit` at most.
    pub fn latest(&self, subscription: u32, state: DeliveryState, limit: usize) -> StoreResult<Vec<Delivery>> {
        let mut found = Vec::new();
        for entry in self.order.range(span(subscription, state, 0, u64::MAX))?.rev().take(limit) {
            let (_, _, _, version) = entry?.0.value();
            found.extend(self.delivery(subscription, version)?);
        }
        Ok(found)
    }
}

impl Store {
    /// The outbox as it is now, unmoved by what is written later.
    pub fn read_outbox(&self) -> StoreResult<OutboxReader> {
        OutboxReader::open(&self.begin_read()?)
    }
}
