//! The statistics of the service, for `taxd status` and the metrics.

use super::Service;
use super::connections::ConnectionCounts;
use super::ending_rules::EndingRules;
use super::process::Process;
use crate::base::value::Timestamp;
use crate::calls::{LogState, RefusedKeys, TaxTraffic};
use crate::engine::{CacheState, ImportCounts, OfficeConflict, TableAge};
use crate::store::StoreResult;
use crate::watch::KeptListsState;
use crate::webhook::{self, OutboxSummary};

/// The classes of HTTP status that are counted, 2xx to 5xx.
pub const CLASSES: [usize; 4] = [2, 3, 4, 5];

#[derive(Debug)]
pub struct Statistics {
    /// For how long the server has been running, in seconds; `None` in a command without a server.
    pub uptime_s: Option<u64>,
    /// When this process opened the data file.
    pub started_at: Timestamp,
    pub rules: Vec<(&'static str, u64)>,
    pub ending: [EndingRules; 3],
    /// Rules of the office that a later rule has the scope of.
    pub office_conflicts: Vec<OfficeConflict>,
    /// The official tables that the rules follow.
    pub tables: Vec<TableAge>,
    /// Imports since the start.
    pub imports: ImportCounts,
    /// When rules were last published, in milliseconds since 1970.
    pub last_publication_ms: Option<u64>,
    /// Calls since the start, by tax.
    pub traffic: Vec<TaxTraffic>,
    pub connections: ConnectionCounts,
    pub accounts: usize,
    /// Suspended accounts, whose calls are refused.
    pub suspended: usize,
    /// Calls of all accounts since their creation.
    pub calls: u64,
    /// Those calls, by the [`CLASSES`] of their status.
    pub calls_by_class: [u64; CLASSES.len()],
    pub cache: CacheState,
    pub log: LogState,
    /// Calls refused because of their key, since the start.
    pub refused_keys: RefusedKeys,
    pub outbox: OutboxSummary,
    pub kept_lists: KeptListsState,
    /// Size of the data file in bytes.
    pub file_bytes: Option<u64>,
    pub free_bytes: Option<u64>,
    /// The resources of the server process; `None` in a command without a server.
    pub process: Option<Process>,
    /// End of the TLS certificate; `None` without TLS.
    pub tls_not_after: Option<Timestamp>,
}

impl Service {
    /// Returns the statistics of this moment, at the cost of a few reads, however large the data are. Fails if the
    /// data file cannot be read.
    pub fn statistics(&self) -> StoreResult<Statistics> {
        // Without this an outage would go unnoticed: most of the statistics come from memory.
        self.store().probe()?;
        let (mut calls, mut calls_by_class, mut suspended) = (0, [0; CLASSES.len()], 0);
        let clients = self.calls.clients();
        for client in &clients {
            let counted = client.meter.lock();
            calls += counted.totals.calls;
            for (sum, class) in calls_by_class.iter_mut().zip(CLASSES) {
                *sum += counted.totals.of_class(class);
            }
            suspended += usize::from(client.account.suspended_at.is_some());
        }
        Ok(Statistics {
            uptime_s: self.uptime_s(),
            started_at: self.started_at,
            rules: self.engine.rules_by_tax()?,
            ending: self.ending_rules()?,
            office_conflicts: self.engine.office_conflicts()?,
            tables: self.engine.official_tables()?,
            imports: self.engine.imports().counts(),
            last_publication_ms: self.store().last_publication_ms()?,
            traffic: self.calls.traffic().by_tax(),
            connections: self.connections.counts(),
            accounts: clients.len(),
            suspended,
            calls,
            calls_by_class,
            cache: self.engine.cache_state(),
            log: self.calls.log_state(),
            refused_keys: self.calls.refused_keys(),
            outbox: webhook::summary(self.store(), self.engine.now())?,
            kept_lists: self.kept_lists()?,
            file_bytes: self.store().file_bytes(),
            free_bytes: self.store().free_disk_bytes(),
            process: self.is_running().then(Process::read),
            tls_not_after: self.tls_not_after(),
        })
    }
}
