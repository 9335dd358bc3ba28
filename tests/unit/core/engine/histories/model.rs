//! The naive side: a plain list of versions, replayed by the rule that the design publishes.
//! Only versions that share a day with the new one are closed, at its first day.

use super::calendar::Day;

/// What a version matches on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scope {
    pub tributo: &'static str,
    pub origem: Option<&'static str>,
    pub destino: Option<&'static str>,
    pub ncm: &'static [&'static str],
    pub exceto: &'static [&'static str],
    pub cest: Option<&'static str>,
    pub ex: Option<&'static str>,
}

/// A version and what has become of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Version {
    pub code: &'static str,
    pub minor: u32,
    pub scope: Scope,
    /// Percent points; in 100.00 also the amount due.
    pub rate: u32,
    pub de: Day,
    /// The end that its bundle gave it, and the one it has.
    pub declared: Option<Day>,
    pub ate: Option<Day>,
    /// The minor number of the version that last moved its end.
    pub superseded_by: Option<u32>,
    /// Index of its publication.
    pub publication: usize,
}

impl Version {
    pub fn id(&self) -> String {
        id(self.code, self.minor)
    }

    pub fn covers(&self, day: Day) -> bool {
        self.de <= day && day < end(self.ate)
    }

    /// It answers on no day.
    pub fn is_empty(&self) -> bool {
        end(self.ate) <= self.de
    }

    pub fn shares_a_day_with(&self, other: &Version) -> bool {
        self.de.max(other.de) < end(self.ate).min(end(other.ate))
    }

    /// Word for word the same in the bundle.
    pub fn states_the_same_as(&self, other: &Version) -> bool {
        let stated = |v: &Version| (v.code, v.minor, v.scope, v.rate, v.de, v.declared);
        stated(self) == stated(other)
    }

    /// Both have one key: it would be undefined which of them answers.
    fn is_alike(&self, other: &Version) -> bool {
        let (a, b) = (&self.scope, &other.scope);
        let beside_ncm = |s: &Scope| (s.tributo, s.origem, s.destino, s.cest, s.ex);
        let common_ncm = a.ncm.iter().any(|n| b.ncm.contains(n)) || a.ncm.is_empty() && b.ncm.is_empty();
        beside_ncm(a) == beside_ncm(b) && common_ncm
    }
}

pub fn id(code: &str, minor: u32) -> String {
    format!("{code}-v1.{minor}")
}

/// An end as a number that orders: open-ended is after every day.
fn end(ate: Option<Day>) -> Day {
    ate.unwrap_or(Day::MAX)
}

/// A changelog event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// The version after the event.
    pub version: Version,
    /// Of a closing: the end it had, and the version that entered.
    pub closed: Option<(Option<Day>, u32)>,
    pub instant: u64,
}

impl Event {
    pub fn tipo(&self) -> &'static str {
        match self.closed {
            None => "publicacao",
            Some(_) if self.version.is_empty() => "substituicao_retroativa",
            Some(_) => "substituicao",
        }
    }
}

/// Everything known of the rules, now and at every instant before.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// All versions, in the order of their publication.
    pub versions: Vec<Version>,
    pub events: Vec<Event>,
    /// Each publication's instant, and all versions at that time.
    pub past: Vec<(u64, Vec<Version>)>,
}

impl Model {
    /// The model after a bundle of these versions, or `None` where it is refused. A version
    /// that is there already is left out, and a bundle of nothing else publishes nothing.
    pub fn after(&self, clock: u64, new: &[Version]) -> Option<Model> {
        let mut next = self.clone();
        let mut new = new.to_vec();
        new.sort_by_key(|v| (v.code, v.minor));
        new.retain(|v| !self.versions.iter().any(|old| old.states_the_same_as(v)));
        if new.is_empty() {
            return Some(next);
        }
        // The instants grow, whatever the clock says.
        let instant = self.past.last().map_or(clock, |(last, _)| clock.max(last + 1));
        for version in new {
            if self.versions.iter().any(|v| v.code == version.code && v.minor >= version.minor) {
                return None;
            }
            let version = Version { publication: self.past.len(), ..version };
            next.events.push(Event { version, closed: None, instant });
            for old in next.versions.iter_mut().filter(|v| v.code == version.code && v.shares_a_day_with(&version)) {
                let before = old.ate;
                (old.ate, old.superseded_by) = (Some(version.de), Some(version.minor));
                next.events.push(Event { version: *old, closed: Some((before, version.minor)), instant });
            }
            next.versions.push(version);
        }
        let ambiguous =
            |a: &Version| next.versions.iter().any(|b| a.code != b.code && a.is_alike(b) && a.shares_a_day_with(b));
        if next.versions.iter().any(ambiguous) {
            return None;
        }
        next.past.push((instant, next.versions.clone()));
        Some(next)
    }

    /// All versions as they were known at an instant.
    pub fn known_at(&self, instant: u64) -> &[Version] {
        self.past.iter().rev().find(|(at, _)| *at <= instant).map_or(&[], |(_, versions)| versions)
    }

    /// Every day on which something begins or ends among what `concerns`, and the day before.
    pub fn turning_days(&self, concerns: impl Fn(&Scope) -> bool) -> Vec<Day> {
        let all = self.past.iter().flat_map(|(_, versions)| versions).filter(|v| concerns(&v.scope));
        let mut days: Vec<Day> =
            all.flat_map(|v| [Some(v.de), v.declared, v.ate]).flatten().flat_map(|day| [day - 1, day]).collect();
        days.sort_unstable();
        days.dedup();
        days
    }
}
