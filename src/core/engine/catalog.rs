//! A cache of what listings filter by: a few bytes of every rule version. The store has the truth.
//!
//! A filter may combine any members, so a listing scans all versions in the order of their publication:
//! a million in some milliseconds, whatever the filter and the page. Locations, subjects and citations are
//! each kept once, and each is compared with the filter once for a listing. The catalog is built on first
//! use and updated after a publication.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::filter::{Filter, SituacaoRegra};
use super::interner::{Interner, Location, to_u32};
use super::sucessao::Sucessao;
use super::transition::Transition;
use super::upcoming::{Successors, standing_of};
use super::{citation, version};
use crate::base::value::{
    Cest, ClassificacaoTributaria, Conferencia, Date, Ex, ExDeclarado, ItemServico, Ncm, NcmPrefix, Text, Tributo,
};
use crate::law::rule::{Axis, Escopo, VersaoRegra, Vigencia};
use crate::law::tax;
use crate::store::{Journal, RuleTables, State, StoreResult};

#[derive(Debug, Clone, Copy)]
struct CatalogRow {
    location: u32,
    subject: u32,
    citation: u32,
    publication: u32,
    superseded_by: u32,
    vigencia: Vigencia,
    conferencia: Option<Conferencia>,
}

/// What a listing shows of a version and its record does not have.
#[derive(Debug, Clone, Copy)]
pub(super) struct CatalogEntry<'c> {
    pub(super) location: &'c Location,
    pub(super) vigencia: Vigencia,
    pub(super) publication: u64,
    /// Number of the version that last moved its end; 0 if none has.
    pub(super) superseded_by: u64,
}

/// What versions apply to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Subject {
    tributo: Tributo,
    ncm: Box<[NcmPrefix]>,
    ncm_exceto: Box<[NcmPrefix]>,
    cest: Option<Cest>,
    ex: Option<Ex>,
    items: Box<[ItemServico]>,
    classificacao: Option<ClassificacaoTributaria>,
}

fn is_among(passing: Option<&Vec<bool>>, index: u32) -> bool {
    passing.is_none_or(|passing| usize::try_from(index).ok().and_then(|i| passing.get(i)).copied().unwrap_or_default())
}

/// All versions, by number (the first is 1).
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The last publication that is in it.
    pub(super) publication: u64,
    index: Vec<CatalogRow>,
    locations: Interner<Location>,
    subjects: Interner<Subject>,
    /// Citations, as the search compares them.
    citations: Interner<String>,
    /// The end of each version that has one, in order of their numbers, once they were asked for.
    ends: OnceLock<Vec<VersionEnd>>,
    /// First day of the transition to the IBS, once it was asked for: `Some(None)` without its national rules.
    transition: OnceLock<Option<Date>>,
}

/// The end of the answers of a version.
#[derive(Debug, Clone, Copy)]
struct VersionEnd {
    number: u64,
    /// The first day without them.
    day: Date,
    sucessao: Sucessao,
}

