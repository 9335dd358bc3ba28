//! What the publications since a day changed: by bundle, each version against the one of its code that answered before
//! it, in words. The day of the publication and the first day of effect are apart.

pub mod command;
mod compare;
pub mod listing;
pub mod page;
mod report;
mod table;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::typed;
use crate::base::document::{Node, Object};
use crate::base::value::{Date, RuleCode, RuleId, Timestamp};
use crate::core::engine::catalog::Catalog;
use crate::core::engine::filter::Filter;
use crate::core::engine::provenance::{self, BundleRecord, PublicationRecord, Signed};
use crate::core::engine::upcoming::scope_of;
use crate::core::engine::{Engine, version};
use crate::core::store::{Journal, State, StoreError, StoreResult};
use crate::law::codes;
use crate::law::rule::record::{ChangelogRecord, VersionRecord};
use crate::law::rule::{Chave, Timeline, Vigencia};

pub use compare::FieldChange;
pub use listing::{BundlePage, ChangeKind, ChangesFilter, ChangesPage, ChangesSummary, InstallationLine};

/// What the publications since a day changed, before and after in words, by bundle
///
/// The day of a publication and the first day of effect are apart: a rule may be published long before
/// or after it takes effect. The installation of the built-in rules is one line. The report is
/// Portuguese.
///
/// Examples:
///   taxd changes --since 2026-11-01
///   taxd changes --since 01/11/2026 --tributo icms --uf SP --ncm 2203.00.00
///   taxd changes --since 2026-01-01 --csv > mudancas.csv
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[command(verbatim_doc_comment)]
pub struct ChangesQuery {
    /// Published on this day (UTC) or later: 2026-11-22 or 22/11/2026
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    pub since: String,
    /// Tax, in either case
    #[arg(long, value_parser = typed::word)]
    pub tributo: Option<String>,
    /// UF on either side, in either case
    #[arg(long, value_parser = typed::uf)]
    pub uf: Option<String>,
    /// Every rule that would be considered for this NCM, with or without points
    #[arg(long, value_parser = typed::ncm)]
    pub ncm: Option<String>,
    /// Write a CSV with a row for each field that changed
    #[arg(long, conflicts_with = "json")]
    #[serde(skip)]
    pub csv: bool,
}

impl ChangesQuery {
    /// Name and value of each filter that is given, as in `GET /v1/regras`.
    pub(super) fn filters(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let ChangesQuery { tributo, uf, ncm, .. } = self;
        given([("tributo", tributo), ("uf", uf), ("ncm", ncm)])
    }
}

pub(super) fn given<'q, const N: usize>(
    filters: [(&'static str, &'q Option<String>); N],
) -> impl Iterator<Item = (&'static str, &'q str)> {
    filters.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)))
}

/// What was published since a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The day, in UTC.
    pub desde: Date,
    /// The publications, the oldest first.
    pub publicacoes: Vec<PublicationChanges>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicationChanges {
    pub publicado_em: Timestamp,
    /// The installation of the built-in rules, the first publication of them; its versions are not listed.
    pub instalacao: Option<Installation>,
    /// Its bundles that changed something, in the order of their files; none of an installation.
    pub pacotes: Vec<BundleChanges>,
}

/// The installation of the built-in rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installation {
    /// How many bundles have such versions.
    pub pacotes: usize,
    /// How many versions that pass the filters.
    pub regras: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleChanges {
    #[serde(flatten)]
    pub pacote: BundleRecord,
    /// The versions that it brought, in the order of their publication.
    pub mudancas: Vec<RuleChange>,
}

/// A version that was published, and what it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleChange {
    pub rule_id: RuleId,
    /// The version of its code that answered on its first day before it was published, or until the day before.
    pub anterior: Option<RuleId>,
    /// `publicacao`, or what it did to the version before it, as in the changelog.
    pub tipo: String,
    pub tributo: String,
    pub local: String,
    /// Its scope in words: the first of its keys.
    pub escopo: String,
    /// The segment of goods of its CEST. Only the page has it.
    #[serde(skip)]
    pub segmento: Option<&'static str>,
    pub publicado_em: Timestamp,
    pub vigente_de: Date,
    /// First day on which it no longer answers, as its bundle says.
    pub vigente_ate: Option<Date>,
    /// True if it took effect before the day of its publication.
    pub retroativa: bool,
    pub citacao_legal: String,
    /// What it says otherwise than the version before it; without one, what its content says.
    pub campos: Vec<FieldChange>,
    /// The same in words, a sentence for each field: "Alíquota interna: 18,00 % -> 19,50 % a partir de 13/03/2024".
    pub frases: Vec<String>,
}

