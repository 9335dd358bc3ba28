//! Plans, accounts, keys, subscriptions and the calls of accounts: each can be read, and names only what exists.

use std::collections::{BTreeMap, BTreeSet};

use redb::{ReadTransaction, ReadableTable};
use serde::de::DeserializeOwned;

use super::finding::{Area, Checker};
use crate::base::value::KeyDigest;
use crate::core::calls::decode_block;
use crate::core::calls::meter::Meter;
use crate::core::store::accounts::{Account, KeyRecord};
use crate::core::store::calls::meters;
use crate::core::store::corrections::{each_corrected_block, each_correction};
use crate::core::store::encoding::decode;
use crate::core::store::plans::Plan;
use crate::core::store::subscriptions::{Subscription, subscription_id};
use crate::core::store::{Block, StoreResult, schema};
use crate::features::corrections;

/// Returns the ids of all accounts.
pub(super) fn check(txn: &ReadTransaction, checker: &mut Checker<'_>) -> StoreResult<BTreeSet<String>> {
    let plans = check_plans(txn, checker)?;
    let accounts = check_accounts(txn, &plans, checker)?;
    check_keys(txn, &accounts, checker)?;
    check_subscriptions(txn, &accounts, checker)?;
    Ok(accounts)
}

/// A record, or a finding if it cannot be read.
fn read<T: DeserializeOwned>(what: &str, bytes: &[u8], checker: &mut Checker<'_>) -> Option<T> {
    decode(what, bytes).map_err(|error| checker.add(Area::Accounts, error.to_string())).ok()
}

/// Returns the names of all plans.
fn check_plans(txn: &ReadTransaction, checker: &mut Checker<'_>) -> StoreResult<BTreeSet<String>> {
    let mut plans = BTreeSet::new();
    for entry in txn.open_table(schema::PLANS)?.iter()? {
        let (name, record) = entry?;
        let name = name.value();
        checker.rows(1)?;
        let plan: Option<Plan> = read(&format!("plan {name}"), record.value(), checker);
        if let Some(plan) = plan.filter(|plan| plan.plan != name) {
            checker.add(Area::Accounts, format!("the record of plan {name} has the name {}", plan.plan));
        }
        plans.insert(name.to_owned());
    }
    Ok(plans)
}

/// Returns the ids of all accounts.
fn check_accounts(
    txn: &ReadTransaction,
    plans: &BTreeSet<String>,
    checker: &mut Checker<'_>,
) -> StoreResult<BTreeSet<String>> {
    let mut accounts = BTreeSet::new();
    for entry in txn.open_table(schema::ACCOUNTS)?.iter()? {
        let (client_id, record) = entry?;
        let client_id = client_id.value();
        checker.rows(1)?;
        accounts.insert(client_id.to_owned());
        let record = read(&format!("account {client_id}"), record.value(), checker);
        let Some(Account { client_id: own_id, plan, .. }) = record else { continue };
        if own_id != client_id {
            checker.add(Area::Accounts, format!("the record of account {client_id} has the id {own_id}"));
        }
        if !plans.contains(&plan) {
            checker.add(Area::Accounts, format!("account {client_id} has plan \"{plan}\", which does not exist"));
        }
    }
    Ok(accounts)
}

fn check_keys(txn: &ReadTransaction, accounts: &BTreeSet<String>, checker: &mut Checker<'_>) -> StoreResult<()> {
    let mut ids = BTreeSet::new();
    for entry in txn.open_table(schema::KEYS)?.iter()? {
        let (digest, record) = entry?;
        checker.rows(1)?;
        if KeyDigest::try_from(digest.value()).is_err() {
            checker.add(Area::Accounts, "an API key is stored under an index that is not a SHA-256 hash");
        }
        let Some(KeyRecord { key_id, client_id, .. }) = read("key", record.value(), checker) else { continue };
        if !accounts.contains(&client_id) {
            checker.add(Area::Accounts, format!("key {key_id} belongs to account {client_id}, which does not exist"));
        }
        if !ids.insert(key_id.clone()) {
            checker.add(Area::Accounts, format!("two keys have the id {key_id}"));
        }
    }
    Ok(())
}

