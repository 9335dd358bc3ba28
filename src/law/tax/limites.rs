//! The bounds that national law sets to a rate. A refusal for want of the rate has them, so that a caller knows the range
//! of the amount; no answer is ever made of them.

use super::figures::Money;
use super::formula::Formula;
use crate::base::problem::{ErrorCode, LimitesDaAliquota, Problem};
use crate::base::value::{Date, Rate, with_separators};
use crate::rule::RuleResult;

#[derive(Debug, Clone, Copy)]
pub(super) struct RateBounds {
    pub(super) citacao_legal: &'static str,
    /// The lowest rate, if the law sets one.
    pub(super) minima: Option<Rate>,
    pub(super) maxima: Rate,
}

impl RateBounds {
    /// Adds the bounds to the refusal, in a member and in words, with what they give on `base`. Leaves a refusal alone
    /// that is not for want of a rule or of a figure, and one of a day that no rule can have.
    pub(super) fn add_to(self, mut problem: Box<Problem>, base: &Formula, data: Date) -> RuleResult<Box<Problem>> {
        let is_for_want = matches!(problem.codigo, ErrorCode::RegraSemConteudo | ErrorCode::RegraInexistente);
        if !is_for_want || !data.may_have_rules() {
            return Ok(problem);
        }
        let amount = |rate: Rate| Money::rounded((base * rate).exact()).map(|amount| amount.to_string());
        let limites = LimitesDaAliquota {
            citacao_legal: self.citacao_legal,
            aliquota_minima: self.minima.map(|rate| rate.to_string()),
            aliquota_maxima: self.maxima.to_string(),
            base: Money::rounded(base.exact())?.to_string(),
            valor_minimo: self.minima.map(amount).transpose()?,
            valor_maximo: amount(self.maxima)?,
        };
        problem.detail.add(sentence(&limites));
        problem.limites = Some(limites);
        Ok(problem)
    }
}

fn sentence(limites: &LimitesDaAliquota) -> String {
    let [base, most, highest] =
        [&limites.base, &limites.valor_maximo, &limites.aliquota_maxima].map(|number| with_separators(number));
    let law = &limites.citacao_legal;
    match (&limites.aliquota_minima, &limites.valor_minimo) {
        (Some(lowest), Some(least)) => format!(
            "A lei nacional põe a alíquota entre {}% e {highest}% ({law}): sobre R$ {base}, de R$ {} a R$ {most}.",
            with_separators(lowest),
            with_separators(least)
        ),
        _ => format!("A lei nacional limita a alíquota a {highest}% ({law}): sobre R$ {base}, no máximo R$ {most}."),
    }
}
