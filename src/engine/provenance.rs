//! Where a version came from: the bundle of its publication that brought it, and who signed that.

use serde::{Deserialize, Serialize};

use super::Engine;
use crate::store::{StoreError, StoreResult};
use crate::value::RuleCode;

/// Whose signature a bundle bears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The signer, by the name that the operator trusts.
    pub by: String,
    /// Fingerprint of the key; `None` for what is signed by being compiled in.
    pub key_id: Option<String>,
}

/// A bundle as its publication remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleRecord {
    /// Its name, by its own word.
    pub pacote: String,
    /// Its version, by its own word.
    pub versao: String,
    /// How many rules it holds, new or not.
    pub regras: usize,
    /// Name of its file.
    pub file: String,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// The trusted name of whoever signed it; null for nobody.
    pub assinado_por: Option<String>,
    /// Fingerprint of the key that signed it.
    pub key_id: Option<String>,
}

/// What a publication remembers of its bundles, in the order of their files.
#[derive(Deserialize)]
struct Publication {
    pacotes: Vec<BundleRecord>,
}

impl Engine {
    /// The bundle that brought each version of a code, in the order of the versions.
    pub fn bundles_of(&self, code: &RuleCode) -> StoreResult<Vec<BundleRecord>> {
        let journal = self.store.read_journal()?;
        let mut bundles = Vec::new();
        for version in journal.versions_of(code)? {
            let number = version.state.publication;
            let corrupt = |what: String| StoreError::Corrupt(format!("publication {number}: {what}"));
            let record = journal.publication(number)?.ok_or_else(|| corrupt("it is missing".to_owned()))?;
            let Publication { mut pacotes } = serde_json::from_slice(&record).map_err(|e| corrupt(e.to_string()))?;
            let place = usize::try_from(version.state.bundle).unwrap_or(usize::MAX);
            if place >= pacotes.len() {
                return Err(corrupt(format!("it has no bundle {place}")));
            }
            bundles.push(pacotes.swap_remove(place));
        }
        Ok(bundles)
    }
}
