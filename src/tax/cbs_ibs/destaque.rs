//! The amount to show on the document: the rate, its reduction, and the two parts of the IBS.

use super::Conteudo;
use super::classificacao::Chosen;
use super::lista::leaves_nothing;
use crate::document::Sometimes;
use crate::rule::{Regra, RuleResult};
use crate::tax::calculation::Calculation;
use crate::tax::figures::{Money, Percent};
use crate::value::{Exact, Figura, Rate};

/// A rate of a rule has at most these places, so a sum of rates is exact.
const RATE_PLACES: u32 = 6;
/// A reduced rate is rounded to these places of a percent point, as the official calculator of the federal revenue
/// does, and as the fields of the fiscal documents have them.
const REDUCED_PLACES: u32 = 2;

crate::components! {
    /// The part of the IBS that belongs to the State or to the municipality.
    pub struct ParcelaIbs {
        aliquota: Rate, "Alíquota";
        aliquota_efetiva: Sometimes<Percent>, "Alíquota depois da redução" + ", se a classificação tributária foi informada";
        valor: Money, "Valor a destacar";
        valor_diferido: Sometimes<Money>, "Valor diferido" + ", na classificação que difere o recolhimento";
    }
}

impl ParcelaIbs {
    /// The rate that multiplied the base, as text.
    pub(super) fn efetiva(&self) -> String {
        self.aliquota_efetiva.0.map_or_else(|| self.aliquota.to_string(), |efetiva| efetiva.to_string())
    }

    /// Defers the whole amount, as the group `gDif` of the fiscal document does for each part (NT 2025.002).
    fn defer(&mut self) -> RuleResult<()> {
        self.valor_diferido = Sometimes(Some(std::mem::replace(&mut self.valor, Money::rounded(Exact::ZERO)?)));
        Ok(())
    }
}

/// The amount, with its parts if the IBS has two.
pub(super) struct Destaque {
    pub(super) valor: Money,
    /// Before the reduction.
    pub(super) aliquota: Percent,
    /// After it.
    pub(super) efetiva: Percent,
    /// The amount whose payment is deferred.
    pub(super) diferido: Option<Money>,
    pub(super) estadual: Option<ParcelaIbs>,
    pub(super) municipal: Option<ParcelaIbs>,
}

/// One rate applied to the base.
struct Part {
    aliquota: Rate,
    efetiva: Exact,
    valor: Money,
}

impl Part {
    fn of(aliquota: Rate, reducao: Option<Rate>, base: Exact) -> RuleResult<Part> {
        let efetiva = match reducao.filter(|reducao| *reducao > Rate::ZERO) {
            Some(reducao) => (aliquota.points() * (Exact::ONE - reducao.fraction())).rounded(REDUCED_PLACES),
            None => aliquota.points(),
        };
        Ok(Part { aliquota, efetiva, valor: Money::rounded(base * efetiva.percent())? })
    }

    fn shown(self, classified: bool) -> RuleResult<ParcelaIbs> {
        let efetiva = if classified { Some(Percent::rounded(self.efetiva, RATE_PLACES)?) } else { None };
        Ok(ParcelaIbs {
            aliquota: self.aliquota,
            aliquota_efetiva: Sometimes(efetiva),
            valor: self.valor,
            valor_diferido: Sometimes(None),
        })
    }
}

