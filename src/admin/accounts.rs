//! Accounts and keys.

use serde_json::{Value, json};

use super::AdminError;
use crate::store::{Account, KeyRecord, Store};
use crate::value::{ApiKey, Instante, KeyKind, RandomFailed, random_hex};

/// Plans of the contract (sections 6.1 and 8).
const PLANS: [&str; 3] = ["growth", "scale", "enterprise"];
/// Longest account name, in characters.
const MAX_NAME_CHARS: usize = 120;

impl From<RandomFailed> for AdminError {
    fn from(_: RandomFailed) -> Self {
        AdminError::new("the system's random generator refused; nothing was made")
    }
}

/// Makes an account.
pub(super) fn create(store: &Store, nome: &str, plan: &str) -> Result<Account, AdminError> {
    let nome = nome.trim();
    if nome.is_empty() || nome.chars().count() > MAX_NAME_CHARS || nome.chars().any(char::is_control) {
        return Err(AdminError::new(format!("an account name has 1 to {MAX_NAME_CHARS} printable characters")));
    }
    let plan = plan.to_lowercase();
    if !PLANS.contains(&plan.as_str()) {
        return Err(AdminError::new(format!("there is no plan \"{plan}\"; the plans are {}", PLANS.join(", "))));
    }
    let account = Account {
        client_id: format!("acc_{}", random_hex(8)?),
        nome: nome.to_owned(),
        plan: plan.clone(),
        created_at: Instante::now().to_string(),
    };
    store.put_account(&account)?;
    tracing::info!(client_id = account.client_id, plan, "account created");
    Ok(account)
}

/// Makes a key; its document is the only place where it ever stands in clear.
pub(super) fn create_key(store: &Store, client_id: &str, kind: &str) -> Result<Value, AdminError> {
    let Some(kind) = KeyKind::from_word(kind) else {
        return Err(AdminError::new(format!("a key is of kind {}, not \"{kind}\"", KeyKind::WORDS.join(" or "))));
    };
    if store.account(client_id)?.is_none() {
        return Err(AdminError::new(format!(
            "there is no account \"{client_id}\"; `taxd account list` shows them, `taxd account create` makes one"
        )));
    }
    let key = ApiKey::generate(kind)?;
    let record = KeyRecord {
        key_id: format!("key_{}", random_hex(6)?),
        client_id: client_id.to_owned(),
        kind: kind.as_str().to_owned(),
        created_at: Instante::now().to_string(),
    };
    store.put_key(&key.digest(), &record)?;
    tracing::info!(key_id = record.key_id, client_id, kind = kind.as_str(), "key created");
    Ok(json!({
        "key": key.reveal(),
        "key_id": record.key_id,
        "client_id": record.client_id,
        "kind": record.kind,
        "created_at": record.created_at,
    }))
}
