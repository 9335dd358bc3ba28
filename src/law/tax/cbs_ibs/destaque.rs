//! The amount to show on the document: the rate, its reduction, and the two parts of the IBS.

use super::Conteudo;
use super::classificacao::Chosen;
use super::lista::leaves_nothing;
use crate::base::document::Sometimes;
use crate::base::value::{Exact, Figura, Rate, Text};
use crate::rule::{Regra, RuleResult};
use crate::tax::calculation::Calculation;
use crate::tax::figures::{Money, Percent};
use crate::tax::formula::{Formula, Points};

/// A rate of a rule has at most these places, so a sum of rates is exact.
const RATE_PLACES: u32 = 6;
/// A reduced rate is rounded to these places of a percent point, as the official calculator of the federal revenue
/// does, and as the fields of the fiscal documents have them.
const REDUCED_PLACES: u32 = 2;

taxd_base::components! {
    /// The part of the IBS that belongs to the State or to the municipality.
    pub struct ParcelaIbs {
        aliquota: Rate, "Alíquota";
        aliquota_efetiva: Sometimes<Percent>, "Alíquota depois da redução" + ", se a classificação tributária foi informada";
        valor: Money, "Valor a destacar";
        valor_diferido: Sometimes<Money>, "Valor diferido" + ", na classificação que difere o recolhimento";
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

/// One rate, of the Union, the State or the municipality.
struct Part {
    aliquota: Rate,
    /// After the reduction, in percent points.
    efetiva: Formula,
    shown: Percent,
}

/// The amount of one rate.
struct Due {
    valor: Money,
    /// The amount whose payment is deferred: the whole of it, as the group `gDif` of the fiscal document does for each
    /// part (NT 2025.002).
    diferido: Option<Money>,
}

impl Part {
    fn of(aliquota: Rate, reducao: Option<Rate>, calculation: &Calculation<'_>) -> RuleResult<Part> {
        let whole = calculation.formula(Points(aliquota));
        let efetiva = match reducao.filter(|reducao| *reducao > Rate::ZERO) {
            Some(reducao) => whole.reduced_by(reducao).rounded(REDUCED_PLACES),
            None => whole,
        };
        let shown = Percent::rounded(efetiva.exact(), RATE_PLACES)?;
        Ok(Part { aliquota, efetiva, shown })
    }

    /// The amount on `base`, as the step `nome`.
    fn due(
        &self,
        (base, deferred): (&Formula, bool),
        nome: &'static str,
        ground: &Text,
        calculation: &mut Calculation<'_>,
    ) -> RuleResult<Due> {
        let due = base * self.shown;
        if !deferred {
            return Ok(Due { valor: calculation.step(nome, ground, due)?.shown, diferido: None });
        }
        let whole = Money::rounded(due.exact())?;
        let rest = (due.rounded(2) - whole).noting(|| "recolhimento diferido".to_owned());
        Ok(Due { valor: calculation.step(nome, ground, rest)?.shown, diferido: Some(whole) })
    }

    fn shown(&self, due: &Due, classified: bool) -> ParcelaIbs {
        ParcelaIbs {
            aliquota: self.aliquota,
            aliquota_efetiva: Sometimes(classified.then_some(self.shown)),
            valor: due.valor,
            valor_diferido: Sometimes(due.diferido),
        }
    }
}

impl Destaque {
    /// Reduces each rate and rounds each part by itself, as the document shows them, so that the parts add up to the
    /// total (LC 214/2025, art. 16, sole paragraph: the reduction is of the rate of each entity). Refuses a rate that
    /// is not established, unless the classification leaves nothing of it.
    pub(super) fn of(
        regra: &Regra,
        conteudo: &Conteudo,
        chosen: Option<&Chosen>,
        base: &Formula,
        calculation: &mut Calculation<'_>,
    ) -> RuleResult<Destaque> {
        let Some(aliquota) = conteudo.aliquota else { return Err(regra.sem_conteudo("aliquota")) };
        let ground = &chosen.map_or(regra, |chosen| &chosen.regra).citacao_legal;
        let (classified, reducao) = (chosen.is_some(), chosen.and_then(|chosen| chosen.reducao));
        if classified && reducao.is_none() || leaves_nothing(reducao) && is_unknown(conteudo) {
            return Destaque::nothing(reducao, ground, calculation);
        }
        let own = Part::of(regra.figura("aliquota", aliquota)?, reducao, calculation)?;
        let municipal = match conteudo.aliquota_municipal {
            Some(municipal) => Some(Part::of(regra.figura("aliquota_municipal", municipal)?, reducao, calculation)?),
            None => None,
        };
        let (points, efetiva) = match &municipal {
            Some(part) => (own.aliquota.points() + part.aliquota.points(), &own.efetiva + &part.efetiva),
            None => (own.aliquota.points(), own.efetiva.clone()),
        };
        let (aliquota, shown) =
            (Percent::rounded(points, RATE_PLACES)?, Percent::rounded(efetiva.exact(), RATE_PLACES)?);
        if reducao.is_some_and(|reducao| reducao > Rate::ZERO) {
            calculation.note("aliquota_efetiva", ground, shown, efetiva);
        }
        let base = (base, chosen.is_some_and(|chosen| chosen.diferido));
        let Some(part) = municipal else {
            let Due { valor, diferido } = own.due(base, "valor_destaque", ground, calculation)?;
            return Ok(Destaque { valor, aliquota, efetiva: shown, diferido, estadual: None, municipal: None });
        };
        let of_state = own.due(base, "parcela_estadual", ground, calculation)?;
        let of_town = part.due(base, "parcela_municipal", ground, calculation)?;
        let total = calculation.formula(of_state.valor) + of_town.valor;
        let valor = calculation.step("valor_destaque", ground, total)?.shown;
        let diferido = match (of_state.diferido, of_town.diferido) {
            (Some(state), Some(town)) => {
                Some(Money::rounded(Exact::from(state.decimal()) + Exact::from(town.decimal()))?)
            }
            _ => None,
        };
        Ok(Destaque {
            valor,
            aliquota,
            efetiva: shown,
            diferido,
            estadual: Some(own.shown(&of_state, classified)),
            municipal: Some(part.shown(&of_town, classified)),
        })
    }

    /// No rate, or a reduction of all of it, and nothing due.
    fn nothing(reducao: Option<Rate>, ground: &Text, calculation: &mut Calculation<'_>) -> RuleResult<Destaque> {
        let none = Percent::rounded(Exact::ZERO, RATE_PLACES)?;
        let why = || match reducao {
            Some(reducao) => format!("redução de {reducao}%"),
            None => "sem alíquota".to_owned(),
        };
        let valor = calculation.step("valor_destaque", ground, calculation.formula(0).noting(why))?.shown;
        Ok(Destaque { valor, aliquota: none, efetiva: none, diferido: None, estadual: None, municipal: None })
    }
}

fn is_unknown(conteudo: &Conteudo) -> bool {
    let unknown = |figura: Option<Figura<Rate>>| figura.is_some_and(|figura| figura.established().is_none());
    unknown(conteudo.aliquota) || unknown(conteudo.aliquota_municipal)
}