impl Destaque {
    /// Reduces each rate and rounds each part by itself, as the document shows them, so that the parts add up to the
    /// total (LC 214/2025, art. 16, sole paragraph: the reduction is of the rate of each entity). Refuses a rate that
    /// is not established, unless the classification leaves nothing of it.
    pub(super) fn of(regra: &Regra, conteudo: &Conteudo, chosen: Option<&Chosen>, base: Exact) -> RuleResult<Destaque> {
        let Some(aliquota) = conteudo.aliquota else { return Err(regra.sem_conteudo("aliquota")) };
        let (classified, reducao) = (chosen.is_some(), chosen.and_then(|chosen| chosen.reducao));
        if classified && reducao.is_none() || leaves_nothing(reducao) && is_unknown(conteudo) {
            return Destaque::nothing();
        }
        let own = Part::of(regra.figura("aliquota", aliquota)?, reducao, base)?;
        let mut destaque = match conteudo.aliquota_municipal {
            None => Destaque {
                valor: own.valor,
                aliquota: Percent::rounded(own.aliquota.points(), RATE_PLACES)?,
                efetiva: Percent::rounded(own.efetiva, RATE_PLACES)?,
                diferido: None,
                estadual: None,
                municipal: None,
            },
            Some(municipal) => {
                let municipal = Part::of(regra.figura("aliquota_municipal", municipal)?, reducao, base)?;
                Destaque {
                    valor: Money::rounded(Exact::from(own.valor.decimal()) + Exact::from(municipal.valor.decimal()))?,
                    aliquota: Percent::rounded(own.aliquota.points() + municipal.aliquota.points(), RATE_PLACES)?,
                    efetiva: Percent::rounded(own.efetiva + municipal.efetiva, RATE_PLACES)?,
                    diferido: None,
                    estadual: Some(own.shown(classified)?),
                    municipal: Some(municipal.shown(classified)?),
                }
            }
        };
        if chosen.is_some_and(|chosen| chosen.diferido) {
            destaque.diferido = Some(std::mem::replace(&mut destaque.valor, Money::rounded(Exact::ZERO)?));
            for parcela in [&mut destaque.estadual, &mut destaque.municipal].into_iter().flatten() {
                parcela.defer()?;
            }
        }
        Ok(destaque)
    }

    /// Notes the steps of the calculation.
    pub(super) fn note(&self, national: &Regra, chosen: Option<&Chosen>, calculation: &mut Calculation<'_>) {
        let fundamento = chosen.map_or(national, |chosen| &chosen.regra);
        let parts = self.estadual.as_ref().zip(self.municipal.as_ref());
        if let Some(reducao) = chosen.and_then(|chosen| chosen.reducao).filter(|reducao| *reducao > Rate::ZERO) {
            calculation.step("aliquota_efetiva", fundamento, self.efetiva, || match parts {
                Some((estadual, municipal)) => {
                    format!("({}% + {}%) × (1 − {reducao}%)", estadual.aliquota, municipal.aliquota)
                }
                None => format!("{}% × (1 − {reducao}%)", self.aliquota),
            });
        }
        if let Some((estadual, municipal)) = parts {
            for (nome, parcela) in [("parcela_estadual", estadual), ("parcela_municipal", municipal)] {
                calculation.step(nome, fundamento, parcela.valor, || match parcela.valor_diferido.0 {
                    Some(diferido) => format!("base × {}% − {diferido} de valor diferido", parcela.efetiva()),
                    None => format!("base × {}%", parcela.efetiva()),
                });
            }
        }
        calculation.step("valor_destaque", fundamento, self.valor, || match (chosen, parts) {
            (Some(chosen), _) if chosen.reducao.is_none() => "sem alíquota".to_owned(),
            (Some(chosen), _) if chosen.diferido => "recolhimento diferido".to_owned(),
            (_, Some((estadual, municipal))) => format!("{} + {}", estadual.valor, municipal.valor),
            _ => format!("base × {}%", self.efetiva),
        });
    }

    /// No rate, and nothing due.
    fn nothing() -> RuleResult<Destaque> {
        let none = Percent::rounded(Exact::ZERO, RATE_PLACES)?;
        let valor = Money::rounded(Exact::ZERO)?;
        Ok(Destaque { valor, aliquota: none, efetiva: none, diferido: None, estadual: None, municipal: None })
    }
}

fn is_unknown(conteudo: &Conteudo) -> bool {
    let unknown = |figura: Option<Figura<Rate>>| figura.is_some_and(|figura| figura.established().is_none());
    unknown(conteudo.aliquota) || unknown(conteudo.aliquota_municipal)
}
