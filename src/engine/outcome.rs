//! What an import is asked, and what it comes to.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::bundle_faults::BundleFault;
use super::changelog::tipo_of_closing;
use super::gaps::Gaps;
use super::instants::ClockFault;
use super::provenance::BundleRecord;
use super::rows::Rows;
use super::succession::Closed;
use crate::store::{StoreError, StoreResult};
use crate::value::{Date, RuleId};

/// How an import is to be done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Show what would happen, and write nothing.
    pub dry_run: bool,
    /// Publish although that will be dated more than a day ahead of the clock, or by a clock that is probably ahead.
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

/// A version that was published.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Published {
    /// Code and version.
    pub rule_id: RuleId,
    /// Its tax.
    pub tributo: Cow<'static, str>,
    /// First day on which it answers.
    pub vigente_de: Date,
    /// First day on which it no longer answers.
    pub vigente_ate: Option<Date>,
}

/// A version whose end a new one moved.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Superseded {
    /// The version.
    pub rule_id: RuleId,
    /// `substituicao` or `substituicao_retroativa`.
    pub tipo: Cow<'static, str>,
    /// The version that entered.
    pub substituida_por: RuleId,
    /// Its first day.
    pub vigente_de: Date,
    /// The end it had.
    pub vigente_ate_anterior: Option<Date>,
    /// The end it has now.
    pub vigente_ate: Option<Date>,
    /// First of the days that it answered and on which some of its scope is left without a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacuna_de: Option<Date>,
    /// The first of the scope keys that are left from then on; only the first thousand gaps say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacuna_em: Option<String>,
    /// How many of its scope keys are left on some day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacuna_escopos: Option<usize>,
}

/// The versions that an import published, in the order of their codes. A million take a few bytes
/// each, and each is written out when it is asked for.
#[derive(Debug, Clone)]
pub struct Publicadas {
    rows: Arc<Rows>,
    count: usize,
    /// How many of them are written out.
    shown: usize,
}

impl Publicadas {
    pub(super) fn of(rows: &Arc<Rows>) -> Publicadas {
        Publicadas { rows: Arc::clone(rows), count: rows.entering().count(), shown: usize::MAX }
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// True where nothing was published.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = StoreResult<Published>> {
        self.rows.entering().map(|row| {
            Ok(Published {
                rule_id: self.rows.rule_id(row)?,
                tributo: self.rows.reach(row.reach)?.tributo.as_str().into(),
                vigente_de: row.vigencia.de,
                vigente_ate: row.vigencia.ate,
            })
        })
    }
}

/// The versions whose ends an import moved, in the order of what moved them; kept as [`Publicadas`] are.
#[derive(Debug, Clone)]
pub struct Substituidas {
    rows: Arc<Rows>,
    closed: Arc<Vec<Closed>>,
    gaps: Arc<Gaps>,
    /// How many of them are written out.
    shown: usize,
}

impl Substituidas {
    pub(super) fn of(rows: &Arc<Rows>, closed: Vec<Closed>, gaps: Gaps) -> Substituidas {
        Substituidas { rows: Arc::clone(rows), closed: Arc::new(closed), gaps: Arc::new(gaps), shown: usize::MAX }
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.closed.len()
    }

    /// True where no end was moved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = StoreResult<Superseded>> {
        self.closed.iter().enumerate().map(|(index, closed)| {
            let gap = self.gaps.get(&index);
            let (rule_id, substituida_por) = closed.ids(&self.rows)?;
            Ok(Superseded {
                rule_id,
                tipo: tipo_of_closing(&closed.closing).into(),
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

/// Writes a list, each item as it comes.
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

impl Serialize for Publicadas {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        write_each(s, self.iter().take(self.shown))
    }
}

impl Serialize for Substituidas {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        write_each(s, self.iter().take(self.shown))
    }
}

/// What an import did, or would do.
#[derive(Debug, Clone)]
pub struct ImportReport {
    /// Versions published.
    pub publicadas: Publicadas,
    /// Versions superseded.
    pub substituidas: Substituidas,
    /// Versions that were there already, word for word.
    pub inalteradas: usize,
    /// Worked examples that were run and held.
    pub exemplos: usize,
    /// The bundles, in the order of their files.
    pub pacotes: Vec<BundleRecord>,
    /// True when nothing was written.
    pub dry_run: bool,
    /// What the operator should know of the rules, a sentence each; in English, as the rest of the report.
    pub avisos: Vec<String>,
}

impl ImportReport {
    /// Has no more than so many of each list written out.
    pub fn shorten(&mut self, shown: usize) {
        (self.publicadas.shown, self.substituidas.shown) = (shown, shown);
    }
}
