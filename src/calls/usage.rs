//! Consumption of an account (contract, section 2.5).
//!
//! The cost does not grow with the log: totals are counted with each call, the calls of the last 24 hours are a
//! difference of call numbers, and the latest calls are at the end of the log.

use std::sync::Arc;

use serde_json::{Value, json};

use super::block::{self, LoggedCall};
use super::directory::Client;
use super::meter::Call;
use super::sanitise;
use crate::store::{CallReader, Limit, Store, StoreResult};
use crate::tax;
use crate::value::{Month, Timestamp};

/// The time that `chamadas_24h` counts.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// The document of `GET /v1/usage`, with the `recent` latest calls.
pub fn usage(store: &Store, client: &Client, now: Timestamp, recent: usize) -> StoreResult<Value> {
    let counted = client.meter.lock();
    let totals = counted.totals.clone();
    let latest: Vec<Arc<Call>> = counted.recent.iter().rev().take(recent).map(Arc::clone).collect();
    let month = Month::of(now);
    let used = counted.live.in_month(month).used;
    let (last_ms, pruned) = (counted.last_call_ms(), counted.pruned);
    drop(counted);
    let log = store.read_calls()?;
    let mut rows: Vec<LoggedCall> = latest.iter().map(|call| logged(call)).collect();
    if rows.len() < recent {
        let before = rows.last().map_or(u64::MAX, |oldest| oldest.seq);
        let wanted = recent - rows.len();
        rows.extend(latest_before(&log, &client.client_id, before, wanted)?);
    }
    let yesterday_ms = now.millis().saturating_sub(DAY_MS);
    let older = match calls_before(&log, &client.client_id, yesterday_ms)? {
        _ if last_ms < yesterday_ms => totals.calls,
        Some(older) => older,
        None => pruned,
    };
    let Limit(quota) = client.limits.monthly_quota;
    Ok(json!({
        "client_id": client.account.client_id,
        "nome": client.account.nome,
        "tier": client.account.plan,
        "rate_limit": client.limits.rate_limit,
        "total_chamadas": totals.calls,
        "chamadas_24h": totals.calls.saturating_sub(older),
        "latencia": {"p50_ms": totals.latency_ms(0.50), "p95_ms": totals.latency_ms(0.95)},
        "status": {
            "sucesso_2xx": totals.of_class(2),
            "nao_modificado_3xx": totals.of_class(3),
            "erro_cliente_4xx": totals.of_class(4),
            "erro_servidor_5xx": totals.of_class(5),
        },
        "cota": {"mes": month.to_string(), "limite": quota, "usada": used},
        "recentes": rows.iter().map(shown).collect::<Vec<Value>>(),
    }))
}

/// A call as the log has it.
fn logged(call: &Call) -> LoggedCall {
    LoggedCall {
        seq: call.seq,
        at_ms: call.at.millis(),
        key_id: call.key_id.to_string(),
        method: call.method.to_owned(),
        path: call.path.to_string(),
        status: call.status,
        latency_us: call.latency_us,
        cached: call.cached,
        rule_id: call.rule_id.as_deref().unwrap_or_default().to_owned(),
        request: sanitise::sanitised(&call.payload),
    }
}

/// Up to `wanted` calls with a number below `before`, the last first.
fn latest_before(log: &CallReader, client_id: &str, before: u64, wanted: usize) -> StoreResult<Vec<LoggedCall>> {
    let mut found = Vec::new();
    log.blocks_back(client_id, |block| {
        let calls = block::decode(&block.bytes)?;
        found.extend(calls.into_iter().rev().filter(|call| call.seq < before).take(wanted - found.len()));
        Ok(found.len() < wanted)
    })?;
    Ok(found)
}

/// Number of calls of the account before that instant; `None` if the log has no call of it. Calls that are not in the
/// log yet are younger than those that are.
fn calls_before(log: &CallReader, client_id: &str, instant_ms: u64) -> StoreResult<Option<u64>> {
    if let Some(block) = log.first_block_from(client_id, instant_ms)? {
        let calls = block::decode(&block.bytes)?;
        if let Some(first) = calls.iter().find(|call| call.at_ms >= instant_ms) {
            return Ok(Some(first.seq - 1));
        }
    }
    let mut last = None;
    log.blocks_back(client_id, |block| {
        last = Some(block.last_seq);
        Ok(false)
    })?;
    Ok(last)
}

/// A call as the caller sees it, sanitised again.
fn shown(call: &LoggedCall) -> Value {
    let request = sanitise::sanitised(call.request.as_bytes());
    let request: Value = serde_json::from_str(&request).unwrap_or_else(|_| json!({}));
    let path = sanitise::clean_path(&call.path);
    let resumo = match request.get("tributo").and_then(Value::as_str).and_then(tax::find) {
        Some(entry) => format!("{} {path} ({})", call.method, entry.tributo),
        None => format!("{} {path}", call.method),
    };
    json!({
        "created_at": Timestamp::from_millis(call.at_ms),
        "status_code": call.status,
        "latency_ms": (call.latency_us + 500) / 1_000,
        "cached": call.cached,
        "rule_id": call.rule_id,
        "resumo": resumo,
        "request": request,
    })
}
