//! What the single-phase taxes and the taxes by unit have in common: the place of the seller in the chain, the option for
//! a special regime, and the quantity. A payload that lacks one of them is refused in the name of the rule.

use super::calculation::Calculation;
use super::formula::{Formula, Quantity};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Text};
use crate::rule::{Regra, RuleResult};

taxd_base::vocabulary! {
    /// Place of the seller in the chain.
    pub enum Papel {
        FabricanteImportador = "fabricante_importador" => "Fabricante ou importador",
        Revenda = "revenda" => "Revenda",
    }
}

/// The place in the chain, which a single-phase rule needs.
pub fn needed_role(papel: Option<Papel>, regra: &Regra) -> RuleResult<Papel> {
    papel.ok_or_else(|| {
        regra.refusal_of_field(
            ErrorCode::PapelNaCadeiaAusente,
            "papel_na_cadeia",
            "A regra é monofásica: informe `papel_na_cadeia`: `fabricante_importador` ou `revenda`.",
        )
    })
}

/// Whether the taxpayer opted for the special regime by unit, which a rule with one needs.
pub fn needed_option(regime_especial: Option<bool>, regra: &Regra) -> RuleResult<bool> {
    regime_especial.ok_or_else(|| {
        regra.refusal_of_field(
            ErrorCode::RegimeEspecialAusente,
            "regime_especial",
            "A regra tem um regime especial por unidade, por opção do fabricante ou importador: informe `regime_especial`.",
        )
    })
}

/// The quantity in `unidade`, which a rule needs because `why`. Refuses one that is missing or zero.
pub fn needed_quantity(quantidade: Option<Amount>, why: &str, unidade: &str, regra: &Regra) -> RuleResult<Amount> {
    let codigo = match quantidade {
        Some(quantidade) if quantidade > Amount::ZERO => return Ok(quantidade),
        Some(_) => ErrorCode::ValorZero,
        None => ErrorCode::QuantidadeAusente,
    };
    let detail = format!("{why}: informe `quantidade` em {unidade}, maior que zero.");
    Err(regra.refusal_of_field(codigo, "quantidade", detail))
}

/// The tax on a quantity at so much a unit.
pub(super) fn by_quantity(each: Amount, quantity: Amount, unidade: &Text, calculation: &Calculation<'_>) -> Formula {
    let due = calculation.formula(Quantity(quantity)) * each;
    due.noting(|| format!("quantidade em {0}, valor por {0}", unidade.as_str()))
}
