//! Compares a stored answer with one that was calculated again.

use serde::Serialize;
use serde_json::{Map, Value};

/// Members that differ from one call to the next.
const OF_THE_CALL: [&str; 2] = ["cached", "request_id"];
/// Members of a proof that follow from the rest of the answer, and are checked against it.
const DERIVED: [&str; 5] = ["prova.algoritmo", "prova.motor", "prova.pedido", "prova.resultado", "prova.resumo"];

/// Members of every answer (contract, section 2.2).
const OF_EVERY_ANSWER: [&str; 7] =
    ["tributo", "valor", "regra", "detalhes", "regra.rule_id", "regra.citacao_legal", "regra.vigente_de"];

/// Members of every refusal: why these rules no longer give the stored answer.
const OF_EVERY_REFUSAL: [&str; 2] = ["codigo", "detail"];

/// A member of a stored answer that these rules give otherwise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerDifference {
    /// Its path: `regra.citacao_legal`.
    pub campo: String,
    /// The stored value; null if it has none.
    pub na_resposta: Value,
    /// The value by these rules; null if they give none.
    pub calculado: Value,
}

/// What differs, in the order of the stored answer. Of an answer that is not surely of this engine, members that only the
/// calculated one has are left out, since a later engine may add members; but for those that every answer or refusal has.
pub(super) fn differences(
    stored: &Map<String, Value>,
    calculated: &Map<String, Value>,
    another_engine: bool,
) -> Vec<AnswerDifference> {
    let without = |members: &Map<String, Value>| -> Value {
        let kept = members.iter().filter(|(name, _)| !OF_THE_CALL.contains(&name.as_str()));
        Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    let mut comparison = Comparison { another_engine, found: Vec::new() };
    comparison.compare(&without(stored), &without(calculated), String::new());
    comparison.found.retain(|difference| !DERIVED.contains(&difference.campo.as_str()));
    comparison.found
}

struct Comparison {
    another_engine: bool,
    found: Vec<AnswerDifference>,
}

impl Comparison {
    fn compare(&mut self, stored: &Value, calculated: &Value, campo: String) {
        let inner = |name: &str| if campo.is_empty() { name.to_owned() } else { format!("{campo}.{name}") };
        match (stored, calculated) {
            (Value::Object(stored), Value::Object(calculated)) => {
                for (name, value) in stored {
                    self.compare(value, calculated.get(name).unwrap_or(&Value::Null), inner(name));
                }
                for (name, value) in calculated.iter().filter(|(name, _)| !stored.contains_key(*name)) {
                    let campo = inner(name);
                    let of_every = OF_EVERY_ANSWER.iter().chain(&OF_EVERY_REFUSAL).any(|member| *member == campo);
                    if of_every || stored.is_empty() || !self.another_engine {
                        self.compare(&Value::Null, value, inner(name));
                    }
                }
            }
            (Value::Array(stored), Value::Array(calculated)) if stored.len() == calculated.len() => {
                for (i, (stored, calculated)) in stored.iter().zip(calculated).enumerate() {
                    self.compare(stored, calculated, format!("{campo}[{i}]"));
                }
            }
            (stored, calculated) if stored != calculated => {
                let (na_resposta, calculado) = (stored.clone(), calculated.clone());
                self.found.push(AnswerDifference { campo, na_resposta, calculado });
            }
            _ => {}
        }
    }
}
