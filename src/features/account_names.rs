//! Names of accounts and keys: checks them, and finds the account that the operator names.

use std::sync::Arc;

use crate::core::calls::Client;
use crate::core::service::Service;
use crate::features::AdminError;

/// Longest name, in characters.
const MAX_NAME_CHARS: usize = 120;

/// Returns the name without spaces around it. Fails if it is empty, too long, or not printable.
pub(crate) fn checked(what: &str, nome: &str) -> Result<String, AdminError> {
    let nome = nome.trim();
    if nome.is_empty() || nome.chars().count() > MAX_NAME_CHARS || nome.chars().any(char::is_control) {
        return Err(AdminError::new(format!("{what} name has 1 to {MAX_NAME_CHARS} printable characters")));
    }
    Ok(nome.to_owned())
}

/// The refusal of an id or name that no account has.
pub(super) fn unknown(account: &str) -> AdminError {
    AdminError::new(format!(
        "there is no account \"{account}\"; `taxd account list` shows them, `taxd account create` makes one"
    ))
}

/// Returns the ids of the accounts that have the name, in either case.
pub(super) fn named(service: &Service, nome: &str) -> Vec<Arc<str>> {
    service.calls().named(nome.trim())
}

/// Finds an account by its id, or by a name that no other account has.
pub(crate) fn find(service: &Service, account: &str) -> Result<Arc<Client>, AdminError> {
    if let Some(client) = service.calls().client(account) {
        return Ok(client);
    }
    match named(service, account).as_slice() {
        [] => Err(unknown(account)),
        [id] => service.calls().client(id).ok_or_else(|| unknown(id)),
        ids => {
            let (count, ids) = (ids.len(), ids.join(", "));
            Err(AdminError::new(format!("{count} accounts have the name \"{account}\"; give the id of one: {ids}")))
        }
    }
}
