//! The filters of the page's look-ups, declared as those of `GET /v1/regras`.

use crate::base::document::{Field, Shape};
use crate::core::engine::{Filter, filter};
use crate::http::query::{self, Query};

const PAIS: Field = query::parameter("pais", "Com uma UF, também as regras de todo o país", Shape::Bool, None);

/// Some of the filters of rules.
pub(crate) struct PageFilter(Vec<&'static Field>);

impl PageFilter {
    pub(crate) fn of(names: &[&str]) -> PageFilter {
        PageFilter(filter::FIELDS.iter().filter(|field| names.contains(&field.name)).collect())
    }

    /// Takes them out of the query; `None` if it has none of them.
    pub(crate) fn take(&self, q: &mut Query) -> Option<Filter> {
        let (mut taken, mut is_given) = (Filter::default(), false);
        for field in &self.0 {
            q.take(field, |text| {
                is_given = true;
                taken.set(field.name, text)
            });
        }
        is_given.then_some(taken)
    }

    /// The same, where a UF may be asked for with the whole country.
    pub(crate) fn take_with_country(&self, q: &mut Query) -> Option<Filter> {
        let pais = q.take(&PAIS, |text| text.parse().map_err(|_| "Use true ou false.".to_owned()));
        self.take(q).map(|filter| Filter { pais: pais.unwrap_or(false), ..filter })
    }
}

/// Reads a word of a vocabulary.
pub(crate) fn word<T>(text: &str, read: impl FnOnce(&str) -> Option<T>, words: &[&str]) -> Result<T, String> {
    read(text).ok_or_else(|| format!("Use um destes: {}.", words.join(", ")))
}
