//! The share of each tax in the DAS: its percentage (LC 123/2006, art. 18, § 1º-B; Resolução CGSN 140/2018, art. 21, III),
//! and the revenue that segregation leaves to it (art. 18, §§ 4º-A, 12 and 14 of the law; art. 25 of the resolution).

use rust_decimal::Decimal;

use super::{Conteudo, FaixaDoAnexo, Mercado, Payload};
use crate::base::document::{Faults, Path};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Exact, Figura, Rate};
use crate::rule::{Regra, RuleResult};
use crate::tax::calculation::Calculation;
use crate::tax::figures::{Money, Percent};
use crate::tax::formula::Formula;

/// Places of a percentage as an answer shows it: as many as the examples of the PGDAS-D manual.
pub(super) const PLACES: u32 = 5;
pub(super) const EFETIVA: &str = "LC nº 123/2006, art. 18, § 1º-A; Resolução CGSN nº 140/2018, art. 21, II";
const PARTILHA: &str =
    "LC nº 123/2006, art. 18, §§ 1º-B, 3º, 4º-A, 12 e 14; Resolução CGSN nº 140/2018, arts. 21, III, e 25";

macro_rules! taxes {
    ($($variant:ident, $field:ident, $word:literal, $label:literal;)*) => {
        taxd_base::vocabulary! {
            /// The taxes of the DAS, in the order of the tables.
            pub enum TributoDas { $($variant = $word => $label,)* }
        }

        taxd_base::document! {
            /// How a band is shared among the taxes, in percent; a tax that has no share is left out.
            pub struct Partilha { $($field: Option<Figura<Rate>>, $label;)* }
        }

        impl Partilha {
            /// The taxes that the table has.
            fn stated(&self) -> impl Iterator<Item = (TributoDas, Figura<Rate>)> {
                [$((TributoDas::$variant, self.$field)),*].into_iter().filter_map(|(tax, share)| Some((tax, share?)))
            }
        }
    };
}

taxes! {
    Irpj, irpj, "irpj", "IRPJ";
    Csll, csll, "csll", "CSLL";
    Cofins, cofins, "cofins", "COFINS";
    Pis, pis, "pis", "PIS";
    Cbs, cbs, "cbs", "CBS";
    Cpp, cpp, "cpp", "CPP";
    Ipi, ipi, "ipi", "IPI";
    Icms, icms, "icms", "ICMS";
    Iss, iss, "iss", "ISS";
    Ibs, ibs, "ibs", "IBS";
}

taxd_base::components! {
    /// The part of one tax.
    pub struct Quinhao {
        tributo: TributoDas, "Tributo";
        percentual_efetivo: Percent, "Percentual efetivo" + ", com até 5 casas; o cálculo usa todas";
        base_calculo: Money, "Receita sobre que ele é devido";
        valor: Money, "Valor no DAS";
        valor_segregado: Money, "Valor que a segregação deixou fora do DAS";
    }
}

impl Partilha {
    /// Adds a fault unless the shares add up to the whole, but for what rounding them to two places can leave.
    pub(super) fn check(&self, at: &Path<'_>, faults: &mut Faults) {
        let shares: Option<Vec<Rate>> = self.stated().map(|(_, share)| share.established()).collect();
        let Some(shares) = shares else { return };
        let rest = shares.iter().fold(Rate::WHOLE.decimal(), |rest, share| rest - share.decimal());
        if rest.abs() > Decimal::new(5, 2) {
            let detail = format!("Os percentuais da partilha somam {}, e não 100.", Rate::WHOLE.decimal() - rest);
            faults.add(at, ErrorCode::ValorInvalido, detail);
        }
    }

    fn has(&self, tax: TributoDas) -> bool {
        self.stated().any(|(stated, _)| stated == tax)
    }

