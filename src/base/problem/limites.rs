//! The bounds that national law sets to a rate which no rule establishes.

use serde::Serialize;

/// The bounds of a rate in percent points, and what they give in BRL. Each figure is written as answers write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitesDaAliquota {
    /// The law that sets them.
    pub citacao_legal: &'static str,
    /// The lowest rate. Absent if the law sets none, or allows less for the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliquota_minima: Option<String>,
    pub aliquota_maxima: String,
    /// The base, as the tax has it for this payload.
    pub base: String,
    /// What the lowest rate gives on the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valor_minimo: Option<String>,
    /// What the highest rate gives on the base.
    pub valor_maximo: String,
}
