//! The health of the service, and what impairs it.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Service;
use super::statistics::Statistics;
use crate::base::value::counted;
use crate::engine::TableAge;
use crate::store::{Outage, StoreResult};

/// Free bytes on the disk below which the service is degraded: four times what an import leaves free
/// ([`crate::store`]).
const LOW_DISK_BYTES: u64 = 256 * 1024 * 1024;
/// For how long a delivery may be due before the service is degraded, in milliseconds. The attempts of one take
/// less than a minute, and an import delays them by a few more.
const LATE_DELIVERY_MS: u64 = 10 * 60 * 1_000;

/// Outage of the data file after which a restart may help. The server tries to reopen the file all the time, so
/// most outages end by themselves earlier.
const LONG_OUTAGE: Duration = Duration::from_secs(30);

/// A problem that does not stop the service, and that a restart would not solve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// Its stable name.
    pub name: Cow<'static, str>,
    /// One sentence: what is wrong, and what to do.
    pub what: String,
}

taxd_base::vocabulary! {
    /// Whether the service is in order.
    pub enum HealthState {
        Ok = "ok",
        Degraded = "degraded",
        Failing = "failing",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// `ok`; `degraded` if there is trouble; `failing` if a restart may help.
    pub state: HealthState,
    pub troubles: Vec<Trouble>,
    /// What will need the operator later; it does not change the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Trouble>,
    /// The official tables that the rules follow, with their ages; they do not change the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableAge>,
}

impl Health {
    /// Returns the health that these statistics show.
    pub fn of(statistics: &Statistics) -> Health {
        let mut troubles = Vec::new();
        let mut add = |name, what: String| troubles.push(Trouble { name: Cow::Borrowed(name), what });
        if statistics.rules.iter().all(|(_, versions)| *versions == 0) {
            add(
                "no_rules",
                "no rule is loaded, so every calculation is refused; load rules with `taxd import`".to_owned(),
            );
        }
        if statistics.log.failing {
            let pending = statistics.log.pending;
            add(
                "log_failing",
                format!(
                    "the call log cannot be written; {} in memory; see the log for the reason",
                    counted(pending, "call waits", "calls wait")
                ),
            );
        }
        if let Some(free) = statistics.free_bytes.filter(|free| *free < LOW_DISK_BYTES) {
            let free_mib = free / (1024 * 1024);
            add("disk_low", format!("the disk of the data file has {free_mib} MiB left; free some space"));
        }
        if let Some(overdue_ms) = statistics.outbox.overdue_ms.filter(|overdue_ms| *overdue_ms > LATE_DELIVERY_MS) {
            let overdue_min = overdue_ms / 60_000;
            add(
                "outbox_late",
                format!("a webhook delivery has been due for {overdue_min} minutes; `taxd status` shows the outbox"),
            );
        }
        if !statistics.outbox.failing.is_empty() {
            let ids: Vec<&str> = statistics.outbox.failing.iter().map(|endpoint| endpoint.id.as_str()).collect();
            add(
                "webhooks_failing",
                format!("webhook endpoints fail: {}; `taxd status` shows the last error of each", ids.join(", ")),
            );
        }
        let state = if troubles.is_empty() { HealthState::Ok } else { HealthState::Degraded };
        let notices = [notice_of_ends(statistics), notice_of_conflicts(statistics)];
        let notices = notices.into_iter().flatten().collect();
        Health { state, troubles, notices, tables: statistics.tables.clone() }
    }

    /// Returns the health during an outage of the data file.
    pub fn of_outage(outage: &Outage) -> Health {
        let (cause, seconds) = (&outage.cause, outage.since.elapsed().as_secs());
        let what = format!(
            "the data file cannot be read or written for {seconds} s now ({cause}); the server reopens it as soon as the disk works: check the disk, its free space and its quota"
        );
        let state = if outage.since.elapsed() < LONG_OUTAGE { HealthState::Degraded } else { HealthState::Failing };
        let troubles = vec![Trouble { name: Cow::Borrowed("data_file_failing"), what }];
        Health { state, troubles, notices: Vec::new(), tables: Vec::new() }
    }

    /// True if a restart may help.
    pub fn is_failing(&self) -> bool {
        self.state == HealthState::Failing
    }
}

/// The rules that end soon and leave no answer.
fn notice_of_ends(statistics: &Statistics) -> Option<Trouble> {
    let soonest = statistics.ending.iter().rfind(|ending| ending.fins.without_answer() > 0)?;
    let (fins, days) = (soonest.fins, soonest.within_days);
    let end = counted(fins.without_answer(), "rule ends", "rules end");
    let what = format!(
        "{end} within {days} days and requests are refused from then on: {} followed by a version without a figure, {} without a successor; see `taxd rules upcoming`",
        fins.sem_figura, fins.sem_sucessora
    );
    Some(Trouble { name: Cow::Borrowed("rules_ending"), what })
}

/// The rules of the office that a later rule has the scope of.
fn notice_of_conflicts(statistics: &Statistics) -> Option<Trouble> {
    let pairs = &statistics.office_conflicts;
    let first = pairs.first()?;
    let what = format!(
        "{} the scope of a rule of the office, which keeps answering: first {} over {}; compare the two with `taxd rules show`, and end the rule of the office if the other one is right",
        counted(pairs.len() as u64, "later rule has", "later rules have"),
        first.do_escritorio,
        first.outra
    );
    Some(Trouble { name: Cow::Borrowed("office_conflicts"), what })
}

impl Service {
    /// Returns the health at this moment. Fails if the data file cannot be read for another reason than an outage
    /// of the disk.
    pub fn health(&self) -> StoreResult<Health> {
        self.statistics().map(|statistics| Health::of(&statistics)).or_else(|error| {
            let outage = self.store().outage().ok_or(error)?;
            Ok(Health::of_outage(&outage))
        })
    }
}

/// The state, and a line for each trouble and notice.
impl std::fmt::Display for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.state.as_str())?;
        self.troubles
            .iter()
            .chain(&self.notices)
            .try_for_each(|trouble| write!(f, "\n{}: {}", trouble.name, trouble.what))
    }
}
