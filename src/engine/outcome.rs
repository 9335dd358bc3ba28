//! What an import is asked, and what it comes to.

use serde::Serialize;

use super::bundle_faults::BundleFault;
use super::instants::ClockBehind;
use super::provenance::BundleRecord;
use crate::store::StoreError;
use crate::value::{Data, RuleId};

/// How an import is to be done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Show what would happen, and write nothing.
    pub dry_run: bool,
    /// Publish although that will be dated more than a day ahead of the clock.
    pub accept_future_date: bool,
}

/// Why nothing was imported.
#[derive(Debug)]
pub enum ImportError {
    /// The bundles are at fault; all faults that were found.
    Faults(Vec<BundleFault>),
    /// The store is.
    Store(StoreError),
    /// The clock is, or an earlier one was.
    Clock(ClockBehind),
}

impl From<Vec<BundleFault>> for ImportError {
    fn from(faults: Vec<BundleFault>) -> Self {
        ImportError::Faults(faults)
    }
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        ImportError::Store(error)
    }
}

impl From<ClockBehind> for ImportError {
    fn from(error: ClockBehind) -> Self {
        ImportError::Clock(error)
    }
}

/// A version that was published.
#[derive(Debug, Clone, Serialize)]
pub struct Published {
    /// Code and version.
    pub rule_id: RuleId,
    /// Its tax.
    pub tributo: &'static str,
    /// First day on which it answers.
    pub vigente_de: Data,
    /// First day on which it no longer answers.
    pub vigente_ate: Option<Data>,
}

/// A version whose end a new one moved.
#[derive(Debug, Clone, Serialize)]
pub struct Superseded {
    /// The version.
    pub rule_id: RuleId,
    /// `substituicao` or `substituicao_retroativa`.
    pub tipo: &'static str,
    /// The version that entered.
    pub substituida_por: RuleId,
    /// Its first day.
    pub vigente_de: Data,
    /// The end it had.
    pub vigente_ate_anterior: Option<Data>,
    /// The end it has now.
    pub vigente_ate: Option<Data>,
    /// First of the days that it answered and that no version of its code answers any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lacuna_de: Option<Data>,
}

/// What an import did, or would do.
#[derive(Debug, Clone, Serialize)]
pub struct ImportReport {
    /// Versions published.
    pub publicadas: Vec<Published>,
    /// Versions superseded.
    pub substituidas: Vec<Superseded>,
    /// Versions that were there already, word for word.
    pub inalteradas: usize,
    /// Worked examples that were run and held.
    pub exemplos: usize,
    /// The bundles, in the order of their files.
    pub pacotes: Vec<BundleRecord>,
    /// True when nothing was written.
    pub dry_run: bool,
}
