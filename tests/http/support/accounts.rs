//! Creates accounts and keys on the command line.

use serde_json::Value;

use super::{DataDir, taxd};

/// A key and its id.
#[derive(Debug, Clone)]
pub struct Key {
    pub key_id: String,
    pub key: String,
}

impl Key {
    /// Reads the key from the document of its creation.
    #[track_caller]
    pub fn of(made: &Value) -> Key {
        let text = |name: &str| made[name].as_str().unwrap_or_else(|| panic!("no {name}: {made}")).to_owned();
        Key { key_id: text("key_id"), key: text("key") }
    }
}

/// An account with a production key.
#[derive(Debug, Clone)]
pub struct Account {
    pub client_id: String,
    pub live: Key,
}

impl DataDir {
    /// Creates an account with a production key. `more` are arguments of `taxd account create`.
    #[track_caller]
    pub fn account(&self, name: &str, more: &[&str]) -> Account {
        let args = ["account", "create", name, "--json"].into_iter().chain(more.iter().copied());
        let made = taxd(self, args).ok().json();
        let client_id = made["client_id"].as_str().unwrap().to_owned();
        let live = self.new_key(&client_id, "live");
        Account { client_id, live }
    }

    /// Creates a key of an account.
    #[track_caller]
    pub fn new_key(&self, client_id: &str, kind: &str) -> Key {
        Key::of(&taxd(self, ["key", "create", "--account", client_id, "--kind", kind, "--json"]).ok().json())
    }

    /// Returns the document of `taxd account show`.
    #[track_caller]
    pub fn shown(&self, client_id: &str) -> Value {
        taxd(self, ["account", "show", client_id, "--recent", "50", "--json"]).ok().json()
    }
}
