//! The base of substitution: margin or price list, by the rule's criterion, with its
//! reductions (Convênio ICMS 142/2018, cláusulas décima a décima quarta).

use std::cmp::Ordering::{Greater, Less};

use super::{BaseMetodo, Conteudo, Criterio, Momento, Payload};
use crate::base::problem::Problem;
use crate::base::value::{Exact, Rate, Text};
use crate::rule::{Condicao, Regra, RuleResult};
use crate::tax::calculation::Calculation;
use crate::tax::figures::{Money, Percent};
use crate::tax::formula::{Formula, Quantity};
use crate::tax::monofasico::needed_quantity;

/// An operation whose base of substitution is computed.
pub(super) struct Operation<'a> {
    pub(super) p: &'a Payload,
    pub(super) regra: &'a Regra,
    pub(super) conteudo: &'a Conteudo,
    pub(super) interna: Rate,
    /// The interstate rate; `None` inside a UF.
    pub(super) inter: Option<Rate>,
    pub(super) fcp: Option<Rate>,
}

/// The base that won.
pub(super) struct Base {
    pub(super) value: Formula,
    pub(super) shown: Money,
    pub(super) metodo: BaseMetodo,
    /// The margin applied; `None` for a price list.
    pub(super) mva: Option<Percent>,
    /// The margin that the rule states, if it was adjusted.
    pub(super) mva_original: Option<Rate>,
}

/// One plus the margin, as a factor of the base.
struct Margin {
    factor: Formula,
    mva: Percent,
    /// The stated one, if it was adjusted.
    original: Option<Rate>,
}

impl Operation<'_> {
    /// The base by the rule's criterion.
    pub(super) fn base(&self, calculation: &mut Calculation<'_>) -> RuleResult<Base> {
        let criterio = self.conteudo.criterio;
        let list = if criterio == Criterio::Mva { None } else { Some(self.list_base(calculation)?) };
        let value = self.value(calculation);
        let margin = match (criterio, &list) {
            (Criterio::Pauta, _) => None,
            (Criterio::PautaSalvoPercentual, Some(list)) if !self.reaches_percent_of(&value, list)? => None,
            _ => Some(self.margin(calculation)?),
        };
        let cut = self.conteudo.reducao_base.map(|cut| self.regra.figura("reducao_base", cut)).transpose()?;
        let (before, after) = match self.conteudo.reducao_momento {
            Momento::AposMargem => (None, cut),
            Momento::AntesMargem => (cut, None),
        };
        let reduced = |base: Formula, cut: Option<Rate>| cut.map_or(base.clone(), |cut| base.reduced_by(cut));
        let by_margin = margin.map(|margin| (reduced(value * &margin.factor, before), margin));
        match (by_margin, list) {
            (Some((base, _)), Some(list))
                if criterio == Criterio::Maior && base.exact().compare(list.exact())? == Less =>
            {
                self.won(reduced(base.max(&list)?, after), None, calculation)
            }
            (Some((base, margin)), list) => {
                self.note_margin(&margin, calculation);
                let base = match list {
                    Some(list) if criterio == Criterio::Maior => base.max(&list)?,
                    _ => base,
                };
                self.won(reduced(base, after), Some(margin), calculation)
            }
            (None, Some(list)) => self.won(reduced(list, after), None, calculation),
            (None, None) => Err(self.regra.sem_conteudo("pauta")),
        }
    }

    fn won(&self, value: Formula, margin: Option<Margin>, calculation: &mut Calculation<'_>) -> RuleResult<Base> {
        let metodo = if margin.is_some() { BaseMetodo::Mva } else { BaseMetodo::Pauta };
        let step = calculation.step("base_calculo_st", &self.regra.citacao_legal, value)?;
        let (mva, mva_original) = margin.map_or((None, None), |margin| (Some(margin.mva), margin.original));
        Ok(Base { value: step.exact, shown: step.shown, metodo, mva, mva_original })
    }

    fn value(&self, calculation: &Calculation<'_>) -> Formula {
        calculation.sum(&[self.p.valor_produto.amount(), self.p.ipi, self.p.frete, self.p.despesas])
    }

    fn reaches_percent_of(&self, value: &Formula, list: &Formula) -> RuleResult<bool> {
        let percent = self.regra.figura("percentual_pauta", self.conteudo.percentual_pauta)?;
        Ok(value.exact().compare(list.exact() * percent.fraction())? != Less)
    }

    /// Price list times quantity; a quantity that is missing or zero is a refusal in the rule's name.
    fn list_base(&self, calculation: &Calculation<'_>) -> RuleResult<Formula> {
        let pauta = self.regra.figura("pauta", self.conteudo.pauta)?;
        let unit = self.conteudo.unidade.as_ref().map_or("a unidade da pauta", Text::as_str);
        let quantity = self
            .p
            .quantidade
            .checked()
            .map_err(|faults| Box::new(Problem::from_faults(faults).by_rule(self.regra.citada())))?;
        let quantity = needed_quantity(quantity, "A base desta regra é a pauta", unit, self.regra)?;
        Ok(calculation.formula(pauta) * Quantity(quantity))
    }

    /// One plus the margin, adjusted by (1 − inter) ÷ (1 − interna) if the rule says so.
    fn margin(&self, calculation: &Calculation<'_>) -> RuleResult<Margin> {
        let one = calculation.formula(1);
        let original = self.regra.figura("mva", self.conteudo.mva)?;
        let (stated, adjusts_by) = (&one + original, self.adjusts_by(calculation)?);
        let factor = match (adjusts_by, self.conteudo.mva_casas) {
            (None, _) => stated,
            (Some(inter), places) => {
                let adjusted = stated * (&one - inter) / (&one - self.inside(calculation));
                match places {
                    // Rounded in percent points.
                    Some(places) => adjusted.rounded(u32::try_from(places.get()).unwrap_or_default() + 2),
                    None => adjusted,
                }
            }
        };
        let mva = Percent::rounded((factor.exact() - Exact::ONE).as_points(), 2)?;
        Ok(Margin { factor, mva, original: adjusts_by.map(|_| original) })
    }

    fn note_margin(&self, margin: &Margin, calculation: &mut Calculation<'_>) {
        let points = (&margin.factor - 1) * 100;
        calculation.note("mva_aplicada", &self.regra.citacao_legal, margin.mva, points);
        if self.p.regime_simples_nacional && self.inter.is_some() && self.conteudo.ajustavel {
            let sentence = "A MVA não foi ajustada: o remetente é optante do Simples Nacional (Convênio ICMS 35/2011, cláusula primeira).";
            calculation.warn(Condicao::Regime, sentence);
        }
    }

    /// The interstate rate of the adjustment. `None` if the operation is internal, the rule forbids the adjustment, the
    /// seller is in the Simples Nacional (Convênio ICMS 35/2011, cláusula primeira), or the internal rate is not the
    /// higher one.
    fn adjusts_by(&self, calculation: &Calculation<'_>) -> RuleResult<Option<Rate>> {
        match self.inter.filter(|_| self.conteudo.ajustavel && !self.p.regime_simples_nacional) {
            Some(inter) if self.inside(calculation).exact().compare(inter.fraction())? == Greater => Ok(Some(inter)),
            _ => Ok(None),
        }
    }

    /// The internal rate of the adjustment.
    fn inside(&self, calculation: &Calculation<'_>) -> Formula {
        let interna = calculation.formula(self.interna);
        match self.fcp {
            Some(fcp) if self.conteudo.fcp_no_ajuste => interna + fcp,
            _ => interna,
        }
    }
}
