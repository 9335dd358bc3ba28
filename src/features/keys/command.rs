//! `taxd key`.

use clap::Subcommand;

use crate::cli::{CommandResult, Context, duration, output};
use crate::core::store::KeyRecord;
use crate::features::Command;
use crate::features::keys::{KeyCommand, NewKey, ShownKey};

/// API keys
#[derive(Debug, Subcommand)]
pub(crate) enum KeyArgs {
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
        #[arg(long, value_name = "TIME", default_value = "24h", value_parser = duration::millis)]
        grace: u64,
    },
    /// Refuse every call with a key, from the next one on
    Revoke {
        /// The key, as `taxd key list` shows it
        #[arg(value_name = "KEY_ID")]
        key_id: String,
    },
}

/// Runs the command.
pub(crate) fn run(context: &Context, args: KeyArgs) -> CommandResult {
    match args {
        KeyArgs::Create { account, kind, name } => {
            context.show(Command::Key(KeyCommand::Create { account, kind, name }), |key: NewKey| new_text(&key))
        }
        KeyArgs::List { account } => {
            context.show(Command::Key(KeyCommand::List { account }), |keys: Vec<ShownKey>| table(&keys))
        }
        KeyArgs::Rotate { key_id, grace } => {
            context.show(Command::Key(KeyCommand::Rotate { key_id, grace_ms: grace }), |key: NewKey| new_text(&key))
        }
        KeyArgs::Revoke { key_id } => context.show(Command::Key(KeyCommand::Revoke { key_id }), |key: KeyRecord| {
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

/// Writes keys for people.
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
