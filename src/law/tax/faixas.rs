//! Brackets: marginal (each slice at its own rate) or integral (the whole at the rate of its bracket), as the law of
//! each tax says.

use std::cmp::Ordering::Greater;

use super::figures::Money;
use super::formula::Formula;
use super::isencao::Unidade;
use crate::base::document::{Faults, Path};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Exact, Figura, Rate};
use crate::rule::{Regra, RuleResult};

taxd_base::vocabulary! {
    /// How the rates of brackets apply.
    pub enum Metodo {
        Marginal = "marginal" => "Cada parte pela sua faixa",
        Integral = "integral" => "Tudo pela faixa do total",
    }
}

taxd_base::document! {
    /// One bracket: from the end of the one before to `ate`, that value included.
    pub struct Faixa {
        ate: Option<Amount>, "Último valor da faixa" + "; nulo na última";
        aliquota: Figura<Rate>, "Alíquota da faixa";
    }
}

taxd_base::components! {
    /// The part of the tax that one bracket contributed.
    pub struct Parcela {
        faixa: i64, "Número da faixa";
        de: Money, "Início da faixa" + ", em reais ou na medida que a distingue";
        ate: Option<Money>, "Fim da faixa" + "; nulo na última";
        base: Money, "Parte da base na faixa";
        aliquota: Rate, "Alíquota da faixa";
        imposto: Money, "Imposto da faixa";
    }
}

/// Adds a fault unless the limits ascend and only the last is open.
pub fn check_limits(limites: &[Option<Amount>], at: &Path<'_>, faults: &mut Faults) {
    let mut previous: Option<Amount> = None;
    for (i, limite) in limites.iter().enumerate() {
        let here = at.index(i);
        let last = i + 1 == limites.len();
        match limite {
            None if !last => {
                faults.add(&here, ErrorCode::ValorInvalido, "Só a última faixa pode ter `ate` nulo.");
            }
            Some(_) if last => {
                faults.add(
                    &here,
                    ErrorCode::ValorInvalido,
                    "A última faixa precisa ter `ate` nulo: acima dela não há outra.",
                );
            }
            Some(limite) if previous.is_some_and(|p| p >= *limite) => {
                faults.add(
                    &here,
                    ErrorCode::ValorInvalido,
                    format!("As faixas precisam crescer; {limite} não passa da anterior."),
                );
            }
            _ => {}
        }
        previous = *limite;
    }
}

/// How a rule taxes: at one rate, or by brackets with their method.
#[derive(Clone, Copy)]
pub struct Tributacao<'a> {
    pub aliquota: Option<Figura<Rate>>,
    pub faixas: &'a [Faixa],
    pub metodo: Option<Metodo>,
}

pub struct Devido {
    /// The tax: exact at one rate, the sum of the shown parts by brackets.
    pub(super) imposto: Formula,
    /// The rate, or that of the bracket reached.
    pub aliquota: Rate,
    /// The part of each bracket; `None` at one rate.
    pub parcelas: Option<Vec<Parcela>>,
}

impl Tributacao<'_> {
    /// Adds a fault unless there is one rate, or valid brackets.
    pub fn check(self, at: &Path<'_>, faults: &mut Faults) {
        if self.aliquota.is_some() != self.faixas.is_empty() {
            let detail = "Informe `aliquota` (ou null, se não está estabelecida) ou `faixas`, uma das duas.";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        if !self.faixas.is_empty() && self.metodo.is_none() {
            let detail = "Faixas precisam de `metodo`: marginal ou integral.";
            faults.add(&at.key("metodo"), ErrorCode::CampoObrigatorio, detail);
        }
        let limites: Vec<_> = self.faixas.iter().map(|f| f.ate).collect();
        check_limits(&limites, &at.key("faixas"), faults);
    }

    /// The tax on `base`. `unidade` is that of the limits.
    pub(super) fn apply(self, regra: &Regra, base: &Formula, unidade: Limites) -> RuleResult<Devido> {
        self.apply_by(regra, base, base.exact(), unidade)
    }

    /// The same, if a `medida` other than the base selects the integral bracket: the value or the power of a
    /// vehicle. Marginal brackets are always slices of the base.
    pub(super) fn apply_by(self, regra: &Regra, base: &Formula, medida: Exact, unidade: Limites) -> RuleResult<Devido> {
        match (self.aliquota, self.metodo) {
            (None, Some(metodo)) => {
                let reaches = if metodo == Metodo::Marginal { base.exact() } else { medida };
                by_brackets(regra, self.faixas, metodo, (base, reaches), unidade)
            }
            (aliquota, _) => {
                let aliquota = regra.figura("aliquota", aliquota)?;
                Ok(Devido { imposto: base * aliquota, aliquota, parcelas: None })
            }
        }
    }
}

/// The unit of the limits of brackets, and the value in BRL of a fiscal unit.
#[derive(Clone, Copy)]
pub(super) struct Limites {
    pub(super) unidade: Unidade,
    pub(super) fiscal_unit: Option<Amount>,
}

impl Limites {
    /// Limits in BRL, or in the measure that selects the bracket.
    pub(super) const STATED: Limites = Limites { unidade: Unidade::Brl, fiscal_unit: None };
}

/// The tax by brackets, up to the one that the second number falls in.
fn by_brackets(
    regra: &Regra,
    faixas: &[Faixa],
    metodo: Metodo,
    (base, reaches): (&Formula, Exact),
    limites: Limites,
) -> RuleResult<Devido> {
    let mut imposto: Option<Formula> = None;
    let mut parcelas = Vec::new();
    let mut floor = base.beside(0);
    for (i, faixa) in faixas.iter().enumerate() {
        let ceiling = faixa.ate.map(|ate| limites.unidade.in_brl(base.beside(ate), limites.fiscal_unit).settled());
        let is_last = match &ceiling {
            Some(ceiling) => reaches.compare(ceiling.exact())? != Greater,
            None => true,
        };
        if metodo == Metodo::Marginal || is_last {
            let aliquota = regra.figura(format_args!("faixas[{i}].aliquota"), faixa.aliquota)?;
            let top = ceiling.as_ref().filter(|_| !is_last).unwrap_or(base);
            let slice = if metodo == Metodo::Integral || i == 0 { top.clone() } else { top - &floor };
            // The parts are shown, so each is rounded before they are added.
            let part = (&slice * aliquota).rounded(2);
            parcelas.push(Parcela {
                faixa: i64::try_from(i + 1).unwrap_or(i64::MAX),
                de: Money::rounded(floor.exact())?,
                ate: ceiling.as_ref().map(|ceiling| Money::rounded(ceiling.exact())).transpose()?,
                base: Money::rounded(slice.exact())?,
                aliquota,
                imposto: Money::rounded(part.exact())?,
            });
            let total = match imposto {
                Some(so_far) => so_far + part,
                None => part,
            };
            if is_last {
                return Ok(Devido { imposto: total, aliquota, parcelas: Some(parcelas) });
            }
            imposto = Some(total);
        }
        floor = ceiling.unwrap_or_else(|| base.clone());
    }
    Err(regra.sem_conteudo("faixas"))
}
