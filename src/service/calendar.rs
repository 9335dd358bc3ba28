//! The rules that end soon: counted for `taxd status`, the health and the metrics, and warned of in the log.
//!
//! A thread checks once a minute if the day or the last publication has changed, and only then reads the rules. It
//! warns of an end without a successor 60, 30 and 7 days before. A setting of the data file keeps what was warned of: a
//! restart repeats no warning, and a day on which the server did not run loses none.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Service;
use crate::engine::Engine;
use crate::engine::upcoming::{Sucessao, UpcomingEnd};
use crate::store::{StoreError, StoreResult};
use crate::value::Date;

/// Days before an end at which it is warned of, the longest first.
pub const THRESHOLDS_DAYS: [u32; 3] = [60, 30, 7];
/// Days that are looked ahead.
const AHEAD_DAYS: u32 = 60;
/// Pause before the first look: after a start, callers are served first.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// Longest pause after a panic.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_mins(1);
/// The setting with what was warned of.
const SETTING: &str = "calendar_warned";

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
struct Look {
    day: Date,
    /// Number of the last publication.
    publication: u64,
}

/// The result of the last look of a process.
#[derive(Debug, Default)]
pub(super) struct Calendar(Mutex<Option<LastLook>>);

#[derive(Debug, Clone, Copy)]
struct LastLook {
    look: Look,
    counts: [EndingRules; 3],
    /// What it found due was warned of.
    has_warned: bool,
}

/// The ends that were warned of: the number of each version, its end, and the shortest threshold.
pub type WarnedEnds = BTreeMap<u64, (Date, u32)>;

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

/// The shortest threshold that the end has reached on the day; `None` before the longest.
fn reached(end: &UpcomingEnd, day: Date) -> Option<u32> {
    let days_left = if end.data > day { day.days_between(end.data) } else { 0 };
    THRESHOLDS_DAYS.into_iter().rev().find(|threshold| days_left <= u64::from(*threshold))
}

/// What to warn of on a day, and what was warned of after that: the ends without a successor that have reached a
/// threshold of which they were not warned of. An end that moved, or that lost its successor, is a new one.
#[must_use]
pub fn due(ends: &[UpcomingEnd], day: Date, warned: &WarnedEnds) -> (Vec<EndWarning>, WarnedEnds) {
    let mut warnings: BTreeMap<Date, EndWarning> = BTreeMap::new();
    let mut after = WarnedEnds::new();
    for end in ends.iter().filter(|end| end.sucessao == Sucessao::SemSucessora) {
        let Some(threshold) = reached(end, day) else { continue };
        let before = warned.get(&end.number).filter(|(data, _)| *data == end.data).map(|(_, threshold)| *threshold);
        if before.is_none_or(|before| threshold < before) {
            let warning =
                warnings.entry(end.data).or_insert(EndWarning { data: end.data, rules: 0, first: end.number });
            warning.rules += 1;
        }
        after.insert(end.number, (end.data, before.map_or(threshold, |before| before.min(threshold))));
    }
    (warnings.into_values().collect(), after)
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
        if let Some(last) = self.last_look() {
            return Ok(last.counts);
        }
        let now = look(self.engine())?;
        Ok(counted(&ends(self.engine(), now)?, now.day))
    }

    fn last_look(&self) -> Option<LastLook> {
        *self.calendar.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_last_look(&self, last: LastLook) {
        *self.calendar.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
    }

    /// Reads the rules that end in the next days and warns of what is due, unless nothing is new since the last look.
    pub fn look_ahead(&self) -> StoreResult<Vec<EndWarning>> {
        let now = look(self.engine())?;
        if self.last_look().is_some_and(|last| last.look == now && last.has_warned) {
            return Ok(Vec::new());
        }
        let ends = ends(self.engine(), now)?;
        let counts = counted(&ends, now.day);
        self.set_last_look(LastLook { look: now, counts, has_warned: false });
        let warned: WarnedEnds = match self.store().setting(SETTING)? {
            Some(text) => serde_json::from_str(&text).unwrap_or_default(),
            None => WarnedEnds::new(),
        };
        let (warnings, after) = due(&ends, now.day, &warned);
        let firsts = warnings.iter().map(|warning| self.engine().rule_id_of(warning.first));
        let firsts: Vec<String> = firsts.collect::<StoreResult<_>>()?;
        // Before the log: a disk that is full would repeat the warnings every minute.
        if after != warned {
            let text = serde_json::to_string(&after).map_err(|e| StoreError::Corrupt(e.to_string()))?;
            self.store().put_setting(SETTING, Some(&text))?;
        }
        for (warning, first) in warnings.iter().zip(firsts) {
            tracing::warn!(
                from = %warning.data,
                days_left = now.day.days_between(warning.data),
                rules = warning.rules,
                first,
                "rules end without a successor: from that day on requests for them are refused as regra_inexistente; `taxd rules upcoming` lists them. Import a bundle with what follows"
            );
        }
        self.set_last_look(LastLook { look: now, counts, has_warned: true });
        Ok(warnings)
    }
}

fn look(engine: &Engine) -> StoreResult<Look> {
    Ok(Look { day: engine.now().day(), publication: engine.store().read_journal()?.last_publication()? })
}

fn ends(engine: &Engine, now: Look) -> StoreResult<Vec<UpcomingEnd>> {
    engine.upcoming_ends(now.day, now.day.plus_days(AHEAD_DAYS))
}

/// The pauses before the first look, and after each panic: what made it panic may last, so they double up to an hour.
pub fn pauses() -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(FIRST_PAUSE), |pause| Some((*pause * 2).min(LONGEST_PAUSE)))
}

/// Looks ahead, first after the pause, until the sender is dropped or sends.
pub(super) fn run(service: &Service, stop: &Receiver<()>, first_pause: Duration) {
    let mut pause = first_pause;
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
