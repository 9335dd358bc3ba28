//! Import: whose bundles they are, then publishing them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::signature::{self, Signer, TrustedKey};
use super::{AdminError, Progress};
use crate::engine::{BundleFile, Engine, ImportOptions, ImportReport, Signed};
use crate::rulesets;
use crate::store::{Store, Trusting};

/// Key of the setting that makes signatures compulsory.
const REQUIRE: &str = "require_signature";

/// A file to import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportFile {
    /// Its name, for faults.
    pub name: String,
    /// Its text; on its way to a server it is beside the command, and not in it.
    #[serde(skip)]
    pub text: String,
    /// The text of the signature beside it.
    #[serde(default)]
    pub signature: Option<String>,
}

/// What an import came to, as it is told.
#[derive(Serialize)]
pub(super) struct Told {
    #[serde(flatten)]
    report: ImportReport,
    avisos: Vec<String>,
    /// How long the lists are, where they are cut short.
    #[serde(skip_serializing_if = "Option::is_none")]
    totais: Option<Totais>,
}

#[derive(Serialize)]
struct Totais {
    publicadas: usize,
    substituidas: usize,
}

/// How an import is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportCommand {
    /// The files.
    pub files: Vec<ImportFile>,
    /// Show, do not write.
    pub dry_run: bool,
    /// Refuse what no trusted key has signed.
    pub require_signature: bool,
    /// Publish although that will be dated more than a day ahead of the clock, or by a clock that is probably ahead.
    #[serde(default)]
    pub accept_future_date: bool,
    /// Most versions of each list to tell of; absent for all.
    #[serde(default)]
    pub listed: Option<usize>,
}

/// Imports the files.
pub(super) fn run(engine: &Engine, command: ImportCommand, progress: Progress<'_>) -> Result<Told, AdminError> {
    let ImportCommand { files, dry_run, require_signature, accept_future_date, listed } = command;
    let options = ImportOptions { dry_run, accept_future_date };
    let required = require_signature || engine.store().setting(REQUIRE)?.is_some();
    let trusted = trusted_keys(engine.store())?;
    let mut bundles = Vec::with_capacity(files.len());
    let mut warnings = Vec::new();
    for file in files {
        let (signed, warning) = signature_of(&file, &trusted, required).inspect_err(|error| {
            if !options.dry_run {
                engine.imports().refuse([file.name.clone()].into_iter(), &error.message);
            }
        })?;
        warnings.extend(warning);
        bundles.push(BundleFile { name: file.name, bytes: file.text.into_bytes(), signed });
    }
    let mut report = engine.import_with_progress(&bundles, options, progress)?;
    warnings.append(&mut report.avisos);
    let totais = listed.map(|listed| {
        report.shorten(listed);
        Totais { publicadas: report.publicadas.len(), substituidas: report.substituidas.len() }
    });
    Ok(Told { report, avisos: warnings, totais })
}

/// Who signed the file, and what the operator is to be warned of.
fn signature_of(
    file: &ImportFile,
    trusted: &[TrustedKey],
    required: bool,
) -> Result<(Option<Signed>, Option<String>), AdminError> {
    let refuse = |why: String| AdminError::new(format!("{}: {why}; nothing was imported", file.name));
    let signer =
        signature::verify(file.signature.as_deref(), file.text.as_bytes(), trusted).map_err(|e| refuse(e.message))?;
    let built_in = || rulesets::signed(&file.text);
    match signer {
        Signer::Trusted(signed) => Ok((Some(signed), None)),
        Signer::Nobody => match built_in() {
            None if required => Err(refuse(format!(
                "is not signed, and a signature is required (expected beside it: {}.sig)",
                file.name
            ))),
            signed => Ok((signed, None)),
        },
        Signer::Stranger(id) => match built_in() {
            None if required => Err(refuse(format!(
                "is signed by key {id}, which is not trusted; `taxd bundle trust add` trusts a key"
            ))),
            signed => {
                Ok((signed, Some(format!("{}: signed by a key that is not trusted: fingerprint {id}", file.name))))
            }
        },
    }
}

/// The keys that the operator trusts.
pub(super) fn trusted_keys(store: &Store) -> Result<Vec<TrustedKey>, AdminError> {
    Ok(store.trusted_keys()?.into_iter().map(|(name, public_key)| TrustedKey { name, public_key }).collect())
}

/// Trusts a key, by a name of the operator's choice. A name is one key's, and a key has one name:
/// who signed a bundle must not depend on when one asks.
pub(super) fn trust(store: &Store, key: &TrustedKey) -> Result<Value, AdminError> {
    let public = signature::read_public(&key.public_key)?;
    let name = key.name.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(AdminError::new("give the key a name of printable characters"));
    }
    let key_id = signature::key_id(&public);
    match store.trust_key(name, &signature::write_public(&public))? {
        Trusting::Done => {}
        Trusting::NameTaken => {
            return Err(AdminError::new(format!(
                "\"{name}\" is the name of another trusted key; `taxd bundle trust remove` takes that away first, or choose another name"
            )));
        }
        Trusting::KeyTakenBy(other) => {
            return Err(AdminError::new(format!(
                "this key ({key_id}) is trusted already, as \"{other}\"; to give it another name, `taxd bundle trust remove` that one first"
            )));
        }
    }
    tracing::info!(name, key_id, "bundle key trusted");
    Ok(json!({ "name": name, "key_id": key_id }))
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
