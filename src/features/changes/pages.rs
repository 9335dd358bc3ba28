//! The changes in pages, the latest publication first. Only the versions of a page are compared.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Installation, RuleChange, change, publications};
use crate::base::value::{Date, Timestamp};
use crate::core::engine::Engine;
use crate::core::engine::catalog::Catalog;
use crate::core::engine::filter::Filter;
use crate::core::engine::provenance::PublicationRecord;
use crate::core::store::{State, StoreError, StoreResult};

/// Most versions that are compared for a page.
const COMPARED: usize = 2_000;

crate::vocabulary! {
    /// Which changes are listed: new rules, versions that follow another one, or those that took effect before the day
    /// of their publication.
    pub enum ChangeKind {
        Publicacao = "publicacao",
        Substituicao = "substituicao",
        Retroativa = "retroativa",
    }
}

/// Which changes are asked for. All days are inclusive; those of a publication are in UTC.
#[derive(Debug, Clone, Default)]
pub struct ChangesFilter {
    /// Published on this day or later.
    pub publicado_de: Option<Date>,
    /// Published on this day or before.
    pub publicado_ate: Option<Date>,
    /// With a first day of effect on this day or later. With this or the next, the versions of the installation are
    /// listed too.
    pub vale_de: Option<Date>,
    /// With a first day of effect on this day or before.
    pub vale_ate: Option<Date>,
    /// Of this kind.
    pub tipo: Option<ChangeKind>,
    /// Of the versions that pass.
    pub filter: Filter,
}

/// A page of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesPage {
    /// All pages together, of all kinds.
    pub resumo: ChangesSummary,
    /// Of the bundles of this page, the latest publication first.
    pub pacotes: Vec<BundlePage>,
    /// The installation of the built-in rules, if its versions are not listed; on the last page and if no kind was asked
    /// for.
    pub instalacao: Option<InstallationLine>,
    /// Number of the last version that was considered, if there are further ones.
    pub next: Option<u64>,
}

/// How many versions are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesSummary {
    /// Publications.
    pub publicacoes: usize,
    /// Versions.
    pub regras: usize,
    /// Of them, those that took effect before the day of their publication, without an installation.
    pub retroativas: usize,
    /// Versions of each tax.
    pub tributos: BTreeMap<String, usize>,
}

/// Changes of one bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundlePage {
    /// The instant of its publication.
    pub publicado_em: Timestamp,
    /// Its name, as it states it.
    pub pacote: String,
    /// Its version, as it states it.
    pub versao: String,
    /// True if it came with the installation.
    pub instalado: bool,
    /// How many of its versions pass the filters, of all kinds.
    pub regras: usize,
    /// Those of this page, in the order of their publication.
    pub mudancas: Vec<RuleChange>,
}

/// The installation of the built-in rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallationLine {
    /// Its instant.
    pub publicado_em: Timestamp,
    /// How many versions pass the filters, and of how many bundles they are.
    #[serde(flatten)]
    pub instalacao: Installation,
}

/// A version in the order of the listing.
#[derive(Clone, Copy)]
struct Listed {
    number: u64,
    state: State,
}

impl Listed {
    /// The place of its bundle among all publications.
    fn bundle(&self) -> (u64, u32) {
        (self.state.publication, self.state.bundle)
    }
}

impl ChangeKind {
    fn has(self, change: &RuleChange) -> bool {
        match self {
            ChangeKind::Publicacao => change.anterior.is_none(),
            ChangeKind::Substituicao => change.anterior.is_some(),
            ChangeKind::Retroativa => change.retroativa,
        }
    }
}

impl ChangesFilter {
    /// True if the versions of the installation are listed. They were all published on one day, which says nothing of
    /// them, but each has a first day of effect of its own.
    fn lists_installed(&self) -> bool {
        self.vale_de.is_some() || self.vale_ate.is_some()
    }

    fn takes_effect_in_time(&self, de: Date) -> bool {
        self.vale_de.is_none_or(|from| de >= from) && self.vale_ate.is_none_or(|until| de <= until)
    }

    fn was_published_in_time(&self, publicado_em: Timestamp) -> bool {
        let day = publicado_em.day();
        self.publicado_de.is_none_or(|from| day >= from) && self.publicado_ate.is_none_or(|until| day <= until)
    }
}

