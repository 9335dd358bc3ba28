//! `taxd key`.

use crate::cli::{CommandResult, Context, output};
use crate::core::store::KeyRecord;
use crate::features::Command;
use crate::features::keys::{KeyCommand, NewKey, ShownKey};

pub(crate) fn run(context: &Context, command: KeyCommand) -> CommandResult {
    match command {
        KeyCommand::Create { .. } | KeyCommand::Rotate { .. } => {
            context.show(Command::Key(command), |key: NewKey| new_text(&key))
        }
        KeyCommand::List { .. } => context.show(Command::Key(command), |keys: Vec<ShownKey>| table(&keys)),
        KeyCommand::Revoke { .. } => context.show(Command::Key(command), |key: KeyRecord| {
            format!("{} revoked at {}", key.key_id, output::instant(key.revoked_at))
        }),
    }
}

/// A new key, and until when the one that it replaces works.
fn new_text(new: &NewKey) -> String {
    let until =
        new.rotated.as_ref().map(|old| format!("\n{} works until {}.", old.key_id, output::instant(old.expires_at)));
    let until = until.unwrap_or_default();
    format!("{}\nKeep it now: it is not shown again. Send it in the header X-API-Key.{until}", new.key)
}

pub(crate) fn table(keys: &[ShownKey]) -> String {
    let row = |shown: &ShownKey| {
        let key = &shown.record;
        vec![
            key.key_id.clone(),
            key.name.clone().unwrap_or_default(),
            key.client_id.clone(),
            key.kind.to_string(),
            shown.state.to_string(),
            output::instant(key.revoked_at.or(key.expires_at)),
            shown.calls.to_string(),
            output::instant(shown.last_call_at),
            key.created_at.local(),
        ]
    };
    let headings = ["KEY_ID", "NAME", "CLIENT_ID", "KIND", "STATE", "END", "CALLS", "LAST CALL", "CREATED"];
    output::table(&headings, keys.iter().map(row))
}
