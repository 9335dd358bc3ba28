//! The base of the transfer, and the part of it that the housing system finances.

use super::{BaseItbi, Conteudo, Payload};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Rate};
use crate::rule::{Condicao, Regra, RuleResult};
use crate::tax::calculation::Calculation;
use crate::tax::formula::Formula;

/// The base by the rule, and where it comes from.
pub(super) fn choose_base(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    calculation: &mut Calculation<'_>,
) -> RuleResult<(Formula, BaseItbi)> {
    let declared = (calculation.formula(p.valor_transacao), BaseItbi::ValorTransacao);
    // A caller without a reference value may send zero. It is not a base.
    match (c.base, p.valor_venal_referencia.filter(|reference| *reference > Amount::ZERO)) {
        (BaseItbi::ValorTransacao, _) => Ok(declared),
        (BaseItbi::Maior, Some(reference)) => {
            let larger = declared.0.max(&calculation.formula(reference))?;
            let of_reference = reference > p.valor_transacao;
            Ok((larger, if of_reference { BaseItbi::ValorVenalReferencia } else { BaseItbi::ValorTransacao }))
        }
        (BaseItbi::Maior, None) => {
            calculation.warn(
                Condicao::Campo,
                "A regra usa o maior entre o valor da transação e o valor venal de referência; este não foi informado, e o cálculo usou o declarado.",
            );
            Ok(declared)
        }
        (BaseItbi::ValorVenalReferencia, Some(reference)) => {
            Ok((calculation.formula(reference), BaseItbi::ValorVenalReferencia))
        }
        (BaseItbi::ValorVenalReferencia, None) => Err(regra.refusal_of_field(
            ErrorCode::CampoObrigatorio,
            "valor_venal_referencia",
            "A base desta regra é o valor venal de referência: informe `valor_venal_referencia`, maior que zero.",
        )),
    }
}

/// The part of the taxed `base` that pays the SFH rate, and that rate; `None` if no part does. `whole` is the base before
/// an exemption, which the limit of the property counts.
pub(super) fn financed_part(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    (base, whole): (&Formula, &Formula),
    calculation: &mut Calculation<'_>,
) -> RuleResult<Option<(Formula, Rate)>> {
    let Some(financed) = p.valor_financiado else { return Ok(None) };
    let Some(sfh) = &c.sfh else {
        calculation.warn(
            Condicao::Campo,
            "A regra do município não dá tratamento próprio à parte financiada pelo SFH; tudo pagou a alíquota geral.",
        );
        return Ok(None);
    };
    if !p.financiado_sfh {
        let sentence = "O valor financiado não contou, porque só a parte financiada pelo SFH tem outra alíquota: se o financiamento é pelo SFH, informe `financiado_sfh`, e o imposto é outro.";
        // Without the field, the default of the contract decided the amount.
        if calculation.lacks("financiado_sfh") {
            calculation.warn_first(Condicao::Campo, sentence);
        } else {
            calculation.warn(Condicao::Campo, sentence);
        }
        return Ok(None);
    }
    if let Some(limit) = sfh.limite_imovel {
        let limit = regra.figura("sfh.limite_imovel", limit)?;
        if whole.exact().compare(limit.exact())? == std::cmp::Ordering::Greater {
            let sentence = format!("O imóvel passa do limite de {limit} e perde a alíquota do SFH.");
            calculation.warn(Condicao::Beneficio, sentence);
            return Ok(None);
        }
    }
    let rate = regra.figura("sfh.aliquota", sfh.aliquota)?;
    let financed = base.beside(financed);
    let part = match sfh.limite_financiado {
        Some(limit) => financed.min(&base.beside(regra.figura("sfh.limite_financiado", limit)?))?,
        None => financed,
    };
    Ok(Some((part.min(base)?, rate)))
}
