//! Every rule version in memory, as far as a listing filters by it.
//!
//! A filter may ask for anything, so a listing walks the versions in the order of their
//! publication and looks at a few dozen bytes of each: a hundred thousand in about a
//! millisecond, whatever the filter and however deep the page. The records themselves stay in
//! the store. The catalog is made on first use and brought up to date after a publication.

use std::collections::HashMap;

use super::filter::{Filter, Situacao};
use super::version;
use crate::rule::{Eixo, Escopo};
use crate::store::{Journal, State, StoreResult};
use crate::tax;
use crate::value::{Data, ItemServico, Ncm, Tributo, fold};

/// One version.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) tributo: Tributo,
    pub(super) escopo: Escopo,
    pub(super) state: State,
    /// Index of its citation.
    citation: usize,
}

/// All versions, by number (the first is 1).
#[derive(Debug, Clone, Default)]
pub(super) struct Catalog {
    /// The last publication it knows of.
    pub(super) publication: u64,
    rows: Vec<Row>,
    /// Citations without case and accents, each once.
    citations: Vec<String>,
    citation_ids: HashMap<String, usize>,
}

/// Where a version stands on `today`.
pub(super) fn situacao(state: State, today: Data) -> Situacao {
    let vigencia = state.vigencia;
    if vigencia.is_empty() {
        Situacao::Substituida
    } else if vigencia.de > today {
        Situacao::Futura
    } else if vigencia.covers(today) {
        Situacao::Vigente
    } else {
        Situacao::Encerrada
    }
}

impl Catalog {
    /// Brings it up to the journal: new versions, and the ends that have moved.
    pub(super) fn update(&mut self, journal: &Journal) -> StoreResult<()> {
        let known = self.rows.len();
        let mut failed = None;
        journal.each_state(|number, state| {
            let index = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
            if let Some(row) = self.rows.get_mut(index) {
                row.state = state;
            }
        })?;
        journal.each_version(known as u64 + 1, |_, record, state| match version::decode(record) {
            Ok(versao) => {
                let folded = fold(versao.citacao_legal.as_str());
                let next = self.citations.len();
                let citation = *self.citation_ids.entry(folded.clone()).or_insert(next);
                if citation == next {
                    self.citations.push(folded);
                }
                self.rows.push(Row { tributo: versao.tributo, escopo: versao.escopo, state, citation });
            }
            Err(error) => failed = Some(error),
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        self.publication = journal.last_publication()?;
        Ok(())
    }

    /// How many versions a tax has.
    pub(super) fn count(&self, tributo: Tributo) -> u64 {
        self.rows.iter().filter(|row| row.tributo == tributo).count() as u64
    }

    /// The version of that number.
    pub(super) fn row(&self, number: u64) -> Option<&Row> {
        self.rows.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// Numbers of the versions after `after` that pass the filter, `limit` at most; `among` are
    /// the only ones to look at, where they are known.
    pub(super) fn select(
        &self,
        filter: &Filter,
        among: Option<&[u64]>,
        today: Data,
        after: u64,
        limit: usize,
    ) -> Vec<u64> {
        let wanted_citations: Option<Vec<bool>> = filter.q.as_ref().map(|q| {
            let words: Vec<String> = q.split_whitespace().map(fold).collect();
            self.citations.iter().map(|c| words.iter().all(|w| c.contains(w.as_str()))).collect()
        });
        let passes = |row: &Row| {
            let cited = wanted_citations.as_ref().is_none_or(|w| w.get(row.citation).copied().unwrap_or_default());
            cited && row.passes(filter, today)
        };
        if let Some(numbers) = among {
            let listed = numbers.iter().copied().filter(|n| *n > after);
            return listed.filter(|n| self.row(*n).is_some_and(passes)).take(limit).collect();
        }
        let skipped = usize::try_from(after).unwrap_or(usize::MAX);
        let rest = self.rows.iter().enumerate().skip(skipped);
        rest.filter(|(_, row)| passes(row)).map(|(index, _)| index as u64 + 1).take(limit).collect()
    }
}

impl Row {
    fn passes(&self, f: &Filter, today: Data) -> bool {
        let e = &self.escopo;
        f.tributo.is_none_or(|t| t == self.tributo)
            && f.uf.is_none_or(|uf| e.uf_origem == Some(uf) || e.uf_destino == Some(uf))
            && f.uf_origem.is_none_or(|uf| e.uf_origem == Some(uf))
            && f.uf_destino.is_none_or(|uf| e.uf_destino == Some(uf))
            && f.municipio.as_ref().is_none_or(|list| e.municipio.is_some_and(|m| list.contains(&m)))
            && f.ncm.is_none_or(|ncm| self.considers_ncm(&ncm))
            && f.ex.is_none_or(|ex| e.ex == Some(ex) || f.ncm.is_some() && e.ex.is_none())
            && f.item_lista_servico.is_none_or(|item| self.considers_item(item))
            && f.vigente_em.is_none_or(|day| self.state.vigencia.covers(day))
            && f.situacao.is_none_or(|wanted| situacao(self.state, today) == wanted)
    }

    /// A rule of the NCM or of a prefix of it, or a rule without NCM of a tax that asks by NCM.
    fn considers_ncm(&self, ncm: &Ncm) -> bool {
        if self.escopo.ncm.is_empty() {
            return self.escopo.item_lista_servico.is_empty() && self.asks_by(Eixo::Ncm);
        }
        self.escopo.ncm.iter().any(|prefix| ncm.is_under(prefix)) && !self.escopo.excetua(ncm)
    }

    fn considers_item(&self, item: ItemServico) -> bool {
        if self.escopo.item_lista_servico.is_empty() {
            return self.escopo.ncm.is_empty() && self.asks_by(Eixo::ItemListaServico);
        }
        self.escopo.item_lista_servico.contains(&item)
    }

    fn asks_by(&self, eixo: Eixo) -> bool {
        tax::find(self.tributo.as_str()).is_some_and(|entry| entry.escopo.eixos.contains(&eixo))
    }
}
