//! The components of a result, in the order in which they are shown.

use std::borrow::Cow;

use rust_decimal::Decimal;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::rule::RuleResult;
use crate::value::{Exact, Rate, format_decimal, format_rate};

/// One shown component.
#[derive(Debug, Clone, PartialEq)]
pub enum Dado {
    /// Not applicable to this result.
    Nulo,
    /// Yes or no.
    Logico(bool),
    /// A count.
    Inteiro(i64),
    /// An amount in BRL, rounded to two places.
    Valor(Decimal),
    /// A rate in percent points.
    Aliquota(Decimal),
    /// Words.
    Texto(Cow<'static, str>),
    /// Several of a kind.
    Lista(Vec<Dado>),
    /// Components of a component.
    Objeto(Detalhes),
}

/// Named components, in order.
pub type Detalhes = Vec<(&'static str, Dado)>;

impl Dado {
    /// An amount rounded once, half away from zero, to two places.
    pub fn valor(exact: Exact) -> RuleResult<Dado> {
        Ok(Dado::Valor(exact.round(2)?))
    }

    /// Percent points rounded to two places: for rates that are computed.
    pub fn aliquota(points: Exact) -> RuleResult<Dado> {
        Ok(Dado::Aliquota(points.round(2)?))
    }

    /// Words that are not known beforehand.
    #[must_use]
    pub fn texto(text: impl Into<String>) -> Dado {
        Dado::Texto(Cow::Owned(text.into()))
    }

    /// A list of words.
    pub fn textos<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Dado {
        Dado::Lista(texts.into_iter().map(Dado::texto).collect())
    }

    /// The component, or null.
    pub fn ou_nulo<T: Into<Dado>>(value: Option<T>) -> Dado {
        value.map_or(Dado::Nulo, Into::into)
    }
}

impl From<bool> for Dado {
    fn from(value: bool) -> Self {
        Dado::Logico(value)
    }
}

impl From<&'static str> for Dado {
    fn from(value: &'static str) -> Self {
        Dado::Texto(Cow::Borrowed(value))
    }
}

impl From<String> for Dado {
    fn from(value: String) -> Self {
        Dado::Texto(Cow::Owned(value))
    }
}

impl From<Rate> for Dado {
    /// As the rule states it.
    fn from(rate: Rate) -> Self {
        Dado::texto(rate.to_string())
    }
}

impl Serialize for Dado {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Dado::Nulo => s.serialize_unit(),
            Dado::Logico(v) => s.serialize_bool(*v),
            Dado::Inteiro(v) => s.serialize_i64(*v),
            Dado::Valor(v) => s.serialize_str(&format_decimal(*v)),
            Dado::Aliquota(v) => s.serialize_str(&format_rate(*v)),
            Dado::Texto(v) => s.serialize_str(v),
            Dado::Lista(items) => {
                let mut seq = s.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Dado::Objeto(members) => {
                let mut map = s.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}
