//! The base of substitution: margin or price list, by the rule's criterion, with its
//! reductions (Convênio ICMS 142/2018, cláusulas décima a décima quarta).

use std::cmp::Ordering::{Greater, Less};

use super::{BaseMetodo, Conteudo, Criterio, Momento, Payload};
use crate::rule::{Regra, RuleResult};
use crate::tax::calculation::{Calculation, sum, written_sum};
use crate::tax::figures::{Money, Percent};
use crate::tax::monofasico::needed_quantity;
use crate::value::{Exact, Figura, Rate, Text};

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
    pub(super) value: Exact,
    pub(super) metodo: BaseMetodo,
    /// The margin applied; `None` for a price list.
    pub(super) mva: Option<Percent>,
}

impl Operation<'_> {
    /// The base by the rule's criterion.
    pub(super) fn base(&self, calculation: &mut Calculation<'_>) -> RuleResult<Base> {
        let list = if self.conteudo.criterio == Criterio::Mva { None } else { Some(self.list_base()?) };
        let margin = match (self.conteudo.criterio, list) {
            (Criterio::Pauta, _) => None,
            (Criterio::PautaSalvoPercentual, Some(list)) if !self.reaches_percent_of(list)? => None,
            _ => Some(self.margin_base()?),
        };
        let (before, after) = self.reductions()?;
        if let (Some((base, factor)), list) = (margin, list) {
            let base = base * before;
            let list_wins = match list {
                Some(list) if self.conteudo.criterio == Criterio::Maior => base.compare(list)? == Less,
                _ => false,
            };
            if !list_wins {
                let mva = Percent::rounded((factor - Exact::ONE).as_points(), 2)?;
                calculation.step("mva_aplicada", self.regra, mva, || self.margin_written());
                return self.won(base * after, Some(mva), calculation);
            }
        }
        match list {
            Some(list) => self.won(list * after, None, calculation),
            None => Err(self.regra.sem_conteudo("pauta")),
        }
    }

    fn won(&self, value: Exact, mva: Option<Percent>, calculation: &mut Calculation<'_>) -> RuleResult<Base> {
        let metodo = if mva.is_some() { BaseMetodo::Mva } else { BaseMetodo::Pauta };
        calculation.step("base_calculo_st", self.regra, Money::rounded(value)?, || {
            let reduction = match self.conteudo.reducao_base.and_then(Figura::established) {
                Some(rate) if metodo == BaseMetodo::Mva || self.conteudo.reducao_momento == Momento::AposMargem => {
                    format!(" × (1 − {rate}%)")
                }
                _ => String::new(),
            };
            let p = self.p;
            match (metodo, self.conteudo.pauta.and_then(Figura::established), p.quantidade) {
                (BaseMetodo::Pauta, Some(pauta), Some(quantidade)) => format!("{pauta} × {quantidade}{reduction}"),
                _ => {
                    let parts = [p.valor_produto.amount(), p.ipi, p.frete, p.despesas];
                    format!("({}) × (1 + MVA aplicada){reduction}", written_sum(&parts))
                }
            }
        });
        Ok(Base { value, metodo, mva })
    }

    /// The factors that reduce the base before the margin and after it.
    fn reductions(&self) -> RuleResult<(Exact, Exact)> {
        let left = match self.conteudo.reducao_base {
            Some(reducao) => Exact::ONE - self.regra.figura("reducao_base", reducao)?.fraction(),
            None => Exact::ONE,
        };
        Ok(match self.conteudo.reducao_momento {
            Momento::AposMargem => (Exact::ONE, left),
            Momento::AntesMargem => (left, Exact::ONE),
        })
    }

    fn value(&self) -> Exact {
        self.p.valor_produto.exact() + sum(&[self.p.ipi, self.p.frete, self.p.despesas])
    }

    fn reaches_percent_of(&self, list: Exact) -> RuleResult<bool> {
        let percent = self.regra.figura("percentual_pauta", self.conteudo.percentual_pauta)?;
        Ok(self.value().compare(list * percent.fraction())? != Less)
    }

    /// Price list times quantity; a quantity that is missing or zero is a refusal in the rule's name.
    fn list_base(&self) -> RuleResult<Exact> {
        let pauta = self.regra.figura("pauta", self.conteudo.pauta)?;
        let unit = self.conteudo.unidade.as_ref().map_or("a unidade da pauta", Text::as_str);
        let quantity = needed_quantity(self.p.quantidade, "A base desta regra é a pauta", unit, self.regra)?;
        Ok(pauta.exact() * quantity.exact())
    }

    fn margin_base(&self) -> RuleResult<(Exact, Exact)> {
        let factor = self.margin_factor()?;
        Ok((self.value() * factor, factor))
    }

    /// One plus the margin, adjusted by (1 − inter) ÷ (1 − interna) if the rule says so.
    fn margin_factor(&self) -> RuleResult<Exact> {
        let mva = self.regra.figura("mva", self.conteudo.mva)?;
        let original = Exact::ONE + mva.fraction();
        let Some(inter) = self.adjusts_by()? else { return Ok(original) };
        let adjusted = original * (Exact::ONE - inter.fraction()) / (Exact::ONE - self.inside());
        Ok(match self.conteudo.mva_casas {
            Some(places) => {
                let points = (adjusted - Exact::ONE).as_points();
                Exact::ONE + points.rounded(u32::try_from(places.get()).unwrap_or_default()).percent()
            }
            None => adjusted,
        })
    }

    /// The interstate rate of the adjustment. `None` if the operation is internal, the rule forbids the adjustment, or
    /// the internal rate is not the higher one.
    fn adjusts_by(&self) -> RuleResult<Option<Rate>> {
        match self.inter.filter(|_| self.conteudo.ajustavel) {
            Some(inter) if self.inside().compare(inter.fraction())? == Greater => Ok(Some(inter)),
            _ => Ok(None),
        }
    }

    /// The internal rate of the adjustment, as a fraction.
    fn inside(&self) -> Exact {
        match self.fcp {
            Some(fcp) if self.conteudo.fcp_no_ajuste => self.interna.fraction() + fcp.fraction(),
            _ => self.interna.fraction(),
        }
    }

    fn margin_written(&self) -> String {
        let mva = self.conteudo.mva.and_then(Figura::established).map(|r| r.to_string()).unwrap_or_default();
        let Ok(Some(inter)) = self.adjusts_by() else { return format!("MVA original de {mva}%") };
        let inside = match self.fcp {
            Some(fcp) if self.conteudo.fcp_no_ajuste => format!("{}% − {fcp}%", self.interna),
            _ => format!("{}%", self.interna),
        };
        let places = match self.conteudo.mva_casas {
            Some(places) => format!(", com {} casas", places.get()),
            None => String::new(),
        };
        format!("(1 + {mva}%) × (1 − {inter}%) ÷ (1 − {inside}) − 1{places}")
    }
}
