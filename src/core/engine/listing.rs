//! Pages of rules and of the changelog, as JSON.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

use serde::ser::{Error, SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::catalog::Catalog;
use super::filter::Filter;
use super::interner::Location;
use super::{Engine, version};
use crate::base::document::raw;
use crate::base::value::{Date, Municipio, RuleId, Timestamp, Uf};
use crate::law::rule::VersaoRegra;
use crate::law::rule::record::{ChangelogRecord, VersionRecord};
use crate::law::tax;
use crate::store::{Journal, StoreError, StoreResult};

/// A page: the items as JSON texts, and where the next one begins.
#[derive(Debug)]
pub struct Page {
    pub items: Vec<String>,
    /// The number to continue from; `None` on the last page.
    pub next: Option<u64>,
}

/// A rule as `GET /v1/regras` shows it.
struct ListedRule<'a> {
    record: &'a VersionRecord<'a>,
    scope: Vec<(String, &'a RawValue)>,
    uf_origem: Option<Uf>,
    uf_destino: Option<Uf>,
    municipio: Option<Municipio>,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    situacao: &'static str,
    publicado_em: Option<&'a str>,
    substituida_por: Option<String>,
}

impl Serialize for ListedRule<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let r = self.record;
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("rule_id", &r.rule_id_text())?;
        map.serialize_entry("rule_code", &r.rule_code)?;
        map.serialize_entry("versao", &r.versao)?;
        map.serialize_entry("tributo", &r.tributo)?;
        map.serialize_entry("uf_origem", &self.uf_origem)?;
        map.serialize_entry("uf_destino", &self.uf_destino)?;
        map.serialize_entry("municipio", &self.municipio)?;
        for (name, value) in self.scope.iter().filter(|(n, _)| !n.starts_with("uf") && n != "municipio") {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("vigente_de", &self.vigente_de)?;
        map.serialize_entry("vigente_ate", &self.vigente_ate)?;
        map.serialize_entry("citacao_legal", r.citacao_legal)?;
        // The record of a rule that gives no condition, as every earlier one, does not have the list.
        let without = r.avisos.filter(|_| r.condicoes_dos_avisos.is_none());
        let without = without.map(|avisos| raw::items(avisos.get())).transpose().map_err(Error::custom)?;
        let condicoes =
            without.map(|avisos| to_raw_value(&vec![(); avisos.len()])).transpose().map_err(Error::custom)?;
        let optional = [
            ("fonte", r.fonte),
            ("conferencia", r.conferencia),
            ("avisos", r.avisos),
            ("condicoes_dos_avisos", condicoes.as_deref().or(r.condicoes_dos_avisos)),
            ("motivo", r.motivo),
        ];
        for (name, value) in optional.into_iter().filter_map(|(n, v)| v.map(|v| (n, v))) {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("situacao", self.situacao)?;
        map.serialize_entry("publicado_em", &self.publicado_em)?;
        map.serialize_entry("substituida_por", &self.substituida_por)?;
        map.serialize_entry("conteudo", r.conteudo)?;
        map.end()
    }
}

impl Engine {
    /// Number and instant of the last publication. Together they name the state of all rules; the number alone
    /// does not, because every data file counts its own publications.
    pub fn state_of_rules(&self) -> StoreResult<String> {
        let journal = self.store.read_journal()?;
        state_at(&journal, journal.last_publication()?)
    }

    /// The same for the publication that listings show: the last one at the time of the call, or a later one.
    pub fn state_of_listings(&self) -> StoreResult<String> {
        let publication = self.catalog()?.publication;
        state_at(&self.store.read_journal()?, publication)
    }

    /// Rules after the one of number `after` that pass the filter, in the order of publication.
    pub fn regras(&self, filter: &Filter, today: Date, after: u64, limit: usize) -> StoreResult<Page> {
        let catalog = self.catalog()?;
        // It is at least as new as the catalog, and the record of a number never changes.
        let journal = self.store.read_journal()?;
        let mut numbers = self.select(&catalog, &journal, filter, today, after, limit.saturating_add(1))?;
        let more = numbers.len() > limit;
        numbers.truncate(limit);
        let items = rules(&catalog, &journal, &numbers, today)?;
        Ok(Page { items, next: numbers.last().copied().filter(|_| more) })
    }

    /// The numbers of the rules after the one of number `after` that pass the filter.
    pub(super) fn select(
        &self,
        catalog: &Catalog,
        journal: &Journal,
        filter: &Filter,
        today: Date,
        after: u64,
        limit: usize,
    ) -> StoreResult<Vec<u64>> {
        let among = among(journal, filter)?;
        catalog.find_ends(filter, today, journal, &*self.store.read_rules()?)?;
        Ok(catalog.select(filter, among.as_deref(), today, after, limit))
    }

    /// Changelog events before the one of number `before`, the latest first, none from before
    /// the instant `since`.
    pub fn changelog(&self, since: Option<Timestamp>, before: Option<u64>, limit: usize) -> StoreResult<Page> {
        self.changelog_of(None, since, before, limit)
    }

    /// The same; with a filter, only the events of the versions that pass it.
    pub fn changelog_of(
        &self,
        filter: Option<&Filter>,
        since: Option<Timestamp>,
        before: Option<u64>,
        limit: usize,
    ) -> StoreResult<Page> {
        let journal = self.store.read_journal()?;
        // The catalog is at least as new as the journal, so that it has the version of every event.
        let passing = match filter {
            Some(filter) => Some(self.catalog()?.select(filter, None, self.now().day(), 0, usize::MAX)),
            None => None,
        };
        let since = since.map(|i| i.to_string());
        let mut taken = 0;
        let mut events = journal.events_before(before.unwrap_or(u64::MAX), |event| {
            let is_recent =
                |since: &String| published_at(&event.record).is_some_and(|at| at.as_str() >= since.as_str());
            if taken > limit || !since.as_ref().is_none_or(is_recent) {
                return Ok(ControlFlow::Break(()));
            }
            let passes = match &passing {
                Some(passing) => passing.binary_search(&version_of(&journal, &event.record)?).is_ok(),
                None => true,
            };
            taken += usize::from(passes);
            Ok(ControlFlow::Continue(passes))
        })?;
        let more = events.len() > limit;
        events.truncate(limit);
        let next = events.last().map(|e| e.number).filter(|_| more);
        let text = |record: Vec<u8>| String::from_utf8(record).map_err(|e| StoreError::Corrupt(e.to_string()));
        Ok(Page { items: events.into_iter().map(|e| text(e.record)).collect::<StoreResult<_>>()?, next })
    }

    /// How many versions each tax has, in the order of the contract.
    pub fn rules_by_tax(&self) -> StoreResult<Vec<(&'static str, u64)>> {
        let catalog = self.catalog()?;
        Ok(tax::REGISTRY.iter().map(|entry| (entry.tributo.as_str(), catalog.count(entry.tributo))).collect())
    }

    /// The catalog, with every publication that a reader can have seen. An import updates it before it returns;
    /// a listing between the commit and that updates it itself.
    pub fn catalog(&self) -> StoreResult<Arc<Catalog>> {
        let last = self.store.read_journal()?.last_publication()?;
        let current = self.current_catalog();
        if current.publication >= last {
            return Ok(current);
        }
        self.update_catalog()?;
        Ok(self.current_catalog())
    }

    fn current_catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Updates the catalog to the last publication. It updates a copy: listings continue meanwhile, and a
    /// failure leaves the old one.
    pub fn update_catalog(&self) -> StoreResult<()> {
        self.renew_catalog(true)
    }

    /// The same. Without `make`, a catalog that was never built is not built: a process that only imports
    /// does not need it.
    pub(super) fn renew_catalog(&self, make: bool) -> StoreResult<()> {
        let _one_at_a_time = self.catalog_update.lock().unwrap_or_else(PoisonError::into_inner);
        let journal = self.store.read_journal()?;
        let mut updated = {
            let current = self.current_catalog();
            let unwanted = !make && current.publication == 0;
            if unwanted || current.publication == journal.last_publication()? {
                return Ok(());
            }
            Catalog::clone(&current)
        };
        updated.update(&journal)?;
        *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(updated);
        Ok(())
    }
}

fn state_at(journal: &Journal, publication: u64) -> StoreResult<String> {
    let record = journal.publication(publication)?;
    Ok(format!("{publication} {}", record.as_deref().and_then(published_at).unwrap_or_default()))
}

/// The only versions that can pass a filter by code or id; `None` without such a filter.
fn among(journal: &Journal, filter: &Filter) -> StoreResult<Option<Vec<u64>>> {
    let code = match (&filter.rule_id, &filter.rule_code) {
        (Some(id), Some(code)) if id.code != *code => return Ok(Some(Vec::new())),
        (Some(id), _) => return Ok(Some(journal.number_of(id)?.into_iter().collect())),
        (None, Some(code)) => code,
        (None, None) => return Ok(None),
    };
    let mut numbers: Vec<u64> = journal.versions_of(code)?.into_iter().map(|v| v.number).collect();
    numbers.sort_unstable();
    Ok(Some(numbers))
}

/// The instant of a publication or an event. Instants of this form compare as texts.
fn published_at(record: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct At {
        publicado_em: String,
    }
    serde_json::from_slice::<At>(record).ok().map(|at| at.publicado_em)
}

/// The number of the version that an event is about.
fn version_of(journal: &Journal, event: &[u8]) -> StoreResult<u64> {
    let corrupt = |what: String| StoreError::Corrupt(format!("a changelog event: {what}"));
    let event: ChangelogRecord<'_> = serde_json::from_slice(event).map_err(|e| corrupt(e.to_string()))?;
    let number = RuleId::parse(&event.rule_id).map(|id| journal.number_of(&id)).transpose()?.flatten();
    number.ok_or_else(|| corrupt(format!("there is no version {}", event.rule_id)))
}

/// The instants of the publications that a page has needed so far. Many rules have the same one, and its record
/// is long: it lists all bundles.
type Dates = HashMap<u64, Option<String>>;

/// The rules of those numbers, as `GET /v1/regras` shows them.
pub(super) fn rules(catalog: &Catalog, journal: &Journal, numbers: &[u64], today: Date) -> StoreResult<Vec<String>> {
    let mut dates = Dates::new();
    numbers.iter().map(|number| shown(catalog, journal, &mut dates, *number, today)).collect()
}

fn shown(catalog: &Catalog, journal: &Journal, dates: &mut Dates, number: u64, today: Date) -> StoreResult<String> {
    let bytes = journal.record(number)?;
    let record = version::read(&bytes)?;
    let scope = record.scope().map_err(|e| StoreError::Corrupt(e.to_string()))?;
    let listed = catalog.entry(number).zip(catalog.situacao(number, today));
    let (entry, situacao) = listed.ok_or_else(|| StoreError::Corrupt(format!("version {number} is not listed")))?;
    let publicado_em = match dates.entry(entry.publication) {
        Entry::Occupied(met) => met.into_mut(),
        Entry::Vacant(new) => new.insert(journal.publication(entry.publication)?.as_deref().and_then(published_at)),
    };
    let substituida_por = match entry.superseded_by {
        0 => None,
        by => Some(version::read(&journal.record(by)?)?.rule_id_text()),
    };
    let shown = ListedRule {
        record: &record,
        scope,
        uf_origem: entry.location.uf_origem,
        uf_destino: entry.location.uf_destino,
        municipio: entry.location.municipio,
        vigente_de: entry.vigencia.de,
        vigente_ate: entry.vigencia.ate,
        situacao: situacao.as_str(),
        publicado_em: publicado_em.as_deref(),
        substituida_por,
    };
    serde_json::to_string(&shown).map_err(|e| StoreError::Corrupt(e.to_string()))
}

/// Members of a shown rule that later publications change.
const STATE: [&str; 4] = ["vigente_ate", "situacao", "publicado_em", "substituida_por"];

/// A rule as `GET /v1/regras` shows it, without what later publications change.
pub(super) fn content_of(record: &[u8], versao: &VersaoRegra, vigente_de: Date) -> StoreResult<Value> {
    let record = version::read(record)?;
    let Location { uf_origem, uf_destino, municipio } = Location::of(&versao.escopo);
    let shown = ListedRule {
        record: &record,
        scope: record.scope().map_err(|e| StoreError::Corrupt(e.to_string()))?,
        uf_origem,
        uf_destino,
        municipio,
        vigente_de,
        vigente_ate: None,
        situacao: "",
        publicado_em: None,
        substituida_por: None,
    };
    let mut content = serde_json::to_value(&shown).map_err(|e| StoreError::Corrupt(e.to_string()))?;
    if let Value::Object(members) = &mut content {
        members.retain(|name, _| !STATE.contains(&name.as_str()));
    }
    Ok(content)
}

/// A page of the rules of a product, those that are most closely about it first.
#[derive(Debug)]
pub struct ClosestRules {
    /// The rules as `GET /v1/regras` shows them, as JSON texts.
    pub items: Vec<String>,
    /// How many rules pass the filter.
    pub total: usize,
    /// How many of them are of all products, and thus come last; 0 without a filter by NCM or service.
    pub gerais: usize,
}

impl Engine {
    /// `limit` rules that pass the filter, after the first `skip`: those that are most closely about the NCM or the
    /// service of the filter first, then in the order of publication.
    pub fn regras_closest(&self, filter: &Filter, today: Date, skip: usize, limit: usize) -> StoreResult<ClosestRules> {
        let catalog = self.catalog()?;
        let journal = self.store.read_journal()?;
        let mut numbers = self.select(&catalog, &journal, filter, today, 0, usize::MAX)?;
        let (total, mut gerais) = (numbers.len(), 0);
        if filter.ncm.is_some() || filter.item_lista_servico.is_some() {
            let closeness = |number: &u64| catalog.closeness(*number, filter);
            gerais = numbers.iter().filter(|number| closeness(number) == 0).count();
            // A stable sort: rules that are equally close stay in the order of publication.
            numbers.sort_by_cached_key(|number| Reverse(closeness(number)));
        }
        let page: Vec<u64> = numbers.into_iter().skip(skip).take(limit).collect();
        Ok(ClosestRules { items: rules(&catalog, &journal, &page, today)?, total, gerais })
    }
}