impl Catalog {
    /// Adds the new versions of the journal, and updates the ends that have moved.
    pub(super) fn update(&mut self, journal: &Journal) -> StoreResult<()> {
        let known = self.index.len() as u64;
        let mut failed = None;
        journal.each_state(|number, state| {
            if let Some(row) = self.row_mut(number) {
                match to_u32(state.superseded_by) {
                    Ok(by) => (row.vigencia, row.superseded_by) = (state.vigencia, by),
                    Err(error) => failed = Some(error),
                }
            }
        })?;
        let mut cited = HashMap::new();
        journal.each_version(known + 1, |_, record, state| {
            if failed.is_none() {
                failed = version::decode(record).and_then(|versao| self.add(versao, state, &mut cited)).err();
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        (self.ends, self.transition) = (OnceLock::new(), OnceLock::new());
        self.index.shrink_to_fit();
        self.publication = journal.last_publication()?;
        Ok(())
    }

    /// `cited` has the citations read so far: most rules share theirs, and to fold one takes longer than to decode a rule.
    fn add(&mut self, versao: VersaoRegra, state: State, cited: &mut HashMap<Text, u32>) -> StoreResult<()> {
        let citation = match cited.get(&versao.citacao_legal) {
            Some(index) => *index,
            None => {
                let index = self.citations.index(citation::searchable(versao.citacao_legal.as_str()))?;
                cited.insert(versao.citacao_legal, index);
                index
            }
        };
        let location = self.locations.index(Location::of(&versao.escopo))?;
        let Escopo { ncm, ncm_exceto, cest, ex, item_lista_servico, classificacao, .. } = versao.escopo;
        let subject = Subject {
            tributo: versao.tributo,
            ncm: ncm.into(),
            ncm_exceto: ncm_exceto.into(),
            cest,
            ex,
            items: item_lista_servico.into(),
            classificacao,
        };
        self.index.push(CatalogRow {
            location,
            subject: self.subjects.index(subject)?,
            citation,
            publication: to_u32(state.publication)?,
            superseded_by: to_u32(state.superseded_by)?,
            vigencia: state.vigencia,
            conferencia: versao.conferencia,
        });
        Ok(())
    }

    fn row_mut(&mut self, number: u64) -> Option<&mut CatalogRow> {
        self.index.get_mut(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    fn row(&self, number: u64) -> Option<&CatalogRow> {
        self.index.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// The tax of the version of that number.
    pub fn tributo(&self, number: u64) -> Option<Tributo> {
        Some(self.subjects.get(self.row(number)?.subject)?.tributo)
    }

    /// How closely the version of that number is about the product or service of the filter: the digits of its NCM
    /// that agree, or 1 for a service; 0 for a rule of all products.
    pub(super) fn closeness(&self, number: u64, filter: &Filter) -> usize {
        let Some(subject) = self.row(number).and_then(|row| self.subjects.get(row.subject)) else { return 0 };
        let ncm = filter.ncm.iter().flat_map(|ncm| subject.ncm.iter().filter(|prefix| ncm.is_under(prefix)));
        let digits = ncm.map(|prefix| prefix.as_str().len()).max().unwrap_or_default();
        digits.max(usize::from(!subject.items.is_empty()))
    }

    pub(super) fn count(&self, tributo: Tributo) -> u64 {
        let of_tax = self.subjects.passing(true, |subject| subject.tributo == tributo);
        self.index.iter().filter(|row| is_among(of_tax.as_ref(), row.subject)).count() as u64
    }

    /// Asks `rules` for the end of each version, if a listing by the filter needs it and it is not known yet: one of a day
    /// in the transition, or by what follows.
    pub(super) fn find_ends(
        &self,
        filter: &Filter,
        today: Date,
        journal: &Journal,
        rules: &impl RuleTables,
    ) -> StoreResult<()> {
        let by_what_follows = filter.sem_sucessora.is_some() || filter.sucessao.is_some();
        if self.ends.get().is_some() || !by_what_follows && !self.is_in_transition(filter, today, rules)? {
            return Ok(());
        }
        let mut successors = Successors::new(rules)?;
        let mut ends = Vec::new();
        for (number, row) in (1..).zip(&self.index) {
            let subject = self.subjects.get(row.subject);
            let is_cut = subject.is_some_and(|own| successors.transition().concerns(own.tributo, row.vigencia));
            if row.vigencia.is_empty() || row.vigencia.ate.is_none() && !is_cut {
                continue;
            }
            let bytes = journal.record(number)?;
            let record = version::read(&bytes)?;
            let standing = standing_of(&record)?;
            if let Some(end) = successors.transition().end(standing, row.vigencia) {
                let sucessao = successors.after(&record, standing, end)?.sucessao;
                ends.push(VersionEnd { number, day: end.day, sucessao });
            }
        }
        // Another listing may have been faster; both found the same.
        let _ = self.ends.set(ends);
        Ok(())
    }

    /// True if the filter asks for a day of the transition, or today is one.
    fn is_in_transition(&self, filter: &Filter, today: Date, rules: &impl RuleTables) -> StoreResult<bool> {
        let first = match self.transition.get() {
            Some(first) => *first,
            None => {
                let first = Transition::read(rules)?.first_day();
                *self.transition.get_or_init(|| first)
            }
        };
        let days = [filter.vigente_em, filter.termina_ate, Some(today)];
        Ok(first.is_some_and(|first| days.iter().flatten().any(|day| *day >= first)))
    }

    /// The end of the answers of a version, if they were asked for.
    fn end(&self, number: u64) -> Option<&VersionEnd> {
        let ends = self.ends.get()?;
        ends.get(ends.binary_search_by_key(&number, |end| end.number).ok()?)
    }

    /// The days on which a version answers: its validity, as far as the transition leaves it.
    fn answers(&self, number: u64, row: &CatalogRow) -> Vigencia {
        Vigencia { ate: self.end(number).map(|end| end.day).or(row.vigencia.ate), ..row.vigencia }
    }

    /// The state of the version of that number on `today`.
    pub(super) fn situacao(&self, number: u64, today: Date) -> Option<SituacaoRegra> {
        let row = self.row(number)?;
        Some(if row.vigencia.is_empty() {
            SituacaoRegra::Substituida
        } else if row.vigencia.de > today {
            SituacaoRegra::Futura
        } else if self.answers(number, row).covers(today) {
            SituacaoRegra::Vigente
        } else {
            SituacaoRegra::Encerrada
        })
    }

    pub(super) fn entry(&self, number: u64) -> Option<CatalogEntry<'_>> {
        let row = self.row(number)?;
        Some(CatalogEntry {
            location: self.locations.get(row.location)?,
            vigencia: row.vigencia,
            publication: u64::from(row.publication),
            superseded_by: u64::from(row.superseded_by),
        })
    }

    /// Numbers of the versions after `after` that pass the filter, `limit` at most. Only those in `among` are
    /// considered, unless it is `None`.
    pub fn select(&self, filter: &Filter, among: Option<&[u64]>, today: Date, after: u64, limit: usize) -> Vec<u64> {
        let f = filter;
        let somewhere = f.uf.is_some() || f.uf_origem.is_some() || f.uf_destino.is_some() || f.municipio.is_some();
        let locations = self.locations.passing(somewhere, |location| location.passes(f));
        let something = f.tributo.is_some()
            || f.ncm.is_some()
            || f.cest.is_some()
            || f.ex.is_some()
            || f.item_lista_servico.is_some()
            || f.classificacao_tributaria.is_some();
        let subjects = self.subjects.passing(something, |subject| subject.passes(f));
        // A blank text asks nothing; one that has only signs is in no citation.
        let asked = f.q.as_deref().filter(|q| !q.trim().is_empty());
        let words = asked.map(citation::wanted).unwrap_or_default();
        let cited = |citation: &String| !words.is_empty() && words.iter().all(|word| citation::has(citation, word));
        let citations = self.citations.passing(asked.is_some(), cited);
        let then = |number: u64| self.end(number).map(|end| end.sucessao);
        let is_refused_then = |number| then(number).is_some_and(Sucessao::leaves_no_answer);
        let passes = |number: u64, row: &CatalogRow| {
            let answers = || self.answers(number, row);
            is_among(subjects.as_ref(), row.subject)
                && is_among(locations.as_ref(), row.location)
                && is_among(citations.as_ref(), row.citation)
                && f.vigente_em.is_none_or(|day| answers().covers(day))
                && f.inicia_ate.is_none_or(|day| row.vigencia.de > today && row.vigencia.de <= day)
                && f.termina_ate.is_none_or(|day| answers().ends_between(today, day))
                && f.sem_sucessora.is_none_or(|wanted| is_refused_then(number) == wanted)
                && f.sucessao.is_none_or(|wanted| then(number) == Some(wanted))
                && f.conferencia.is_none_or(|wanted| row.conferencia == Some(wanted))
                && f.situacao.is_none_or(|wanted| self.situacao(number, today) == Some(wanted))
        };
        if let Some(numbers) = among {
            let listed = numbers.iter().copied().filter(|n| *n > after);
            return listed.filter(|n| self.row(*n).is_some_and(|row| passes(*n, row))).take(limit).collect();
        }
        let skipped = usize::try_from(after).unwrap_or(usize::MAX);
        let rest = (1_u64..).zip(&self.index).skip(skipped);
        rest.filter(|(number, row)| passes(*number, row)).map(|(number, _)| number).take(limit).collect()
    }
}

impl Location {
    fn passes(&self, f: &Filter) -> bool {
        let is_of_country = self.uf_origem.is_none() && self.uf_destino.is_none() && self.municipio.is_none();
        f.uf.is_none_or(|uf| self.uf_origem == Some(uf) || self.uf_destino == Some(uf) || f.pais && is_of_country)
            && f.uf_origem.is_none_or(|uf| self.uf_origem == Some(uf))
            && f.uf_destino.is_none_or(|uf| self.uf_destino == Some(uf))
            && f.municipio.as_ref().is_none_or(|list| self.municipio.is_some_and(|m| list.contains(&m)))
    }
}

impl Subject {
    fn passes(&self, f: &Filter) -> bool {
        f.tributo.is_none_or(|t| t == self.tributo)
            && f.ncm.is_none_or(|ncm| self.considers_ncm(&ncm))
            && f.cest.is_none_or(|cest| self.cest == Some(cest))
            && f.ex.is_none_or(|ex| self.considers_ex(ex, f.ncm.is_some()))
            && f.item_lista_servico.is_none_or(|item| self.considers_item(item))
            && f.classificacao_tributaria.is_none_or(|code| self.classificacao == Some(code))
    }

    /// True for a rule of the NCM or of a prefix of it, and for a rule without NCM of a tax that looks up by NCM.
    fn considers_ncm(&self, ncm: &Ncm) -> bool {
        if self.ncm.is_empty() {
            return self.items.is_empty() && self.classificacao.is_none() && self.asks_by(Axis::Ncm);
        }
        let excepted = self.ncm_exceto.iter().any(|prefix| ncm.is_under(prefix));
        !excepted && self.ncm.iter().any(|prefix| ncm.is_under(prefix))
    }

    /// True for a rule of the exception. A rule without one answers for a product whose exception has no rule.
    fn considers_ex(&self, ExDeclarado(ex): ExDeclarado, of_product: bool) -> bool {
        match ex {
            Some(_) => self.ex == ex || of_product && self.ex.is_none(),
            None => self.ex.is_none() && self.asks_by(Axis::Ex),
        }
    }

    fn considers_item(&self, item: ItemServico) -> bool {
        if self.items.is_empty() {
            return self.ncm.is_empty() && self.classificacao.is_none() && self.asks_by(Axis::ItemListaServico);
        }
        self.items.iter().any(|own| own.subitem() == item)
    }

    fn asks_by(&self, eixo: Axis) -> bool {
        tax::find(self.tributo.as_str()).is_some_and(|entry| entry.escopo.eixos.contains(&eixo))
    }
}
