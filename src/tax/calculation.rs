//! Input and result of a calculation.

use std::fmt::Display;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::figures::Money;
use crate::problem::{ErrorCode, Problem};
use crate::rule::{Condicao, Regra, Regras, RuleResult};
use crate::value::{Amount, Exact, Overflow, RegraCitada, Text};

/// One step of the calculation memory (`memoria=true`).
#[derive(Serialize)]
struct MemoryStep {
    /// Name of the component or amount.
    nome: &'static str,
    /// The formula with the figures in it: words of the code and figures, never a text of a rule.
    formula: String,
    resultado: String,
    /// The legal ground: the citation of the rule, or an article.
    fundamento: String,
}

/// A calculation under way: the rules to look up, and the notes that it takes.
pub struct Calculation<'a> {
    /// The rules.
    pub regras: &'a dyn Regras,
    memoria: Option<Vec<MemoryStep>>,
    avisos: Vec<(Option<Condicao>, String)>,
    auxiliares: Vec<Regra>,
}

impl<'a> Calculation<'a> {
    /// A calculation on these rules; `memoria` asks for its steps.
    #[must_use]
    pub fn new(regras: &'a dyn Regras, memoria: bool) -> Self {
        Calculation { regras, memoria: memoria.then(Vec::new), avisos: Vec::new(), auxiliares: Vec::new() }
    }

    /// Notes a step whose legal ground is the rule. The formula is written only if steps were asked for.
    pub fn step(
        &mut self,
        nome: &'static str,
        fundamento: &Regra,
        resultado: impl Display,
        formula: impl FnOnce() -> String,
    ) {
        self.step_by(nome, &fundamento.citacao_legal, resultado, formula);
    }

    /// The same with a legal ground of its own.
    pub fn step_by(
        &mut self,
        nome: &'static str,
        fundamento: &Text,
        resultado: impl Display,
        formula: impl FnOnce() -> String,
    ) {
        if let Some(memoria) = &mut self.memoria {
            let (resultado, fundamento) = (resultado.to_string(), fundamento.as_str().to_owned());
            memoria.push(MemoryStep { nome, formula: formula(), resultado, fundamento });
        }
    }

    /// Adds a sentence to the envelope's `avisos`, and what it depends on to `condicoes_dos_avisos`.
    pub fn warn(&mut self, condicao: Condicao, text: impl Into<String>) {
        self.avisos.push((Some(condicao), text.into()));
    }

    /// Adds the sentences of a rule other than the one that answers.
    pub fn relay(&mut self, regra: &Regra) {
        self.avisos.extend(regra.escrito.condicoes.iter().copied().zip(regra.escrito.frases()));
    }

    /// Records a rule that the answer depends on, beside the one that answers. Without it in the answer, a caller
    /// that keeps the answer until its `regra` changes would miss a change of the other rule.
    pub fn uses(&mut self, regra: &Regra) {
        if self.auxiliares.iter().all(|known| known.rule_id != regra.rule_id) {
            self.auxiliares.push(regra.clone());
        }
    }

    /// The recorded rules as an answer shows them; `None` if there is none.
    pub(super) fn regras_auxiliares(&self) -> Option<Vec<RegraCitada>> {
        (!self.auxiliares.is_empty()).then(|| self.auxiliares.iter().map(Regra::citada).collect())
    }

    /// What the calculation noted beside its result.
    #[must_use]
    pub fn into_notes(self) -> Notes {
        Notes { avisos: self.avisos, auxiliares: self.auxiliares }
    }

    /// Writes the components, with the steps after them if they were asked for.
    pub(super) fn write<D: Serialize>(&self, calculated: Calculated<D>) -> RuleResult<Calculated<Box<RawValue>>> {
        #[derive(Serialize)]
        struct WithSteps<'a, D> {
            #[serde(flatten)]
            components: D,
            #[serde(skip_serializing_if = "Option::is_none")]
            memoria: Option<&'a [MemoryStep]>,
        }
        let Calculated { valor, regra, detalhes: components } = calculated;
        let detalhes = to_raw_value(&WithSteps { components, memoria: self.memoria.as_deref() })
            .map_err(|e| Box::new(Problem::failure("A resposta não pôde ser escrita; avise o operador.", e)))?;
        Ok(Calculated { valor, regra, detalhes })
    }
}

/// What a calculation notes beside its result.
pub struct Notes {
    /// The sentences of this calculation, each with its condition, if that is known. Those of the rule are not among
    /// them.
    pub avisos: Vec<(Option<Condicao>, String)>,
    /// The rules that the answer depends on, beside the one that answers, each once, in the order of their use.
    pub auxiliares: Vec<Regra>,
}

/// The amount due, the rule, and the components.
#[derive(Debug)]
pub struct Calculated<D> {
    /// Amount due.
    pub valor: Money,
    /// The rule that answered.
    pub regra: Regra,
    /// The components of contract section 2.4: typed in the tax, JSON outside of it.
    pub detalhes: D,
}

/// The sum of amounts of a payload.
pub(super) fn sum(amounts: &[Amount]) -> Exact {
    amounts.iter().fold(Exact::ZERO, |sum, amount| sum + amount.exact())
}

/// The sum as a formula: `1000.00 + 50.00`, zeros left out.
pub(super) fn written_sum(amounts: &[Amount]) -> String {
    let parts: Vec<String> = amounts.iter().filter(|a| !a.decimal().is_zero()).map(ToString::to_string).collect();
    if parts.is_empty() { "0.00".to_owned() } else { parts.join(" + ") }
}

impl From<Overflow> for Box<Problem> {
    fn from(_: Overflow) -> Self {
        Box::new(Problem::new(
            ErrorCode::ResultadoForaDoAlcance,
            "O resultado teria mais de 28 dígitos; confira os valores informados.",
        ))
    }
}
