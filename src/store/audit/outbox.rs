//! Whether every delivery is of a version to a subscription, and stands in the order and in the counts.

use std::collections::BTreeMap;

use redb::{ReadTransaction, ReadableTable, ReadableTableMetadata};

use super::{Area, Findings, GoOn};
use crate::store::json::decode;
use crate::store::outbox::{Delivery, Endpoint};
use crate::store::subscriptions::subscription_id;
use crate::store::{StoreResult, schema};

pub(super) fn look(txn: &ReadTransaction, findings: &mut Findings, go_on: GoOn<'_>) -> StoreResult<()> {
    let subscriptions = txn.open_table(schema::SUBSCRIPTIONS)?;
    let versions = txn.open_table(schema::VERSIONS)?;
    let order = txn.open_table(schema::OUTBOX_ORDER)?;
    let mut counted: BTreeMap<u32, Endpoint> = BTreeMap::new();
    let mut rows = 0;
    for entry in txn.open_table(schema::OUTBOX)?.iter()? {
        let (key, value) = entry?;
        go_on(1)?;
        rows += 1;
        let (subscription, version) = key.value();
        let id = subscription_id(subscription);
        let new = !counted.contains_key(&subscription);
        let endpoint = counted.entry(subscription).or_default();
        if new && subscriptions.get(subscription)?.is_none() {
            findings.add(Area::Deliveries, format!("there are deliveries to {id}, which is not there"));
        }
        if versions.get(version)?.is_none() {
            findings.add(Area::Deliveries, format!("a delivery to {id} is of version {version}, which is not there"));
        }
        match Delivery::read((subscription, version), value.value()) {
            Ok(delivery) => {
                *endpoint.count(delivery.state) += 1;
                if order.get(delivery.order())?.is_none() {
                    let what = format!(
                        "the delivery of version {version} to {id} has no place in the order, so it is never due"
                    );
                    findings.add(Area::Deliveries, what);
                }
            }
            Err(error) => findings.add(Area::Deliveries, error.to_string()),
        }
    }
    let placed = order.len()?;
    go_on(placed)?;
    if placed != rows {
        findings.add(Area::Deliveries, format!("the order has {placed} deliveries, and there are {rows}"));
    }
    let mut endpoints = BTreeMap::new();
    for entry in txn.open_table(schema::ENDPOINTS)?.iter()? {
        let (number, record) = entry?;
        go_on(1)?;
        let id = subscription_id(number.value());
        match decode::<Endpoint>(&id, record.value()) {
            Ok(endpoint) => {
                endpoints.insert(number.value(), endpoint);
            }
            Err(error) => findings.add(Area::Deliveries, error.to_string()),
        }
        if subscriptions.get(number.value())?.is_none() {
            findings.add(Area::Deliveries, format!("deliveries to {id} are counted, which is not there"));
        }
    }
    let numbers: std::collections::BTreeSet<u32> = counted.keys().chain(endpoints.keys()).copied().collect();
    for number in numbers {
        let counts = |of: &BTreeMap<u32, Endpoint>| {
            of.get(&number).map(|e| (e.pending, e.delivered, e.failed)).unwrap_or_default()
        };
        let (there, told) = (counts(&counted), counts(&endpoints));
        if there != told {
            let id = subscription_id(number);
            let what = format!(
                "of deliveries to {id} (pending, delivered, failed) {told:?} are counted, and there are {there:?}"
            );
            findings.add(Area::Deliveries, what);
        }
    }
    Ok(())
}
