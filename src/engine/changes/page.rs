//! The changes in pages, the latest publication first. Only the versions of a page are compared.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Installation, RuleChange, change, publications};
use crate::engine::Engine;
use crate::engine::filter::Filter;
use crate::engine::provenance::BundleRecord;
use crate::store::{State, StoreError, StoreResult};
use crate::value::{Date, Timestamp};

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
    /// With a first day of effect on this day or later.
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
    /// The installation of the built-in rules, on the last page and if no kind was asked for.
    pub instalacao: Option<InstallationLine>,
    /// Number of the last version that was considered, if there are further ones.
    pub next: Option<u64>,
}

/// How many versions were published, without an installation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesSummary {
    /// Publications.
    pub publicacoes: usize,
    /// Versions.
    pub regras: usize,
    /// Of them, those that took effect before the day of their publication.
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
        let passing = catalog.select(&query.filter, None, &[], self.now().day(), 0, usize::MAX);
        let (records, installation) = publications(&journal)?;
        let records: BTreeMap<u64, _> =
            records.into_iter().filter(|(_, record)| query.was_published_in_time(record.publicado_em)).collect();
        let (mut listed, mut installed) = (Vec::new(), Vec::new());
        journal.each_state(|number, state| {
            let passes = records.contains_key(&state.publication)
                && query.takes_effect_in_time(state.vigencia.de)
                && passing.binary_search(&number).is_ok();
            let list = if installation == Some(state.publication) { &mut installed } else { &mut listed };
            if passes {
                list.push(Listed { number, state });
            }
        })?;
        listed.sort_by_key(|one| (Reverse(one.state.publication), one.state.bundle, one.number));

        let published = |one: &Listed| records.get(&one.state.publication).map(|record| record.publicado_em);
        let mut page =
            ChangesPage { resumo: summary(&listed, published), pacotes: Vec::new(), instalacao: None, next: None };
        for one in &listed {
            let name = catalog.tributo(one.number).map(|tributo| tributo.to_string()).unwrap_or_default();
            *page.resumo.tributos.entry(name).or_default() += 1;
        }
        let start = after.and_then(|after| listed.iter().position(|one| one.number == after)).map_or(0, |at| at + 1);
        let (mut shown, mut last) = (0, None);
        for one in listed.iter().skip(start).take(COMPARED) {
            if shown == limit {
                break;
            }
            last = Some(one.number);
            let corrupt = || StoreError::Corrupt(format!("version {} has no bundle", one.number));
            let record = records.get(&one.state.publication).ok_or_else(corrupt)?;
            let change = change(&journal, one.number, one.state, record.publicado_em)?;
            if query.tipo.is_some_and(|tipo| !tipo.has(&change)) {
                continue;
            }
            shown += 1;
            let pacote = usize::try_from(one.state.bundle).ok().and_then(|at| record.pacotes.get(at));
            let count = || listed.iter().filter(|other| other.bundle() == one.bundle()).count();
            add(&mut page.pacotes, pacote.ok_or_else(corrupt)?, record.publicado_em, count, change);
        }
        page.next = last.filter(|last| listed.last().is_some_and(|end| end.number != *last));
        if page.next.is_none() && query.tipo.is_none() {
            page.instalacao = installed.first().and_then(|one| installation_line(published(one)?, &installed));
        }
        Ok(page)
    }
}

fn summary(listed: &[Listed], published: impl Fn(&Listed) -> Option<Timestamp>) -> ChangesSummary {
    let is_retroactive = |one: &&Listed| published(one).is_some_and(|at| one.state.vigencia.de < at.day());
    ChangesSummary {
        publicacoes: listed.chunk_by(|a, b| a.state.publication == b.state.publication).count(),
        regras: listed.len(),
        retroativas: listed.iter().filter(is_retroactive).count(),
        tributos: BTreeMap::new(),
    }
}

/// Adds a change to the last bundle, if it is of that one, or to a new one.
fn add(
    pacotes: &mut Vec<BundlePage>,
    of: &BundleRecord,
    publicado_em: Timestamp,
    count: impl FnOnce() -> usize,
    change: RuleChange,
) {
    let is_of =
        |page: &BundlePage| (page.publicado_em, &page.pacote, &page.versao) == (publicado_em, &of.pacote, &of.versao);
    match pacotes.last_mut().filter(|page| is_of(page)) {
        Some(page) => page.mudancas.push(change),
        None => pacotes.push(BundlePage {
            publicado_em,
            pacote: of.pacote.clone(),
            versao: of.versao.clone(),
            regras: count(),
            mudancas: vec![change],
        }),
    }
}

fn installation_line(publicado_em: Timestamp, installed: &[Listed]) -> Option<InstallationLine> {
    let mut bundles: Vec<u32> = installed.iter().map(|one| one.state.bundle).collect();
    bundles.sort_unstable();
    bundles.dedup();
    let instalacao = Installation { pacotes: bundles.len(), regras: installed.len() };
    (instalacao.regras > 0).then_some(InstallationLine { publicado_em, instalacao })
}
