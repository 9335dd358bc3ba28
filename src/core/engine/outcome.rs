//! The options and the report of an import.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::bundle_faults::BundleFault;
use super::gaps::Gaps;
use super::import_index::ImportIndex;
use super::instants::ClockFault;
use super::provenance::BundleRecord;
use super::succession::MovedEnd;
use crate::base::value::{Date, RuleId};
use crate::core::store::{StoreError, StoreResult};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Reports what would happen, and writes nothing.
    pub dry_run: bool,
    /// Publishes even if the date is more than a day ahead of the clock, or the clock is probably fast.
    pub accept_future_date: bool,
}

#[derive(Debug)]
pub enum ImportError {
    /// Every fault that was found in the bundles.
    Faults(Vec<BundleFault>),
    Store(StoreError),
    /// The clock cannot be trusted to date a publication.
    Clock(ClockFault),
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

impl From<ClockFault> for ImportError {
    fn from(error: ClockFault) -> Self {
        ImportError::Clock(error)
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Published {
    pub rule_id: RuleId,
    pub tributo: Cow<'static, str>,
    pub vigente_de: Date,
    /// First day on which it no longer answers.
    pub vigente_ate: Option<Date>,
}

/// A version whose end a new one moved.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Superseded {
    pub rule_id: RuleId,
    /// `substituicao` or `substituicao_retroativa`.
    pub tipo: Cow<'static, str>,
    pub substituida_por: RuleId,
    pub vigente_de: Date,
    pub vigente_ate_anterior: Option<Date>,
    pub vigente_ate: Option<Date>,
    /// First day that it answered on and that leaves some of its scope without a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacuna_de: Option<Date>,
    /// The first scope key without a rule; only the first thousand gaps have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacuna_em: Option<String>,
    /// How many of its scope keys are without a rule on some day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacuna_escopos: Option<usize>,
}

/// The versions that an import published, in the order of their codes. It has a few bytes of each, so that a
/// million fit in memory, and makes each [`Published`] when it is needed.
#[derive(Debug, Clone)]
pub struct PublishedVersions {
    index: Arc<ImportIndex>,
    count: usize,
    /// How many are serialized at most.
    shown: usize,
}

impl PublishedVersions {
    pub(super) fn of(index: &Arc<ImportIndex>) -> PublishedVersions {
        PublishedVersions { index: Arc::clone(index), count: index.entering().count(), shown: usize::MAX }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn iter(&self) -> impl Iterator<Item = StoreResult<Published>> {
        self.index.entering().map(|row| {
            Ok(Published {
                rule_id: self.index.rule_id(row)?,
                tributo: self.index.jurisdiction(row.jurisdiction)?.tributo.as_str().into(),
                vigente_de: row.vigencia.de,
                vigente_ate: row.vigencia.ate,
            })
        })
    }
}

/// The versions whose ends an import moved, in the order of the versions that moved them; as small as
/// [`PublishedVersions`].
#[derive(Debug, Clone)]
pub struct SupersededVersions {
    index: Arc<ImportIndex>,
    closed: Arc<Vec<MovedEnd>>,
    gaps: Arc<Gaps>,
    /// How many are serialized at most.
    shown: usize,
}

impl SupersededVersions {
    pub(super) fn of(index: &Arc<ImportIndex>, closed: Vec<MovedEnd>, gaps: Gaps) -> SupersededVersions {
        SupersededVersions {
            index: Arc::clone(index),
            closed: Arc::new(closed),
            gaps: Arc::new(gaps),
            shown: usize::MAX,
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.closed.len()
    }

    /// True if no end was moved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = StoreResult<Superseded>> {
        self.closed.iter().enumerate().map(|(index, closed)| {
            let gap = self.gaps.get(&index);
            let (rule_id, substituida_por) = closed.ids(&self.index)?;
            Ok(Superseded {
                rule_id,
                tipo: closed.closing.tipo().into(),
                substituida_por,
                vigente_de: closed.closing.before.de,
                vigente_ate_anterior: closed.closing.before.ate,
                vigente_ate: closed.closing.after.ate,
                lacuna_de: closed.lacuna_de,
                lacuna_em: gap.map(|gap| gap.em.clone()),
                lacuna_escopos: gap.map(|gap| gap.escopos),
            })
        })
    }
}

/// Serializes a list item by item, without collecting it.
fn write_each<S: Serializer, T: Serialize>(
    s: S,
    items: impl Iterator<Item = StoreResult<T>>,
) -> Result<S::Ok, S::Error> {
    use serde::ser::{Error, SerializeSeq};
    let mut list = s.serialize_seq(None)?;
    for item in items {
        list.serialize_element(&item.map_err(S::Error::custom)?)?;
    }
    list.end()
}

impl Serialize for PublishedVersions {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        write_each(s, self.iter().take(self.shown))
    }
}

impl Serialize for SupersededVersions {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        write_each(s, self.iter().take(self.shown))
    }
}

/// The report of an import, or of a dry run.
#[derive(Debug, Clone)]
pub struct ImportReport {
    pub publicadas: PublishedVersions,
    pub substituidas: SupersededVersions,
    /// Versions that had been published before, with the same content.
    pub inalteradas: usize,
    /// Worked examples that were run; all of them passed.
    pub exemplos: usize,
    /// The bundles, in the order of their files.
    pub pacotes: Vec<BundleRecord>,
    pub dry_run: bool,
    /// Warnings for the operator, a sentence each, in English.
    pub avisos: Vec<String>,
}

impl ImportReport {
    /// Serializes no more than that many items of each list.
    pub fn shorten(&mut self, shown: usize) {
        (self.publicadas.shown, self.substituidas.shown) = (shown, shown);
    }
}
