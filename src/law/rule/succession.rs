//! How the versions of one code follow one another (contract, section 3).
//!
//! Publishing a version moves the end of every version of its code that answers on one of its days, to
//! its first day: a version that began earlier is cut there, and a version that began on that day or
//! later never answers again (its end is then at or before its beginning). Versions that share no day
//! with it do not change, so a closed period of the past can be corrected by itself. Nothing is deleted;
//! only ends move.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use crate::base::value::Date;

/// When a version answers: from `de` on, and before `ate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vigencia {
    pub de: Date,
    /// First day on which it no longer answers; `None` if it answers up to the last day of rules.
    pub ate: Option<Date>,
}

impl Vigencia {
    /// True if it answers on that day.
    pub fn covers(self, data: Date) -> bool {
        self.de <= data && self.ate.map_or(data <= Date::LAST_OF_RULES, |ate| data < ate)
    }

    /// True if it answers on no day: later versions replaced it.
    pub fn is_empty(self) -> bool {
        self.ate.is_some_and(|ate| ate <= self.de)
    }

    /// The number of days between it and a day that it does not cover.
    pub fn distance(self, data: Date) -> u64 {
        match self.ate {
            Some(ate) if ate <= data => ate.days_between(data) + 1,
            _ => self.de.days_between(data),
        }
    }

    /// True if its last day is one of those from `first` to `last`, both included.
    pub fn ends_between(self, first: Date, last: Date) -> bool {
        !self.is_empty() && self.ate.is_some_and(|ate| first < ate && last.next_day().is_none_or(|after| ate <= after))
    }

    /// The days of this one that the other does not cover: none, or one or two spans.
    pub fn minus(self, other: Vigencia) -> Vec<Vigencia> {
        if !self.overlaps(other) {
            return vec![self];
        }
        let before = (self.de < other.de).then_some(Vigencia { de: self.de, ate: Some(other.de) });
        let after = other.ate.map(|ate| Vigencia { de: ate, ate: self.ate }).filter(|rest| !rest.is_empty());
        before.into_iter().chain(after).collect()
    }

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
    pub before: Vigencia,
    pub after: Vigencia,
}

impl<Id> Closing<Id> {
    /// The name of this in the changelog and in reports (contract, section 2.6): whether the version
    /// still answers on some days, or on none.
    pub fn tipo(&self) -> &'static str {
        if self.after.is_empty() { "substituicao_retroativa" } else { "substituicao" }
    }
}

/// The versions of one code. Publishing one costs about the same however many there are.
#[derive(Debug, Clone, Default)]
pub struct Timeline<Id> {
    /// In the order of their publication.
    versions: Vec<(Id, Vigencia)>,
    /// The place of each version in that list.
    places: HashMap<Id, usize>,
    /// The places of the versions that answer on some day, by their first day. No two share a day, because a
    /// version that is published takes its days from the others.
    answering: BTreeMap<Date, usize>,
}

impl<Id: Copy + Eq + Hash> Timeline<Id> {
    /// A timeline of published versions, with the validities that they have now.
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
        // Only the last version that begins before it, and those that begin on its days, can share a day with it.
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

    /// The versions with their current validities, in the order of publication.
    pub fn versions(&self) -> impl Iterator<Item = (Id, Vigencia)> {
        self.versions.iter().copied()
    }

    /// The current validity of a version.
    pub fn vigencia(&self, id: Id) -> Option<Vigencia> {
        self.places.get(&id).and_then(|place| self.versions.get(*place)).map(|(_, v)| *v)
    }

    /// The version that answers on that day.
    pub fn at(&self, data: Date) -> Option<Id> {
        let (_, place) = self.answering.range(..=data).next_back()?;
        self.versions.get(*place).filter(|(_, v)| v.covers(data)).map(|(id, _)| *id)
    }
}
