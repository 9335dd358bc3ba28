//! API keys: made, rotated, revoked. Only the answer that made a key contains it; taxd stores a hash.

pub mod command;

use clap::Subcommand;
use serde::{Deserialize, Serialize};

use super::error::AdminError;
use super::{account_names, typed};
use crate::base::value::{ApiKey, KeyDigest, KeyKind, Month, Timestamp, looks_secret, random_hex};
use crate::core::service::Service;
use crate::core::store::KeyRecord;

/// Longest grace window of a rotated key, in milliseconds: a year.
const MAX_GRACE_MS: u64 = 366 * 24 * 60 * 60 * 1_000;

/// API keys
#[derive(Debug, Clone, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyCommand {
    /// Make a key; it is shown once and kept only as a hash
    Create {
        /// Account the key belongs to
        #[arg(long, value_name = "CLIENT_ID|NAME")]
        account: String,
        /// live: production; test: sandbox
        #[arg(long, value_parser = ["live", "test"])]
        kind: String,
        /// Who or what will use it, like "Maria" or "ERP"; shown in the list, the log and the consumption
        #[arg(long)]
        name: Option<String>,
    },
    /// List the keys, with their state and use
    List {
        /// Only those of this account
        #[arg(long, value_name = "CLIENT_ID|NAME")]
        account: Option<String>,
    },
    /// Make a key that replaces another; both work during the grace window, then the old one expires
    Rotate {
        /// The old key, as `taxd key list` shows it
        #[arg(value_name = "KEY_ID")]
        key_id: String,
        /// How long the old key goes on working: 30m, 24h, 7d; 0s ends it at once
        #[arg(long = "grace", value_name = "TIME", default_value = "24h", value_parser = typed::millis)]
        grace_ms: u64,
    },
    /// Refuse every call with a key, from the next one on
    Revoke {
        /// The key, as `taxd key list` shows it
        #[arg(value_name = "KEY_ID")]
        key_id: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewKey {
    /// The key itself, which no later answer contains.
    pub key: String,
    #[serde(flatten)]
    pub record: KeyRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotated: Option<KeyRecord>,
}

taxd_base::vocabulary! {
    pub enum KeyState {
        Active = "active",
        Expiring = "expiring",
        Expired = "expired",
        Revoked = "revoked",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownKey {
    #[serde(flatten)]
    pub record: KeyRecord,
    pub state: KeyState,
    pub calls: u64,
    /// When the last of them was made.
    pub last_call_at: Option<Timestamp>,
    /// For a test key, its calls in this month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_this_month: Option<u64>,
}

fn new_record(
    service: &Service,
    client_id: &str,
    kind: KeyKind,
    name: Option<String>,
    lineage: Option<&str>,
) -> Result<KeyRecord, AdminError> {
    let key_id = format!("key_{}", random_hex(6)?);
    Ok(KeyRecord {
        lineage: lineage.unwrap_or(&key_id).to_owned(),
        key_id,
        client_id: client_id.to_owned(),
        name,
        kind,
        created_at: service.engine().now(),
        rotated_to: None,
        expires_at: None,
        revoked_at: None,
    })
}

/// Makes a key, with the name of who or what will use it.
pub fn create(service: &Service, account: &str, kind: &str, name: Option<&str>) -> Result<NewKey, AdminError> {
    let client = account_names::find(service, account)?;
    let Some(kind) = KeyKind::from_word(kind) else {
        return Err(AdminError::new(format!("a key is of kind {}, not \"{kind}\"", KeyKind::WORDS.join(" or "))));
    };
    let name = name.map(checked_key_name).transpose()?;
    let key = ApiKey::generate(kind)?;
    let record = new_record(service, &client.account.client_id, kind, name, None)?;
    service.store().put_key(&key.digest(), &record)?;
    service.calls().reload_account(service.store(), &record.client_id, Some(key.digest()))?;
    log(&record, "created");
    Ok(NewKey { key: key.reveal().to_owned(), record, rotated: None })
}

/// Logs what was done with a key. The message names the key and its account, so that a line is clear without its fields.
fn log(key: &KeyRecord, done: &str) {
    let KeyRecord { key_id, client_id, name, kind, rotated_to, expires_at, .. } = key;
    let (key_name, to, until) = (name.as_deref(), rotated_to.as_deref(), expires_at.map(tracing::field::display));
    tracing::info!(key_id, key_name, client_id, kind = kind.as_str(), to, until, "key {key_id} of {client_id} {done}");
}

/// Returns the name of a key as it is stored. Fails if it may be the key itself: names are shown and logged.
fn checked_key_name(name: &str) -> Result<String, AdminError> {
    if looks_secret(name) {
        return Err(AdminError::new("that may be a key; name it after who or what uses it, like \"Maria\""));
    }
    account_names::checked("a key", name)
}

fn find(service: &Service, key_id: &str) -> Result<(KeyDigest, KeyRecord), AdminError> {
    if key_id.starts_with("svc_") {
        return Err(AdminError::new("that is the key itself; name it by its key_id, which `taxd key list` shows"));
    }
    let keys = service.store().keys()?;
    keys.into_iter().find(|(_, key)| key.key_id == key_id).ok_or_else(|| unknown(key_id))
}

fn unknown(key_id: &str) -> AdminError {
    AdminError::new(format!("there is no key \"{key_id}\"; `taxd key list` shows them"))
}

/// Makes a key that replaces another, which expires after `grace_ms`.
pub(super) fn rotate(service: &Service, key_id: &str, grace_ms: u64) -> Result<NewKey, AdminError> {
    if grace_ms > MAX_GRACE_MS {
        return Err(AdminError::new("--grace is at most 366 days; give a shorter one"));
    }
    let (digest, old) = find(service, key_id)?;
    let now = service.engine().now();
    let end = Timestamp::from_millis(now.millis() + grace_ms).ok_or_else(|| {
        AdminError::new(
            "--grace is too long: the old key would expire after the last day that taxd can store; give a shorter one",
        )
    })?;
    let key = ApiKey::generate(old.kind)?;
    let record = new_record(service, &old.client_id, old.kind, old.name.clone(), Some(&old.lineage))?;
    // Checked within the transaction: another command may have revoked or rotated the key since it was found.
    let rotated = service.store().replace_key(&digest, &key.digest(), &record, |old| {
        check_rotation(old, now)?;
        old.expires_at = Some(old.expires_at.map_or(end, |sooner| sooner.min(end)));
        old.rotated_to = Some(record.key_id.clone());
        Ok::<(), AdminError>(())
    })?;
    let rotated = rotated.ok_or_else(|| unknown(key_id))?;
    service.calls().reload_account(service.store(), &record.client_id, Some(key.digest()))?;
    log(&rotated, &format!("rotated to {}, works until {end}", record.key_id));
    Ok(NewKey { key: key.reveal().to_owned(), record, rotated: Some(rotated) })
}

/// Refuses to rotate a key that was rotated already, or that no longer works.
fn check_rotation(key: &KeyRecord, now: Timestamp) -> Result<(), AdminError> {
    let key_id = &key.key_id;
    if let Some(to) = &key.rotated_to {
        return Err(AdminError::new(format!("{key_id} was rotated already; {to} is in its place: rotate that one")));
    }
    if !key.is_good(now) {
        return Err(AdminError::new(format!(
            "{key_id} has expired or was revoked; make a new one with `taxd key create --account {} --kind {}`",
            key.client_id, key.kind
        )));
    }
    Ok(())
}

/// Refuses every later call with the key.
pub(super) fn revoke(service: &Service, key_id: &str) -> Result<KeyRecord, AdminError> {
    let (digest, _) = find(service, key_id)?;
    let now = service.engine().now();
    let revoked = service.store().update_key(&digest, |key| key.revoked_at = key.revoked_at.or(Some(now)))?;
    let revoked = revoked.ok_or_else(|| unknown(key_id))?;
    service.calls().reload_account(service.store(), &revoked.client_id, None)?;
    log(&revoked, "revoked");
    Ok(revoked)
}

/// Returns the keys of one account or of all, with their state and use.
pub(super) fn list(service: &Service, account: Option<&str>) -> Result<Vec<ShownKey>, AdminError> {
    let client = account.map(|account| account_names::find(service, account)).transpose()?;
    of(service, client.as_ref().map(|client| client.account.client_id.as_str()))
}

/// Returns the keys of the account with that id, or of all, with their state and use.
pub(super) fn of(service: &Service, client_id: Option<&str>) -> Result<Vec<ShownKey>, AdminError> {
    let now = service.engine().now();
    let mut keys: Vec<KeyRecord> = service.store().keys()?.into_iter().map(|(_, key)| key).collect();
    keys.retain(|key| client_id.is_none_or(|wanted| key.client_id == wanted));
    keys.sort_by(|a, b| (&a.client_id, a.created_at).cmp(&(&b.client_id, b.created_at)));
    Ok(keys.into_iter().map(|key| shown(service, key, now)).collect())
}

fn shown(service: &Service, record: KeyRecord, now: Timestamp) -> ShownKey {
    let state = match (record.revoked_at, record.expires_at) {
        (Some(_), _) => KeyState::Revoked,
        (None, Some(end)) if end <= now => KeyState::Expired,
        (None, Some(_)) => KeyState::Expiring,
        (None, None) => KeyState::Active,
    };
    let (mut calls, mut last_call_at, mut sandbox_calls) = (0, None, 0);
    if let Some(client) = service.calls().client(&record.client_id) {
        let counted = client.meter.lock();
        if let Some(used) = counted.keys.get(record.key_id.as_str()) {
            (calls, last_call_at) = (used.calls, Timestamp::from_millis(used.last_ms));
        }
        sandbox_calls = counted.sandbox_count(&record.lineage).in_month(Month::of(now)).used;
    }
    let calls_this_month = (record.kind == KeyKind::Test).then_some(sandbox_calls);
    ShownKey { record, state, calls, last_call_at, calls_this_month }
}