impl Changes {
    /// What was published from the beginning of the day on, of the versions that pass the filter.
    pub fn read(engine: &Engine, since: Date, filter: &Filter) -> StoreResult<Changes> {
        let query = ChangesFilter { publicado_de: Some(since), filter: filter.clone(), ..ChangesFilter::default() };
        let mut listing = Listing::read(engine, &query)?;
        listing.listed.sort_by_key(|one| (one.bundle(), one.number));
        let mut publicacoes = BTreeMap::new();
        if let (Some(number), Some(line)) = (listing.installation, listing.installation_line()) {
            let InstallationLine { publicado_em, instalacao } = line;
            publicacoes
                .insert(number, PublicationChanges { publicado_em, instalacao: Some(instalacao), pacotes: Vec::new() });
        }
        for of_bundle in listing.listed.chunk_by(|a, b| a.bundle() == b.bundle()) {
            let Some(first) = of_bundle.first() else { continue };
            let (publicado_em, pacote) = listing.origin(first)?;
            let changes = of_bundle.iter().map(|one| change(&listing.journal, one.number, one.state, publicado_em));
            let of_bundle = BundleChanges { pacote: pacote.clone(), mudancas: changes.collect::<StoreResult<_>>()? };
            let empty = || PublicationChanges { publicado_em, instalacao: None, pacotes: Vec::new() };
            publicacoes.entry(first.state.publication).or_insert_with(empty).pacotes.push(of_bundle);
        }
        Ok(Changes { desde: since, publicacoes: publicacoes.into_values().collect() })
    }
}

/// What each version of a code says otherwise than the one before it, a sentence for each field; nothing of one that
/// has none before it. In the order of the versions.
pub fn sentences_of(engine: &Engine, code: &RuleCode) -> StoreResult<Vec<Vec<String>>> {
    let journal = engine.store().read_journal()?;
    let mut sentences = Vec::new();
    for version in journal.versions_of(code)? {
        let published = provenance::publication(&journal, version.state.publication)?.publicado_em;
        let change = change(&journal, version.number, version.state, published)?;
        sentences.push(if change.anterior.is_some() { change.frases } else { Vec::new() });
    }
    Ok(sentences)
}

/// The versions that a question lists, in the order of their numbers, and what they were published with.
struct Listing {
    journal: Journal,
    catalog: Arc<Catalog>,
    /// The publications in time, by number.
    records: BTreeMap<u64, PublicationRecord<'static>>,
    /// Number of the publication that installed the built-in rules.
    installation: Option<u64>,
    listed: Vec<Listed>,
    /// The versions of the installation, which are not listed: they were all published on one day, which says nothing
    /// of them.
    installed: Vec<Listed>,
}

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

impl Listing {
    fn read(engine: &Engine, query: &ChangesFilter) -> StoreResult<Listing> {
        let journal = engine.store().read_journal()?;
        let catalog = engine.catalog()?;
        let passing = catalog.select(&query.filter, None, engine.now().day(), 0, usize::MAX);
        let (mut records, mut installation) = (BTreeMap::new(), None);
        for number in 1..=journal.last_publication()? {
            let record = provenance::publication(&journal, number)?;
            if installation.is_none() && is_by_taxd(&record) {
                installation = Some(number);
            }
            if query.was_published_in_time(record.publicado_em) {
                records.insert(number, record);
            }
        }
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
        Ok(Listing { journal, catalog, records, installation, listed, installed })
    }

    /// When a version was published, and in which bundle.
    fn origin(&self, one: &Listed) -> StoreResult<(Timestamp, &BundleRecord)> {
        let find = || {
            let record = self.records.get(&one.state.publication)?;
            Some((record.publicado_em, record.pacotes.get(usize::try_from(one.state.bundle).ok()?)?))
        };
        find().ok_or_else(|| StoreError::Corrupt(format!("version {} has no bundle", one.number)))
    }

