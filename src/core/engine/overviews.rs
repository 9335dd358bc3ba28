//! What is read from all rules or publications at once, kept until the next publication: the calendar, the ends ahead, the
//! coverage and the official tables.
//!
//! Each takes up to a third of a second to make and many look at the same one. It depends on the published rules and on
//! the days that are asked for, never on anything else. The memory is bounded: the one that was used least recently is
//! dropped.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::coverage::Coverage;
use super::official_tables::FollowedTables;
use super::upcoming::{EndsByDay, Upcoming};
use crate::base::value::Date;
use crate::store::StoreResult;

/// Most rules of the calendars that are kept: some 700 bytes each.
const CALENDAR_RULES: usize = 20_000;
/// Most windows of ends that are kept: that of today, and one more around midnight.
const END_WINDOWS: usize = 2;
/// Most days of which the coverage is kept.
const COVERAGE_DAYS: usize = 8;

/// The kept overviews of one engine.
pub(super) struct Overviews {
    pub(super) calendars: KeptOverviews<(Date, Date), Upcoming>,
    pub(super) ends: KeptOverviews<(Date, Date), EndsByDay>,
    pub(super) coverages: KeptOverviews<Date, Coverage>,
    pub(super) tables: KeptOverviews<(), FollowedTables>,
}

impl Default for Overviews {
    fn default() -> Overviews {
        Overviews {
            calendars: KeptOverviews::new(CALENDAR_RULES, |upcoming| upcoming.regras.len().max(CALENDAR_RULES / 16)),
            ends: KeptOverviews::new(END_WINDOWS, |_| 1),
            coverages: KeptOverviews::new(COVERAGE_DAYS, |_| 1),
            tables: KeptOverviews::new(1, |_| 1),
        }
    }
}

/// How often each overview was made since the engine was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverviewsMade {
    pub calendars: u64,
    /// Windows of ends.
    pub ends: u64,
    pub coverages: u64,
}

impl Overviews {
    pub(super) fn made(&self) -> OverviewsMade {
        OverviewsMade { calendars: self.calendars.made(), ends: self.ends.made(), coverages: self.coverages.made() }
    }
}

/// Values of one publication by what was asked for.
pub(super) struct KeptOverviews<K, V> {
    /// Most weight of all values; a heavier one is not kept.
    most: usize,
    weight: fn(&V) -> usize,
    made: AtomicU64,
    /// Held while a value is made: two callers would otherwise do the same work.
    making: Mutex<()>,
    values: Mutex<Values<K, V>>,
}

struct Values<K, V> {
    /// Number of the publication that they are of.
    publication: u64,
    /// The most recently used last.
    values: VecDeque<(K, Arc<V>)>,
}

impl<K: PartialEq, V> KeptOverviews<K, V> {
    fn new(most: usize, weight: fn(&V) -> usize) -> KeptOverviews<K, V> {
        let values = Mutex::new(Values { publication: 0, values: VecDeque::new() });
        KeptOverviews { most, weight, made: AtomicU64::new(0), making: Mutex::default(), values }
    }

    /// The value of that publication, which is the last one: kept, or made, one at a time.
    pub(super) fn get(&self, publication: u64, key: K, make: impl FnOnce() -> StoreResult<V>) -> StoreResult<Arc<V>> {
        if let Some(value) = self.find(publication, &key) {
            return Ok(value);
        }
        let _one_at_a_time = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.find(publication, &key) {
            return Ok(value);
        }
        self.made.fetch_add(1, Ordering::Relaxed);
        let value = Arc::new(make()?);
        self.put(publication, key, &value);
        Ok(value)
    }

    fn find(&self, publication: u64, key: &K) -> Option<Arc<V>> {
        let mut kept = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.publication != publication {
            return None;
        }
        let at = kept.values.iter().position(|(known, _)| known == key)?;
        let entry = kept.values.remove(at)?;
        let value = Arc::clone(&entry.1);
        kept.values.push_back(entry);
        Some(value)
    }

    fn put(&self, publication: u64, key: K, value: &Arc<V>) {
        let mut kept = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.publication < publication {
            *kept = Values { publication, values: VecDeque::new() };
        }
        if kept.publication > publication || (self.weight)(value) > self.most {
            return;
        }
        kept.values.retain(|(known, _)| *known != key);
        kept.values.push_back((key, Arc::clone(value)));
        while kept.values.iter().map(|(_, value)| (self.weight)(value)).sum::<usize>() > self.most {
            kept.values.pop_front();
        }
    }

    fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }
}
