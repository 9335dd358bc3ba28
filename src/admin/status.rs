//! How the service does, at a glance.

use serde_json::{Map, Value, json};

use super::AdminError;
use super::command::to_value;
use crate::service::Service;

/// The state of everything that the operator may have to look after.
pub(super) fn status(service: &Service) -> Result<Value, AdminError> {
    let engine = service.engine();
    let now = engine.now();
    let rules = engine.rules_by_tax()?;
    let total: u64 = rules.iter().map(|(_, versions)| versions).sum();
    let by_tax: Map<String, Value> = rules.iter().map(|(tributo, n)| ((*tributo).to_owned(), json!(n))).collect();
    let cache = engine.cache_state();
    let log = service.calls().log_state();
    let keys = service.calls().refused_keys();
    let clients: Vec<_> =
        service.calls().client_ids().iter().filter_map(|client_id| service.calls().client(client_id)).collect();
    let calls: u64 = clients.iter().map(|client| client.meter.lock().totals.calls).sum();
    let suspended = clients.iter().filter(|client| client.account.suspended_at.is_some()).count();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "running": service.is_running(),
        "started_at": service.is_running().then(|| service.started_at()),
        "uptime_s": service.is_running().then(|| now.millis().saturating_sub(service.started_at().millis()) / 1_000),
        "rules": {"versions": total, "by_tax": by_tax},
        "accounts": {"total": clients.len(), "suspended": suspended, "calls": calls},
        "cache": {"hits": cache.hits, "misses": cache.misses, "entries": cache.entries},
        "log": {"pending": log.pending, "lost": log.lost, "failing": log.failing},
        "outbox": to_value(&service.outbox_summary()?)?,
        "refused_keys": {"mistyped": keys.mistyped, "unknown": keys.unknown},
        "disk": {"file_bytes": service.store().file_bytes(), "free_bytes": service.store().free_disk_bytes()},
    }))
}
