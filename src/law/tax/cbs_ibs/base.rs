//! The base: the value of the operation, with the Imposto Seletivo and without what the law takes out of it.

use super::Payload;
use crate::base::document::{Faults, Path};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Exact};
use crate::rule::Condicao;
use crate::tax::calculation::Calculation;
use crate::tax::formula::Formula;
use crate::tax::reforma::{are_icms_and_iss_due, are_pis_and_cofins_due};

/// What may leave the base (LC 214/2025, art. 12, § 2º, II and IV to VI), by name, and whether it does on the day: a tax
/// that is extinct is in no price.
fn deductions(p: &Payload) -> [(&'static str, Amount, bool); 7] {
    let contributions = are_pis_and_cofins_due(p.data_operacao);
    let icms_and_iss = are_icms_and_iss_due(p.data_operacao);
    [
        ("valor_icms", p.valor_icms, icms_and_iss),
        ("valor_iss", p.valor_iss, icms_and_iss),
        ("valor_pis", p.valor_pis, contributions),
        ("valor_cofins", p.valor_cofins, contributions),
        ("valor_ipi", p.valor_ipi, true),
        ("valor_contribuicao_iluminacao_publica", p.valor_contribuicao_iluminacao_publica, true),
        ("valor_reembolsos", p.valor_reembolsos, true),
    ]
}

/// The amounts above zero that leave the base, or those that do not.
fn amounts(p: &Payload, leaving: bool) -> impl Iterator<Item = (&'static str, Amount)> {
    let stated =
        deductions(p).into_iter().filter(move |(_, amount, leaves)| !amount.decimal().is_zero() && *leaves == leaving);
    stated.map(|(name, amount, _)| (name, amount))
}

/// The base with its formula. The Imposto Seletivo is part of it (LC 214/2025, art. 12, § 1º, V).
pub(super) fn written(p: &Payload, calculation: &Calculation<'_>) -> Formula {
    let mut whole = calculation.formula(p.valor_operacao);
    if let Some(amount) = p.valor_is.filter(|amount| !amount.decimal().is_zero()) {
        whole = whole + amount;
    }
    amounts(p, true).fold(whole, |base, (_, amount)| base - amount)
}

/// Adds a fault for each amount that makes the base negative.
pub(super) fn check(p: &Payload, faults: &mut Faults) {
    let whole = p.valor_is.iter().fold(p.valor_operacao.exact(), |whole, is| whole + is.exact());
    let base: Exact = amounts(p, true).fold(whole, |base, (_, amount)| base - amount.exact());
    if matches!(base.is_negative(), Ok(false)) {
        return;
    }
    let detail = "Os valores que saem da base passam do valor da operação: a base ficaria negativa.";
    for name in std::iter::once("valor_operacao").chain(amounts(p, true).map(|(name, _)| name)) {
        faults.add(&Path::ROOT.key(name), ErrorCode::BaseNegativa, detail);
    }
}

/// Says which amounts of the payload did not leave the base, because their tax is extinct.
pub(super) fn note_not_deducted(p: &Payload, calculation: &mut Calculation<'_>) {
    for (name, _) in amounts(p, false) {
        let (until, ground) = match name {
            "valor_pis" | "valor_cofins" => ("31/12/2026", "art. 542; ADCT, art. 126, II"),
            _ => ("31/12/2032", "art. 12, § 2º, V; ADCT, art. 129"),
        };
        let sentence = format!(
            "`{name}` não saiu da base: o tributo existe até {until} (LC nº 214/2025, {ground}). Confira o valor informado."
        );
        calculation.warn(Condicao::Campo, sentence);
    }
}