impl Engine {
    /// The changes after the version of number `after`, `limit` at most. Fewer, and none even, may be on a page that is
    /// not the last one, if few are of the kind.
    pub fn changes_page(&self, query: &ChangesFilter, after: Option<u64>, limit: usize) -> StoreResult<ChangesPage> {
        let journal = self.store.read_journal()?;
        let catalog = self.catalog()?;
        let passing = catalog.select(&query.filter, None, self.now().day(), 0, usize::MAX);
        let (records, installation) = publications(&journal)?;
        let records: BTreeMap<u64, _> =
            records.into_iter().filter(|(_, record)| query.was_published_in_time(record.publicado_em)).collect();
        let (mut listed, mut installed) = (Vec::new(), Vec::new());
        journal.each_state(|number, state| {
            let passes = records.contains_key(&state.publication)
                && query.takes_effect_in_time(state.vigencia.de)
                && passing.binary_search(&number).is_ok();
            let is_installed = installation == Some(state.publication);
            let list = if is_installed && !query.lists_installed() { &mut installed } else { &mut listed };
            if passes {
                list.push(Listed { number, state });
            }
        })?;
        listed.sort_by_key(|one| (Reverse(one.state.publication), one.state.bundle, one.number));

        let published = |one: &Listed| records.get(&one.state.publication).map(|record| record.publicado_em);
        let is_installed = |one: &Listed| installation == Some(one.state.publication);
        // Nothing was calculated before the installation.
        let is_retroactive =
            |one: &Listed| !is_installed(one) && published(one).is_some_and(|at| one.state.vigencia.de < at.day());
        let resumo = summary(&listed, &catalog, is_retroactive);
        let mut page = ChangesPage { resumo, pacotes: Vec::new(), instalacao: None, next: None };
        let start = after.and_then(|after| listed.iter().position(|one| one.number == after)).map_or(0, |at| at + 1);
        let (mut shown, mut last, mut shown_bundle) = (0, None, None);
        for one in listed.iter().skip(start).take(COMPARED) {
            if shown == limit {
                break;
            }
            last = Some(one.number);
            let corrupt = || StoreError::Corrupt(format!("version {} has no bundle", one.number));
            let record = records.get(&one.state.publication).ok_or_else(corrupt)?;
            let change = change(&journal, one.number, one.state, record.publicado_em)?;
            let change = RuleChange { retroativa: is_retroactive(one), ..change };
            if query.tipo.is_some_and(|tipo| !tipo.has(&change)) {
                continue;
            }
            shown += 1;
            if shown_bundle != Some(one.bundle()) {
                page.pacotes.push(bundle_page(record, one, &listed, is_installed(one)).ok_or_else(corrupt)?);
                shown_bundle = Some(one.bundle());
            }
            page.pacotes.last_mut().ok_or_else(corrupt)?.mudancas.push(change);
        }
        page.next = last.filter(|last| listed.last().is_some_and(|end| end.number != *last));
        if page.next.is_none() && query.tipo.is_none() {
            page.instalacao = installed.first().and_then(|one| installation_line(published(one)?, &installed));
        }
        Ok(page)
    }
}

fn summary(listed: &[Listed], catalog: &Catalog, is_retroactive: impl Fn(&Listed) -> bool) -> ChangesSummary {
    let mut tributos = BTreeMap::new();
    for one in listed {
        let name = catalog.tributo(one.number).map(|tributo| tributo.to_string()).unwrap_or_default();
        *tributos.entry(name).or_default() += 1;
    }
    ChangesSummary {
        publicacoes: listed.chunk_by(|a, b| a.state.publication == b.state.publication).count(),
        regras: listed.len(),
        retroativas: listed.iter().filter(|one| is_retroactive(one)).count(),
        tributos,
    }
}

/// The bundle of a version, without changes yet. `None` if the publication does not have it.
fn bundle_page(record: &PublicationRecord<'_>, one: &Listed, listed: &[Listed], instalado: bool) -> Option<BundlePage> {
    let of = record.pacotes.get(usize::try_from(one.state.bundle).ok()?)?;
    Some(BundlePage {
        publicado_em: record.publicado_em,
        pacote: of.pacote.clone(),
        versao: of.versao.clone(),
        instalado,
        regras: listed.iter().filter(|other| other.bundle() == one.bundle()).count(),
        mudancas: Vec::new(),
    })
}

fn installation_line(publicado_em: Timestamp, installed: &[Listed]) -> Option<InstallationLine> {
    let mut bundles: Vec<u32> = installed.iter().map(|one| one.state.bundle).collect();
    bundles.sort_unstable();
    bundles.dedup();
    let instalacao = Installation { pacotes: bundles.len(), regras: installed.len() };
    (instalacao.regras > 0).then_some(InstallationLine { publicado_em, instalacao })
}
