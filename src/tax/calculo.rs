//! What a calculation is given and what it gives back.

use rust_decimal::Decimal;

use super::detalhes::{Dado, Detalhes};
use super::forma::{Componente, Forma};
use crate::problem::{ErrorCode, Problem};
use crate::rule::{Regra, Regras};
use crate::value::{Amount, Exact, Overflow, Text};

/// One step of the calculation memory (`memoria=true`).
#[derive(Debug, Clone, PartialEq)]
pub struct Passo {
    /// What is computed.
    pub nome: &'static str,
    /// The formula with the figures in it: words of the code and figures, never a text of a rule.
    pub formula: String,
    /// What came out.
    pub resultado: Dado,
    /// The legal ground: the citation of the rule, or an article.
    pub fundamento: String,
}

/// A calculation under way: the rules to ask, and what it notes on its way.
pub struct Calculo<'a> {
    /// The rules.
    pub regras: &'a dyn Regras,
    passos: Option<Vec<Passo>>,
    avisos: Vec<String>,
}

impl<'a> Calculo<'a> {
    /// A calculation on these rules; `memoria` asks for its steps.
    #[must_use]
    pub fn new(regras: &'a dyn Regras, memoria: bool) -> Self {
        Calculo { regras, passos: memoria.then(Vec::new), avisos: Vec::new() }
    }

    /// Notes a step on the ground of the rule, where steps were asked for; the formula is written only then.
    pub fn passo(
        &mut self,
        nome: &'static str,
        fundamento: &Regra,
        resultado: &Dado,
        formula: impl FnOnce() -> String,
    ) {
        self.passo_por(nome, &fundamento.citacao_legal, resultado, formula);
    }

    /// The same on a legal ground of its own.
    pub fn passo_por(
        &mut self,
        nome: &'static str,
        fundamento: &Text,
        resultado: &Dado,
        formula: impl FnOnce() -> String,
    ) {
        if let Some(passos) = &mut self.passos {
            let fundamento = fundamento.as_str().to_owned();
            passos.push(Passo { nome, formula: formula(), resultado: resultado.clone(), fundamento });
        }
    }

    /// Notes a sentence for the envelope's `avisos`.
    pub fn aviso(&mut self, text: impl Into<String>) {
        self.avisos.push(text.into());
    }

    /// The steps and sentences noted.
    #[must_use]
    pub fn into_notes(self) -> (Option<Vec<Passo>>, Vec<String>) {
        (self.passos, self.avisos)
    }
}

/// What is due, by which rule, and how it comes about.
#[derive(Debug)]
pub struct Resultado {
    /// Amount due, two places.
    pub valor: Decimal,
    /// The rule that answered.
    pub regra: Regra,
    /// The components of contract section 2.4.
    pub detalhes: Detalhes,
}

/// Another rule that an answer depends on, beside the one in `regra`.
const AUXILIAR: &[Componente] = &[
    Componente::sempre("rule_id", Forma::Texto, "Código e versão"),
    Componente::sempre("citacao_legal", Forma::Texto, "Citação legal"),
    Componente::sempre("vigente_de", Forma::Data, "Primeiro dia em que responde"),
    Componente::sempre(
        "vigente_ate",
        Forma::OuNulo(&Forma::Data),
        "Primeiro dia em que já não responde; nulo se em vigor",
    ),
];

/// The component of a tax whose answer may depend on a second rule. Without it, a caller that keeps
/// an answer until its `regra` changes would miss a change of the other rule.
pub(super) const REGRAS_AUXILIARES: Componente = Componente::algumas(
    "regras_auxiliares",
    Forma::Lista(&Forma::Objeto(AUXILIAR)),
    "As outras regras de que a resposta depende; ausente se não há outra",
);

/// The value of [`REGRAS_AUXILIARES`] for one second rule.
pub(super) fn auxiliar(regra: &Regra) -> (&'static str, Dado) {
    let member = Dado::Objeto(vec![
        ("rule_id", Dado::texto(regra.rule_id.to_string())),
        ("citacao_legal", Dado::texto(regra.citacao_legal.as_str())),
        ("vigente_de", Dado::texto(regra.vigencia.de.to_string())),
        ("vigente_ate", Dado::ou_nulo(regra.vigencia.ate.map(|day| day.to_string()))),
    ]);
    (REGRAS_AUXILIARES.nome, Dado::Lista(vec![member]))
}

/// The sum of amounts of a payload.
pub(super) fn soma(amounts: &[Amount]) -> Exact {
    amounts.iter().fold(Exact::ZERO, |sum, amount| sum + amount.exact())
}

/// The sum as a formula: `1000.00 + 50.00`, zeros left out.
pub(super) fn soma_escrita(amounts: &[Amount]) -> String {
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
