//! How many documents of goods a book has, and which numbers of its own series are missing.

use std::collections::BTreeMap;

use super::entry::BookEntry;
use super::totals::is_own;
use crate::law::efd::icms_ipi::c100;

/// Most series whose numbers are followed.
const MAX_SERIES: usize = 1_000;

/// The documents of goods of a book.
#[derive(Debug, Default)]
pub(super) struct NumbersOfBook {
    /// Documents that the declarant issued, and that others did.
    pub(super) own: u64,
    pub(super) others: u64,
    /// By model and series of what the declarant issued.
    pub(super) series: BTreeMap<String, NumberGap>,
    /// NF-e that the declarant issued with items (C170), and those of others without.
    pub(super) own_with_items: CountedNotes,
    pub(super) others_without_items: CountedNotes,
}

/// How many notes, and the number of the first.
#[derive(Debug, Default)]
pub(super) struct CountedNotes {
    pub(super) count: u64,
    pub(super) first: u32,
}

/// The numbers of a series that are missing so far.
#[derive(Debug, Default)]
pub(super) struct NumberGap {
    last: u32,
    pub(super) missing: u64,
    pub(super) first: u32,
}

impl NumbersOfBook {
    /// Counts a document with a key. Keys come in order, so those of a series in a month come by their numbers.
    pub(super) fn add(&mut self, entry: &BookEntry<'_>) {
        let key = entry.key();
        let number = key.get(25..34).and_then(|number| number.parse::<u32>().ok());
        let Some(number) = number.filter(|_| entry.is_icms("C100")) else { return };
        self.add_items(entry, number);
        if !is_own(entry) {
            self.others += 1;
            return;
        }
        self.own += 1;
        let series = key.get(20..25).unwrap_or_default();
        let is_late = matches!(entry.situation(), "01" | "07");
        if is_late || !entry.book.has_root_of(key.get(6..20).unwrap_or_default()) {
            return;
        }
        if self.series.len() < MAX_SERIES && !self.series.contains_key(series) {
            self.series.insert(series.to_owned(), NumberGap::default());
        }
        if let Some(gap) = self.series.get_mut(series) {
            if gap.last > 0 && number > gap.last.saturating_add(1) {
                gap.first = if gap.missing == 0 { gap.last + 1 } else { gap.first };
                gap.missing += u64::from(number - gap.last - 1);
            }
            gap.last = gap.last.max(number);
        }
    }

    /// The books want the items of what others issued, and of an own NF-e only with C176, C177, C180 or C181.
    fn add_items(&mut self, entry: &BookEntry<'_>, number: u32) {
        let is_regular = entry.own.text(c100::COD_MOD) == "55" && matches!(entry.situation(), "00" | "01");
        let has = |register: &str| entry.all(register).next().is_some();
        let with_items = has("C170");
        let counted = match is_own(entry) {
            true if with_items && !["C176", "C177", "C180", "C181"].into_iter().any(has) => &mut self.own_with_items,
            false if !with_items => &mut self.others_without_items,
            _ => return,
        };
        if is_regular {
            counted.first = if counted.count == 0 { number } else { counted.first };
            counted.count += 1;
        }
    }
}
