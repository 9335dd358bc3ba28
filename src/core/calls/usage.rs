//! Consumption of an account (contract, section 2.5).
//!
//! The cost does not grow with the log: totals are counted with each call, the calls of the last 24 hours are a
//! difference of call numbers, and the latest calls are at the end of the log.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::directory::Client;
use super::logged::{self, CallRow, LoggedCall};
use super::meter::Call;
use super::quota::{MonthCount, SANDBOX_CALLS_A_MONTH};
use super::sanitise;
use crate::base::value::{KeyKind, Month, Timestamp};
use crate::law::tax;
use crate::store::{CallReader, KeyRecord, Limit, Store, StoreResult};

/// The time that `chamadas_24h` counts.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// The answer to `GET /v1/usage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    pub client_id: String,
    pub nome: String,
    /// Its plan.
    pub tier: String,
    /// Calls that it may make in any 60 seconds.
    pub rate_limit: u32,
    /// Calls since it was made.
    pub total_chamadas: u64,
    pub chamadas_24h: u64,
    pub latencia: LatencyPercentiles,
    pub status: CallCounts,
    /// The monthly quota of production calls.
    pub cota: QuotaUse,
    /// The key that asks; `None` if the operator does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chave: Option<KeyUsage>,
    /// The latest calls, the last first. The look-ups of the page, which its reader did not ask for one by one, are
    /// counted and logged, and left out here.
    pub recentes: Vec<RecentCall>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyPercentiles {
    /// The median, in milliseconds.
    pub p50_ms: u64,
    /// The 95th percentile, in milliseconds.
    pub p95_ms: u64,
}

/// Calls by class of HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallCounts {
    pub sucesso_2xx: u64,
    pub nao_modificado_3xx: u64,
    pub erro_cliente_4xx: u64,
    pub erro_servidor_5xx: u64,
}

/// A key and the quota that its calls consume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyUsage {
    /// Its name; `None` for a key without one.
    pub nome: Option<String>,
    pub tipo: KeyKind,
    /// The quota of production calls, which all such keys of the account share; for a sandbox key, its own.
    pub cota: QuotaUse,
}

/// Calls of a month that count against a quota.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaUse {
    /// The month, in UTC.
    pub mes: String,
    /// Calls that may be made in a month; `None` for any number.
    pub limite: Option<u64>,
    pub usada: u64,
}

/// A call as its caller sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecentCall {
    pub created_at: Option<Timestamp>,
    pub status_code: u16,
    pub latency_ms: u32,
    /// True if the answer came from the cache.
    pub cached: bool,
    /// The name of its key, or the `key_id` of one without a name.
    pub chave: String,
    /// The rule version that answered; empty if none did.
    pub rule_id: String,
    /// Method, path and tax.
    pub resumo: String,
    /// The sanitised payload.
    pub request: Value,
}

