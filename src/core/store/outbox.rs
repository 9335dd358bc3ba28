//! The outbox: the deliveries of versions to webhook subscriptions, and the state of each.
//!
//! A second table has the rows in the order of their instants. So the deliveries that are due, failed or old enough to
//! be removed are range reads, however many rows there are.

use std::collections::BTreeMap;

use redb::{ReadableTable, Table, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::encoding::{OrderKey, decode, encode};
use super::{Store, StoreError, StoreResult, schema};

taxd_base::vocabulary! {
    pub enum DeliveryState {
        Pending = "pending",
        Delivered = "delivered",
        Failed = "failed",
    }
}

impl DeliveryState {
    /// Every state, in the order of their bytes.
    pub const ALL: [DeliveryState; 3] = [DeliveryState::Pending, DeliveryState::Delivered, DeliveryState::Failed];
    /// The states that a delivery leaves only by a command of the operator.
    pub const ENDED: [DeliveryState; 2] = [DeliveryState::Delivered, DeliveryState::Failed];

    const fn byte(self) -> u8 {
        match self {
            DeliveryState::Pending => 0,
            DeliveryState::Delivered => 1,
            DeliveryState::Failed => 2,
        }
    }
}

/// Set in the number of a delivery that is of a notice, and not of a version.
const NOTICE: u64 = 1 << 63;

/// The number under which the outbox has a notice.
pub fn of_notice(number: u64) -> u64 {
    number | NOTICE
}

/// The number of the notice that a delivery is of; `None` if it is of a version.
pub fn notice_of(version: u64) -> Option<u64> {
    (version & NOTICE != 0).then_some(version & !NOTICE)
}

/// The delivery of one version to one subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub subscription: u32,
    pub version: u64,
    pub state: DeliveryState,
    /// Attempts made so far.
    pub attempts: u8,
    /// When it is due if it is pending, else when it ended; milliseconds since 1970.
    pub at_ms: u64,
    /// Result of the last attempt; empty before the first.
    pub outcome: String,
}

impl Delivery {
    pub fn read((subscription, version): (u32, u64), bytes: &[u8]) -> StoreResult<Delivery> {
        let corrupt = || StoreError::Corrupt(format!("delivery of version {version}"));
        let (head, outcome) = bytes.split_first_chunk::<10>().ok_or_else(corrupt)?;
        let [state, attempts, at @ ..] = *head;
        let state = DeliveryState::ALL.into_iter().find(|s| s.byte() == state).ok_or_else(corrupt)?;
        let outcome = String::from_utf8(outcome.to_vec()).map_err(|_| corrupt())?;
        Ok(Delivery { subscription, version, state, attempts, at_ms: u64::from_be_bytes(at), outcome })
    }

    fn value(&self) -> Vec<u8> {
        [&[self.state.byte(), self.attempts], self.at_ms.to_be_bytes().as_slice(), self.outcome.as_bytes()].concat()
    }

    fn key(&self) -> (u32, u64) {
        (self.subscription, self.version)
    }

    pub fn order(&self) -> OrderKey {
        (self.subscription, self.state.byte(), self.at_ms, self.version)
    }
}

/// Counts and failures of the deliveries to one subscription.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    pub pending: u64,
    /// Deliveries that arrived and were not removed yet.
    pub delivered: u64,
    /// Deliveries that failed for good and were not removed yet.
    pub failed: u64,
    /// Since when every attempt fails; `None` if the last one succeeded.
    pub failing_since_ms: Option<u64>,
    /// Result of the last attempt, while they fail.
    pub last_error: Option<String>,
}

impl Endpoint {
    pub fn count(&mut self, state: DeliveryState) -> &mut u64 {
        match state {
            DeliveryState::Pending => &mut self.pending,
            DeliveryState::Delivered => &mut self.delivered,
            DeliveryState::Failed => &mut self.failed,
        }
    }
}

pub(super) fn delivery_in(
    table: &impl ReadableTable<(u32, u64), &'static [u8]>,
    key: (u32, u64),
) -> StoreResult<Option<Delivery>> {
    table.get(key)?.map(|bytes| Delivery::read(key, bytes.value())).transpose()
}

pub(super) fn endpoint_in(table: &impl ReadableTable<u32, &'static [u8]>, number: u32) -> StoreResult<Endpoint> {
    Ok(table.get(number)?.map(|bytes| decode("endpoint", bytes.value())).transpose()?.unwrap_or_default())
}

/// The keys of a subscription and a state, between two instants, both included.
pub(super) fn span(
    subscription: u32,
    state: DeliveryState,
    from_ms: u64,
    to_ms: u64,
) -> std::ops::RangeInclusive<OrderKey> {
    (subscription, state.byte(), from_ms, 0)..=(subscription, state.byte(), to_ms, u64::MAX)
}

