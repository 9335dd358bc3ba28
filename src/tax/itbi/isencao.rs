//! The exemption by value, and the answer of a transfer that is exempt.

use super::{BaseItbi, Conteudo, Detalhes, Payload, remarks};
use crate::document::Sometimes;
use crate::rule::{Regra, RuleResult};
use crate::tax::calculation::{Calculated, Calculation};
use crate::tax::figures::Money;
use crate::tax::isencao::Efeito;
use crate::value::{Exact, Text};

/// The limit of the rule's exemption, if it has one, and its effect on the base.
pub(super) fn effect(regra: &Regra, c: &Conteudo, base: Exact) -> RuleResult<(Option<Money>, Efeito)> {
    let Some(isencao) = &c.isencao else { return Ok((None, Efeito::Nenhum)) };
    let limite = regra.figura("isencao.limite", isencao.limite)?;
    Ok((Some(Money::rounded(limite.exact())?), isencao.apply(base, limite, Exact::ONE)?))
}

/// The legal ground of the exemption.
pub(super) fn ground(c: &Conteudo) -> Option<Text> {
    c.isencao.as_ref().map(|isencao| isencao.base_legal.clone())
}

/// The base as a step of the memory writes it; `partly` if a part of it is exempt.
pub(super) fn base_written(base_metodo: BaseItbi, partly: bool) -> String {
    let less = if partly { ", menos a parcela isenta" } else { "" };
    format!("base da regra: {base_metodo}{less}")
}

/// The answer of a transfer whose base does not exceed the limit.
pub(super) fn answer(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    (base, base_metodo): (Exact, BaseItbi),
    limite: Option<Money>,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated<Detalhes>> {
    let (base_calculo, zero) = (Money::rounded(base)?, Money::rounded(Exact::ZERO)?);
    calculation.step("base_calculo", regra, base_calculo, || base_written(base_metodo, false));
    calculation.step("valor", regra, zero, || match limite {
        Some(limite) => format!("isento: {base_calculo} não passa do limite de {limite}"),
        None => "isento".to_owned(),
    });
    let detalhes = Detalhes {
        base_calculo,
        base_metodo,
        isento: true,
        isencao_base_legal: Sometimes(ground(c)),
        limite_isencao: Sometimes(limite),
        aliquota_aplicada: None,
        financiado_sfh: p.financiado_sfh,
        sfh_aplicado: false,
        aliquota_sfh: None,
        base_sfh: zero,
        imposto_sfh: zero,
        base_restante: zero,
        imposto_restante: zero,
        observacoes: remarks(regra, c),
        municipio: p.municipio.name(),
        faixas: Sometimes(None),
        pagamento_antecipado: Sometimes(None),
    };
    Ok(Calculated { valor: zero, regra: regra.clone(), detalhes })
}
