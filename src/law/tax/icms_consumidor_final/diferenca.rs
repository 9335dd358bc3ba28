//! The sale to another UF: own ICMS at the interstate rate to the origin, and the difference to the destination.
//!
//! A buyer who is not a taxpayer: one base, the price with the internal rate of the destination inside (LC 87/1996, art.
//! 13, X and § 7º; Convênio ICMS 236/2021, cláusula segunda), and the amount is that base times the difference of the
//! rates (§ 3º; NF-e, rule NA15-10). A taxpayer: a base for each UF (art. 13, IX and § 6º), single or double as the law of
//! the destination says. A double base takes the ICMS of the origin out of the price and puts the internal rate in; the
//! amount is the tax on it less the ICMS of the origin (Convênio ICMS 142/2018, cláusula décima quarta, II).

use super::destino::{Destino, stated_by};
use super::{BaseDifal, Conteudo, Detalhes, Payload, Responsavel, exempt, nothing_due};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Figura, Overflow, Rate};
use crate::rule::{Condicao, Regra, RuleResult};
use crate::tax::calculation::{Calculated, Calculation};
use crate::tax::figures::Money;
use crate::tax::formula::{Formula, Points};
use crate::tax::icms::{
    Divergencia, Operacao, OrigemMercadoria, RegraCasada, divergence, interstate_rule, national_rule, stated_rate,
};

