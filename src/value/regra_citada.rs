//! The rule as an answer or a refusal names it.

use serde::Serialize;

use super::{Conferencia, Date, RuleId, Text};

/// The proof in every answer (contract, section 2.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegraCitada {
    /// Code and version.
    pub rule_id: RuleId,
    /// The legal citation that supports the rule.
    pub citacao_legal: Text,
    /// First day on which it answers.
    pub vigente_de: Date,
    /// First day on which it no longer answers; `None` while in force.
    pub vigente_ate: Option<Date>,
    /// How well its figures are established; absent if the rule does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conferencia: Option<Conferencia>,
}
