//! The special regime by option, whose tax is a rate on the base and an amount a unit (RIPI, art. 212-B), and the base
//! that is a part of the retail price (art. 212-A).

use super::{Conteudo, Payload};
use crate::problem::ErrorCode;
use crate::rule::{Condicao, Regra, RuleResult};
use crate::tax::calculation::{Calculation, sum, written_sum};
use crate::tax::figures::Money;
use crate::tax::monofasico::{needed_option, needed_quantity};
use crate::value::{Amount, Exact, Rate, Text};

/// The special regime of an operation.
pub(super) struct Especial {
    pub(super) aliquota: Rate,
    pub(super) valor: Amount,
    pub(super) unidade: Text,
    pub(super) quantidade: Amount,
}

impl Especial {
    /// The special regime, if the rule has one and the taxpayer opted for it.
    pub(super) fn of(
        p: &Payload,
        regra: &Regra,
        c: &Conteudo,
        calculation: &mut Calculation<'_>,
    ) -> RuleResult<Option<Especial>> {
        let Some(especial) = &c.regime_especial else {
            if p.regime_especial == Some(true) {
                let sentence = "A regra não tem regime especial; `regime_especial` foi ignorado.";
                calculation.warn(Condicao::Campo, sentence);
            }
            return Ok(None);
        };
        if !needed_option(p.regime_especial, regra)? {
            return Ok(None);
        }
        let why = "No regime especial, parte do imposto é por unidade";
        Ok(Some(Especial {
            aliquota: regra.figura("regime_especial.aliquota", especial.aliquota)?,
            valor: regra.figura("regime_especial.valor", especial.valor)?,
            unidade: especial.unidade.clone(),
            quantidade: needed_quantity(p.quantidade, why, especial.unidade.as_str(), regra)?,
        }))
    }

    /// The amount by unit. It is shown, so it is rounded before it is added.
    pub(super) fn by_unit(&self, regra: &Regra, calculation: &mut Calculation<'_>) -> RuleResult<Money> {
        let Especial { valor, unidade, quantidade, .. } = self;
        let due = Money::rounded(valor.exact() * quantidade.exact())?;
        let unit = unidade.as_str();
        calculation.step("parcela_por_unidade", regra, due, || format!("{quantidade} {unit} × {valor} por {unit}"));
        Ok(due)
    }
}

/// The base by the rule: a part of the retail price, or the value of the operation.
pub(super) fn base(p: &Payload, regra: &Regra, c: &Conteudo, calculation: &mut Calculation<'_>) -> RuleResult<Exact> {
    let Some(percent) = c.percentual_varejo else {
        let parts = [p.valor_produto, p.frete, p.despesas];
        let base = sum(&parts);
        calculation.step("base_calculo", regra, Money::rounded(base)?, || written_sum(&parts));
        return Ok(base);
    };
    let percent = regra.figura("percentual_varejo", percent)?;
    let retail = p.preco_venda_varejo.ok_or_else(|| {
        regra.recusa_de_campo(
            ErrorCode::CampoObrigatorio,
            "preco_venda_varejo",
            "A base desta regra é parte do preço de venda no varejo: informe `preco_venda_varejo`, o de toda a quantidade.",
        )
    })?;
    let base = retail.exact() * percent.fraction();
    calculation.step("base_calculo", regra, Money::rounded(base)?, || format!("{retail} × {percent}%"));
    Ok(base)
}
