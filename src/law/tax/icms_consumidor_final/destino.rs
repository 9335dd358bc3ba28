//! The tax that the destination charges inside it on a sale to a final consumer: its rate, reduction and FCP.

use super::{Conteudo, ICMS_CONSUMIDOR_FINAL, Payload};
use crate::base::problem::{ErrorCode, TipoRecusa};
use crate::base::value::{Figura, Rate};
use crate::rule::{Chave, Condicao, Dimension, Regra, RuleResult, first_of_ncm};
use crate::tax::calculation::Calculation;
use crate::tax::figures::Money;
use crate::tax::formula::Formula;
use crate::tax::icms::{self, Beneficio, Operacao, RegraCasada, internal_rule, no_product_rule, stated_rate};
use crate::tax::not_given::is_named;

/// A rate, and the rule that states it.
pub(super) struct Stated {
    pub(super) rate: Rate,
    pub(super) by: Regra,
}

/// The remark on a figure of a rule other than the one that answers: its law.
pub(super) fn stated_by(regra: &Regra) -> String {
    format!("alíquota de {}", regra.citacao_legal.as_str())
}

/// How the destination taxes an internal sale of these goods to a final consumer.
pub(super) struct Destino {
    /// The rule of `icms`.
    pub(super) regra: Regra,
    /// Which rule of `icms` it is.
    pub(super) casada: RegraCasada,
    /// The internal rate; `None` if the operation is exempt.
    pub(super) aliquota: Option<Stated>,
    /// The rule that states the rate or the exemption: its benefit counts, and no other.
    pub(super) treated_by: Regra,
    /// The benefit of that rule.
    pub(super) beneficio: Beneficio,
    /// The surcharge for the poverty fund; `None` if there is none.
    pub(super) fcp: Option<Stated>,
    /// True if the request has an NCM that no rule of its product is found for.
    pub(super) product_unknown: bool,
}

/// The figures of a rule that concern the final consumer.
#[derive(Clone)]
struct Figures<'a> {
    regra: &'a Regra,
    aliquota: Option<Figura<Rate>>,
    fcp: Option<Figura<Rate>>,
    beneficio: Beneficio,
}

