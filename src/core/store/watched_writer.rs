//! Changes of the kept lists, each with its rows of the two indexes in one transaction.

use std::collections::BTreeSet;

use redb::{ReadableTable, Table, WriteTransaction};

use super::encoding::encode;
use super::outbox::OutboxWriter;
use super::watched::{cursor_in, lines_in, list_in, lists_in};
use super::{
    ListChange, Notice, Store, StoreError, StoreResult, WatchCursor, WatchedKey, WatchedLine, WatchedList, schema,
};

/// The kept lists inside a write transaction.
pub struct WatchWriter<'t> {
    lists: Table<'t, (&'static str, &'static str), &'static [u8]>,
    lines: Table<'t, WatchedKey, &'static [u8]>,
    keys: Table<'t, (u64, u64, u32), ()>,
    days: Table<'t, (u32, u64, u32), ()>,
    changes: Table<'t, (u64, u64), &'static [u8]>,
    notices: Table<'t, u64, &'static [u8]>,
    outbox: OutboxWriter<'t>,
}

impl<'t> WatchWriter<'t> {
    fn open(txn: &'t WriteTransaction) -> StoreResult<WatchWriter<'t>> {
        Ok(WatchWriter {
            lists: txn.open_table(schema::WATCHED)?,
            lines: txn.open_table(schema::WATCHED_LINES)?,
            keys: txn.open_table(schema::WATCHED_KEYS)?,
            days: txn.open_table(schema::WATCHED_DAYS)?,
            changes: txn.open_table(schema::WATCHED_CHANGES)?,
            notices: txn.open_table(schema::WATCHED_NOTICES)?,
            outbox: OutboxWriter::open(txn)?,
        })
    }

    /// The outbox, for the deliveries of notices.
    pub fn outbox(&mut self) -> &mut OutboxWriter<'t> {
        &mut self.outbox
    }

    pub fn cursor(&self) -> StoreResult<WatchCursor> {
        cursor_in(&self.outbox.meta)
    }

    pub fn put_cursor(&mut self, cursor: WatchCursor) -> StoreResult<()> {
        let meta = &mut self.outbox.meta;
        meta.insert(schema::META_WATCHED_PUBLICATION, cursor.publication)?;
        meta.insert(schema::META_WATCHED_UNTIL, u64::from(cursor.until))?;
        meta.insert(schema::META_WATCHED_PROGRAM, cursor.program)?;
        meta.insert(schema::META_WATCHED_PUTS, cursor.puts)?;
        Ok(())
    }

    fn next_number(&mut self, name: &'static str) -> StoreResult<u64> {
        let next = self.outbox.meta.get(name)?.map_or(0, |last| last.value()) + 1;
        self.outbox.meta.insert(name, next)?;
        Ok(next)
    }

    /// A number that no list has had.
    pub fn next_list(&mut self) -> StoreResult<u64> {
        self.next_number(schema::META_LAST_LIST)
    }

    pub fn list(&self, client_id: &str, nome: &str) -> StoreResult<Option<WatchedList>> {
        list_in(&self.lists, client_id, nome)
    }

    /// The lists of an account, in the order of their names, or of all accounts.
    pub fn lists(&self, client_id: Option<&str>) -> StoreResult<Vec<WatchedList>> {
        lists_in(&self.lists, client_id)
    }

    pub fn put_list(&mut self, list: &WatchedList) -> StoreResult<()> {
        self.lists.insert((list.client_id.as_str(), list.nome.as_str()), encode(list)?.as_slice())?;
        Ok(())
    }

    /// Removes a list with its lines and its changes.
    pub fn remove_list(&mut self, list: &WatchedList) -> StoreResult<()> {
        for (place, line) in self.lines_of(list.number)? {
            self.set_line((list.number, place), Some(&line), None)?;
        }
        self.changes.retain_in((list.number, 0)..=(list.number, u64::MAX), |_, _| false)?;
        self.lists.remove((list.client_id.as_str(), list.nome.as_str()))?;
        Ok(())
    }

