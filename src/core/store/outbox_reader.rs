//! Reads of the outbox: the deliveries that are due, and the results of others.

use std::collections::HashSet;

use redb::{ReadOnlyTable, ReadTransaction};

use super::encoding::OrderKey;
use super::outbox::{Delivery, DeliveryState, Endpoint, delivery_in, endpoint_in, span};
use super::{Store, StoreResult, schema};

/// The deliveries of a subscription that are due.
#[derive(Debug, Default)]
pub struct Due {
    /// The deliveries, the longest due first.
    pub now: Vec<Delivery>,
    pub more: bool,
    /// When the next one becomes due.
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

    pub fn delivery(&self, subscription: u32, version: u64) -> StoreResult<Option<Delivery>> {
        delivery_in(&self.outbox, (subscription, version))
    }

    /// Counts and failures of a subscription.
    pub fn endpoint(&self, subscription: u32) -> StoreResult<Endpoint> {
        endpoint_in(&self.endpoints, subscription)
    }

    /// When the first of the pending deliveries to a subscription is or was due.
    pub fn first_due_ms(&self, subscription: u32) -> StoreResult<Option<u64>> {
        let mut rows = self.order.range(span(subscription, DeliveryState::Pending, 0, u64::MAX))?;
        Ok(rows.next().transpose()?.map(|(key, _)| key.value().2))
    }

    /// The deliveries to a subscription that are due by then, without `queued` versions, `limit` at most.
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
    pub fn read_outbox(&self) -> StoreResult<OutboxReader> {
        OutboxReader::open(&self.begin_read()?)
    }
}