    /// The shares. What is lacking to the whole, or too much, is of the largest one (art. 18, § 1º-B, II).
    fn shares(&self, regra: &Regra, calculation: &Calculation<'_>) -> RuleResult<Vec<(TributoDas, Formula)>> {
        let named = |(tax, share): (TributoDas, _)| Ok((tax, regra.figura(format!("partilha.{tax}"), Some(share))?));
        let stated: Vec<(TributoDas, Rate)> = self.stated().map(named).collect::<RuleResult<_>>()?;
        let sum = stated.iter().fold(Exact::ZERO, |sum, (_, share)| sum + share.points());
        let is_whole = sum.compare(Rate::WHOLE.points())?.is_eq();
        let largest = stated.iter().max_by_key(|(_, share)| *share).map(|(tax, _)| *tax);
        let of = |(tax, share): &(TributoDas, Rate)| {
            let others = stated.iter().filter(|(other, _)| other != tax);
            let share = match largest {
                Some(largest) if largest == *tax && !is_whole => {
                    others.fold(calculation.formula(Rate::WHOLE), |rest, (_, other)| rest - *other)
                }
                _ => calculation.formula(*share),
            };
            (*tax, share)
        };
        Ok(stated.iter().map(of).collect())
    }
}

/// The nominal rate on the revenue of twelve months, less the amount to deduct, by that revenue (art. 18, § 1º-A).
pub(super) fn efetiva(rbt: &Formula, faixa: &FaixaDoAnexo, regra: &Regra) -> RuleResult<Formula> {
    let nominal = regra.figura("faixas.aliquota", faixa.aliquota)?;
    let parcela = regra.figura("faixas.parcela_deduzir", faixa.parcela_deduzir)?;
    Ok((rbt * nominal - parcela) / rbt)
}

/// The percentage of each tax in the band of that place, by its effective rate.
pub(super) fn percentuais(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    (rbt, place): (&Formula, usize),
    (faixa, efetiva): (&FaixaDoAnexo, &Formula),
    calculation: &Calculation<'_>,
) -> RuleResult<Vec<(TributoDas, Formula)>> {
    let own: Vec<_> = faixa.partilha.shares(regra, calculation)?;
    let maximo = c.iss_maximo.map(|maximo| regra.figura("iss_maximo", Some(maximo))).transpose()?;
    let iss = own.iter().find(|(tax, _)| *tax == TributoDas::Iss).map(|(_, share)| efetiva * share);
    if let (Some(iss), Some(maximo)) = (&iss, maximo)
        && passes(iss, maximo)?
    {
        let Some(table) = &c.partilha_do_excedente else { return Err(regra.sem_conteudo("partilha_do_excedente")) };
        let rest = efetiva - maximo;
        let others = table.shares(regra, calculation)?.into_iter().map(|(tax, share)| (tax, &rest * share));
        return Ok(others.chain([(TributoDas::Iss, calculation.formula(maximo))]).collect());
    }
    let mut all: Vec<_> = own.into_iter().map(|(tax, share)| (tax, efetiva * share)).collect();
    if p.mercado == Mercado::Externo || p.impedido_icms_iss == Some(true) {
        return Ok(all);
    }
    add_from_below(regra, c, (rbt, place), maximo, calculation, &mut all)?;
    Ok(all)
}

/// Above the last band that has them, ICMS and ISS are those of that band (Resolução CGSN 140/2018, art. 21, III, b). How the
/// IBS is added, and which taxes gain what the ISS loses, was not read.
fn add_from_below(
    regra: &Regra,
    c: &Conteudo,
    (rbt, place): (&Formula, usize),
    maximo: Option<Rate>,
    calculation: &Calculation<'_>,
    all: &mut Vec<(TributoDas, Formula)>,
) -> RuleResult<()> {
    use TributoDas::{Ibs, Icms, Iss};
    for tax in [Icms, Iss, Ibs].into_iter().filter(|tax| c.faixas.get(place).is_some_and(|own| !own.partilha.has(*tax)))
    {
        let Some(below) = c.faixas.iter().take(place).rev().find(|faixa| faixa.partilha.has(tax)) else { continue };
        let shares = below.partilha.shares(regra, calculation)?;
        let Some((_, share)) = shares.into_iter().find(|(of, _)| *of == tax) else { continue };
        let added = efetiva(rbt, below, regra)? * share;
        let is_capped = maximo.map(|maximo| passes(&added, maximo)).transpose()? == Some(true);
        if tax == Ibs || tax == Iss && is_capped {
            let detail = format!(
                "A última faixa não tem {}, e não se leu como ele se soma a ela (Resolução CGSN nº 140/2018, art. 21, III): apure no PGDAS-D.",
                TributoDas::VOCABULARY.label(tax.as_str())
            );
            return Err(regra.refusal(ErrorCode::SimplesForaDoEscopo, detail));
        }
        all.push((tax, added));
    }
    Ok(())
}

