//! The parameter that says what the rows of a list are of.

use crate::base::document::{Field, Shape};
use crate::http::query::{self, Query};
use crate::law::tax::{self, Entry};

/// The name of operations among those of the taxes.
const OPERACAO: &str = "operacao";

pub(crate) const TRIBUTO: Field =
    query::parameter("tributo", "Tributo de todas as linhas, ou operacao", Shape::Text, None);

/// What the rows of a list are of.
#[derive(Clone, Copy)]
pub(crate) enum OfRows {
    Tax(&'static Entry),
    Operations,
}

impl OfRows {
    /// Takes the parameter out of the query.
    pub(crate) fn take(q: &mut Query) -> Option<OfRows> {
        q.take(&TRIBUTO, |name| match name {
            OPERACAO => Ok(OfRows::Operations),
            name => tax::parse(name).map(OfRows::Tax),
        })
    }

    /// The tax, unless they are operations.
    pub(crate) fn tax(self) -> Option<&'static Entry> {
        match self {
            OfRows::Tax(entry) => Some(entry),
            OfRows::Operations => None,
        }
    }
}
