//! Import: whose bundles they are, then publishing them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::signature::{self, Signer, TrustedKey};
use super::{AdminError, Progress};
use crate::engine::{BundleFile, Engine, ImportOptions};
use crate::rulesets;
use crate::store::Store;

/// Key of the setting that makes signatures compulsory.
const REQUIRE: &str = "require_signature";
/// Who signs the bundles that are compiled in: whoever made the binary.
const BUILTIN_SIGNER: &str = "taxd (built in)";

/// A file to import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFile {
    /// Its name, for faults.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The text of the signature beside it.
    #[serde(default)]
    pub signature: Option<String>,
}

/// Imports the files; `require_signature` refuses what no trusted key has signed.
pub(super) fn run(
    engine: &Engine,
    files: Vec<ImportFile>,
    options: ImportOptions,
    require_signature: bool,
    progress: Progress<'_>,
) -> Result<Value, AdminError> {
    let required = require_signature || engine.store().setting(REQUIRE)?.is_some();
    let trusted = trusted_keys(engine.store())?;
    let mut bundles = Vec::with_capacity(files.len());
    let mut signatures = Vec::with_capacity(files.len());
    for file in files {
        let signer = signer_of(&file, &trusted, required)?;
        signatures.push(json!({ "file": file.name, "assinado_por": signer }));
        bundles.push(BundleFile { name: file.name, bytes: file.text.into_bytes(), signer });
    }
    let report = engine.import_with_progress(&bundles, options, progress)?;
    tracing::info!(
        published = report.publicadas.len(),
        superseded = report.substituidas.len(),
        unchanged = report.inalteradas,
        dry_run = options.dry_run,
        "import"
    );
    let mut value = serde_json::to_value(&report).map_err(|e| AdminError::new(e.to_string()))?;
    if let Some(members) = value.as_object_mut() {
        members.insert("assinaturas".to_owned(), Value::Array(signatures));
    }
    Ok(value)
}

fn signer_of(file: &ImportFile, trusted: &[TrustedKey], required: bool) -> Result<Option<String>, AdminError> {
    let refuse = |why: String| AdminError::new(format!("{}: {why}; nothing was imported", file.name));
    match signature::verify(file.signature.as_deref(), file.text.as_bytes(), trusted).map_err(|e| refuse(e.message))? {
        Signer::Trusted(name) => Ok(Some(name)),
        _ if rulesets::BUNDLES.iter().any(|(_, text)| *text == file.text) => Ok(Some(BUILTIN_SIGNER.to_owned())),
        Signer::Nobody if required => {
            Err(refuse(format!("is not signed, and a signature is required (expected beside it: {}.sig)", file.name)))
        }
        Signer::Stranger(id) if required => {
            Err(refuse(format!("is signed by key {id}, which is not trusted; `taxd bundle trust add` trusts a key")))
        }
        Signer::Nobody | Signer::Stranger(_) => Ok(None),
    }
}

/// The keys that the operator trusts.
pub(super) fn trusted_keys(store: &Store) -> Result<Vec<TrustedKey>, AdminError> {
    Ok(store.trusted_keys()?.into_iter().map(|(name, public_key)| TrustedKey { name, public_key }).collect())
}

/// Trusts a key, by a name of the operator's choice.
pub(super) fn trust(store: &Store, key: &TrustedKey) -> Result<Value, AdminError> {
    let public = signature::read_public(&key.public_key)?;
    if key.name.trim().is_empty() || key.name.chars().any(char::is_control) {
        return Err(AdminError::new("give the key a name of printable characters"));
    }
    store.put_trusted_key(&key.name, key.public_key.trim())?;
    tracing::info!(name = key.name, key_id = signature::key_id(&public), "bundle key trusted");
    Ok(json!({ "name": key.name, "key_id": signature::key_id(&public) }))
}

/// Trusts a key no longer.
pub(super) fn distrust(store: &Store, name: &str) -> Result<Value, AdminError> {
    let known = store.trusted_keys()?;
    let required = store.setting(REQUIRE)?.is_some();
    if required && known.len() == 1 && known.iter().any(|(only, _)| only == name) {
        return Err(AdminError::new(
            "signatures are required and this is the only trusted key, so every import would be refused; trust another first, or `taxd bundle trust require off`",
        ));
    }
    if !store.remove_trusted_key(name)? {
        return Err(AdminError::new(format!(
            "no trusted key is called \"{name}\"; `taxd bundle trust list` shows them"
        )));
    }
    tracing::info!(name, "bundle key no longer trusted");
    Ok(json!({ "name": name, "removed": true }))
}

/// The trusted keys, and whether a signature is compulsory.
pub(super) fn list_trust(store: &Store) -> Result<Value, AdminError> {
    let mut keys = Vec::new();
    for key in trusted_keys(store)? {
        let id = signature::key_id(&signature::read_public(&key.public_key)?);
        keys.push(json!({ "name": key.name, "key_id": id }));
    }
    Ok(json!({ "require_signature": store.setting(REQUIRE)?.is_some(), "keys": keys }))
}

/// Makes signatures compulsory for every import, or no longer.
pub(super) fn require(store: &Store, required: bool) -> Result<Value, AdminError> {
    if required && store.trusted_keys()?.is_empty() {
        return Err(AdminError::new(
            "no key is trusted yet, so every import would be refused; `taxd bundle trust add` first",
        ));
    }
    store.put_setting(REQUIRE, required.then_some("yes"))?;
    tracing::info!(required, "bundle signatures required");
    Ok(json!({ "require_signature": required }))
}
