//! The base of the transfer, and the part of it that the housing system finances.

use super::{BaseItbi, Conteudo, Payload};
use crate::problem::ErrorCode;
use crate::rule::{Condicao, Regra, RuleResult};
use crate::tax::calculation::Calculation;
use crate::value::{Amount, Exact, Rate};

/// The base by the rule, and where it comes from.
pub(super) fn choose_base(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    calculation: &mut Calculation<'_>,
) -> RuleResult<(Exact, BaseItbi)> {
    let declared = (p.valor_transacao.exact(), BaseItbi::ValorTransacao);
    // A caller without a reference value may send zero. It is not a base.
    match (c.base, p.valor_venal_referencia.filter(|reference| *reference > Amount::ZERO)) {
        (BaseItbi::Maior, Some(reference)) if reference > p.valor_transacao => {
            Ok((reference.exact(), BaseItbi::ValorVenalReferencia))
        }
        (BaseItbi::ValorTransacao, _) | (BaseItbi::Maior, Some(_)) => Ok(declared),
        (BaseItbi::Maior, None) => {
            calculation.warn(
                Condicao::Campo,
                "A regra usa o maior entre o valor da transação e o valor venal de referência; este não foi informado, e o cálculo usou o declarado.",
            );
            Ok(declared)
        }
        (BaseItbi::ValorVenalReferencia, Some(reference)) => Ok((reference.exact(), BaseItbi::ValorVenalReferencia)),
        (BaseItbi::ValorVenalReferencia, None) => Err(regra.recusa_de_campo(
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
    (base, whole): (Exact, Exact),
    calculation: &mut Calculation<'_>,
) -> RuleResult<Option<(Exact, Rate)>> {
    let Some(financed) = p.valor_financiado else { return Ok(None) };
    if !p.financiado_sfh {
        calculation.warn(Condicao::Campo, "`valor_financiado` só conta com `financiado_sfh` true; foi ignorado.");
        return Ok(None);
    }
    let Some(sfh) = &c.sfh else {
        calculation.warn(
            Condicao::Campo,
            "A regra do município não dá tratamento próprio à parte financiada pelo SFH; tudo pagou a alíquota geral.",
        );
        return Ok(None);
    };
    if let Some(limit) = sfh.limite_imovel {
        let limit = regra.figura("sfh.limite_imovel", limit)?;
        if whole.compare(limit.exact())? == std::cmp::Ordering::Greater {
            let sentence = format!("O imóvel passa do limite de {limit} e perde a alíquota do SFH.");
            calculation.warn(Condicao::Beneficio, sentence);
            return Ok(None);
        }
    }
    let rate = regra.figura("sfh.aliquota", sfh.aliquota)?;
    let part = match sfh.limite_financiado {
        Some(limit) => financed.exact().min(regra.figura("sfh.limite_financiado", limit)?.exact())?,
        None => financed.exact(),
    };
    Ok(Some((part.min(base)?, rate)))
}
