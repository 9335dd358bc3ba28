//! How the service does, at a glance.

use serde_json::{Map, Value, json};

use super::AdminError;
use super::command::to_value;
use crate::service::{Form, Health, Service, metrics};

/// The state of everything that the operator may have to look after.
pub(super) fn status(service: &Service) -> Result<Value, AdminError> {
    let figures = service.figures()?;
    let total: u64 = figures.rules.iter().map(|(_, versions)| versions).sum();
    let by_tax: Map<String, Value> = figures.rules.iter().map(|(name, n)| ((*name).to_owned(), json!(n))).collect();
    let (cache, log, keys) = (figures.cache, figures.log, figures.refused_keys);
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "running": service.is_running(),
        "started_at": service.is_running().then(|| service.started_at()),
        "uptime_s": figures.uptime_s,
        "health": to_value(&Health::of(&figures))?,
        "rules": {"versions": total, "by_tax": by_tax},
        "accounts": {"total": figures.accounts, "suspended": figures.suspended, "calls": figures.calls},
        "cache": {"hits": cache.hits, "misses": cache.misses, "entries": cache.entries},
        "log": {"pending": log.pending, "lost": log.lost, "failing": log.failing},
        "outbox": to_value(&figures.outbox)?,
        "refused_keys": {"mistyped": keys.mistyped, "unknown": keys.unknown},
        "disk": {"file_bytes": figures.file_bytes, "free_bytes": figures.free_bytes},
        "tls": figures.tls_not_after.map(|end| json!({"not_after": end})),
    }))
}

/// Whether the service does well.
pub(super) fn health(service: &Service) -> Result<Value, AdminError> {
    to_value(&service.health()?)
}

/// The same figures as text, in the form that everything reads which reads metrics.
pub(super) fn prometheus(service: &Service) -> Result<Value, AdminError> {
    Ok(json!({ "metrics": metrics(service.figures()?, Form::Plain) }))
}
