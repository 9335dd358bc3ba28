//! How a rule treats a vehicle: exempt, or taxed at one rate or by brackets of its value, its power or its
//! displacement. A rule may treat all vehicles of a category alike, or each fuel in its own way.

use super::{Combustivel, Conteudo, Payload, PorCombustivel};
use crate::base::document::{Faults, Path};
use crate::base::problem::ErrorCode;
use crate::base::value::{Exact, Figura, Int, Rate, Text};
use crate::rule::{Regra, RuleResult};
use crate::tax::faixas::{Devido, Limites, Metodo, Tributacao};
use crate::tax::formula::Formula;
use crate::tax::icms::check_reduction;
use crate::tax::isencao::{Isencao, Unidade};

taxd_base::vocabulary! {
    /// The measure that selects a bracket.
    pub enum Medida {
        ValorVenal = "valor_venal" => "Valor venal",
        PotenciaCv = "potencia_cv" => "Potência em cv",
        CilindradaCm3 = "cilindrada_cm3" => "Cilindrada em cm³",
    }
}

impl Medida {
    /// The measure as people say it.
    pub fn in_words(self) -> &'static str {
        match self {
            Medida::ValorVenal => "valor venal",
            Medida::PotenciaCv => "potência (cv)",
            Medida::CilindradaCm3 => "cilindrada (cm³)",
        }
    }
}

/// The part of a rule that concerns a vehicle.
pub struct Tratamento<'a> {
    /// One rate, or brackets.
    pub tributacao: Tributacao<'a>,
    /// The measure that selects a bracket.
    pub faixas_por: Option<Medida>,
    /// Percentage by which the base is reduced.
    pub reducao_base: Option<Figura<Rate>>,
    /// Nothing is due.
    pub isento: bool,
    /// Legal ground of the exemption.
    pub motivo_isencao: Option<&'a Text>,
    /// Exemption by value.
    pub isencao: Option<&'a Isencao>,
}

macro_rules! tratamento_de {
    ($declared:ty) => {
        impl<'a> From<&'a $declared> for Tratamento<'a> {
            fn from(c: &'a $declared) -> Self {
                Tratamento {
                    tributacao: Tributacao { aliquota: c.aliquota, faixas: &c.faixas, metodo: c.metodo },
                    faixas_por: c.faixas_por,
                    reducao_base: c.reducao_base,
                    isento: c.isento,
                    motivo_isencao: c.motivo_isencao.as_ref(),
                    isencao: c.isencao.as_ref(),
                }
            }
        }
    };
}

tratamento_de!(Conteudo);
tratamento_de!(PorCombustivel);

impl Tratamento<'_> {
    /// True if it states a rate or brackets.
    pub fn taxes(&self) -> bool {
        self.tributacao.aliquota.is_some() || !self.tributacao.faixas.is_empty()
    }

    /// Adds faults for missing and contradictory members. With `optional` it may state nothing.
    pub fn check(&self, optional: bool, at: &Path<'_>, faults: &mut Faults) {
        if self.isento == self.taxes() && (self.isento || !optional) {
            let detail = "Informe `aliquota` (ou null, se não está estabelecida), `faixas`, ou `isento`: true; só um.";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        if self.isento && self.motivo_isencao.is_none() {
            faults.add(&at.key("motivo_isencao"), ErrorCode::CampoObrigatorio, "Diga por que é isento.");
        }
        if self.taxes() {
            self.tributacao.check(at, faults);
        }
        if self.tributacao.faixas.is_empty() == self.faixas_por.is_some() {
            let detail = format!("Faixas e `faixas_por` ({}) andam juntos.", Medida::VOCABULARY.listed());
            faults.add(&at.key("faixas_por"), ErrorCode::CampoObrigatorio, detail);
        }
        let of_value = self.faixas_por.is_none_or(|por| por == Medida::ValorVenal);
        if self.tributacao.metodo == Some(Metodo::Marginal) && !of_value {
            let detail = "Só faixas por valor_venal podem ser marginais; as demais são integrais.";
            faults.add(&at.key("metodo"), ErrorCode::ValorInvalido, detail);
        }
        check_reduction(self.reducao_base, &at.key("reducao_base"), faults);
        if self.isencao.is_some_and(|i| i.unidade != Unidade::Brl) {
            faults.add(&at.key("isencao"), ErrorCode::ValorInvalido, "A isenção do IPVA é em BRL.");
        }
    }

    /// Adds faults for members that have no effect on an exempt vehicle.
    pub fn check_idle(&self, at: &Path<'_>, faults: &mut Faults) {
        let idle = [("reducao_base", self.reducao_base.is_some()), ("isencao", self.isencao.is_some())];
        for (field, _) in idle.into_iter().filter(|(_, stated)| self.isento && *stated) {
            let detail = "Quem é isento nada deve: não há o que reduzir nem isentar por valor; retire este campo.";
            faults.add(&at.key(field), ErrorCode::ValorInvalido, detail);
        }
    }

    pub(super) fn apply(&self, regra: &Regra, p: &Payload, base: &Formula) -> RuleResult<Devido> {
        let medida = match self.faixas_por {
            Some(por) => measure(regra, p, por)?,
            None => base.exact(),
        };
        self.tributacao.apply_by(regra, base, medida, Limites::STATED)
    }
}

/// The measure of this vehicle. Refuses if the payload lacks it.
fn measure(regra: &Regra, p: &Payload, por: Medida) -> RuleResult<Exact> {
    if por == Medida::CilindradaCm3 && p.combustivel == Some(Combustivel::Eletrico) {
        return Err(regra.refusal_of_field(
            ErrorCode::RegraSemConteudo,
            "combustivel",
            "A alíquota depende da cilindrada, que o veículo elétrico não tem, e a regra não diz a dele.",
        ));
    }
    let stated = match por {
        Medida::ValorVenal => return Ok(p.valor_venal.exact()),
        Medida::PotenciaCv => p.potencia_cv.map(Int::get),
        Medida::CilindradaCm3 => p.cilindrada_cm3.map(Int::get),
    };
    let codigo = match stated {
        Some(number) if number > 0 => return Ok(Exact::from(u32::try_from(number).unwrap_or(u32::MAX))),
        Some(_) => ErrorCode::ForaDoIntervalo,
        None => ErrorCode::CampoObrigatorio,
    };
    let detail =
        format!("A alíquota depende de `{por}`: informe um inteiro maior que zero, como está no documento do veículo.");
    Err(regra.refusal_of_field(codigo, por.as_str(), detail))
}
