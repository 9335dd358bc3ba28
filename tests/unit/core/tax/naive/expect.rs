//! What the naive side expects of an answer, and the comparison.

use num_traits::Signed;
use proptest::test_runner::TestCaseError;
use serde_json::{Map, Value, json};
use taxd_core::engine::Engine;

use super::number::{Q, q, rate_written, scaled, written};
use crate::support::{calculate, difference};
use crate::tax::memory::{faults, with_steps};

/// Digits that an answer can always be written with.
const DIGITS: usize = 28;

/// An amount with its parts, or the code of a refusal (codes, where two things are wrong at
/// once and their order is not defined).
pub type Expected = Result<Answer, &'static str>;

pub const NO_FIGURE: &str = "regra_sem_conteudo";

#[derive(Default)]
pub struct Answer {
    valor: Value,
    detalhes: Map<String, Value>,
    /// Digits of the longest amount shown.
    longest: usize,
}

impl Answer {
    /// An answer of this amount, already a sum of rounded parts where the contract shows parts.
    pub fn due(valor: &Q) -> Answer {
        let mut answer = Answer::default();
        answer.valor = answer.money(valor);
        answer
    }

    fn money(&mut self, value: &Q) -> Value {
        self.longest = self.longest.max(scaled(value, 2).abs().to_string().len());
        json!(written(value, 2))
    }

    /// A component that is an amount.
    pub fn amount(mut self, name: &str, value: &Q) -> Answer {
        let text = self.money(value);
        self.detalhes.insert(name.to_owned(), text);
        self
    }

    /// A component that is a rate, as the rule states it.
    pub fn rate(self, name: &str, points: &Q) -> Answer {
        let text = rate_written(points);
        self.other(name, &json!(text))
    }

    /// Any other component.
    pub fn other(mut self, name: &str, value: &Value) -> Answer {
        self.detalhes.insert(name.to_owned(), value.clone());
        self
    }

    /// The other rules that the answer depends on, in their order. Every rule of these tests is `v1.0`.
    pub fn others(self, codes: &[&str]) -> Answer {
        let rules: Vec<Value> = codes.iter().map(|code| json!({"rule_id": format!("{code}-v1.0")})).collect();
        self.other("regras_auxiliares", &if rules.is_empty() { Value::Null } else { Value::Array(rules) })
    }

    /// A list of components whose amounts are noted by `amounts`.
    pub fn list(mut self, name: &str, items: Vec<Answer>) -> Answer {
        self.longest = items.iter().map(|i| i.longest).fold(self.longest, usize::max);
        let items = items.into_iter().map(|i| Value::Object(i.detalhes)).collect();
        self.detalhes.insert(name.to_owned(), Value::Array(items));
        self
    }

    pub fn object(mut self, name: &str, inner: Answer) -> Answer {
        self.longest = self.longest.max(inner.longest);
        self.detalhes.insert(name.to_owned(), Value::Object(inner.detalhes));
        self
    }
}

/// The figure of a rule's content: established, or a refusal where it is null. `None` where
/// the rule does not have it.
pub fn figure(content: &Value, name: &str) -> Result<Option<Q>, &'static str> {
    match content.get(name) {
        None => Ok(None),
        Some(Value::Null) => Err(NO_FIGURE),
        Some(value) => Ok(Some(q(value.as_str().unwrap()))),
    }
}

/// A figure that the rule must have.
pub fn needed(content: &Value, name: &str) -> Result<Q, &'static str> {
    figure(content, name)?.ok_or(NO_FIGURE)
}

/// The word of a content or payload member, or the default.
pub fn word<'a>(object: &'a Value, name: &str, default: &'a str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or(default)
}

pub fn flag(object: &Value, name: &str, default: bool) -> bool {
    object.get(name).and_then(Value::as_bool).unwrap_or(default)
}

/// True when the payload says something other than nothing.
pub fn given(payload: &Value, name: &str) -> bool {
    payload.get(name).is_some_and(|v| !v.is_null())
}

/// Fails the case unless the engine answers as expected.
pub fn check(engine: &Engine, payload: &Value, expected: Expected) -> Result<(), TestCaseError> {
    let fail = |why: String| Err(TestCaseError::fail(format!("{why}\npayload: {payload}")));
    match (calculate(engine, payload), expected) {
        (Ok(answer), Ok(expected)) => {
            let wanted = json!({"valor": expected.valor, "detalhes": expected.detalhes});
            match difference(&wanted, &answer, "") {
                Some(difference) => fail(format!("{difference}\nanswer: {answer}")),
                None => match faults(&with_steps(engine, payload).expect("it was answered"), &mut 0).first() {
                    Some(fault) => fail(fault.clone()),
                    None => Ok(()),
                },
            }
        }
        (Err(problem), Ok(expected)) => {
            if problem.codigo.as_str() == "resultado_fora_do_alcance" && expected.longest > DIGITS {
                return Ok(());
            }
            let naive = Value::Object(expected.detalhes);
            fail(format!(
                "refused with {}, naively {} with {naive} ({} digits): {}",
                problem.codigo.as_str(),
                expected.valor,
                expected.longest,
                problem.detail
            ))
        }
        (Err(problem), Err(codes)) if codes.split('|').any(|c| c == problem.codigo.as_str()) => Ok(()),
        (Err(problem), Err(codigo)) => {
            fail(format!("refused with {}, expected {codigo}: {}", problem.codigo.as_str(), problem.detail))
        }
        (Ok(answer), Err(codigo)) => fail(format!("answered {answer}, expected the refusal {codigo}")),
    }
}
