//! Kept lists: each has its account and its lines, and both indexes have exactly the keys and days of the lines.

use std::collections::{BTreeMap, BTreeSet};

use redb::{ReadTransaction, ReadableTable, ReadableTableMetadata};
use serde::de::DeserializeOwned;

use super::finding::{Area, Checker};
use crate::core::store::encoding::decode;
use crate::core::store::{ListChange, Notice, StoreResult, WatchedLine, WatchedList, schema};

pub(super) fn check(txn: &ReadTransaction, accounts: &BTreeSet<String>, checker: &mut Checker<'_>) -> StoreResult<()> {
    let mut lists = check_lists(txn, accounts, checker)?;
    check_lines(txn, &mut lists, checker)?;
    for (number, list) in &lists {
        if list.missing != 0 {
            let what = format!("list {} of {} does not have the lines that it states", list.nome, list.client_id);
            checker.add(Area::Lists, format!("{what} (number {number})"));
        }
    }
    for row in txn.open_table(schema::WATCHED_CHANGES)?.iter()? {
        let (key, value) = row?;
        checker.rows(1)?;
        let (list, number) = key.value();
        read::<ListChange>(&format!("change {number} of list {list}"), value.value(), checker);
        if !lists.contains_key(&list) {
            checker.add(Area::Lists, format!("change {number} is of list {list}, which does not exist"));
        }
    }
    for row in txn.open_table(schema::WATCHED_NOTICES)?.iter()? {
        let (key, value) = row?;
        checker.rows(1)?;
        read::<Notice>(&format!("notice {}", key.value()), value.value(), checker);
    }
    Ok(())
}

/// Reads a record; a finding if it cannot be read.
fn read<T: DeserializeOwned>(what: &str, bytes: &[u8], checker: &mut Checker<'_>) -> Option<T> {
    decode(what, bytes).map_err(|error| checker.add(Area::Lists, error.to_string())).ok()
}

/// A list, and how many of its lines were not found yet.
struct Counted {
    nome: String,
    client_id: String,
    missing: i64,
}

fn check_lists(
    txn: &ReadTransaction,
    accounts: &BTreeSet<String>,
    checker: &mut Checker<'_>,
) -> StoreResult<BTreeMap<u64, Counted>> {
    let mut lists = BTreeMap::new();
    for row in txn.open_table(schema::WATCHED)?.iter()? {
        let (key, value) = row?;
        checker.rows(1)?;
        let (client_id, nome) = key.value();
        let what = format!("list {nome} of {client_id}");
        let Some(list) = read::<WatchedList>(&what, value.value(), checker) else { continue };
        if !accounts.contains(client_id) {
            checker.add(Area::Lists, format!("list {nome} is of {client_id}, which does not exist"));
        }
        let counted = Counted { nome: list.nome, client_id: list.client_id, missing: i64::from(list.linhas) };
        if lists.insert(list.number, counted).is_some() {
            checker.add(Area::Lists, format!("two lists have the number {}", list.number));
        }
    }
    Ok(lists)
}

fn check_lines(
    txn: &ReadTransaction,
    lists: &mut BTreeMap<u64, Counted>,
    checker: &mut Checker<'_>,
) -> StoreResult<()> {
    let (keys, days) = (txn.open_table(schema::WATCHED_KEYS)?, txn.open_table(schema::WATCHED_DAYS)?);
    let (mut of_keys, mut of_days) = (0, 0);
    for row in txn.open_table(schema::WATCHED_LINES)?.iter()? {
        let (key, value) = row?;
        checker.rows(1)?;
        let (list, place) = key.value();
        match lists.get_mut(&list) {
            Some(counted) => counted.missing -= 1,
            None => checker.add(Area::Lists, format!("line {place} is of list {list}, which does not exist")),
        }
        let what = format!("line {place} of list {list}");
        let Some(line) = read::<WatchedLine>(&what, value.value(), checker) else { continue };
        let mut is_indexed = true;
        for hash in &line.probes {
            of_keys += 1;
            is_indexed &= keys.get((*hash, list, place))?.is_some();
        }
        if let Some(day) = line.next {
            of_days += 1;
            is_indexed &= days.get((day.ordinal(), list, place))?.is_some();
        }
        if !is_indexed {
            checker.add(
                Area::Lists,
                format!("line {place} of list {list} is missing from an index: changes of it are missed"),
            );
        }
    }
    for (table, rows, lines) in [("keys", keys.len()?, of_keys), ("days", days.len()?, of_days)] {
        checker.rows(rows)?;
        if rows != lines {
            checker.add(Area::Lists, format!("table watched_{table} has {rows} rows, and the lines need {lines}"));
        }
    }
    Ok(())
}
