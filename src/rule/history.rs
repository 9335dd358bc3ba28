//! How the versions of one code follow one another (contract, section 3).
//!
//! Publishing a version closes every version of its code that would answer on one of its
//! days, from its first day on: one that began earlier is cut there, and one that began on
//! that day or later never answers again (its end is then at or before its beginning:
//! replaced entirely). Versions that share no day with it are left alone, so a closed period
//! of the past can be corrected by itself. Nothing is deleted; only ends move.

use crate::value::Data;

/// When a version answers: from `de` on, and before `ate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vigencia {
    /// First day on which it answers.
    pub de: Data,
    /// First day on which it no longer answers; `None` is open-ended.
    pub ate: Option<Data>,
}

impl Vigencia {
    /// True when it answers on that day.
    #[must_use]
    pub fn covers(self, data: Data) -> bool {
        self.de <= data && self.ate.is_none_or(|ate| data < ate)
    }

    /// True when it answers on no day at all: replaced entirely.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.ate.is_some_and(|ate| ate <= self.de)
    }

    /// How many days it lies from a day that it does not cover.
    #[must_use]
    pub fn distance(self, data: Data) -> u64 {
        match self.ate {
            Some(ate) if ate <= data => ate.days_between(data) + 1,
            _ => self.de.days_between(data),
        }
    }

    /// True when some day is covered by both.
    #[must_use]
    pub fn overlaps(self, other: Vigencia) -> bool {
        let before = |a: Option<Data>, b: Data| a.is_some_and(|a| a <= b);
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

/// The versions of one code that may still answer, in the order of their publication.
#[derive(Debug, Clone, Default)]
pub struct Timeline<Id> {
    versions: Vec<(Id, Vigencia)>,
}

impl<Id: Copy + PartialEq> Timeline<Id> {
    /// A timeline of versions already published.
    pub fn new(versions: impl IntoIterator<Item = (Id, Vigencia)>) -> Self {
        Timeline { versions: versions.into_iter().collect() }
    }

    /// Adds a version and returns the ends that it moves.
    pub fn publish(&mut self, id: Id, vigencia: Vigencia) -> Vec<Closing<Id>> {
        let mut closings = Vec::new();
        for (other, validity) in &mut self.versions {
            if !validity.overlaps(vigencia) {
                continue;
            }
            let before = *validity;
            validity.ate = Some(vigencia.de);
            closings.push(Closing { id: *other, before, after: *validity });
        }
        self.versions.push((id, vigencia));
        closings
    }

    /// The validity that a version has by now.
    #[must_use]
    pub fn vigencia(&self, id: Id) -> Option<Vigencia> {
        self.versions.iter().find(|(other, _)| *other == id).map(|(_, v)| *v)
    }

    /// The version that answers on that day.
    #[must_use]
    pub fn at(&self, data: Data) -> Option<Id> {
        self.versions.iter().rev().find(|(_, v)| v.covers(data)).map(|(id, _)| *id)
    }
}
