//! Whether the service does well, and what of it does not.

use std::time::Duration;

use serde::Serialize;

use super::Service;
use super::statistics::Statistics;
use crate::store::{Outage, StoreResult};

/// Free room on the disk below which the operator is told, in bytes: four times what an import
/// leaves free ([`crate::store`]).
const LOW_DISK_BYTES: u64 = 256 * 1024 * 1024;
/// Time for which a delivery may be due before the operator is told: the attempts of one take less
/// than a minute, and an import holds them back for some more.
const LATE_DELIVERY_MS: u64 = 10 * 60 * 1_000;

/// Outage of the data file after which a restart may help: the server tries to open the file again all
/// the time, so a shorter one ends by itself.
const LONG_OUTAGE: Duration = Duration::from_secs(30);

/// Something that does not do well, while calls are answered all the same: no restart mends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// Its stable name.
    pub name: &'static str,
    /// One sentence: what it is, and what to do.
    pub what: String,
}

/// The state in which a restart may help.
pub const FAILING: &str = "failing";

/// How the service does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    /// `ok`; `degraded` if there is trouble; `failing` if a restart may help.
    pub state: &'static str,
    /// What does not do well.
    pub troubles: Vec<Trouble>,
}

impl Health {
    /// What the figures say.
    #[must_use]
    pub fn of(statistics: &Statistics) -> Health {
        let mut troubles = Vec::new();
        let mut add = |name, what: String| troubles.push(Trouble { name, what });
        if statistics.rules.iter().all(|(_, versions)| *versions == 0) {
            add("no_rules", "no rule is loaded, so every calculation is refused; `taxd import`".to_owned());
        }
        if statistics.log.failing {
            let pending = statistics.log.pending;
            add("log_failing", format!("the call log cannot be written; {pending} calls wait in memory, see the log"));
        }
        if let Some(free) = statistics.free_bytes.filter(|free| *free < LOW_DISK_BYTES) {
            let free_mib = free / (1024 * 1024);
            add("disk_low", format!("the disk of the data file has {free_mib} MiB left; make room on it"));
        }
        if let Some(overdue_ms) = statistics.outbox.overdue_ms.filter(|overdue_ms| *overdue_ms > LATE_DELIVERY_MS) {
            let overdue_min = overdue_ms / 60_000;
            add("outbox_late", format!("a webhook delivery has been due for {overdue_min} minutes"));
        }
        if !statistics.outbox.failing.is_empty() {
            let ids: Vec<&str> = statistics.outbox.failing.iter().map(|endpoint| endpoint.id.as_str()).collect();
            add(
                "webhooks_failing",
                format!("webhook endpoints take nothing: {}; `taxd status` says why", ids.join(", ")),
            );
        }
        Health { state: if troubles.is_empty() { "ok" } else { "degraded" }, troubles }
    }

    /// What an outage of the data file says.
    #[must_use]
    pub fn of_outage(outage: &Outage) -> Health {
        let (cause, seconds) = (&outage.cause, outage.since.elapsed().as_secs());
        let what = format!(
            "the disk has not let the data file be read or written for {seconds} s ({cause}); the server opens it again as soon as the disk works: look at the disk, its free room and its quota"
        );
        let state = if outage.since.elapsed() < LONG_OUTAGE { "degraded" } else { FAILING };
        Health { state, troubles: vec![Trouble { name: "data_file_failing", what }] }
    }

    /// True if a restart may help.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        self.state == FAILING
    }
}

impl Service {
    /// How the service does at this moment.
    pub fn health(&self) -> StoreResult<Health> {
        self.statistics().map(|statistics| Health::of(&statistics)).or_else(|error| {
            let outage = self.store().outage().ok_or(error)?;
            Ok(Health::of_outage(&outage))
        })
    }
}

/// The state, and a line for each trouble.
impl std::fmt::Display for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.state)?;
        self.troubles.iter().try_for_each(|trouble| write!(f, "\n{}: {}", trouble.name, trouble.what))
    }
}
