//! The rule as an answer or a refusal names it.

use super::{Conferencia, Date, RuleId, Text};
use crate::base::document::{Faults, FromNode, Object, Path, Sometimes};

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

impl RegraCitada {
    /// Reads it of an answer; `None` if the object is something else.
    #[must_use]
    pub fn read(object: &Object<'_>) -> Option<RegraCitada> {
        fn value<T: FromNode>(object: &Object<'_>, name: &str) -> Option<T> {
            T::from_node(object.get(name)?, object, &Path::ROOT, &mut Faults::default())
        }
        Some(RegraCitada {
            rule_id: RuleId::parse(object.text("rule_id")?)?,
            citacao_legal: value(object, "citacao_legal")?,
            vigente_de: value(object, "vigente_de")?,
            vigente_ate: value(object, "vigente_ate"),
            conferencia: Sometimes(value(object, "conferencia")),
        })
    }
}
