//! ITCMD: inheritance and gifts (contract, section 2.3; CF, art. 155, I).
//!
//! One rate, or brackets that are marginal or whole-value as the law of the UF says, in BRL
//! or in the UF's fiscal unit; an exemption by value frees the whole or the part below it.
//! The value of a fiscal unit comes from the payload, or from the rule of the unit ([`unidade_fiscal`]).

mod unidade_fiscal;

use super::calculation::{Calculated, Calculation};
use super::desconto::{self, Descontado, Desconto};
use super::entry::Tax;
use super::faixas::{Faixa, Limites, Metodo, Parcela, Tributacao};
use super::figures::Money;
use super::formula::Formula;
use super::isencao::{Efeito, Isencao, Unidade};
use super::limites::RateBounds;
use crate::base::document::{Faults, Object, Path, Sometimes, Words};
use crate::base::problem::Problem;
use crate::base::value::{Amount, Date, Figura, Rate, Text, Tributo, Uf};
use crate::rule::{Axis, Chave, Discriminator, Escopo, Regra, RuleResult, ScopeSpec, require};

pub const ITCMD: Tributo = Tributo::new("itcmd");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "itcmd",
  "uf": "SP",
  "fato_gerador": "doacao",
  "valor_base": "150000.00",
  "valor_unidade_fiscal": "38.42",
  "data_fato_gerador": "2026-05-20"
}"#;

taxd_base::vocabulary! {
    /// Nature of the transfer.
    pub enum FatoGerador {
        CausaMortis = "causa_mortis" => "Causa mortis (herança)",
        Doacao = "doacao" => "Doação",
    }
}

/// The nature of the transfer selects the rule. The rule of a fiscal unit has a word of its own, which no payload may
/// name, so that it answers in the place of no other rule.
const NATUREZA: Discriminator = Discriminator {
    campo: "fato_gerador",
    palavras: Words::bare(&[FatoGerador::CausaMortis.as_str(), FatoGerador::Doacao.as_str(), unidade_fiscal::PALAVRA]),
};

taxd_base::document! {
    pub struct Payload {
        uf: Uf, "UF competente";
        fato_gerador: FatoGerador, "Natureza da transmissão";
        valor_base: Amount, "Valor de mercado transmitido" + " (um quinhão, ou as doações que a lei manda somar)";
        data_fato_gerador: Date, "Data do óbito ou da doação";
        valor_unidade_fiscal: Option<Amount>, "Valor da unidade fiscal" + " do Estado no ano, em reais, se a regra a usa; sem ele, vale o publicado para o dia, se houver";
    }

    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota única";
        faixas: Vec<Faixa>, "Faixas progressivas";
        metodo: Option<Metodo>, "Como as faixas se aplicam";
        unidade: Unidade = "BRL", "Unidade dos limites das faixas";
        unidade_nome: Option<Text>, "Nome da unidade fiscal";
        valor_unidade: Option<Figura<Amount>>, "Valor de uma unidade fiscal, em reais" + "; só na regra da unidade, cujo escopo é `fato_gerador`: `unidade_fiscal`";
        isencao: Option<Isencao>, "Isenção por valor";
        descontos: Vec<Desconto>, "Descontos de quem paga antes ou de uma vez" + "; `valor` é o imposto sem eles";
    }
}

impl Conteudo {
    fn tributacao(&self) -> Tributacao<'_> {
        Tributacao { aliquota: self.aliquota, faixas: &self.faixas, metodo: self.metodo }
    }

    /// True if a limit of the rule is in fiscal units.
    fn counts_in_units(&self) -> bool {
        !self.faixas.is_empty() && self.unidade == Unidade::UnidadeFiscal
            || self.isencao.as_ref().is_some_and(|i| i.unidade == Unidade::UnidadeFiscal)
            || self.descontos.iter().any(|d| d.base_ate.is_some() && d.unidade == Unidade::UnidadeFiscal)
    }
}

taxd_base::components! {
    /// What an answer of `itcmd` shows.
    pub struct Detalhes {
        base: Money as Base, "Base de cálculo";
        aliquota_aplicada: Option<Rate> as Aliquota, "Alíquota" + ", ou a da última faixa alcançada; nulo se isento";
        fato_gerador: FatoGerador, "Natureza da transmissão";
        isento: bool, "A transmissão é isenta";
        isencao_base_legal: Option<Text>, "Dispositivo da isenção" + ", se ela alcança o valor";
        limite_isencao: Option<Money>, "Limite da isenção em reais";
        metodo: Sometimes<Metodo>, "Como as faixas se aplicam";
        faixas: Sometimes<Vec<Parcela>>, "Cálculo por faixa";
        descontos: Sometimes<Vec<Descontado>>, "Imposto com desconto, de quem paga antes ou de uma vez";
        regras_auxiliares: Sometimes<Vec<Regra>>, "As outras regras de que a resposta depende" + "; ausente se não há outra";
    }
}