    fn is_installed(&self, one: &Listed) -> bool {
        self.installation == Some(one.state.publication)
    }

    /// How much the installation brought; `None` if its versions are listed, or none passes the filters.
    fn installation_line(&self) -> Option<InstallationLine> {
        let record = self.records.get(&self.installed.first()?.state.publication)?;
        let bundles: HashSet<u32> = self.installed.iter().map(|one| one.state.bundle).collect();
        let instalacao = Installation { pacotes: bundles.len(), regras: self.installed.len() };
        Some(InstallationLine { publicado_em: record.publicado_em, instalacao })
    }
}

/// True if all of its bundles came with the program.
fn is_by_taxd(record: &PublicationRecord<'_>) -> bool {
    record.pacotes.iter().all(|pacote| pacote.assinado_por.as_deref() == Some(Signed::BUILT_IN))
}

fn code(record: &VersionRecord<'_>) -> StoreResult<RuleCode> {
    RuleCode::parse(&record.rule_code).map_err(StoreError::Corrupt)
}

fn change(journal: &Journal, number: u64, state: State, publicado_em: Timestamp) -> StoreResult<RuleChange> {
    let bytes = journal.record(number)?;
    let record = version::read(&bytes)?;
    let corrupt = |what: String| StoreError::Corrupt(format!("{}: {what}", record.rule_id_text()));
    let vigencia = state.declared();
    let (previous, tipo) = previous(journal, &record, number, vigencia)?;
    let previous_bytes = previous.map(|number| journal.record(number)).transpose()?;
    let (entry, escopo) = scope_of(&record)?;
    let first = escopo.chaves(entry.tributo).into_iter().next();
    let new = object(&bytes)?;
    let old = previous_bytes.as_deref().map(object).transpose()?;
    let campos = compare::compare(entry, old.as_ref(), &new);
    let frases = campos.iter().map(|campo| campo.sentence(old.is_some(), vigencia.de)).collect();
    Ok(RuleChange {
        rule_id: version::rule_id(&record)?,
        anterior: previous_bytes.as_deref().map(|bytes| version::rule_id(&version::read(bytes)?)).transpose()?,
        tipo: tipo.to_owned(),
        tributo: record.tributo.clone().into_owned(),
        local: escopo.local().to_string(),
        escopo: first.as_ref().map(Chave::descricao).unwrap_or_default(),
        segmento: first.and_then(|key| codes::segmento(key.cest?.as_str().get(..2)?)),
        publicado_em,
        vigente_de: vigencia.de,
        vigente_ate: vigencia.ate,
        retroativa: vigencia.de < publicado_em.day(),
        citacao_legal: serde_json::from_str(record.citacao_legal.get()).map_err(|e| corrupt(e.to_string()))?,
        campos,
        frases,
    })
}

/// The version of the code that answered before, as the rules were before this one was published, and what happened to
/// it.
fn previous(
    journal: &Journal,
    record: &VersionRecord<'_>,
    number: u64,
    vigencia: Vigencia,
) -> StoreResult<(Option<u64>, &'static str)> {
    let mut older = journal.versions_of(&code(record)?)?;
    older.retain(|version| version.number < number);
    // Numbers are given in the order of publication.
    older.sort_by_key(|version| version.number);
    let mut timeline = Timeline::default();
    for version in older {
        timeline.publish(version.number, version.state.declared());
    }
    let until_then = || {
        let ended = timeline.versions().filter(|(_, other)| other.ate == Some(vigencia.de) && !other.is_empty());
        ended.last().map(|(id, _)| id)
    };
    let previous = timeline.at(vigencia.de).or_else(until_then);
    let closing = timeline.publish(number, vigencia).into_iter().find(|closing| Some(closing.id) == previous);
    Ok((previous, closing.map_or(ChangelogRecord::PUBLICATION, |closing| closing.tipo())))
}

fn object(bytes: &[u8]) -> StoreResult<Object<'_>> {
    match Node::parse(bytes) {
        Ok(Node::Object(object)) => Ok(object),
        _ => Err(StoreError::Corrupt("the record of a version is not an object".to_owned())),
    }
}
