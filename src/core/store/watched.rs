//! The kept lists of the accounts: their lines with what was answered, and what publications changed in them.

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata};
use serde::{Deserialize, Serialize};

use super::encoding::decode;
use super::{Store, StoreResult, schema};
use crate::base::problem::ErrorCode;
use crate::base::value::{Date, Timestamp};

/// Number of a list, and the place of a line in it, from 1.
pub type WatchedKey = (u64, u32);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedList {
    /// Its number: no other list has had it.
    pub number: u64,
    pub client_id: String,
    pub nome: String,
    pub linhas: u32,
    pub guardada_em: Timestamp,
    /// Number of its last change that subscriptions were notified of.
    pub announced: u64,
}

/// What a line is answered on a day: an amount by a rule, or a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedAnswer {
    /// `None` if it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valor: Option<String>,
    /// Code of the refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo: Option<ErrorCode>,
    /// The rule that answers or refuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citacao_legal: Option<String>,
}

/// From a day on, up to the next one, the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSpan {
    pub de: Date,
    pub resposta: WatchedAnswer,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedLine {
    /// What its account calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The payload as JSON. One without its date follows today.
    pub payload: String,
    /// Number of the last publication that its answers take into account.
    pub publication: u64,
    /// Its answers, in the order of the days. The last one lasts up to `next`.
    pub spans: Vec<AnswerSpan>,
    /// Hashes of the scope keys that its answers looked up.
    pub probes: Vec<u64>,
    /// The first day after those that were calculated on which the answer may change by what is published; `None` if
    /// there is none, or if the line has a date of its own.
    pub next: Option<Date>,
}

/// A change of what a line is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListChange {
    pub linha: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub tributo: String,
    pub situacao: String,
    /// First day with the new answer.
    pub primeiro_dia: Date,
    pub antes: WatchedAnswer,
    pub depois: WatchedAnswer,
    /// When the rules that make it were published; `None` if another release of taxd calculates differently.
    pub publicado_em: Option<Timestamp>,
    pub registrada_em: Timestamp,
}

/// A message to the subscriptions of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub client_id: String,
    /// What it is about; the message id is made of it.
    pub about: String,
    /// The body, as it is posted.
    pub body: String,
}

/// How far the kept lists have been brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchCursor {
    /// The last publication whose changes are written.
    pub publication: u64,
    /// The last day, as an ordinal, that the lines were answered for; 0 before the first.
    pub until: u32,
    /// Identifies the program that made the hashes of the keys.
    pub program: u64,
    /// How often a list was kept: work that began before the last time may have missed its lines.
    pub puts: u64,
}

/// The kept lists in one snapshot.
pub struct WatchReader {
    lists: ReadOnlyTable<(&'static str, &'static str), &'static [u8]>,
    lines: ReadOnlyTable<WatchedKey, &'static [u8]>,
    keys: ReadOnlyTable<(u64, u64, u32), ()>,
    days: ReadOnlyTable<(u32, u64, u32), ()>,
    changes: ReadOnlyTable<(u64, u64), &'static [u8]>,
    meta: ReadOnlyTable<&'static str, u64>,
}

/// The list of that account and name.
pub(super) fn list_in(
    table: &impl ReadableTable<(&'static str, &'static str), &'static [u8]>,
    client_id: &str,
    nome: &str,
) -> StoreResult<Option<WatchedList>> {
    table.get((client_id, nome))?.map(|bytes| decode("kept list", bytes.value())).transpose()
}

/// The lists of an account, in the order of their names, or of all accounts.
pub(super) fn lists_in(
    table: &impl ReadableTable<(&'static str, &'static str), &'static [u8]>,
    client_id: Option<&str>,
) -> StoreResult<Vec<WatchedList>> {
    let mut lists = Vec::new();
    for row in table.range((client_id.unwrap_or_default(), "")..)? {
        let (key, bytes) = row?;
        if client_id.is_some_and(|id| key.value().0 != id) {
            break;
        }
        lists.push(decode("kept list", bytes.value())?);
    }
    Ok(lists)
}

/// The lines of a list after that place, `limit` at most.
pub(super) fn lines_in(
    table: &impl ReadableTable<WatchedKey, &'static [u8]>,
    (list, after): WatchedKey,
    limit: usize,
) -> StoreResult<Vec<(u32, WatchedLine)>> {
    let rows = table.range((list, after.saturating_add(1))..=(list, u32::MAX))?.take(limit);
    rows.map(|row| {
        let (key, bytes) = row?;
        Ok((key.value().1, decode("line of a kept list", bytes.value())?))
    })
    .collect()
}

/// How far the lists have been brought.
pub(super) fn cursor_in(meta: &impl ReadableTable<&'static str, u64>) -> StoreResult<WatchCursor> {
    let number = |name| Ok::<_, super::StoreError>(meta.get(name)?.map_or(0, |value| value.value()));
    Ok(WatchCursor {
        publication: number(schema::META_WATCHED_PUBLICATION)?,
        until: u32::try_from(number(schema::META_WATCHED_UNTIL)?).unwrap_or_default(),
        program: number(schema::META_WATCHED_PROGRAM)?,
        puts: number(schema::META_WATCHED_PUTS)?,
    })
}

