//! The tax that the destination charges inside it on a sale to a final consumer: its rate, reduction and FCP.

use super::{Conteudo, ICMS_CONSUMIDOR_FINAL, Payload};
use crate::problem::{ErrorCode, TipoRecusa};
use crate::rule::{Chave, Condicao, Dimension, Regra, RuleResult, first_match};
use crate::tax::calculation::Calculation;
use crate::tax::figures::Money;
use crate::tax::formula::Formula;
use crate::tax::icms::{self, Operacao, RegraCasada, internal_rule, no_product_rule, reduced_base, stated_rate};
use crate::tax::not_given::is_named;
use crate::value::{Figura, Ncm, Rate};

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
    /// The surcharge for the poverty fund; `None` if there is none.
    pub(super) fcp: Option<Stated>,
    /// True if the request has an NCM that no rule of its product is found for.
    pub(super) product_unknown: bool,
}

/// The figures of a rule that concern the final consumer.
#[derive(Clone, Copy)]
struct Figures<'a> {
    regra: &'a Regra,
    aliquota: Option<Figura<Rate>>,
    fcp: Option<Figura<Rate>>,
}

impl<'a> Figures<'a> {
    /// Those of a rule of this tax.
    fn of(regra: Option<&'a Regra>) -> RuleResult<Option<Figures<'a>>> {
        let Some(regra) = regra else { return Ok(None) };
        let Conteudo { aliquota, fcp, .. } = *regra.conteudo()?;
        Ok(Some(Figures { regra, aliquota, fcp }))
    }
}

/// The figure of the first rule that has it. Refuses if that rule does not establish it.
fn first(
    ordered: &[Option<Figures<'_>>],
    name: &str,
    figure: impl Fn(&Figures<'_>) -> Option<Figura<Rate>>,
) -> RuleResult<Option<Stated>> {
    for rule in ordered.iter().flatten() {
        if let Some(figure) = figure(rule) {
            return Ok(Some(Stated { rate: rule.regra.figura(name, figure)?, by: rule.regra.clone() }));
        }
    }
    Ok(None)
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
        let of_product = p.ncm.iter().flat_map(Ncm::prefixes);
        let of_product = of_product.map(|prefix| Chave { ncm: Some(prefix), ..of_uf.clone() });
        let of_product = first_match(regras, of_product, p.ncm.as_ref(), p.data_operacao)?;
        let of_uf = first_match(regras, [of_uf], None, p.data_operacao)?;
        let conteudo = regra.conteudo::<icms::Conteudo>()?;
        if conteudo.por_unidade.is_some() {
            let detail = "O combustível paga ICMS uma só vez, por unidade: calcule-o com o tributo `icms`.";
            return Err(Box::new(regra.refusal(ErrorCode::RegraSemConteudo, detail).because(TipoRecusa::ForaDoEscopo)));
        }
        let general = casada == RegraCasada::Geral;
        let of_icms = Figures { regra: &regra, aliquota: None, fcp: conteudo.fcp };
        let of_product = Figures::of(of_product.as_ref())?;
        let of_uf = Figures::of(of_uf.as_ref())?;

        // The most specific rule first. A rate of the UF does not replace that of a product.
        let ordered = if general {
            [of_product, of_uf, Some(of_icms)]
        } else {
            [of_product, Some(of_icms), of_uf.map(|figures| Figures { aliquota: None, ..figures })]
        };
        let aliquota = match first(&ordered, "aliquota", |figures| figures.aliquota)? {
            Some(own) => Some(own),
            None if conteudo.isento => None,
            None => Some(Stated { rate: stated_rate(&regra)?, by: regra.clone() }),
        };
        let fcp = if aliquota.is_some() { first(&ordered, "fcp", |figures| figures.fcp)? } else { None };
        let aliquota = in_transition(aliquota, fcp.as_ref(), &regra, calculation)?;
        let product_unknown = general && of_product.is_none() && p.ncm.is_some();
        let destino = Destino { regra, casada, aliquota, fcp, product_unknown };
        for regra in destino.rules() {
            calculation.uses(regra);
        }
        destino.relay_sentences(calculation);
        if let Some(ncm) = p.ncm.as_ref().filter(|_| product_unknown) {
            calculation.warn(Condicao::Beneficio, no_product_rule(ncm, p.uf_destino));
        }
        Ok(destino)
    }

    /// The content of the rule of `icms`.
    pub(super) fn conteudo(&self) -> RuleResult<&icms::Conteudo> {
        self.regra.conteudo()
    }

    /// True if the rule of `icms` states the rate, so that its reduction or exemption counts.
    fn by_icms(&self) -> bool {
        self.aliquota.as_ref().is_none_or(|stated| stated.by.rule_id == self.regra.rule_id)
    }

    /// True if the destination exempts the goods or reduces their base.
    pub(super) fn has_benefit(&self) -> RuleResult<bool> {
        let conteudo = self.conteudo()?;
        let reduced = conteudo.reducao_base.is_some() || conteudo.carga_efetiva.is_some();
        Ok(self.by_icms() && (conteudo.isento || reduced))
    }

    /// The base of an internal operation, after its reduction.
    pub(super) fn base(&self, operation: Formula, rate: Rate) -> RuleResult<Formula> {
        if self.by_icms() { reduced_base(&self.regra, self.conteudo()?, operation, rate) } else { Ok(operation) }
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
        for stated in [&self.aliquota, &self.fcp].into_iter().flatten() {
            if rules.iter().all(|known| known.rule_id != stated.by.rule_id) {
                rules.push(&stated.by);
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

/// The rate that is due on the day. Refuses, in the transition to the IBS, what the destination has beside it.
fn in_transition(
    aliquota: Option<Stated>,
    fcp: Option<&Stated>,
    regra: &Regra,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Option<Stated>> {
    if let Some(fcp) = fcp {
        calculation.refuse_in_transition(Some("o adicional do fundo de combate à pobreza"), &fcp.by)?;
    }
    // The reduction or exemption of the rule of `icms` counts only if that rule states the rate.
    if aliquota.as_ref().is_none_or(|stated| stated.by.rule_id == regra.rule_id) {
        calculation.refuse_in_transition(regra.conteudo::<icms::Conteudo>()?.beside_rate(), regra)?;
    }
    let Some(Stated { rate, by }) = aliquota else { return Ok(None) };
    Ok(Some(Stated { rate: calculation.due_rate("aliquota_interna", rate, &by)?, by }))
}

/// Says that the NCM, which was not given, leads to rules of products of the destination, or of every UF.
fn note_ncm_not_given(p: &Payload, of_uf: &Chave, calculation: &mut Calculation<'_>) -> RuleResult<()> {
    let (uf, data) = (p.uf_destino, p.data_operacao);
    let own = is_named(calculation, of_uf, Dimension::Ncm, data)?;
    let which = own.then(|| ["por NCM em ", uf.as_str()].concat());
    let which = match which {
        Some(which) => Some(which),
        None => icms::passed_over(calculation, Some(uf), Operacao::Interna, data)?,
    };
    if let Some(which) = which {
        calculation.not_given("`ncm`", &which);
    }
    Ok(())
}
