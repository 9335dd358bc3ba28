//! The rule as an answer or a refusal names it.

use super::{Conferencia, Date, RuleId, Text};
use crate::document::Sometimes;

crate::components! {
    /// The proof in every answer (contract, section 2.2), and every other rule that the answer depends on
    /// (`regras_auxiliares`).
    #[derive(PartialEq, Eq)]
    pub struct RegraCitada {
        rule_id: RuleId, "Código e versão";
        citacao_legal: Text, "Citação legal";
        vigente_de: Date, "Primeiro dia em que responde";
        vigente_ate: Option<Date>, "Primeiro dia em que já não responde" + "; nulo se em vigor";
        conferencia: Sometimes<Conferencia>, "Quão bem as figuras estão estabelecidas" + "; ausente se a regra não o diz";
    }
}
