//! The rules of a product, those that are most closely about it first.

use std::cmp::Reverse;

use super::Engine;
use super::filter::Filter;
use super::listing;
use crate::base::value::Date;
use crate::core::store::StoreResult;

/// A page of rules.
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
        Ok(ClosestRules { items: listing::rules(&catalog, &journal, &page, today)?, total, gerais })
    }
}
