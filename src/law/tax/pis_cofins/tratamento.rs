//! What a rule of PIS or COFINS makes of an operation: its situation, and how the amount comes about.

use super::{Conteudo, Payload, PorComprador, SituacaoOperacao, Tipo, VendaA};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Figura, Rate, Text};
use crate::rule::{Regra, RuleResult};
use crate::tax::calculation::Calculation;
use crate::tax::formula::Formula;
use crate::tax::monofasico::{Papel, by_quantity, needed_option, needed_quantity, needed_role};

/// The treatment of an operation.
pub(super) struct Treatment {
    pub(super) situacao: SituacaoOperacao,
    pub(super) cobranca: Cobranca,
    pub(super) motivo_zero: Option<Text>,
}

/// How the amount comes about.
pub(super) enum Cobranca {
    Aliquota(Rate),
    PorUnidade(Unitaria),
    Nenhuma,
}

/// An amount a unit, and the units.
pub(super) struct Unitaria {
    pub(super) valor: Amount,
    pub(super) unidade: Text,
    pub(super) quantidade: Amount,
}

impl Cobranca {
    /// The amount due on `base`.
    pub(super) fn due(&self, base: &Formula, situacao: SituacaoOperacao, calculation: &Calculation<'_>) -> Formula {
        match self {
            Cobranca::Aliquota(rate) => base * rate,
            Cobranca::PorUnidade(Unitaria { valor, unidade, quantidade }) => {
                by_quantity(*valor, *quantidade, unidade, calculation)
            }
            Cobranca::Nenhuma => calculation.formula(0).noting(|| situacao.in_words().to_owned()),
        }
    }

    /// The rate that an answer shows; none if the amount is by unit.
    pub(super) fn rate(&self) -> Option<Rate> {
        match self {
            Cobranca::Aliquota(rate) => Some(*rate),
            Cobranca::PorUnidade(_) => None,
            Cobranca::Nenhuma => Some(Rate::ZERO),
        }
    }
}

impl Treatment {
    /// The treatment by `regra`. Refuses a payload that lacks what the rule distinguishes, a figure that is not
    /// established, and every operation after the contribution was extinguished.
    pub(super) fn of(p: &Payload, regra: &Regra) -> RuleResult<Treatment> {
        let c = regra.conteudo::<Conteudo>()?;
        match c.tipo {
            Tipo::AliquotaZero => Ok(Treatment {
                situacao: SituacaoOperacao::AliquotaZero,
                cobranca: Cobranca::Nenhuma,
                motivo_zero: c.motivo_zero.clone(),
            }),
            Tipo::Monofasico => match needed_role(p.papel_na_cadeia, regra)? {
                Papel::Revenda => Ok(Treatment {
                    situacao: SituacaoOperacao::MonofasicoRevenda,
                    cobranca: Cobranca::Nenhuma,
                    motivo_zero: c.motivo_zero_revenda.clone(),
                }),
                Papel::FabricanteImportador => concentrated(p, regra, c),
            },
            Tipo::Ordinario | Tipo::AliquotaReduzida | Tipo::MarcadorAutopropulsado => by_rate(regra, c.aliquota),
            Tipo::Extinto => {
                let reason = c.motivo_extincao.as_ref().map(Text::as_str).unwrap_or_default();
                Err(regra.refusal(ErrorCode::TributoExtinto, reason))
            }
        }
    }
}

/// The contribution of the manufacturer or importer, who pays for the whole chain.
fn concentrated(p: &Payload, regra: &Regra, c: &Conteudo) -> RuleResult<Treatment> {
    if let Some(rates) = &c.por_comprador {
        return by_rate(regra, Some(rate_of_buyer(p, regra, rates)?));
    }
    let Some(by_unit) = &c.por_unidade else { return by_rate(regra, c.aliquota) };
    if !needed_option(p.regime_especial, regra)? {
        return by_rate(regra, c.aliquota);
    }
    let valor = regra.figura("por_unidade.valor", by_unit.valor)?;
    let why = "No regime especial, a contribuição é por unidade";
    let quantidade = needed_quantity(p.quantidade, why, by_unit.unidade.as_str(), regra)?;
    Ok(taxed(Cobranca::PorUnidade(Unitaria { valor, unidade: by_unit.unidade.clone(), quantidade })))
}

fn by_rate(regra: &Regra, aliquota: Option<Figura<Rate>>) -> RuleResult<Treatment> {
    Ok(taxed(Cobranca::Aliquota(regra.figura("aliquota", aliquota)?)))
}

fn taxed(cobranca: Cobranca) -> Treatment {
    Treatment { situacao: SituacaoOperacao::Tributado, cobranca, motivo_zero: None }
}

fn rate_of_buyer(p: &Payload, regra: &Regra, rates: &PorComprador) -> RuleResult<Figura<Rate>> {
    match p.venda_a {
        Some(VendaA::VarejistaConsumidorFinal) => Ok(rates.varejista_consumidor_final),
        Some(VendaA::Demais) => Ok(rates.demais),
        None => {
            let mut detail = "A regra distingue o comprador: informe `venda_a`".to_owned();
            match (rates.demais.established(), &regra.motivo) {
                (None, Some(motivo)) => {
                    detail.push_str(". Só `varejista_consumidor_final` tem alíquota nesta regra. ");
                    detail.push_str(motivo.as_str());
                }
                _ => detail.push_str(": `varejista_consumidor_final` ou `demais`."),
            }
            Err(regra.refusal_of_field(ErrorCode::VendaAAusente, "venda_a", detail))
        }
    }
}
