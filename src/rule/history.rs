//! How the versions of one code follow one another (contract, section 3).
//!
//! Publishing a version closes every version of its code that would answer on one of its
//! days, from its first day on: one that began earlier is cut there, and one that began on
//! that day or later never answers again (its end is then at or before its beginning:
//! replaced entirely). Versions that share no day with it are left alone, so a closed period
//! of the past can be corrected by itself. Nothing is deleted; only ends move.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use crate::value::Date;

/// When a version answers: from `de` on, and before `ate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vigencia {
    /// First day on which it answers.
    pub de: Date,
    /// First day on which it no longer answers; `None` is open-ended, up to the last day of rules.
    pub ate: Option<Date>,
}

impl Vigencia {
    /// True when it answers on that day.
    #[must_use]
    pub fn covers(self, data: Date) -> bool {
        self.de <= data && self.ate.map_or(data <= Date::LAST_OF_RULES, |ate| data < ate)
    }

    /// True when it answers on no day at all: replaced entirely.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.ate.is_some_and(|ate| ate <= self.de)
    }

    /// How many days it lies from a day that it does not cover.
    #[must_use]
    pub fn distance(self, data: Date) -> u64 {
        match self.ate {
            Some(ate) if ate <= data => ate.days_between(data) + 1,
            _ => self.de.days_between(data),
        }
    }

    /// True when some day is covered by both.
    #[must_use]
    pub fn overlaps(self, other: Vigencia) -> bool {
        let before = |a: Option<Date>, b: Date| a.is_some_and(|a| a <= b);
        !self.is_empty() && !other.is_empty() && !before(self.ate, other.de) && !before(other.ate, self.de)
    }
}

/// The end of a version that a new one moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closing<Id> {
    /// The version whose end moved.
    pub id: Id,
    /// Its validity before.
    pub before: Vigencia,
    /// Its validity from now on.
    pub after: Vigencia,
}

impl<Id> Closing<Id> {
    /// True when the version never answers again.
    #[must_use]
    pub fn is_retroactive(&self) -> bool {
        self.after.is_empty()
    }
}

/// The versions of one code. Publishing one costs about the same however many there are.
#[derive(Debug, Clone, Default)]
pub struct Timeline<Id> {
    /// In the order of their publication.
    versions: Vec<(Id, Vigencia)>,
    /// Where each stands in it.
    places: HashMap<Id, usize>,
    /// Where those stand that answer on some day, by their first day. No two share a day: whoever
    /// is published takes its days from the others.
    answering: BTreeMap<Date, usize>,
}

impl<Id: Copy + Eq + Hash> Timeline<Id> {
    /// A timeline of versions already published.
    pub fn new(versions: impl IntoIterator<Item = (Id, Vigencia)>) -> Self {
        let mut timeline = Timeline { versions: Vec::new(), places: HashMap::new(), answering: BTreeMap::new() };
        for (id, vigencia) in versions {
            timeline.push(id, vigencia);
        }
        timeline
    }

    fn push(&mut self, id: Id, vigencia: Vigencia) {
        let place = self.versions.len();
        self.versions.push((id, vigencia));
        self.places.insert(id, place);
        if !vigencia.is_empty() {
            self.answering.insert(vigencia.de, place);
        }
    }

    /// Adds a version and returns the ends that it moves, in the order of publication.
    pub fn publish(&mut self, id: Id, vigencia: Vigencia) -> Vec<Closing<Id>> {
        // Only the last one that begins before it, and those that begin on its days, may share one.
        let before = self.answering.range(..vigencia.de).next_back();
        let within = self.answering.range(vigencia.de..).take_while(|(de, _)| vigencia.covers(**de));
        let mut touched: Vec<usize> = before.into_iter().chain(within).map(|(_, place)| *place).collect();
        touched.sort_unstable();
        let mut closings = Vec::new();
        for place in touched {
            let Some((other, validity)) = self.versions.get_mut(place).filter(|(_, v)| v.overlaps(vigencia)) else {
                continue;
            };
            let before = *validity;
            validity.ate = Some(vigencia.de);
            if validity.is_empty() {
                self.answering.remove(&before.de);
            }
            closings.push(Closing { id: *other, before, after: *validity });
        }
        self.push(id, vigencia);
        closings
    }

    /// The versions with the validities that they have by now, in the order of publication.
    pub fn versions(&self) -> impl Iterator<Item = (Id, Vigencia)> {
        self.versions.iter().copied()
    }

    /// The validity that a version has by now.
    #[must_use]
    pub fn vigencia(&self, id: Id) -> Option<Vigencia> {
        self.places.get(&id).and_then(|place| self.versions.get(*place)).map(|(_, v)| *v)
    }

    /// The version that answers on that day.
    #[must_use]
    pub fn at(&self, data: Date) -> Option<Id> {
        let (_, place) = self.answering.range(..=data).next_back()?;
        self.versions.get(*place).filter(|(_, v)| v.covers(data)).map(|(id, _)| *id)
    }
}
