//! The bounds of the rate in the national law, for a refusal for want of it.

use super::{Payload, Regime};
use crate::base::problem::Problem;
use crate::base::value::{Date, Rate};
use crate::rule::RuleResult;
use crate::tax::calculation::Calculation;
use crate::tax::limites::RateBounds;

/// The services for which a municipality may go below the lowest rate (art. 8º-A, § 1º).
const BELOW_THE_LOWEST: [&str; 3] = ["7.02", "7.05", "16.01"];
/// First day of LC 116/2003.
const HIGHEST_FROM: &str = "2003-08-01";
/// First day of the lowest rate (LC 157/2016, arts. 6º and 7º).
const LOWEST_FROM: &str = "2017-12-30";

/// The refusal with the bounds of the rate. They are of the ordinary regime, of the services of the national list, and of
/// the days before the law reduces the rates.
pub(super) fn bounded(problem: Box<Problem>, p: &Payload, calculation: &Calculation<'_>) -> RuleResult<Box<Problem>> {
    let item = p.item_lista_servico;
    let since = |day: &str| Date::parse(day).is_ok_and(|first| first <= p.data);
    let is_bounded = p.regime == Regime::Normal && item.nearest_in_force().is_none() && !calculation.is_in_transition();
    if !is_bounded || !since(HIGHEST_FROM) {
        return Ok(problem);
    }
    let has_lowest = since(LOWEST_FROM) && !BELOW_THE_LOWEST.contains(&item.to_string().as_str());
    let bounds = RateBounds {
        citacao_legal: if has_lowest {
            "LC nº 116/2003, arts. 8º, II, e 8º-A"
        } else {
            "LC nº 116/2003, art. 8º, II"
        },
        minima: has_lowest.then_some(Rate::of_points(2)),
        maxima: Rate::of_points(5),
    };
    bounds.add_to(problem, &calculation.formula(p.preco_servico), p.data)
}