impl<'a> Figures<'a> {
    /// Those of a rule of this tax.
    fn of(regra: Option<&'a Regra>) -> RuleResult<Option<Figures<'a>>> {
        let Some(regra) = regra else { return Ok(None) };
        let conteudo = regra.conteudo::<Conteudo>()?;
        let Conteudo { aliquota, fcp, .. } = *conteudo;
        Ok(Some(Figures { regra, aliquota, fcp, beneficio: conteudo.beneficio() }))
    }
}

/// How the goods are taxed: the rate, which is `None` if they are exempt, the rule that states it, and its benefit.
type Treatment = (Option<Stated>, Regra, Beneficio);

/// The treatment of the first rule of this tax that states one, else that of the rule of `icms`. Refuses if the rate is
/// not established.
fn treatment(ordered: &[Option<Figures<'_>>], of_icms: &Regra) -> RuleResult<Treatment> {
    let stating = |figures: &&Figures<'_>| figures.aliquota.is_some() || figures.beneficio.isento;
    let own = ordered.iter().flatten().find(stating);
    let (by, beneficio) = match own {
        Some(figures) => (figures.regra, figures.beneficio.clone()),
        None => (of_icms, of_icms.conteudo::<icms::Conteudo>()?.beneficio()),
    };
    if beneficio.isento {
        return Ok((None, by.clone(), beneficio));
    }
    let rate = match own.and_then(|figures| figures.aliquota) {
        Some(figure) => by.figura("aliquota", figure)?,
        None => stated_rate(of_icms)?,
    };
    Ok((Some(Stated { rate, by: by.clone() }), by.clone(), beneficio))
}

/// The FCP of the first rule that states one. Refuses if that rule does not establish it.
fn fund(ordered: &[Option<Figures<'_>>]) -> RuleResult<Option<Stated>> {
    let stated = ordered.iter().flatten().find_map(|figures| Some((figures.fcp?, figures.regra)));
    let stated = stated.map(|(fcp, by)| RuleResult::Ok(Stated { rate: by.figura("fcp", fcp)?, by: by.clone() }));
    stated.transpose()
}

impl Destino {
    /// Refuses if a rate that the sale needs is not established.
    pub(super) fn find(p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Destino> {
        let regras = calculation.regras;
        let (regra, casada) = internal_rule(regras, p.uf_destino, p.ncm.as_ref(), p.data_operacao)?;
        let of_uf = Chave::na_uf(ICMS_CONSUMIDOR_FINAL, p.uf_destino);
        if p.ncm.is_none() {
            note_ncm_not_given(p, &of_uf, calculation)?;
        }
        let of_product = match &p.ncm {
            Some(ncm) => first_of_ncm(regras, [std::slice::from_ref(&of_uf)], ncm, p.data_operacao)?,
            None => None,
        };
        let of_uf = regras.em(&of_uf, p.data_operacao)?;
        let conteudo = regra.conteudo::<icms::Conteudo>()?;
        if conteudo.por_unidade.is_some() {
            let detail = "O combustível paga ICMS uma só vez, por unidade: calcule-o com o tributo `icms`.";
            return Err(Box::new(regra.refusal(ErrorCode::RegraSemConteudo, detail).because(TipoRecusa::ForaDoEscopo)));
        }
        let general = casada == RegraCasada::Geral;
        let of_icms = Figures { regra: &regra, aliquota: None, fcp: conteudo.fcp, beneficio: Beneficio::default() };
        let product_unknown = general && of_product.is_none() && p.ncm.is_some();
        let of_product = Figures::of(of_product.as_ref())?;
        let of_uf = Figures::of(of_uf.as_ref())?;

        // The most specific rule first. A rate of the UF does not replace that of a product.
        let ordered = if general {
            [of_product, of_uf, Some(of_icms)]
        } else {
            [of_product, Some(of_icms), of_uf.map(|figures| Figures { aliquota: None, ..figures })]
        };
        let (aliquota, treated_by, beneficio) = treatment(&ordered, &regra)?;
        let fcp = if aliquota.is_some() { fund(&ordered)? } else { None };
        if let Some(fcp) = &fcp {
            calculation.refuse_in_transition(Some("o adicional do fundo de combate à pobreza"), &fcp.by)?;
        }
        calculation.refuse_in_transition(beneficio.name(), &treated_by)?;
        let due = |Stated { rate, by }| -> RuleResult<Stated> {
            Ok(Stated { rate: calculation.due_rate("aliquota_interna", rate, &by)?, by })
        };
        let aliquota = aliquota.map(due).transpose()?;
        let destino = Destino { regra, casada, aliquota, treated_by, beneficio, fcp, product_unknown };
        for regra in destino.rules() {
            calculation.uses(regra);
        }
        destino.relay_sentences(calculation);
        if let Some(ncm) = p.ncm.as_ref().filter(|_| product_unknown) {
            calculation.warn(Condicao::Beneficio, no_product_rule(ncm, p.uf_destino));
        }
        Ok(destino)
    }

    /// The base of an internal operation, after its reduction.
    pub(super) fn base(&self, operation: Formula, rate: Rate) -> RuleResult<Formula> {
        self.beneficio.reduced(&self.treated_by, operation, rate)
    }

    /// The FCP on a base; `None` if there is none.
    pub(super) fn fcp_on(&self, base: &Formula, calculation: &mut Calculation<'_>) -> RuleResult<Option<Money>> {
        let Some(Stated { rate, by }) = &self.fcp else { return Ok(None) };
        let due = (base * rate).noting(|| stated_by(by));
        Ok(Some(calculation.step("valor_fcp", &by.citacao_legal, due)?.shown))
    }

    /// The rules that it depends on, each once, that of `icms` first.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Regra> {
        let mut rules = vec![&self.regra];
        let of_fund = self.fcp.as_ref().map(|fcp| &fcp.by);
        for regra in std::iter::once(&self.treated_by).chain(of_fund) {
            if rules.iter().all(|known| known.rule_id != regra.rule_id) {
                rules.push(regra);
            }
        }
        rules.into_iter()
    }

    /// Adds the sentences of the rules of the final consumer. Those of the rule of `icms` are about a sale between
    /// taxpayers, so they are added only if there is no rule of the final consumer.
    fn relay_sentences(&self, calculation: &mut Calculation<'_>) {
        let of_consumer: Vec<&Regra> = self.rules().skip(1).collect();
        let speaking = if of_consumer.is_empty() { vec![&self.regra] } else { of_consumer };
        for regra in speaking {
            calculation.relay(regra);
        }
    }
}

/// Says that the NCM, which was not given, leads to rules of products of the destination, or of every UF.
fn note_ncm_not_given(p: &Payload, of_uf: &Chave, calculation: &mut Calculation<'_>) -> RuleResult<()> {
    let (uf, data) = (p.uf_destino, p.data_operacao);
    let own = is_named(calculation, of_uf, Dimension::Ncm, data)?;
    let which = own.then_some(["por NCM em ", uf.as_str()]);
    let which = match which {
        Some(which) => Some(which),
        None => icms::passed_over(calculation, Some(uf), Operacao::Interna, data)?,
    };
    if let Some(which) = which {
        calculation.not_given("`ncm`", which);
    }
    Ok(())
}