/// Returns the consumption of an account, asked for with `key` if a caller asks, with the `recent` latest calls.
pub fn usage(
    store: &Store,
    client: &Client,
    key: Option<&KeyRecord>,
    now: Timestamp,
    recent: usize,
) -> StoreResult<Usage> {
    let counted = client.meter.lock();
    let totals = counted.totals.clone();
    let latest: Vec<Arc<Call>> = counted.recent.iter().rev().take(recent).map(Arc::clone).collect();
    let month = Month::of(now);
    let cota = quota(month, client.limits.monthly_quota, counted.live);
    let chave = key.map(|key| KeyUsage {
        nome: key.name.clone(),
        tipo: key.kind,
        cota: match key.kind {
            KeyKind::Live => cota.clone(),
            KeyKind::Test => quota(month, SANDBOX_CALLS_A_MONTH, counted.sandbox_count(&key.lineage)),
        },
    });
    let (last_ms, pruned) = (counted.last_call_ms(), counted.pruned);
    drop(counted);
    let log = store.read_calls()?;
    let of_process = |call: &Arc<Call>| shown(client, &CallRow::of(call, ""), call.payload.bytes());
    let mut recentes: Vec<RecentCall> = latest.iter().map(of_process).collect();
    if latest.len() < recent {
        let before = latest.last().map_or(u64::MAX, |oldest| oldest.seq);
        let of_log = latest_before(&log, &client.client_id, before, recent - latest.len())?;
        recentes.extend(of_log.iter().map(|call| shown(client, &call.row(), call.request.as_bytes())));
    }
    let yesterday_ms = now.millis().saturating_sub(DAY_MS);
    let older = match calls_before(&log, &client.client_id, yesterday_ms)? {
        _ if last_ms < yesterday_ms => totals.calls,
        Some(older) => older,
        None => pruned,
    };
    Ok(Usage {
        client_id: client.account.client_id.clone(),
        nome: client.account.nome.clone(),
        tier: client.account.plan.clone(),
        rate_limit: client.limits.rate_limit,
        total_chamadas: totals.calls,
        chamadas_24h: totals.calls.saturating_sub(older),
        latencia: LatencyPercentiles { p50_ms: totals.latency_ms(0.50), p95_ms: totals.latency_ms(0.95) },
        status: CallCounts {
            sucesso_2xx: totals.of_class(2),
            nao_modificado_3xx: totals.of_class(3),
            erro_cliente_4xx: totals.of_class(4),
            erro_servidor_5xx: totals.of_class(5),
        },
        cota,
        chave,
        recentes,
    })
}

fn quota(month: Month, Limit(limite): Limit, count: MonthCount) -> QuotaUse {
    QuotaUse { mes: month.to_string(), limite, usada: count.in_month(month).used }
}

/// Most blocks of the log that are read for the latest calls: one whose every call is a look-up of the page has none.
const BLOCKS_READ: usize = 64;

/// Up to `wanted` calls with a number below `before`, the last first.
fn latest_before(log: &CallReader, client_id: &str, before: u64, wanted: usize) -> StoreResult<Vec<LoggedCall>> {
    let mut found = Vec::new();
    let mut read = 0;
    log.blocks_back(client_id, |block| {
        let calls = logged::decode(&block.bytes)?.into_iter().rev();
        let shown = calls.filter(|call| call.seq < before && !sanitise::is_look_up(&call.path));
        found.extend(shown.take(wanted - found.len()));
        read += 1;
        Ok(found.len() < wanted && read < BLOCKS_READ)
    })?;
    Ok(found)
}

/// Number of calls of the account before that instant; `None` if the log has no call of it. Calls that are not in the
/// log yet are younger than those that are.
fn calls_before(log: &CallReader, client_id: &str, instant_ms: u64) -> StoreResult<Option<u64>> {
    if let Some(block) = log.first_block_from(client_id, instant_ms)? {
        let calls = logged::decode(&block.bytes)?;
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

/// A call as its caller sees it. A payload of the log was sanitised when it was logged, and is sanitised again.
fn shown(client: &Client, call: &CallRow<'_>, payload: &[u8]) -> RecentCall {
    let request = sanitise::sanitised_at(call.path, payload);
    let request: Value = serde_json::from_str(&request).unwrap_or_else(|_| Value::Object(serde_json::Map::new()));
    let path = sanitise::clean_path(call.path);
    let resumo = match request.get("tributo").and_then(Value::as_str).and_then(tax::find) {
        Some(entry) => format!("{} {path} ({})", call.method, entry.tributo),
        None => format!("{} {path}", call.method),
    };
    RecentCall {
        created_at: Timestamp::from_millis(call.at_ms),
        status_code: call.status,
        latency_ms: (call.latency_us + 500) / 1_000,
        cached: call.cached,
        chave: client.key_names.get(call.key_id).map_or(call.key_id, String::as_str).to_owned(),
        rule_id: call.rule_id.to_owned(),
        resumo,
        request,
    }
}
