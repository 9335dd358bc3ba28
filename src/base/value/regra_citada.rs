//! The rule as an answer or a refusal names it.

use super::{Conferencia, Date, RuleId, Text};
use crate::document::Sometimes;

crate::components! {
    /// The proof in every answer (contract, section 2.2), and every other rule that the answer depends on
    /// (`regras_auxiliares`).
    #[derive(PartialEq, Eq)]
    pub struct RegraCitada {
        rule_id: RuleId, "Código e versão da regra";
        citacao_legal: Text, "Citação legal";
        vigente_de: Date, "Vigente desde";
        vigente_ate: Option<Date>, "Primeiro dia depois da vigência" + "; nulo se em vigor";
        conferencia: Sometimes<Conferencia>, "Conferência" + ": em que texto os valores da regra foram lidos; ausente se a regra não diz";
    }
}
