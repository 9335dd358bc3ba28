//! Whether the service does well, and what of it does not.

use serde::Serialize;

use super::figures::Figures;

/// Free room on the disk below which the operator is told, in bytes: four times what an import
/// leaves free ([`crate::store`]).
const LOW_DISK_BYTES: u64 = 256 * 1024 * 1024;
/// Time for which a delivery may be due before the operator is told: the attempts of one take less
/// than a minute, and an import holds them back for some more.
const LATE_DELIVERY_MS: u64 = 10 * 60 * 1_000;

/// Something that does not do well, while calls are answered all the same: no restart mends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// Its stable name.
    pub name: &'static str,
    /// One sentence: what it is, and what to do.
    pub what: String,
}

/// How the service does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    /// `ok`, or `degraded` where there is trouble.
    pub state: &'static str,
    /// What does not do well.
    pub troubles: Vec<Trouble>,
}

impl Health {
    /// What the figures say.
    #[must_use]
    pub fn of(figures: &Figures) -> Health {
        let mut troubles = Vec::new();
        let mut add = |name, what: String| troubles.push(Trouble { name, what });
        if figures.rules.iter().all(|(_, versions)| *versions == 0) {
            add("no_rules", "no rule is loaded, so every calculation is refused; `taxd import`".to_owned());
        }
        if figures.log.failing {
            let pending = figures.log.pending;
            add("log_failing", format!("the call log cannot be written; {pending} calls wait in memory, see the log"));
        }
        if let Some(free) = figures.free_bytes.filter(|free| *free < LOW_DISK_BYTES) {
            let free_mib = free / (1024 * 1024);
            add("disk_low", format!("the disk of the data file has {free_mib} MiB left; make room on it"));
        }
        if let Some(overdue_ms) = figures.outbox.overdue_ms.filter(|overdue_ms| *overdue_ms > LATE_DELIVERY_MS) {
            let overdue_min = overdue_ms / 60_000;
            add("outbox_late", format!("a webhook delivery has been due for {overdue_min} minutes"));
        }
        if !figures.outbox.failing.is_empty() {
            let ids: Vec<&str> = figures.outbox.failing.iter().map(|endpoint| endpoint.id.as_str()).collect();
            add(
                "webhooks_failing",
                format!("webhook endpoints take nothing: {}; `taxd status` says why", ids.join(", ")),
            );
        }
        Health { state: if troubles.is_empty() { "ok" } else { "degraded" }, troubles }
    }
}

/// `ok`, or `degraded` and a line for each trouble.
impl std::fmt::Display for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.state)?;
        self.troubles.iter().try_for_each(|trouble| write!(f, "\n{}: {}", trouble.name, trouble.what))
    }
}
