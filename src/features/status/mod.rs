//! The figures of the service, for `taxd status` and `taxd metrics`.

pub mod command;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::corrections::CorrectionsState;
use super::error::AdminError;
use crate::base::value::Timestamp;
use crate::core::calls::{LogState, RefusedKeys};
use crate::core::service::{EndingRules, Health, Service, TextFormat, metrics};
use crate::core::watch::KeptListsState;
use crate::core::webhook::OutboxSummary;

/// Everything that the operator may have to react to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceStatus {
    pub version: String,
    /// False if the figures were read from the data file without a server.
    pub running: bool,
    pub started_at: Option<Timestamp>,
    pub uptime_s: Option<u64>,
    pub health: Health,
    pub rules: RuleCounts,
    pub ending: Vec<EndingRules>,
    pub accounts: AccountCounts,
    pub cache: CacheCounts,
    pub log: LogState,
    pub outbox: OutboxSummary,
    /// What publications changed in answers that were given.
    #[serde(default)]
    pub corrections: CorrectionsState,
    #[serde(default)]
    pub kept_lists: KeptListsState,
    /// Calls refused because of their key, since the start.
    pub refused_keys: RefusedKeys,
    pub disk: DiskRoom,
    /// The certificate of the listener; `None` without TLS.
    pub tls: Option<Certificate>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCounts {
    pub versions: u64,
    /// Of each tax, in the order of the contract.
    pub by_tax: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountCounts {
    pub total: usize,
    pub suspended: usize,
    /// Calls since the accounts were made.
    pub calls: u64,
}

/// The result cache since the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheCounts {
    pub hits: u64,
    pub misses: u64,
    pub entries: usize,
}

/// Bytes on the disk of the data file; `None` if the system does not say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskRoom {
    pub file_bytes: Option<u64>,
    pub free_bytes: Option<u64>,
}

/// The certificate of the listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    pub not_after: Timestamp,
}

/// The figures as text in the format of Prometheus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricsText {
    pub metrics: String,
}

/// Returns the figures of this moment.
pub(super) fn status(service: &Service) -> Result<ServiceStatus, AdminError> {
    let statistics = service.statistics()?;
    let cache = statistics.cache;
    Ok(ServiceStatus {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        running: service.is_running(),
        started_at: service.is_running().then(|| service.started_at()),
        uptime_s: statistics.uptime_s,
        health: Health::of(&statistics),
        rules: RuleCounts {
            versions: statistics.rules.iter().map(|(_, versions)| versions).sum(),
            by_tax: statistics.rules.iter().map(|(name, versions)| ((*name).to_owned(), (*versions).into())).collect(),
        },
        ending: statistics.ending.into(),
        accounts: AccountCounts {
            total: statistics.accounts,
            suspended: statistics.suspended,
            calls: statistics.calls,
        },
        cache: CacheCounts { hits: cache.hits, misses: cache.misses, entries: cache.entries },
        log: statistics.log,
        corrections: CorrectionsState::read(service.store())?,
        kept_lists: statistics.kept_lists,
        refused_keys: statistics.refused_keys,
        disk: DiskRoom { file_bytes: statistics.file_bytes, free_bytes: statistics.free_bytes },
        tls: statistics.tls_not_after.map(|not_after| Certificate { not_after }),
        outbox: statistics.outbox,
    })
}

/// Returns the same figures as metrics.
pub(super) fn prometheus(service: &Service) -> Result<MetricsText, AdminError> {
    Ok(MetricsText { metrics: metrics(service.statistics()?, TextFormat::Plain) })
}
