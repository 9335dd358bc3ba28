//! What holds from one day to another, and the versions that lead from what was published to what holds.

use crate::base::value::Date;
use crate::law::rule::Vigencia;

/// A value and the days on which it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Period<V> {
    pub(super) vigencia: Vigencia,
    pub(super) value: V,
}

/// Periods in order, of which no two share a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Periods<V>(Vec<Period<V>>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewVersion<V> {
    pub(super) period: Period<V>,
    /// True if the value was published for these days and holds on none of them. Nothing published is rewritten, so
    /// the version must refuse.
    pub(super) withdrawn: bool,
}

impl<V> Default for Periods<V> {
    fn default() -> Periods<V> {
        Periods(Vec::new())
    }
}

impl<V: PartialEq + Clone> Periods<V> {
    /// Published periods in any order. Two of one value stay two: a version with fewer days cuts only the first of them.
    pub(super) fn of(mut periods: Vec<Period<V>>) -> Periods<V> {
        periods.sort_by_key(|period| period.vigencia.de);
        Periods(periods)
    }

    /// Adds a later period. It extends the one before it if that has the same value up to its first day.
    pub(super) fn push(&mut self, vigencia: Vigencia, value: V) {
        match self.0.last_mut() {
            Some(last) if last.vigencia.ate == Some(vigencia.de) && last.value == value => {
                last.vigencia.ate = vigencia.ate;
            }
            _ => self.0.push(Period { vigencia, value }),
        }
    }

    fn at(&self, day: Date) -> Option<&Period<V>> {
        self.0.iter().find(|period| period.vigencia.covers(day))
    }

    pub(super) fn value_at(&self, day: Date) -> Option<&V> {
        self.at(day).map(|period| &period.value)
    }

    /// The first day on which the two differ; `None` if they never do.
    pub(super) fn first_difference(&self, other: &Periods<V>) -> Option<Date> {
        let turns = self.0.iter().chain(&other.0).flat_map(|p| [Some(p.vigencia.de), p.vigencia.ate]).flatten();
        turns.filter(|day| self.value_at(*day) != other.value_at(*day)).min()
    }

    /// The versions that make these periods, which were published, into the `wanted` ones. A version cuts those of
    /// its code on its first day, so everything from the first difference on is published again.
    pub(super) fn versions_to(&self, wanted: &Periods<V>) -> Vec<NewVersion<V>> {
        let Some(from) = self.first_difference(wanted) else { return Vec::new() };
        let mut versions = Vec::new();
        for Period { vigencia, value } in &self.0 {
            let Vigencia { de, ate } = *vigencia;
            let first = de.max(from);
            if ate.is_some_and(|ate| ate <= from) || wanted.at(first).is_some() {
                continue;
            }
            let next = wanted.0.iter().map(|period| period.vigencia.de).filter(|next| *next > first).min();
            let (vigencia, withdrawn) = if de < from {
                (Vigencia { de, ate: Some(from) }, false)
            } else {
                (Vigencia { de, ate: [ate, next].into_iter().flatten().min() }, true)
            };
            versions.push(NewVersion { period: Period { vigencia, value: value.clone() }, withdrawn });
        }
        for Period { vigencia, value } in &wanted.0 {
            let rest = Vigencia { de: vigencia.de.max(from), ate: vigencia.ate };
            if !rest.is_empty() {
                versions.push(NewVersion { period: Period { vigencia: rest, value: value.clone() }, withdrawn: false });
            }
        }
        versions
    }
}

impl<V> IntoIterator for Periods<V> {
    type Item = Period<V>;
    type IntoIter = std::vec::IntoIter<Period<V>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
