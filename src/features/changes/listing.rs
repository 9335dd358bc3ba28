//! The changes in pages, the latest publication first. Only the versions of a page are compared.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Installation, Listed, Listing, RuleChange, change};
use crate::base::value::{Date, Timestamp};
use crate::core::engine::Engine;
use crate::core::engine::filter::Filter;
use crate::core::store::StoreResult;

/// Most versions that are compared for a page.
const COMPARED: usize = 2_000;

taxd_base::vocabulary! {
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
    pub tipo: Option<ChangeKind>,
    pub filter: Filter,
}

#[derive(Debug, Clone, PartialEq, Eq)]
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

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ChangesSummary {
    pub publicacoes: usize,
    pub regras: usize,
    /// Of them, those that took effect before the day of their publication, without an installation.
    pub retroativas: usize,
    pub tributos: BTreeMap<String, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BundlePage<C = RuleChange> {
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
    pub mudancas: Vec<C>,
}

/// The installation of the built-in rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstallationLine {
    pub publicado_em: Timestamp,
    /// How many versions pass the filters, and of how many bundles they are.
    #[serde(flatten)]
    pub instalacao: Installation,
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
    pub(super) fn lists_installed(&self) -> bool {
        self.vale_de.is_some() || self.vale_ate.is_some()
    }

    pub(super) fn takes_effect_in_time(&self, de: Date) -> bool {
        self.vale_de.is_none_or(|from| de >= from) && self.vale_ate.is_none_or(|until| de <= until)
    }

    pub(super) fn was_published_in_time(&self, publicado_em: Timestamp) -> bool {
        let day = publicado_em.day();
        self.publicado_de.is_none_or(|from| day >= from) && self.publicado_ate.is_none_or(|until| day <= until)
    }
}

impl ChangesPage {
    /// The changes after the version of number `after`, `limit` at most. Fewer, and none even, may be on a page that is
    /// not the last one, if few are of the kind.
    pub fn read(engine: &Engine, query: &ChangesFilter, after: Option<u64>, limit: usize) -> StoreResult<ChangesPage> {
        let mut listing = Listing::read(engine, query)?;
        listing.listed.sort_by_key(|one| (Reverse(one.state.publication), one.state.bundle, one.number));
        let listing = listing;
        let listed = &listing.listed;
        let resumo = listing.summary();
        let mut page = ChangesPage { resumo, pacotes: Vec::new(), instalacao: None, next: None };
        let start = after.and_then(|after| listed.iter().position(|one| one.number == after)).map_or(0, |at| at + 1);
        let (mut shown, mut last, mut shown_bundle) = (0, None, None);
        for one in listed.iter().skip(start).take(COMPARED) {
            if shown == limit {
                break;
            }
            last = Some(one.number);
            let (publicado_em, bundle) = listing.origin(one)?;
            let change = change(&listing.journal, one.number, one.state, publicado_em)?;
            let change = RuleChange { retroativa: listing.is_retroactive(one), ..change };
            if query.tipo.is_some_and(|tipo| !tipo.has(&change)) {
                continue;
            }
            shown += 1;
            if shown_bundle != Some(one.bundle()) {
                page.pacotes.push(BundlePage {
                    publicado_em,
                    pacote: bundle.pacote.clone(),
                    versao: bundle.versao.clone(),
                    instalado: listing.is_installed(one),
                    regras: listed.iter().filter(|other| other.bundle() == one.bundle()).count(),
                    mudancas: Vec::new(),
                });
                shown_bundle = Some(one.bundle());
            }
            if let Some(bundle) = page.pacotes.last_mut() {
                bundle.mudancas.push(change);
            }
        }
        page.next = last.filter(|last| listed.last().is_some_and(|end| end.number != *last));
        if page.next.is_none() && query.tipo.is_none() {
            page.instalacao = listing.installation_line();
        }
        Ok(page)
    }
}

impl Listing {
    /// True if a version took effect before the day of its publication. Nothing was calculated before the installation.
    fn is_retroactive(&self, one: &Listed) -> bool {
        let published = self.records.get(&one.state.publication);
        !self.is_installed(one) && published.is_some_and(|record| one.state.vigencia.de < record.publicado_em.day())
    }

    fn summary(&self) -> ChangesSummary {
        let mut tributos = BTreeMap::new();
        for one in &self.listed {
            let name = self.catalog.tributo(one.number).map(|tributo| tributo.to_string()).unwrap_or_default();
            *tributos.entry(name).or_default() += 1;
        }
        ChangesSummary {
            publicacoes: self.listed.chunk_by(|a, b| a.state.publication == b.state.publication).count(),
            regras: self.listed.len(),
            retroativas: self.listed.iter().filter(|one| self.is_retroactive(one)).count(),
            tributos,
        }
    }
}
