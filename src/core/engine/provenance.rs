//! The bundle that brought a version, and who signed it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Engine;
use crate::base::value::{Date, RuleCode, Timestamp};
use crate::law::rule::bundle::TabelaOficial;
use crate::store::{Journal, StoreError, StoreResult};

/// A verified signature of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The signer, by the name that the operator trusts.
    pub by: String,
    /// Fingerprint of the key; `None` for a bundle that is compiled in.
    pub key_id: Option<String>,
}

impl Signed {
    /// The signer of the bundles that are compiled in.
    pub const BUILT_IN: &str = "taxd (built in)";
}

/// A version of an official table, as the record of a publication keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfficialTable {
    /// What people call the table.
    pub nome: String,
    /// The act or version.
    pub versao: String,
    /// The day of that version.
    pub data: Date,
    /// First day on which the version no longer holds; `None` if it states no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vigente_ate: Option<Date>,
    /// What is known to have changed since, in Portuguese.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mudancas: Vec<String>,
}

impl From<&TabelaOficial> for OfficialTable {
    fn from(table: &TabelaOficial) -> Self {
        OfficialTable {
            nome: table.nome.as_str().to_owned(),
            versao: table.versao.as_str().to_owned(),
            data: table.data,
            vigente_ate: table.vigente_ate,
            mudancas: table.mudancas.iter().map(|text| text.as_str().to_owned()).collect(),
        }
    }
}

/// A bundle in the record of its publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleRecord {
    /// Its name, as it states it.
    pub pacote: String,
    /// Its version, as it states it.
    pub versao: String,
    /// How many rules it has, new or not.
    pub regras: usize,
    pub file: String,
    /// The official tables that it follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tabelas_oficiais: Vec<OfficialTable>,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// The trusted name of the signer; null if it is not signed.
    pub assinado_por: Option<String>,
    /// Fingerprint of the key that signed it.
    pub key_id: Option<String>,
}

/// The record of a publication, as the store keeps it.
#[derive(Serialize, Deserialize)]
pub struct PublicationRecord<'a> {
    pub publicado_em: Timestamp,
    /// The bundles in the order of their files: the state of a version has the index of its bundle.
    pub pacotes: Cow<'a, [BundleRecord]>,
}

impl PublicationRecord<'_> {
    pub(super) fn to_json(&self) -> StoreResult<Vec<u8>> {
        serde_json::to_vec(self).map_err(|e| StoreError::Corrupt(e.to_string()))
    }
}

pub fn publication(journal: &Journal, number: u64) -> StoreResult<PublicationRecord<'static>> {
    let corrupt = |what: String| StoreError::Corrupt(format!("publication {number}: {what}"));
    let record = journal.publication(number)?.ok_or_else(|| corrupt("it is missing".to_owned()))?;
    serde_json::from_slice(&record).map_err(|e| corrupt(e.to_string()))
}

impl Engine {
    /// The bundle that brought each version of a code, in the order of the versions.
    pub fn bundles_of(&self, code: &RuleCode) -> StoreResult<Vec<BundleRecord>> {
        let journal = self.store.read_journal()?;
        let mut bundles = Vec::new();
        for version in journal.versions_of(code)? {
            let number = version.state.publication;
            let corrupt = |what: String| StoreError::Corrupt(format!("publication {number}: {what}"));
            let record = publication(&journal, number)?;
            let bundle = usize::try_from(version.state.bundle).ok().and_then(|at| record.pacotes.get(at)).cloned();
            bundles.push(bundle.ok_or_else(|| corrupt(format!("it has no bundle {}", version.state.bundle)))?);
        }
        Ok(bundles)
    }
}