fn check_subscriptions(
    txn: &ReadTransaction,
    accounts: &BTreeSet<String>,
    checker: &mut Checker<'_>,
) -> StoreResult<()> {
    let last = txn.open_table(schema::META)?.get(schema::META_LAST_SUBSCRIPTION)?.map_or(0, |n| n.value());
    for entry in txn.open_table(schema::SUBSCRIPTIONS)?.iter()? {
        let (number, record) = entry?;
        let id = subscription_id(number.value());
        checker.rows(1)?;
        if u64::from(number.value()) > last {
            checker.add(Area::Accounts, format!("a new subscription could get the id of {id}"));
        }
        let Some(subscription) = read::<Subscription>(&id, record.value(), checker) else { continue };
        if subscription.number != number.value() {
            checker.add(Area::Accounts, format!("the record of {id} has the id {}", subscription.id()));
        }
        if !accounts.contains(&subscription.client_id) {
            let what = format!("{id} belongs to account {}, which does not exist", subscription.client_id);
            checker.add(Area::Accounts, what);
        }
    }
    Ok(())
}

/// Checks every block of calls and every meter.
pub(super) fn check_calls(
    txn: &ReadTransaction,
    accounts: &BTreeSet<String>,
    checker: &mut Checker<'_>,
) -> StoreResult<()> {
    for row in txn.open_table(schema::CALLS)?.iter()? {
        let (key, bytes) = row?;
        let (client_id, last_ms, last_seq) = key.value();
        checker.rows(1)?;
        let mut add = |what: &str| checker.add(Area::Calls, format!("the log has calls of account {client_id}{what}"));
        if !accounts.contains(client_id) {
            add(", which does not exist");
        }
        match fits_its_key(&Block { last_ms, last_seq, bytes: bytes.value().to_vec() }) {
            Ok(true) => {}
            Ok(false) => add(&format!(" up to number {last_seq} that do not fit the key of their block")),
            Err(error) => add(&format!(" up to number {last_seq} that cannot be read: {error}")),
        }
    }
    for (client_id, meter) in meters(txn)? {
        checker.rows(1)?;
        let mut add = |what: &str| checker.add(Area::Calls, format!("the counts of account {client_id} {what}"));
        if !accounts.contains(&client_id) {
            add("remain, and the account does not exist");
        }
        if let Err(error) = Meter::new(Some(&meter)) {
            add(&format!("cannot be read: {error}"));
        }
    }
    Ok(())
}

/// Checks what publications changed in answers, and every block of those calls.
pub(super) fn check_corrections(
    txn: &ReadTransaction,
    accounts: &BTreeSet<String>,
    checker: &mut Checker<'_>,
) -> StoreResult<()> {
    let mut kept = BTreeMap::new();
    each_correction(txn, |client_id, publication, record| {
        checker.rows(1)?;
        let what = format!("the corrections of account {client_id} by publication {publication}");
        if !accounts.contains(client_id) {
            checker.add(Area::Calls, format!("{what} remain, and the account does not exist"));
        }
        match corrections::read(record) {
            Ok(one) => _ = kept.insert((client_id.to_owned(), publication), one.chamadas.guardadas),
            Err(error) => checker.add(Area::Calls, format!("{what} cannot be read: {error}")),
        }
        Ok(())
    })?;
    let mut found: BTreeMap<(String, u64), u64> = BTreeMap::new();
    each_corrected_block(txn, |(client_id, publication, last), bytes| {
        checker.rows(1)?;
        let what = format!("the corrected calls of account {client_id} up to number {last}");
        match corrections::decode(bytes) {
            Ok(calls) if calls.last().is_some_and(|call| call.corrected.numero == last) => {
                *found.entry((client_id.to_owned(), publication)).or_default() += calls.len() as u64;
            }
            Ok(_) => checker.add(Area::Calls, format!("{what} do not fit the key of their block")),
            Err(error) => checker.add(Area::Calls, format!("{what} cannot be read: {error}")),
        }
        Ok(())
    })?;
    // An account that is being looked through has calls before it has a record.
    for ((client_id, publication), count) in kept {
        let there = found.get(&(client_id.clone(), publication)).copied().unwrap_or_default();
        if there != count {
            let what = format!("the corrections of account {client_id} by publication {publication}");
            checker.add(Area::Calls, format!("{what} have {there} calls, and should have {count}"));
        }
    }
    Ok(())
}

/// True if the calls of a block are in order, and its key has the number of the last one and no earlier instant.
fn fits_its_key(block: &Block) -> StoreResult<bool> {
    let calls = decode_block(&block.bytes)?;
    let in_order = calls.windows(2).all(|pair| matches!(pair, [a, b] if a.seq < b.seq));
    let latest_ms = calls.iter().map(|call| call.at_ms).max();
    let is_last = calls.last().is_some_and(|call| call.seq == block.last_seq);
    Ok(in_order && is_last && latest_ms.is_some_and(|ms| ms <= block.last_ms))
}
