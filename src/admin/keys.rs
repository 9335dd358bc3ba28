//! API keys: made, rotated, revoked. A key stands in clear in the answer that made it, and
//! nowhere else, ever.

use serde_json::{Value, json};

use super::AdminError;
use super::command::to_value;
use crate::service::Service;
use crate::store::KeyRecord;
use crate::value::{ApiKey, KeyDigest, KeyKind, Month, Timestamp, random_hex};

/// Longest time for which a rotated key goes on working, in milliseconds: a year.
const MAX_GRACE_MS: u64 = 366 * 24 * 60 * 60 * 1_000;

fn new_record(
    service: &Service,
    client_id: &str,
    kind: KeyKind,
    lineage: Option<&str>,
) -> Result<KeyRecord, AdminError> {
    let key_id = format!("key_{}", random_hex(6)?);
    Ok(KeyRecord {
        lineage: lineage.unwrap_or(&key_id).to_owned(),
        key_id,
        client_id: client_id.to_owned(),
        kind,
        created_at: service.engine().now(),
        rotated_to: None,
        expires_at: None,
        revoked_at: None,
    })
}

/// The one document in which the key stands.
fn with_key(key: &ApiKey, record: &KeyRecord) -> Result<Value, AdminError> {
    let mut value = json!({ "key": key.reveal() });
    if let (Value::Object(members), Value::Object(more)) = (&mut value, to_value(record)?) {
        members.extend(more);
    }
    Ok(value)
}

/// Makes a key.
pub(super) fn create(service: &Service, client_id: &str, kind: &str) -> Result<Value, AdminError> {
    let Some(kind) = KeyKind::from_word(kind) else {
        return Err(AdminError::new(format!("a key is of kind {}, not \"{kind}\"", KeyKind::WORDS.join(" or "))));
    };
    let key = ApiKey::generate(kind)?;
    let record = new_record(service, client_id, kind, None)?;
    service.store().put_key(&key.digest(), &record)?;
    service.calls().reload(service.store())?;
    tracing::info!(key_id = record.key_id, client_id, kind = kind.as_str(), "key created");
    with_key(&key, &record)
}

/// The key of that id, and its digest.
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

/// Makes a key in the place of another, which goes on working for `grace_ms` and then ends.
pub(super) fn rotate(service: &Service, key_id: &str, grace_ms: u64) -> Result<Value, AdminError> {
    if grace_ms > MAX_GRACE_MS {
        return Err(AdminError::new("the grace window is at most 366 days"));
    }
    let (digest, old) = find(service, key_id)?;
    let now = service.engine().now();
    let end = Timestamp::from_millis(now.millis() + grace_ms)
        .ok_or_else(|| AdminError::new("the grace window reaches beyond the calendar"))?;
    let key = ApiKey::generate(old.kind)?;
    let record = new_record(service, &old.client_id, old.kind, Some(&old.lineage))?;
    // Looked at where it is written: between the two somebody else may have revoked or rotated it.
    let rotated = service.store().replace_key(&digest, &key.digest(), &record, |old| {
        check_rotation(old, now)?;
        old.expires_at = Some(old.expires_at.map_or(end, |sooner| sooner.min(end)));
        old.rotated_to = Some(record.key_id.clone());
        Ok::<(), AdminError>(())
    })?;
    let rotated = rotated.ok_or_else(|| unknown(key_id))?;
    service.calls().reload(service.store())?;
    tracing::info!(key_id, to = record.key_id, client_id = record.client_id, kind = record.kind.as_str(), until = %end, "key rotated");
    let mut value = with_key(&key, &record)?;
    if let Value::Object(members) = &mut value {
        members.insert("rotated".to_owned(), to_value(&rotated)?);
    }
    Ok(value)
}

/// Refuses to rotate a key in whose place there is one already, or that opens nothing.
fn check_rotation(key: &KeyRecord, now: Timestamp) -> Result<(), AdminError> {
    let key_id = &key.key_id;
    if let Some(to) = &key.rotated_to {
        return Err(AdminError::new(format!("{key_id} was rotated already; {to} is in its place: rotate that one")));
    }
    if !key.is_good(now) {
        return Err(AdminError::new(format!(
            "{key_id} opens nothing any more; make a new one with `taxd key create --account {} --kind {}`",
            key.client_id, key.kind
        )));
    }
    Ok(())
}

/// Has a key open nothing from the next call on.
pub(super) fn revoke(service: &Service, key_id: &str) -> Result<Value, AdminError> {
    let (digest, known) = find(service, key_id)?;
    let now = service.engine().now();
    let revoked = service.store().update_key(&digest, |key| key.revoked_at = key.revoked_at.or(Some(now)))?;
    service.calls().reload(service.store())?;
    tracing::info!(key_id, client_id = known.client_id, kind = known.kind.as_str(), "key revoked");
    to_value(&revoked)
}

/// The keys, of one account or all, with their state and use.
pub(super) fn list(service: &Service, client_id: Option<&str>) -> Result<Value, AdminError> {
    let now = service.engine().now();
    let mut keys: Vec<KeyRecord> = service.store().keys()?.into_iter().map(|(_, key)| key).collect();
    keys.retain(|key| client_id.is_none_or(|wanted| key.client_id == wanted));
    keys.sort_by(|a, b| (&a.client_id, a.created_at).cmp(&(&b.client_id, b.created_at)));
    keys.iter().map(|key| described(service, key, now)).collect()
}

fn described(service: &Service, key: &KeyRecord, now: Timestamp) -> Result<Value, AdminError> {
    let state = match (key.revoked_at, key.expires_at) {
        (Some(_), _) => "revoked",
        (None, Some(end)) if end <= now => "expired",
        (None, Some(_)) => "expiring",
        (None, None) => "active",
    };
    let mut value = to_value(key)?;
    let (Value::Object(members), Some(client)) = (&mut value, service.calls().client(&key.client_id)) else {
        return Ok(value);
    };
    members.insert("state".to_owned(), json!(state));
    let counted = client.meter.lock();
    let used = counted.keys.get(key.key_id.as_str());
    members.insert("calls".to_owned(), json!(used.map_or(0, |used| used.calls)));
    members.insert("last_call_at".to_owned(), json!(used.and_then(|used| Timestamp::from_millis(used.last_ms))));
    if key.kind == KeyKind::Test {
        let month = counted.sandbox.get(&key.lineage).copied().unwrap_or_default().in_month(Month::of(now));
        members.insert("calls_this_month".to_owned(), json!(month.used));
    }
    Ok(value)
}
