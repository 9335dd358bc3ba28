//! The keys whose signatures of bundles are trusted, and whether a signature is required.

pub mod signature;

use std::path::PathBuf;

use clap::Subcommand;
use serde::{Deserialize, Serialize};

use self::signature::TrustedKey;
use super::error::AdminError;
use crate::core::store::{Store, Trusting};

/// Name of the setting that makes signatures compulsory.
const REQUIRE: &str = "require_signature";

/// Keys whose bundles are trusted
#[derive(Debug, Clone, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustCommand {
    /// Trust a key
    Add {
        /// A name for it, shown by `rules history`
        #[arg(value_name = "NAME")]
        name: String,
        /// Public key file
        #[arg(value_name = "FILE.pub")]
        #[serde(skip)]
        file: PathBuf,
        /// The text of that file.
        #[arg(skip)]
        public_key: String,
    },
    /// List the trusted keys
    List,
    /// Stop trusting a key
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Refuse every import that no trusted key has signed, or accept them again
    Require {
        /// on or off
        #[arg(value_parser = ["on", "off"])]
        state: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedKeyId {
    /// The name that the operator gave it.
    pub name: String,
    pub key_id: String,
}

/// A key that is no longer trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedKey {
    pub name: String,
    pub removed: bool,
}

/// Whether a signature is required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignaturePolicy {
    /// True if every import needs a signature by a trusted key.
    pub require_signature: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustList {
    /// True if every import needs a signature by one of them.
    pub require_signature: bool,
    pub keys: Vec<TrustedKeyId>,
}

pub(super) fn keys(store: &Store) -> Result<Vec<TrustedKey>, AdminError> {
    Ok(store.trusted_keys()?.into_iter().map(|(name, public_key)| TrustedKey { name, public_key }).collect())
}

/// Returns true if every import needs a signature by a trusted key.
pub(super) fn is_required(store: &Store) -> Result<bool, AdminError> {
    Ok(store.setting(REQUIRE)?.is_some())
}

/// Trusts a key under a name of the operator's choice. A name belongs to one key and a key has one name,
/// so the signer of a bundle does not depend on when one asks.
pub(super) fn add(store: &Store, name: &str, public_key: &str) -> Result<TrustedKeyId, AdminError> {
    let public = signature::read_public(public_key)?;
    let name = name.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(AdminError::new("give the key a name of printable characters"));
    }
    let key_id = signature::key_id(&public);
    match store.trust_key(name, &signature::write_public(&public))? {
        Trusting::Done => {}
        Trusting::NameTaken => {
            return Err(AdminError::new(format!(
                "\"{name}\" is the name of another trusted key; remove that one first with `taxd bundle trust remove`, or choose another name"
            )));
        }
        Trusting::KeyTakenBy(other) => {
            return Err(AdminError::new(format!(
                "this key ({key_id}) is trusted already, as \"{other}\"; to give it another name, `taxd bundle trust remove` that one first"
            )));
        }
    }
    tracing::info!(name, key_id, "bundle key {key_id} trusted as {name}");
    Ok(TrustedKeyId { name: name.to_owned(), key_id })
}

/// Stops trusting a key. Refused for the only key while signatures are required.
pub(super) fn remove(store: &Store, name: String) -> Result<RemovedKey, AdminError> {
    let known = store.trusted_keys()?;
    if is_required(store)? && known.len() == 1 && known.iter().any(|(only, _)| *only == name) {
        return Err(AdminError::new(
            "signatures are required and this is the only trusted key, so every import would be refused; trust another first, or `taxd bundle trust require off`",
        ));
    }
    if !store.remove_trusted_key(&name)? {
        return Err(AdminError::new(format!(
            "no trusted key is called \"{name}\"; `taxd bundle trust list` shows them"
        )));
    }
    tracing::info!(name, "bundle key {name} no longer trusted");
    Ok(RemovedKey { name, removed: true })
}

/// Returns the trusted keys, and whether a signature is required.
pub(super) fn list(store: &Store) -> Result<TrustList, AdminError> {
    let named = |key: TrustedKey| {
        let key_id = signature::key_id(&signature::read_public(&key.public_key)?);
        Ok::<_, AdminError>(TrustedKeyId { name: key.name, key_id })
    };
    Ok(TrustList {
        require_signature: is_required(store)?,
        keys: keys(store)?.into_iter().map(named).collect::<Result<_, _>>()?,
    })
}

/// Makes signatures compulsory for every import, or optional again. Refused while no key is trusted.
pub(super) fn require(store: &Store, required: bool) -> Result<SignaturePolicy, AdminError> {
    if required && store.trusted_keys()?.is_empty() {
        return Err(AdminError::new(
            "no key is trusted yet, so every import would be refused; `taxd bundle trust add` first",
        ));
    }
    store.put_setting(REQUIRE, required.then_some("yes"))?;
    tracing::info!(required, "bundle signatures {}", if required { "required" } else { "no longer required" });
    Ok(SignaturePolicy { require_signature: required })
}