fn passes(iss: &Formula, maximo: Rate) -> RuleResult<bool> {
    Ok(iss.exact().compare(maximo.fraction())?.is_gt())
}

/// The part of the revenue on which a tax is not due in the DAS.
fn segregada(tax: TributoDas, p: &Payload, without_iss: bool) -> Amount {
    use TributoDas::{Cbs, Cofins, Cpp, Csll, Ibs, Icms, Ipi, Irpj, Iss, Pis};
    let of_consumption = !matches!(tax, Irpj | Csll | Cpp);
    let impeded = p.impedido_icms_iss == Some(true) && matches!(tax, Icms | Iss | Ibs);
    if of_consumption && p.mercado == Mercado::Externo || impeded || without_iss && tax == Iss {
        return p.receita_mes;
    }
    match tax {
        Pis | Cofins | Cbs | Ibs => p.receita_monofasica,
        Icms => p.receita_icms_st,
        Iss => p.receita_iss_retido,
        Irpj | Csll | Cpp | Ipi => Amount::ZERO,
    }
}

/// The part of each tax. Each is rounded to the cent, and the DAS is their sum, as in the examples of the PGDAS-D manual.
pub(super) fn quinhoes(
    p: &Payload,
    without_iss: bool,
    percentuais: &[(TributoDas, Formula)],
    calculation: &mut Calculation<'_>,
) -> RuleResult<Vec<Quinhao>> {
    let mut all = Vec::with_capacity(percentuais.len());
    for (tax, percentual) in percentuais {
        let outside = segregada(*tax, p, without_iss);
        let base = calculation.formula(p.receita_mes) - outside;
        let valor = calculation.step(tax.as_str(), PARTILHA, &base * percentual)?.shown;
        all.push(Quinhao {
            tributo: *tax,
            percentual_efetivo: Percent::rounded(percentual.exact().as_points(), PLACES)?,
            base_calculo: Money::rounded(base.exact())?,
            valor,
            valor_segregado: Money::rounded((calculation.formula(outside) * percentual).exact())?,
        });
    }
    all.sort_by_key(|one| one.tributo);
    Ok(all)
}

/// Refuses a part of the revenue that names a tax which the tables of the rule do not have.
pub(super) fn check_parts(p: &Payload, c: &Conteudo, regra: &Regra) -> RuleResult<()> {
    let parts = [
        ("receita_icms_st", p.receita_icms_st, TributoDas::Icms),
        ("receita_iss_retido", p.receita_iss_retido, TributoDas::Iss),
        ("receita_outro_municipio", p.receita_outro_municipio, TributoDas::Iss),
    ];
    let lacks = |tax| !c.faixas.iter().any(|faixa| faixa.partilha.has(tax));
    match parts.into_iter().find(|(_, part, tax)| *part > Amount::ZERO && lacks(*tax)) {
        None => Ok(()),
        Some((campo, _, tax)) => {
            let tax = TributoDas::VOCABULARY.label(tax.as_str());
            let detail = format!("A tabela do Anexo no dia não tem {tax}: deixe `{campo}` em zero.");
            Err(regra.refusal_of_field(ErrorCode::ValorInvalido, campo, detail))
        }
    }
}
