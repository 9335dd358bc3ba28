//! The rules that end soon: counted for `taxd status`, the health and the metrics, and warned of in the log.
//!
//! A thread looks once a minute whether the day or the last publication is another, and only then reads the rules. It
//! warns of an end without a successor 60, 30 and 7 days before. What was warned of follows from the day and the
//! publication of the last look, which a setting of the data file keeps: a restart repeats no warning, and a day on which
//! the server did not run loses none.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Service;
use crate::engine::Engine;
use crate::engine::upcoming::{Sucessao, UpcomingEnd};
use crate::store::StoreResult;
use crate::value::Date;

/// Days before an end at which it is warned of, the longest first.
pub const THRESHOLDS_DAYS: [u32; 3] = [60, 30, 7];
/// Days that are looked ahead.
const AHEAD_DAYS: u32 = 60;
/// Pause before the first look: after a start, callers are served first.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_mins(1);
/// The setting with the day and the publication of the last look.
const SETTING: &str = "calendar_last_look";

/// How many rules end within some days, by what answers then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndingRules {
    /// The days.
    pub within_days: u32,
    /// A version under the same scope key answers.
    pub nova_versao: u64,
    /// A less specific rule answers.
    pub regra_geral: u64,
    /// Nothing answers in some of their scope.
    pub sem_sucessora: u64,
}

/// When the rules were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The day.
    pub day: Date,
    /// Number of the last publication.
    pub publication: u64,
}

/// The result of the last look of a process.
#[derive(Debug, Default)]
pub(super) struct Calendar(Mutex<Option<(Look, [EndingRules; 3])>>);

/// Rules that end on one day without a successor, to be warned of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndWarning {
    /// First day on which they no longer answer.
    pub data: Date,
    /// How many they are.
    pub rules: usize,
    /// Number of the first of them.
    pub first: u64,
}

impl Look {
    fn parse(text: &str) -> Option<Look> {
        let (day, publication) = text.split_once(' ')?;
        Some(Look { day: Date::parse(day).ok()?, publication: publication.parse().ok()? })
    }

    fn written(self) -> String {
        format!("{} {}", self.day, self.publication)
    }
}

/// The shortest threshold that the end has reached on the day; `None` before the longest.
fn reached(end: &UpcomingEnd, day: Date) -> Option<u32> {
    let days_left = if end.data > day { day.days_between(end.data) } else { 0 };
    THRESHOLDS_DAYS.into_iter().rev().find(|threshold| days_left <= u64::from(*threshold))
}

/// What to warn of now: the ends without a successor that have reached a threshold since the last look, and those of
/// versions that were published since then.
#[must_use]
pub fn due(ends: &[UpcomingEnd], now: Look, last: Option<Look>) -> Vec<EndWarning> {
    let mut warnings: BTreeMap<Date, EndWarning> = BTreeMap::new();
    for end in ends.iter().filter(|end| end.sucessao == Sucessao::SemSucessora) {
        let Some(threshold) = reached(end, now.day) else { continue };
        let before = last.filter(|last| end.publication <= last.publication).and_then(|last| reached(end, last.day));
        if before.is_none_or(|before| threshold < before) {
            let warning =
                warnings.entry(end.data).or_insert(EndWarning { data: end.data, rules: 0, first: end.number });
            warning.rules += 1;
        }
    }
    warnings.into_values().collect()
}

/// Counts the ends for each threshold.
fn counted(ends: &[UpcomingEnd], day: Date) -> [EndingRules; 3] {
    THRESHOLDS_DAYS.map(|within_days| {
        let mut counts = EndingRules { within_days, ..EndingRules::default() };
        for end in ends.iter().filter(|end| day.days_between(end.data) <= u64::from(within_days)) {
            match end.sucessao {
                Sucessao::NovaVersao => counts.nova_versao += 1,
                Sucessao::RegraGeral => counts.regra_geral += 1,
                Sucessao::SemSucessora => counts.sem_sucessora += 1,
            }
        }
        counts
    })
}

impl Service {
    /// How many rules end in the next days: as of the last look of the thread, or as of now if it has not looked.
    pub fn ending_rules(&self) -> StoreResult<[EndingRules; 3]> {
        let last = *self.calendar.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, counts)) = last {
            return Ok(counts);
        }
        let now = look(self.engine())?;
        Ok(counted(&ends(self.engine(), now)?, now.day))
    }

    /// Reads the rules that end in the next days and warns of what is due, unless nothing is new since the last look.
    pub fn look_ahead(&self) -> StoreResult<Vec<EndWarning>> {
        let now = look(self.engine())?;
        let known = *self.calendar.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_some_and(|(last, _)| last == now) {
            return Ok(Vec::new());
        }
        let ends = ends(self.engine(), now)?;
        *self.calendar.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, counted(&ends, now.day)));
        let last = self.store().setting(SETTING)?.as_deref().and_then(Look::parse);
        let warnings = due(&ends, now, last);
        for warning in &warnings {
            let first = self.engine().rule_id_of(warning.first)?;
            tracing::warn!(
                from = %warning.data,
                days_left = now.day.days_between(warning.data),
                rules = warning.rules,
                first,
                "rules end without a successor: from that day on requests for them are refused as regra_inexistente; `taxd rules upcoming` lists them. Import a bundle with what follows"
            );
        }
        // The later day: a clock that was set back and then forward again repeats no warning.
        let looked = Look { day: last.map_or(now.day, |last| last.day.max(now.day)), ..now };
        if last != Some(looked) {
            self.store().put_setting(SETTING, Some(&looked.written()))?;
        }
        Ok(warnings)
    }
}

fn look(engine: &Engine) -> StoreResult<Look> {
    Ok(Look { day: engine.now().day(), publication: engine.store().read_journal()?.last_publication()? })
}

fn ends(engine: &Engine, now: Look) -> StoreResult<Vec<UpcomingEnd>> {
    engine.upcoming_ends(now.day, now.day.plus_days(AHEAD_DAYS))
}

/// Looks ahead until the sender is dropped or sends.
pub(super) fn run(service: &Service, stop: &Receiver<()>) {
    let mut pause = FIRST_PAUSE;
    while let Err(RecvTimeoutError::Timeout) = stop.recv_timeout(pause) {
        match service.look_ahead() {
            Err(error) if !error.is_outage() => {
                tracing::error!(%error, "the rules that end soon could not be read; it is tried again in a minute");
            }
            _ => {}
        }
        pause = PAUSE;
    }
}
