//! The rules that end soon: counted for `taxd status`, the health and the metrics, and warned of in the log.
//!
//! A thread checks once a minute if the day or the last publication has changed, and only then looks for what to warn
//! of: from 30 days before, once a day, of each day from which requests will be refused. A setting of the data file keeps
//! what was warned of: a restart repeats no warning.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Service;
use crate::base::value::Date;
use crate::engine::Engine;
use crate::engine::upcoming::{EndCounts, EndsByDay};
use crate::store::{StoreError, StoreResult};

/// Windows of days for which the ends are counted, the longest first.
pub const WINDOWS_DAYS: [u32; 3] = [60, 30, 7];
const AHEAD_DAYS: u32 = 60;
/// Days before an end from which the log warns of it.
const WARN_DAYS: u64 = 30;
/// Pause before the first look: after a start, callers are served first.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// Longest pause after a panic.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_mins(1);
const SETTING: &str = "calendar_warned";

/// How many rules end within some days, by what answers then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndingRules {
    pub within_days: u32,
    #[serde(flatten)]
    pub fins: EndCounts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    day: Date,
    /// Number of the last publication.
    publication: u64,
}

/// The last look of a process that has warned of all that it found.
#[derive(Debug, Default)]
pub(super) struct EndsAhead(Mutex<Option<Look>>);

/// What was warned of on the last day with a warning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarnedEnds {
    /// The day; `None` before the first warning.
    day: Option<Date>,
    /// How many rules, by the day from which their requests are refused.
    ends: BTreeMap<Date, u64>,
}

/// Rules that end on one day and leave no answer, to be warned of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndWarning {
    /// First day on which they no longer answer.
    pub data: Date,
    /// The rules that end on that day.
    pub fins: EndCounts,
    /// Number of the first of those that leave no answer.
    pub first: u64,
}

/// What to warn of on a day, and what was warned of after that: each day of the next 30 from which requests are refused,
/// once a day, and again if a publication has made them more.
pub fn due(ends: &EndsByDay, day: Date, warned: &WarnedEnds) -> (Vec<EndWarning>, WarnedEnds) {
    let mut after = match warned.day {
        // A clock that is set back repeats nothing.
        Some(last) if last >= day => warned.clone(),
        _ => WarnedEnds { day: Some(day), ends: BTreeMap::new() },
    };
    let mut warnings = Vec::new();
    for (data, of_day) in ends.iter().filter(|(data, _)| day.days_between(**data) <= WARN_DAYS) {
        let (Some(first), rules) = (of_day.without_answer, of_day.fins.without_answer()) else { continue };
        if after.ends.get(data).is_none_or(|before| *before < rules) {
            warnings.push(EndWarning { data: *data, fins: of_day.fins, first });
        }
        after.ends.insert(*data, rules);
    }
    if warnings.is_empty() { (warnings, warned.clone()) } else { (warnings, after) }
}

/// Counts the ends for each window.
fn counted(ends: &EndsByDay, day: Date) -> [EndingRules; 3] {
    WINDOWS_DAYS.map(|within_days| {
        let within = ends.iter().filter(|(data, _)| day.days_between(**data) <= u64::from(within_days));
        let fins = within.fold(EndCounts::default(), |sum, (_, of_day)| sum.plus(&of_day.fins));
        EndingRules { within_days, fins }
    })
}

impl Service {
    /// How many rules end in the next days. The engine keeps the counts until the next publication or day.
    pub fn ending_rules(&self) -> StoreResult<[EndingRules; 3]> {
        let today = self.engine().now().day();
        let ends = self.engine().upcoming_ends(today, today.plus_days(AHEAD_DAYS))?;
        Ok(counted(&ends, today))
    }

    /// Warns of what is due, unless nothing is new since the last look.
    pub fn look_ahead(&self) -> StoreResult<Vec<EndWarning>> {
        let now = look(self.engine())?;
        if *self.ends_ahead.0.lock().unwrap_or_else(PoisonError::into_inner) == Some(now) {
            return Ok(Vec::new());
        }
        let ends = self.engine().upcoming_ends(now.day, now.day.plus_days(AHEAD_DAYS))?;
        let warned: WarnedEnds = match self.store().setting(SETTING)? {
            // A setting of an earlier release has another form: it only makes the warning of that day come again.
            Some(text) => serde_json::from_str(&text).unwrap_or_default(),
            None => WarnedEnds::default(),
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
                rules = warning.fins.without_answer(),
                sem_figura = warning.fins.sem_figura,
                sem_sucessora = warning.fins.sem_sucessora,
                first,
                "rules end and leave no answer: from that day on requests for them are refused, because the next version has no figure or because no rule follows; `taxd rules upcoming` lists them. Import a bundle with what follows"
            );
        }
        *self.ends_ahead.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        Ok(warnings)
    }
}

fn look(engine: &Engine) -> StoreResult<Look> {
    Ok(Look { day: engine.now().day(), publication: engine.store().read_journal()?.last_publication()? })
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
