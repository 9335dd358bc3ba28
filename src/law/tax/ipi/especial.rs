//! The special regime by option, whose tax is a rate on the base and an amount a unit (RIPI, art. 212-B), and the base
//! that is a part of the retail price (art. 212-A).

use super::{Conteudo, Payload};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Rate, Text};
use crate::rule::{Condicao, Regra, RuleResult};
use crate::tax::calculation::{Calculation, Noted};
use crate::tax::formula::Formula;
use crate::tax::monofasico::{by_quantity, needed_option, needed_quantity};

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

    pub(super) fn by_unit(&self, calculation: &Calculation<'_>) -> Formula {
        by_quantity(self.valor, self.quantidade, &self.unidade, calculation)
    }
}

/// The base by the rule: a part of the retail price, or the value of the operation.
pub(super) fn base(p: &Payload, regra: &Regra, c: &Conteudo, calculation: &mut Calculation<'_>) -> RuleResult<Noted> {
    let Some(percent) = c.percentual_varejo else {
        let operation = calculation.sum(&[p.valor_produto, p.frete, p.despesas]);
        return calculation.step("base_calculo", &regra.citacao_legal, operation);
    };
    let percent = regra.figura("percentual_varejo", percent)?;
    let retail = p.preco_venda_varejo.ok_or_else(|| {
        regra.refusal_of_field(
            ErrorCode::CampoObrigatorio,
            "preco_venda_varejo",
            "A base desta regra é parte do preço de venda no varejo: informe `preco_venda_varejo`, o de toda a quantidade.",
        )
    })?;
    calculation.step("base_calculo", &regra.citacao_legal, calculation.formula(retail) * percent)
}