/// A sale from one UF to another by the law in `regra`.
pub(super) fn between_ufs(
    p: &Payload,
    regra: &Regra,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated<Detalhes>> {
    let law = regra.conteudo::<Conteudo>()?;
    let metodo = match law.base_difal.and_then(Figura::established) {
        Some(metodo) => metodo,
        None if p.destinatario_contribuinte => return own_icms_alone(p, regra, calculation),
        None => return Err(regra.sem_conteudo("base_difal")),
    };
    let double = (metodo == BaseDifal::Dupla).then_some("a base dupla da diferença");
    calculation.refuse_in_transition(double, regra)?;
    let destino = Destino::find(p, calculation)?;
    if is_immune(p, &destino, calculation)? {
        return exempt(p, regra, &destino, calculation);
    }
    let interna = match &destino.aliquota {
        Some(interna) if destino.beneficio.name().is_none() => interna,
        _ => return Err(benefit_refused(&destino.treated_by)),
    };
    let ground = &regra.citacao_legal;
    let base_calculo = calculation.step("base_calculo", ground, calculation.sum(&p.parts()))?;
    let Origem { regra: origem, inter, icms, divergencia } = Origem::tax(p, &base_calculo.exact, calculation)?;
    if !calculation.is_in_transition() {
        let rate = calculation.formula(Points(interna.rate)).noting(|| stated_by(&interna.by));
        calculation.note("aliquota_interna", &interna.by.citacao_legal, interna.rate, rate);
    }

    let fcp = destino.fcp.as_ref().map(|fcp| fcp.rate);
    let difal = Difal { metodo, interna: interna.rate, inter, fcp_inside: fcp.filter(|_| law.fcp_na_base), icms };
    let base = calculation.step("base_calculo_difal", ground, difal.base(&base_calculo.exact)?)?;
    let valor_difal = calculation.step("valor_difal", ground, difal.due(&base.exact)?)?.shown;
    let valor_fcp = destino.fcp_on(&base.exact, calculation)?;

    let collects = if p.destinatario_contribuinte { Responsavel::Destinatario } else { Responsavel::Remetente };
    let mut total = calculation.formula(icms) + valor_difal;
    if let Some(fcp) = valor_fcp {
        total = total + fcp;
    }
    let total = total.noting(|| format!("ICMS da origem + diferença e FCP do destino ({collects})"));
    let valor = calculation.step("valor", ground, total)?.shown;
    let nothing_due = nothing_due(p, destino.casada, destino.product_unknown, base_calculo.shown);
    let detalhes = Detalhes {
        aliquota_interna: Some(interna.rate),
        aliquota_interestadual: Some(inter),
        valor_icms: icms,
        base_difal: Some(metodo),
        base_calculo_difal: Some(base.shown),
        valor_difal: Some(valor_difal),
        aliquota_fcp: fcp,
        valor_fcp: valor_fcp.or(nothing_due.valor_fcp),
        responsavel_difal: Some(collects),
        citacao_interestadual: Some(origem.citacao_legal.clone()),
        divergencia_interestadual: divergencia,
        ..nothing_due
    };
    Ok(Calculated { valor, regra: regra.clone(), detalhes })
}

/// What is said of a sale whose difference the buyer owes.
const OF_THE_BUYER: &str = "O comprador, contribuinte, recolhe a diferença de alíquota e o FCP à UF de destino (LC 87/1996, art. 4º, § 2º, I), e eles não foram calculados: o valor é só o ICMS do vendedor, devido à UF de origem.";

/// A sale to a taxpayer whose State has no established base of the difference: the seller's own ICMS. The difference is
/// the buyer's, so it is null and not zero.
fn own_icms_alone(p: &Payload, regra: &Regra, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
    let operacao = Operacao::between_ufs(p.origem_mercadoria);
    let national = p.ncm.as_ref().map(|ncm| national_rule(calculation.regras, ncm, operacao, p.data_operacao));
    if national.transpose()?.flatten().is_some() {
        let destino = Destino::find(p, calculation)?;
        if is_immune(p, &destino, calculation)? {
            return exempt(p, regra, &destino, calculation);
        }
    }
    calculation.warn_first(Condicao::Destino, OF_THE_BUYER);
    let base = calculation.step("base_calculo", &regra.citacao_legal, calculation.sum(&p.parts()))?;
    let Origem { regra: origem, inter, icms, divergencia } = Origem::tax(p, &base.exact, calculation)?;
    let casada = match p.origem_mercadoria {
        OrigemMercadoria::Importada => RegraCasada::InterestadualImportada,
        OrigemMercadoria::Nacional => RegraCasada::Interestadual,
    };
    let detalhes = Detalhes {
        aliquota_interestadual: Some(inter),
        valor_icms: icms,
        valor_difal: None,
        valor_fcp: None,
        responsavel_difal: Some(Responsavel::Destinatario),
        citacao_interestadual: Some(origem.citacao_legal.clone()),
        divergencia_interestadual: divergencia,
        ..nothing_due(p, casada, false, base.shown)
    };
    Ok(Calculated { valor: icms, regra: regra.clone(), detalhes })
}

/// What the origin charges.
struct Origem {
    /// The rule of the interstate rate.
    regra: Regra,
    inter: Rate,
    /// To the cent: it is an amount on the document.
    icms: Money,
    /// Both rates, if a product rule of the origin states another rate.
    divergencia: Option<Divergencia>,
}

impl Origem {
    fn tax(p: &Payload, operation: &Formula, calculation: &mut Calculation<'_>) -> RuleResult<Origem> {
        let (regras, data) = (calculation.regras, p.data_operacao);
        let regra = interstate_rule(regras, p.uf_origem, p.uf_destino, p.origem_mercadoria, data)?;
        let tabela = stated_rate(&regra)?;
        calculation.uses(&regra);
        let divergencia = divergence(calculation, p.uf_origem, p.ncm.as_ref(), data, tabela)?;
        let inter = calculation.due_rate("aliquota_interestadual", tabela, &regra)?;
        let due = (operation * inter).noting(|| "alíquota da tabela do Senado".to_owned());
        let icms = calculation.step("valor_icms", &regra.citacao_legal, due)?.shown;
        Ok(Origem { regra, inter, icms, divergencia })
    }
}

/// True if the same national rule exempts the goods between the UFs and inside the destination: an immunity. Refuses
/// any other national rule that reaches the operation.
fn is_immune(p: &Payload, destino: &Destino, calculation: &Calculation<'_>) -> RuleResult<bool> {
    let Some(ncm) = &p.ncm else { return Ok(false) };
    let operacao = Operacao::between_ufs(p.origem_mercadoria);
    let Some(national) = national_rule(calculation.regras, ncm, operacao, p.data_operacao)? else { return Ok(false) };
    if destino.aliquota.is_none() && destino.treated_by.rule_id == national.rule_id {
        return Ok(true);
    }
    stated_rate(&national)?;
    Err(benefit_refused(&national))
}

fn benefit_refused(regra: &Regra) -> Box<Problem> {
    let detail = format!(
        "A regra do destino ({}) isenta a mercadoria ou reduz a base dela, e não se conferiu se isso vale na diferença devida ao destino (Convênio ICMS 153/2015): apure por outro meio.",
        regra.citacao_legal.as_str()
    );
    regra.refusal(ErrorCode::RegraSemConteudo, detail)
}

/// The difference that is due to the destination.
struct Difal {
    metodo: BaseDifal,
    interna: Rate,
    inter: Rate,
    /// The FCP, if it is inside a double base with the internal rate.
    fcp_inside: Option<Rate>,
    /// ICMS of the origin, to the cent.
    icms: Money,
}

impl Difal {
    /// The base. Fails if the rates leave nothing of it.
    fn base(&self, operation: &Formula) -> Result<Formula, Overflow> {
        if self.metodo == BaseDifal::Unica {
            return Ok(operation.clone());
        }
        let mut net = operation.beside(1) - self.interna;
        if let Some(fcp) = self.fcp_inside {
            net = net - fcp;
        }
        if net.exact().is_positive()? { Ok((operation - self.icms) / net) } else { Err(Overflow) }
    }

    /// The amount, without FCP: not below zero, because a lower internal rate gives no credit.
    fn due(&self, base: &Formula) -> Result<Formula, Overflow> {
        match self.metodo {
            BaseDifal::Unica => base * (base.beside(self.interna) - self.inter),
            BaseDifal::Dupla => base * self.interna - self.icms,
        }
        .or_zero()
    }
}
