//! The options and the report of an import.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::ser::{Error, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};

use super::bundle_faults::BundleFault;
use super::gaps::Gaps;
use super::import_index::{ImportIndex, ImportRow};
use super::moved_ends::MovedEnd;
use super::provenance::BundleRecord;
use super::publication_date::ClockFault;
use crate::base::value::{Date, RuleId};
use crate::store::{StoreError, StoreResult};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Reports what would happen, and writes nothing.
    pub dry_run: bool,
    /// Publishes even if the date is more than a day ahead of the clock, or the clock is probably fast.
    pub accept_future_date: bool,
    /// Does not run the worked examples, which take a quarter of the time: they are known to hold.
    pub is_proven: bool,
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

/// A list of a report, whose items are made when they are needed: a million take a few bytes each.
#[derive(Clone)]
pub struct ReportList<T> {
    /// Places of items; some have none.
    places: usize,
    count: usize,
    /// How many are serialized at most.
    shown: usize,
    item: Arc<dyn Fn(usize) -> StoreResult<Option<T>> + Send + Sync>,
}

impl<T> ReportList<T> {
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn iter(&self) -> impl Iterator<Item = StoreResult<T>> {
        (0..self.places).filter_map(|place| (self.item)(place).transpose())
    }
}

impl<T> fmt::Debug for ReportList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} items", self.count)
    }
}

impl<T: Serialize> Serialize for ReportList<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut list = s.serialize_seq(None)?;
        for item in self.iter().take(self.shown) {
            list.serialize_element(&item.map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

/// The versions that an import published, in the order of their codes.
pub(super) fn published(index: &Arc<ImportIndex>) -> ReportList<Published> {
    let (places, count, index) = (index.len(), index.entering().count(), Arc::clone(index));
    let item = move |place: usize| {
        let row = index.get(place).filter(|row| row.is_new());
        let published = |row: &ImportRow| {
            Ok(Published {
                rule_id: index.rule_id(row)?,
                tributo: index.jurisdiction(row.jurisdiction)?.tributo.as_str().into(),
                vigente_de: row.vigencia.de,
                vigente_ate: row.vigencia.ate,
            })
        };
        row.map(published).transpose()
    };
    ReportList { places, count, shown: usize::MAX, item: Arc::new(item) }
}

/// The versions whose ends an import moved, in the order of the versions that moved them.
pub(super) fn superseded(index: &Arc<ImportIndex>, closed: Vec<MovedEnd>, gaps: Gaps) -> ReportList<Superseded> {
    let (places, index) = (closed.len(), Arc::clone(index));
    let item = move |place: usize| {
        let Some(closed) = closed.get(place) else { return Ok(None) };
        let (gap, (rule_id, substituida_por)) = (gaps.get(&place), closed.ids(&index)?);
        Ok(Some(Superseded {
            rule_id,
            tipo: closed.closing.tipo().into(),
            substituida_por,
            vigente_de: closed.closing.before.de,
            vigente_ate_anterior: closed.closing.before.ate,
            vigente_ate: closed.closing.after.ate,
            lacuna_de: closed.lacuna_de,
            lacuna_em: gap.map(|gap| gap.em.clone()),
            lacuna_escopos: gap.map(|gap| gap.escopos),
        }))
    };
    ReportList { places, count: places, shown: usize::MAX, item: Arc::new(item) }
}

/// The report of an import, or of a dry run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ImportReport<P = ReportList<Published>, S = ReportList<Superseded>> {
    pub publicadas: P,
    pub substituidas: S,
    /// Versions that had been published before, with the same content.
    pub inalteradas: usize,
    /// Worked examples that were run; all of them passed.
    pub exemplos: usize,
    /// In the order of their files.
    pub pacotes: Vec<BundleRecord>,
    /// True if nothing was written.
    pub dry_run: bool,
    /// Warnings for the operator, a sentence each, in English.
    pub avisos: Vec<String>,
    /// How long both lists are, if they are not written whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totais: Option<(usize, usize)>,
}

pub type ReadReport = ImportReport<Vec<Published>, Vec<Superseded>>;

impl ImportReport {
    /// Serializes no more than that many items of each list.
    pub fn shorten(&mut self, shown: usize) {
        self.totais = Some((self.publicadas.len(), self.substituidas.len()));
        (self.publicadas.shown, self.substituidas.shown) = (shown, shown);
    }
}
