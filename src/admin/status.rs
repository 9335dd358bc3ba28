//! How the service does, at a glance.

use serde_json::{Map, Value, json};

use super::AdminError;
use super::command::to_value;
use crate::service::{Health, Service, TextFormat, metrics};

/// The state of everything that the operator may have to look after.
pub(super) fn status(service: &Service) -> Result<Value, AdminError> {
    let statistics = service.statistics()?;
    let total: u64 = statistics.rules.iter().map(|(_, versions)| versions).sum();
    let by_tax: Map<String, Value> = statistics.rules.iter().map(|(name, n)| ((*name).to_owned(), json!(n))).collect();
    let (cache, log, keys) = (statistics.cache, statistics.log, statistics.refused_keys);
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "running": service.is_running(),
        "started_at": service.is_running().then(|| service.started_at()),
        "uptime_s": statistics.uptime_s,
        "health": to_value(&Health::of(&statistics))?,
        "rules": {"versions": total, "by_tax": by_tax},
        "accounts": {"total": statistics.accounts, "suspended": statistics.suspended, "calls": statistics.calls},
        "cache": {"hits": cache.hits, "misses": cache.misses, "entries": cache.entries},
        "log": {"pending": log.pending, "lost": log.lost, "failing": log.failing},
        "outbox": to_value(&statistics.outbox)?,
        "refused_keys": {"mistyped": keys.mistyped, "unknown": keys.unknown},
        "disk": {"file_bytes": statistics.file_bytes, "free_bytes": statistics.free_bytes},
        "tls": statistics.tls_not_after.map(|end| json!({"not_after": end})),
    }))
}

/// Whether the service does well.
pub(super) fn health(service: &Service) -> Result<Value, AdminError> {
    to_value(&service.health()?)
}

/// The same figures as text, in the form that everything reads which reads metrics.
pub(super) fn prometheus(service: &Service) -> Result<Value, AdminError> {
    Ok(json!({ "metrics": metrics(service.statistics()?, TextFormat::Plain) }))
}