    pub fn lines_of(&self, list: u64) -> StoreResult<Vec<(u32, WatchedLine)>> {
        lines_in(&self.lines, (list, 0), usize::MAX)
    }

    /// True if the record of a line is still this one.
    pub fn is_still(&self, key: WatchedKey, record: &[u8]) -> StoreResult<bool> {
        Ok(self.lines.get(key)?.is_some_and(|bytes| bytes.value() == record))
    }

    /// Puts a line in the place of the one before, in the indexes too; `None` for none.
    pub fn set_line(
        &mut self,
        key: WatchedKey,
        before: Option<&WatchedLine>,
        after: Option<&WatchedLine>,
    ) -> StoreResult<()> {
        let (list, place) = key;
        let probes = |line: Option<&WatchedLine>| -> BTreeSet<u64> {
            line.iter().flat_map(|line| line.probes.iter().copied()).collect()
        };
        let (old, new) = (probes(before), probes(after));
        for hash in old.difference(&new) {
            self.keys.remove((*hash, list, place))?;
        }
        for hash in new.difference(&old) {
            self.keys.insert((*hash, list, place), ())?;
        }
        let day = |line: Option<&WatchedLine>| line.and_then(|line| line.next).map(|day| (day.ordinal(), list, place));
        if day(before) != day(after) {
            if let Some(day) = day(before) {
                self.days.remove(day)?;
            }
            if let Some(day) = day(after) {
                self.days.insert(day, ())?;
            }
        }
        match after {
            Some(line) => self.lines.insert(key, encode(line)?.as_slice())?,
            None => self.lines.remove(key)?,
        };
        Ok(())
    }

    /// Adds a change to a list, and removes its oldest ones beyond `most`.
    pub fn add_change(&mut self, list: u64, change: &ListChange, most: u64) -> StoreResult<()> {
        let last = self.last_change(list)?;
        self.changes.insert((list, last + 1), encode(change)?.as_slice())?;
        if last >= most {
            self.changes.remove((list, last + 1 - most))?;
        }
        Ok(())
    }

    /// Number of the last change of a list; 0 before the first.
    pub fn last_change(&self, list: u64) -> StoreResult<u64> {
        let last = self.changes.range((list, 0)..=(list, u64::MAX))?.next_back().transpose()?;
        Ok(last.map_or(0, |(key, _)| key.value().1))
    }

    /// The changes of a list that were written after the one of that number, in their order.
    pub fn changes_after(&self, list: u64, number: u64) -> StoreResult<Vec<ListChange>> {
        let rows = self.changes.range((list, number + 1)..=(list, u64::MAX))?;
        rows.map(|row| super::encoding::decode("change of a kept list", row?.1.value())).collect()
    }

    /// The number that the next notice gets.
    pub fn next_notice(&mut self) -> StoreResult<u64> {
        self.next_number(schema::META_LAST_NOTICE)
    }

    /// Writes a notice, and removes the one that is `most` older, with its deliveries.
    pub fn put_notice(&mut self, number: u64, notice: &Notice, most: u64) -> StoreResult<()> {
        self.notices.insert(number, encode(notice)?.as_slice())?;
        let Some(old) = number.checked_sub(most) else { return Ok(()) };
        if self.notices.remove(old)?.is_some() {
            for subscription in self.outbox.subscriptions()? {
                self.outbox.forget(subscription.number, &[super::outbox::of_notice(old)])?;
            }
        }
        Ok(())
    }
}

impl Store {
    /// Does `work` in one write transaction, which is rolled back if it fails.
    pub fn write_watched<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut WatchWriter<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let txn = self.begin_write()?;
        let value = {
            let mut writer = WatchWriter::open(&txn)?;
            let value = work(&mut writer)?;
            writer.outbox.finish()?;
            value
        };
        self.commit(txn)?;
        Ok(value)
    }
}
