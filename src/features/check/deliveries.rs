//! Webhook deliveries: each is of a version to a subscription, and both its order and the counts have it.

use std::collections::{BTreeMap, BTreeSet};

use redb::{ReadTransaction, ReadableTable, ReadableTableMetadata};

use super::finding::{Area, Checker};
use crate::core::store::encoding::decode;
use crate::core::store::outbox::{Delivery, Endpoint};
use crate::core::store::subscriptions::subscription_id;
use crate::core::store::{StoreResult, notice_of, schema};

/// Counts of deliveries, by subscription.
type Counts = BTreeMap<u32, Endpoint>;

pub(super) fn check(txn: &ReadTransaction, checker: &mut Checker<'_>) -> StoreResult<()> {
    let found = check_rows(txn, checker)?;
    let kept = check_endpoints(txn, checker)?;
    let numbers: BTreeSet<u32> = found.keys().chain(kept.keys()).copied().collect();
    for number in numbers {
        let counts = |of: &Counts| of.get(&number).map(|e| (e.pending, e.delivered, e.failed)).unwrap_or_default();
        let (found, kept) = (counts(&found), counts(&kept));
        if found != kept {
            let what = format!(
                "the counts of {} (pending, delivered, failed) are {kept:?}, and its deliveries are {found:?}",
                subscription_id(number)
            );
            checker.add(Area::Deliveries, what);
        }
    }
    Ok(())
}

/// Checks every delivery. Returns how many there are.
fn check_rows(txn: &ReadTransaction, checker: &mut Checker<'_>) -> StoreResult<Counts> {
    let subscriptions = txn.open_table(schema::SUBSCRIPTIONS)?;
    let versions = txn.open_table(schema::VERSIONS)?;
    let notices = txn.open_table(schema::WATCHED_NOTICES)?;
    let order = txn.open_table(schema::OUTBOX_ORDER)?;
    let mut counts = Counts::new();
    let mut rows = 0;
    for entry in txn.open_table(schema::OUTBOX)?.iter()? {
        let (key, value) = entry?;
        let (subscription, version) = key.value();
        checker.rows(1)?;
        rows += 1;
        let mut add = |what: String| checker.add(Area::Deliveries, what);
        let id = subscription_id(subscription);
        if !counts.contains_key(&subscription) && subscriptions.get(subscription)?.is_none() {
            add(format!("there are deliveries to {id}, which does not exist"));
        }
        let count = counts.entry(subscription).or_default();
        if let Some(notice) = notice_of(version) {
            if notices.get(notice)?.is_none() {
                add(format!("a delivery to {id} is of notice {notice}, which does not exist"));
            }
        } else if versions.get(version)?.is_none() {
            add(format!("a delivery to {id} is of version {version}, which does not exist"));
        }
        match Delivery::read((subscription, version), value.value()) {
            Ok(delivery) => {
                *count.count(delivery.state) += 1;
                if order.get(delivery.order())?.is_none() {
                    add(format!(
                        "the delivery of version {version} to {id} is missing from table outbox_order and is never sent"
                    ));
                }
            }
            Err(error) => add(error.to_string()),
        }
    }
    let ordered = order.len()?;
    checker.rows(ordered)?;
    if ordered != rows {
        checker
            .add(Area::Deliveries, format!("table outbox_order has {ordered} deliveries, and table outbox has {rows}"));
    }
    Ok(counts)
}

/// Checks the counts of every subscription. Returns them.
fn check_endpoints(txn: &ReadTransaction, checker: &mut Checker<'_>) -> StoreResult<Counts> {
    let subscriptions = txn.open_table(schema::SUBSCRIPTIONS)?;
    let mut counts = Counts::new();
    for entry in txn.open_table(schema::ENDPOINTS)?.iter()? {
        let (number, record) = entry?;
        let number = number.value();
        checker.rows(1)?;
        let id = subscription_id(number);
        match decode(&id, record.value()) {
            Ok(endpoint) => _ = counts.insert(number, endpoint),
            Err(error) => checker.add(Area::Deliveries, error.to_string()),
        }
        if subscriptions.get(number)?.is_none() {
            checker.add(Area::Deliveries, format!("there are counts of {id}, which does not exist"));
        }
    }
    Ok(counts)
}