pub struct Itcmd;

impl Tax for Itcmd {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec =
        ScopeSpec { eixos: &[Axis::Uf], obrigatorios: &[Axis::Uf], discriminador: Some(NATUREZA) };
    const ANSWERS_WITHOUT_FIGURE: &'static [&'static str] = &["isencao"];

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        if c.valor_unidade.is_some() {
            return unidade_fiscal::check(c, at, faults);
        }
        c.tributacao().check(at, faults);
        desconto::check(&c.descontos, false, at, faults);
    }

    fn check_regra(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        unidade_fiscal::check_escopo(c, escopo, at, faults);
    }

    fn less_specific(chave: &Chave) -> Vec<Chave> {
        if unidade_fiscal::is_key(chave) { vec![chave.clone()] } else { chave.less_specific() }
    }

    fn null_needs_motivo(campo: &str, _: &Object<'_>) -> bool {
        desconto::null_needs_motivo(campo)
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let own = Chave { palavra: NATUREZA.palavra(p.fato_gerador.as_str()), ..Chave::na_uf(ITCMD, p.uf) };
        let any = Chave::na_uf(ITCMD, p.uf);
        let total = calculation.formula(p.valor_base);
        let regra = require(calculation.regras, &[own, any], p.data_fato_gerador)
            .or_else(|problem| Err(bounded(problem, &total, p)?))?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        let fiscal_unit = unidade_fiscal::value(p, &regra, conteudo, calculation)?;
        let mut base = total.clone();
        let mut exempt = false;
        let mut partial = false;
        let mut limit = None;
        let mut legal = None;
        if let Some(isencao) = &conteudo.isencao {
            let limite =
                regra.figura("isencao.limite", isencao.limite).or_else(|problem| Err(bounded(problem, &total, p)?))?;
            let in_brl = isencao.unidade.in_brl(total.beside(limite), fiscal_unit);
            limit = Some(Money::rounded(in_brl.exact())?);
            match isencao.apply(&total, limite, fiscal_unit)? {
                Efeito::Isento => exempt = true,
                Efeito::Parcial(rest) => {
                    base = rest;
                    partial = true;
                }
                Efeito::Nenhum => {}
            }
            if exempt || partial {
                legal = Some(isencao.base_legal.clone());
            }
        }
        let ground = &regra.citacao_legal;
        let base = calculation.step("base", ground, base)?;
        let limites = Limites { unidade: conteudo.unidade, fiscal_unit };
        let devido = if exempt { None } else { Some(conteudo.tributacao().apply(&regra, &base.exact, limites)) };
        let devido = devido.transpose().or_else(|problem| Err(bounded(problem, &base.exact, p)?))?;
        let (rate, due) = match &devido {
            Some(devido) => (Some(devido.aliquota), devido.imposto.clone()),
            None => (None, calculation.formula(0).noting(|| "isento: a base não passa do limite".to_owned())),
        };
        let valor = calculation.step("valor", ground, due)?.shown;
        let descontos = desconto::apply(&conteudo.descontos, (valor, &total), fiscal_unit, calculation)?;
        let (faixas, metodo) = devido.and_then(|d| d.parcelas).zip(conteudo.metodo).unzip();
        let detalhes = Detalhes {
            base: base.shown,
            aliquota_aplicada: rate,
            fato_gerador: p.fato_gerador,
            isento: exempt,
            isencao_base_legal: legal,
            limite_isencao: limit,
            metodo: Sometimes(metodo),
            faixas: Sometimes(faixas),
            descontos: Sometimes(descontos),
            regras_auxiliares: Sometimes(calculation.regras_auxiliares()),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}

const HIGHEST: RateBounds = RateBounds {
    citacao_legal: "Resolução do Senado Federal nº 9/1992, art. 1º",
    minima: None,
    maxima: Rate::of_points(8),
};
/// First day of the Senate's resolution.
const BOUNDED_FROM: Date = Date::first_of(1992);

/// The refusal with the highest rate on `base`, if it is for want of a rule or of a figure. An exemption of which the
/// limit is not established only lowers the amount.
fn bounded(problem: Box<Problem>, base: &Formula, p: &Payload) -> RuleResult<Box<Problem>> {
    let data = p.data_fato_gerador;
    if data >= BOUNDED_FROM { HIGHEST.add_to(problem, base, data) } else { Ok(problem) }
}
