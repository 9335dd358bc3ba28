//! Whether plans, accounts, keys and subscriptions can be read and name one another rightly.

use std::collections::BTreeSet;

use redb::{ReadTransaction, ReadableTable};
use serde::de::DeserializeOwned;

use super::{Area, Findings, GoOn};
use crate::store::accounts::{Account, KeyRecord};
use crate::store::json::decode;
use crate::store::plans::Plan;
use crate::store::subscriptions::{Subscription, subscription_id};
use crate::store::{StoreResult, schema};
use crate::value::KeyDigest;

/// A record; none, and a finding, where it cannot be read.
fn read<T: DeserializeOwned>(of: &str, bytes: &[u8], findings: &mut Findings) -> Option<T> {
    decode(of, bytes).map_err(|error| findings.add(Area::Accounts, error.to_string())).ok()
}

pub(super) fn look(txn: &ReadTransaction, findings: &mut Findings, go_on: GoOn<'_>) -> StoreResult<()> {
    let mut plans = BTreeSet::new();
    for entry in txn.open_table(schema::PLANS)?.iter()? {
        let (name, record) = entry?;
        go_on(1)?;
        let plan: Option<Plan> = read(&format!("plan {}", name.value()), record.value(), findings);
        if plan.is_some_and(|plan| plan.plan != name.value()) {
            findings.add(Area::Accounts, format!("the plan {} is written under another name", name.value()));
        }
        plans.insert(name.value().to_owned());
    }
    let mut accounts = BTreeSet::new();
    for entry in txn.open_table(schema::ACCOUNTS)?.iter()? {
        let (client_id, record) = entry?;
        go_on(1)?;
        let client_id = client_id.value();
        accounts.insert(client_id.to_owned());
        let Some(account) = read::<Account>(&format!("account {client_id}"), record.value(), findings) else {
            continue;
        };
        if account.client_id != client_id {
            findings.add(Area::Accounts, format!("account {client_id} calls itself {}", account.client_id));
        }
        if !plans.contains(&account.plan) {
            findings
                .add(Area::Accounts, format!("account {client_id} has plan \"{}\", which is not there", account.plan));
        }
    }
    let mut ids = BTreeSet::new();
    for entry in txn.open_table(schema::KEYS)?.iter()? {
        let (digest, record) = entry?;
        go_on(1)?;
        if KeyDigest::try_from(digest.value()).is_err() {
            findings.add(Area::Accounts, "a key is kept under what is no SHA-256");
        }
        let Some(key) = read::<KeyRecord>("key", record.value(), findings) else { continue };
        if !accounts.contains(&key.client_id) {
            findings
                .add(Area::Accounts, format!("key {} is of account {}, which is not there", key.key_id, key.client_id));
        }
        if !ids.insert(key.key_id.clone()) {
            findings.add(Area::Accounts, format!("two keys are called {}", key.key_id));
        }
    }
    let last = txn.open_table(schema::META)?.get(schema::META_LAST_SUBSCRIPTION)?.map_or(0, |n| n.value());
    for entry in txn.open_table(schema::SUBSCRIPTIONS)?.iter()? {
        let (number, record) = entry?;
        go_on(1)?;
        let id = subscription_id(number.value());
        if u64::from(number.value()) > last {
            findings.add(Area::Accounts, format!("{id} has a number that a new subscription would be given again"));
        }
        let Some(subscription) = read::<Subscription>(&id, record.value(), findings) else { continue };
        if subscription.number != number.value() {
            findings.add(Area::Accounts, format!("{id} calls itself {}", subscription.id()));
        }
        if !accounts.contains(&subscription.client_id) {
            findings.add(Area::Accounts, format!("{id} is of account {}, which is not there", subscription.client_id));
        }
    }
    Ok(())
}