impl WatchReader {
    fn open(txn: &ReadTransaction) -> StoreResult<WatchReader> {
        Ok(WatchReader {
            lists: txn.open_table(schema::WATCHED)?,
            lines: txn.open_table(schema::WATCHED_LINES)?,
            keys: txn.open_table(schema::WATCHED_KEYS)?,
            days: txn.open_table(schema::WATCHED_DAYS)?,
            changes: txn.open_table(schema::WATCHED_CHANGES)?,
            meta: txn.open_table(schema::META)?,
        })
    }

    pub fn cursor(&self) -> StoreResult<WatchCursor> {
        cursor_in(&self.meta)
    }

    /// How many lists and lines the accounts keep.
    pub fn counts(&self) -> StoreResult<(u64, u64)> {
        Ok((self.lists.len()?, self.lines.len()?))
    }

    /// True if no account keeps a list.
    pub fn is_empty(&self) -> StoreResult<bool> {
        Ok(self.lists.first()?.is_none())
    }

    pub fn list(&self, client_id: &str, nome: &str) -> StoreResult<Option<WatchedList>> {
        list_in(&self.lists, client_id, nome)
    }

    /// The lists of an account, in the order of their names.
    pub fn lists(&self, client_id: &str) -> StoreResult<Vec<WatchedList>> {
        lists_in(&self.lists, Some(client_id))
    }

    /// The lines of a list after that place, `limit` at most.
    pub fn lines(&self, list: u64, after: u32, limit: usize) -> StoreResult<Vec<(u32, WatchedLine)>> {
        lines_in(&self.lines, (list, after), limit)
    }

    /// The record of a line, as it is stored; `None` if it has been removed.
    pub fn record(&self, key: WatchedKey) -> StoreResult<Option<Vec<u8>>> {
        Ok(self.lines.get(key)?.map(|bytes| bytes.value().to_vec()))
    }

    /// The lines that looked up the key of that hash, after `after`, `limit` at most.
    pub fn lines_of_key(&self, hash: u64, after: WatchedKey, limit: usize) -> StoreResult<Vec<WatchedKey>> {
        let rows = self.keys.range((hash, after.0, after.1)..=(hash, u64::MAX, u32::MAX))?;
        let keys = rows.map(|row| row.map(|(key, _)| (key.value().1, key.value().2)));
        Ok(keys.filter(|key| key.as_ref().map_or(true, |key| *key != after)).take(limit).collect::<Result<_, _>>()?)
    }

    /// The lines whose answer may change on some day up to that one, after `after`, `limit` at most.
    pub fn lines_until(&self, day: Date, after: (u32, u64, u32), limit: usize) -> StoreResult<Vec<(u32, u64, u32)>> {
        let rows = self.days.range(after..=(day.ordinal(), u64::MAX, u32::MAX))?;
        let keys = rows.map(|row| row.map(|(key, _)| key.value()));
        Ok(keys.filter(|key| key.as_ref().map_or(true, |key| *key != after)).take(limit).collect::<Result<_, _>>()?)
    }

    /// All lines after that one, `limit` at most.
    pub fn all_lines(&self, after: WatchedKey, limit: usize) -> StoreResult<Vec<WatchedKey>> {
        let keys = self.lines.range(after..)?.map(|row| row.map(|(key, _)| key.value()));
        Ok(keys.filter(|key| key.as_ref().map_or(true, |key| *key != after)).take(limit).collect::<Result<_, _>>()?)
    }

    /// The changes of a list before the one of that number that were written at that instant or later, the latest first,
    /// `limit` at most.
    pub fn changes(
        &self,
        list: u64,
        before: u64,
        since: Option<Timestamp>,
        limit: usize,
    ) -> StoreResult<Vec<(u64, ListChange)>> {
        let mut found = Vec::new();
        for row in self.changes.range((list, 0)..(list, before))?.rev() {
            let (key, bytes) = row?;
            let change: ListChange = decode("change of a kept list", bytes.value())?;
            if found.len() == limit || since.is_some_and(|since| change.registrada_em < since) {
                break;
            }
            found.push((key.value().1, change));
        }
        Ok(found)
    }

    /// How many changes of a list are kept.
    pub fn change_count(&self, list: u64) -> StoreResult<u64> {
        let mut rows = self.changes.range((list, 0)..=(list, u64::MAX))?;
        let last = rows.next_back().transpose()?.map_or(0, |(key, _)| key.value().1);
        let first = rows.next().transpose()?.map_or(last, |(key, _)| key.value().1);
        Ok(if last == 0 { 0 } else { last - first + 1 })
    }
}

impl Store {
    pub fn read_watched(&self) -> StoreResult<WatchReader> {
        WatchReader::open(&self.begin_read()?)
    }

    /// The notice of that number; `None` if it was removed.
    pub fn notice(&self, number: u64) -> StoreResult<Option<Notice>> {
        let table = self.begin_read()?.open_table(schema::WATCHED_NOTICES)?;
        table.get(number)?.map(|bytes| decode("notice", bytes.value())).transpose()
    }
}