/// The outbox and the subscriptions inside a write transaction.
pub struct OutboxWriter<'t> {
    pub(super) meta: Table<'t, &'static str, u64>,
    pub(super) accounts: Table<'t, &'static str, &'static [u8]>,
    pub(super) subscriptions: Table<'t, u32, &'static [u8]>,
    endpoints: Table<'t, u32, &'static [u8]>,
    outbox: Table<'t, (u32, u64), &'static [u8]>,
    order: Table<'t, OrderKey, ()>,
    /// Endpoints that changed; written once, at the end.
    changed: BTreeMap<u32, Endpoint>,
}

impl<'t> OutboxWriter<'t> {
    pub(super) fn open(txn: &'t WriteTransaction) -> StoreResult<OutboxWriter<'t>> {
        Ok(OutboxWriter {
            meta: txn.open_table(schema::META)?,
            accounts: txn.open_table(schema::ACCOUNTS)?,
            subscriptions: txn.open_table(schema::SUBSCRIPTIONS)?,
            endpoints: txn.open_table(schema::ENDPOINTS)?,
            outbox: txn.open_table(schema::OUTBOX)?,
            order: txn.open_table(schema::OUTBOX_ORDER)?,
            changed: BTreeMap::new(),
        })
    }

    pub(super) fn finish(&mut self) -> StoreResult<()> {
        for (number, endpoint) in std::mem::take(&mut self.changed) {
            self.endpoints.insert(number, encode(&endpoint)?.as_slice())?;
        }
        Ok(())
    }

    /// Counts and failures of a subscription.
    pub fn endpoint(&mut self, number: u32) -> StoreResult<&mut Endpoint> {
        use std::collections::btree_map::Entry;
        match self.changed.entry(number) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(unknown) => Ok(unknown.insert(endpoint_in(&self.endpoints, number)?)),
        }
    }

    /// Removes all deliveries to a subscription, and its counts.
    pub(super) fn forget_endpoint(&mut self, number: u32) -> StoreResult<()> {
        self.changed.remove(&number);
        self.endpoints.remove(number)?;
        self.outbox.retain_in((number, 0)..=(number, u64::MAX), |_, _| false)?;
        for state in DeliveryState::ALL {
            self.order.retain_in(span(number, state, 0, u64::MAX), |_, ()| false)?;
        }
        Ok(())
    }

    pub fn delivery(&self, subscription: u32, version: u64) -> StoreResult<Option<Delivery>> {
        delivery_in(&self.outbox, (subscription, version))
    }

    /// Adds the delivery of a version to a subscription, due at that instant.
    pub fn enqueue(&mut self, subscription: u32, version: u64, due_ms: u64) -> StoreResult<()> {
        let state = DeliveryState::Pending;
        self.put(&Delivery { subscription, version, state, attempts: 0, at_ms: due_ms, outcome: String::new() })
    }

    /// Writes a delivery, new or changed.
    pub fn put(&mut self, delivery: &Delivery) -> StoreResult<()> {
        self.remove(delivery.subscription, delivery.version)?;
        self.outbox.insert(delivery.key(), delivery.value().as_slice())?;
        self.order.insert(delivery.order(), ())?;
        *self.endpoint(delivery.subscription)?.count(delivery.state) += 1;
        Ok(())
    }

    fn remove(&mut self, subscription: u32, version: u64) -> StoreResult<()> {
        if let Some(before) = self.delivery(subscription, version)? {
            self.outbox.remove(before.key())?;
            self.order.remove(before.order())?;
            let count = self.endpoint(subscription)?.count(before.state);
            *count = count.saturating_sub(1);
        }
        Ok(())
    }

    /// Versions whose delivery to a subscription ended in that state between two instants, both
    /// included, the earliest first, `limit` at most.
    pub fn ended(
        &self,
        subscription: u32,
        state: DeliveryState,
        (from_ms, to_ms): (u64, u64),
        limit: usize,
    ) -> StoreResult<Vec<u64>> {
        let rows = self.order.range(span(subscription, state, from_ms, to_ms))?.take(limit);
        rows.map(|entry| Ok(entry?.0.value().3)).collect()
    }

    /// Removes deliveries to a subscription.
    pub fn forget(&mut self, subscription: u32, versions: &[u64]) -> StoreResult<()> {
        versions.iter().try_for_each(|version| self.remove(subscription, *version))
    }
}

impl Store {
    /// Does `work` in one write transaction, which is rolled back if it fails.
    pub fn write_outbox<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut OutboxWriter<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let txn = self.begin_write()?;
        let value = {
            let mut writer = OutboxWriter::open(&txn)?;
            let value = work(&mut writer)?;
            writer.finish()?;
            value
        };
        self.commit(txn)?;
        Ok(value)
    }
}
