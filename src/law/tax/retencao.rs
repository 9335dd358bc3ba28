//! What the federal withholdings on a service have in common: provider and taker, what their rules say of either, the
//! amounts that are dispensed, and the answer. The code has no figures: rates, least amounts and exceptions are of the
//! rules.

use std::cmp::Ordering;

use super::calculation::{Calculated, Calculation};
use super::figures::Money;
use super::formula::Formula;
use crate::base::document::{Document, Faults, Path, Shape, Sometimes};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Figura, ItemServico, Rate, Text};
use crate::rule::{Discriminator, Escopo, Regra, RuleResult};

taxd_base::vocabulary! {
    /// How the provider, a legal entity, is taxed.
    pub enum RegimePrestador {
        LucroReal = "lucro_real" => "Lucro real",
        LucroPresumido = "lucro_presumido" => "Lucro presumido ou arbitrado",
        SimplesNacional = "simples_nacional" => "Simples Nacional",
        Cooperativa = "cooperativa" => "Cooperativa",
        EntidadeBeneficente = "entidade_beneficente" => "Entidade beneficente imune às contribuições sociais",
        EntidadeIsenta = "entidade_isenta" => "Outra entidade imune ou isenta",
    }

    /// Who pays for the service.
    pub enum Tomador {
        PessoaJuridica = "pessoa_juridica" => "Pessoa jurídica",
        PessoaJuridicaSimples = "pessoa_juridica_simples" => "Pessoa jurídica do Simples Nacional",
        Condominio = "condominio" => "Condomínio edilício",
        OrgaoPublico = "orgao_publico" => "Órgão público, autarquia ou fundação pública",
        PessoaFisica = "pessoa_fisica" => "Pessoa física",
    }

    /// What a rule makes of a case.
    pub enum EfeitoDoCaso {
        Dispensa = "dispensa" => "Nada é retido",
        NaoEstabelecido = "nao_estabelecido" => "Há outra norma, não estabelecida aqui",
    }
}

taxd_base::document! {
    /// A word of the request for which the rule does not withhold, or does not say what is withheld.
    pub struct CasoTratado {
        campo: Text, "Campo do pedido";
        palavra: Text, "Palavra do campo" + "; true, num campo de sim ou não";
        efeito: EfeitoDoCaso, "O que a palavra muda";
        base_legal: Text, "Dispositivo, com o que ele diz";
    }

    /// The subitems of the service list that usually are a service of the law of the withholding.
    pub struct Correlato {
        servico: Text, "Serviço, como o pedido o diz";
        itens: Vec<ItemServico>, "Subitens da lista de serviços que costumam ser ele";
    }

    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota da retenção";
        aliquota_soma: Option<Figura<Rate>>, "Alíquota cujo resultado a dispensa por valor mede" + ", se ela é da soma de várias retenções";
        dispensa_ate: Option<Amount>, "Retenção até a qual nada é retido, inclusive";
        dispensa_abaixo_de: Option<Amount>, "Retenção abaixo da qual nada é retido";
        dispensa_base_legal: Option<Text>, "Dispositivo da dispensa por valor";
        base_minima: Option<Figura<Rate>>, "Percentual do valor bruto que é a menor base, se o contrato prevê material sem lhe dar valor";
        sem_retencao: Option<Text>, "Por que o serviço não sofre a retenção, com o dispositivo";
        tratamentos: Vec<CasoTratado>, "Casos em que nada é retido, ou em que outra norma responde" + ", na ordem em que são vistos";
        correlatos: Vec<Correlato>, "Subitens que costumam ser cada serviço" + "; só para o aviso de quem informa os dois";
        codigo_receita: Option<Text>, "Código de receita do recolhimento";
    }
}

taxd_base::components! {
    /// What an answer of a federal withholding shows.
    pub struct Detalhes {
        retido: bool, "O tomador retém";
        base_calculo: Money as Base, "Base da retenção";
        aliquota_aplicada: Option<Rate> as Aliquota, "Alíquota" + "; nulo se nada é retido";
        motivo_dispensa: Option<Text>, "Por que nada é retido, com o dispositivo";
        soma_retencoes: Sometimes<Money>, "Soma das retenções que a dispensa por valor mede";
        codigo_receita: Sometimes<Text>, "Código de receita do recolhimento" + ", se algo é retido e a regra o diz";
    }
}

/// A field of the request and its word.
pub(super) type Fact<'a> = (&'a str, &'a str);

/// Checks the content of a rule of a tax with this payload.
pub(super) fn check<P: Document>(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
    if c.aliquota.is_some() == c.sem_retencao.is_some() {
        let detail = "Informe `aliquota` (ou null, se não está estabelecida) ou `sem_retencao`, um dos dois.";
        faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
    }
    let by_amount = c.dispensa_ate.is_some() || c.dispensa_abaixo_de.is_some();
    if c.dispensa_ate.is_some() && c.dispensa_abaixo_de.is_some() || by_amount != c.dispensa_base_legal.is_some() {
        let detail = "A dispensa por valor tem `dispensa_ate` ou `dispensa_abaixo_de`, e `dispensa_base_legal`.";
        faults.add(&at.key("dispensa_base_legal"), ErrorCode::CampoObrigatorio, detail);
    }
    check_tratamentos::<P>(&c.tratamentos, at, faults);
}

/// Reports a rule that does not say of which service of the law it is.
pub(super) fn check_escopo(service: &Discriminator, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
    if escopo.palavras.is_empty() {
        let detail = format!("O escopo desta retenção precisa de `{}`.", service.campo);
        faults.add(&at.key("escopo").key(service.campo), ErrorCode::CampoObrigatorio, detail);
    }
}

/// Reports the cases that no request of a tax with this payload can be.
pub(super) fn check_tratamentos<P: Document>(tratamentos: &[CasoTratado], at: &Path<'_>, faults: &mut Faults) {
    for (i, tratamento) in tratamentos.iter().enumerate() {
        let word = tratamento.palavra.as_str();
        let field = P::FIELDS.iter().find(|field| field.name == tratamento.campo.as_str());
        let known = field.is_some_and(|field| match field.shape {
            Shape::OneOf(words) => words.words().contains(&word),
            Shape::Bool => matches!(word, "true" | "false"),
            _ => false,
        });
        if !known {
            let detail = "O pedido não tem esse campo com essa palavra.";
            faults.add(&at.key("tratamentos").index(i), ErrorCode::ValorInvalido, detail);
        }
    }
}

/// The legal ground by which nothing is withheld in a case, if there is one. Fails in a case that the rule leaves to
/// another norm.
pub(super) fn treated(regra: &Regra, tratamentos: &[CasoTratado], facts: &[Fact<'_>]) -> RuleResult<Option<Text>> {
    let applies = |t: &&CasoTratado| facts.contains(&(t.campo.as_str(), t.palavra.as_str()));
    let Some(found) = tratamentos.iter().find(applies) else { return Ok(None) };
    let base_legal = &found.base_legal;
    match found.efeito {
        EfeitoDoCaso::Dispensa => Ok(Some(base_legal.clone())),
        EfeitoDoCaso::NaoEstabelecido => {
            let detail = format!("A regra não estabelece a retenção neste caso. {}", base_legal.as_str());
            Err(regra.refusal_of_field(ErrorCode::RegraSemConteudo, found.campo.as_str(), detail))
        }
    }
}

/// What is withheld of `base` by the rule.
pub(super) fn withhold(
    regra: &Regra,
    base: Formula,
    facts: &[Fact<'_>],
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated<Detalhes>> {
    let conteudo = regra.conteudo::<Conteudo>()?;
    let ground = &regra.citacao_legal;
    let mut motivo = treated(regra, &conteudo.tratamentos, facts)?.or_else(|| conteudo.sem_retencao.clone());
    let (mut rate, mut sum) = (None, None);
    let base = calculation.step("base_calculo", ground, base)?;
    if motivo.is_none() {
        let own = regra.figura("aliquota", conteudo.aliquota)?;
        let mut measured = &base.exact * own;
        if let Some(of_all) = conteudo.aliquota_soma {
            measured = &base.exact * regra.figura("aliquota_soma", of_all)?;
            sum = Some(calculation.step("soma_retencoes", ground, measured.clone())?.shown);
        }
        if is_dispensed(conteudo, &measured)? {
            motivo.clone_from(&conteudo.dispensa_base_legal);
        } else {
            rate = Some(own);
        }
    }
    let due = match rate {
        Some(rate) => base.exact * rate,
        None => calculation.formula(0).noting(|| motivo.as_ref().map_or_else(String::new, |m| m.as_str().to_owned())),
    };
    let valor = calculation.step("valor", ground, due)?.shown;
    let detalhes = Detalhes {
        retido: rate.is_some(),
        base_calculo: base.shown,
        aliquota_aplicada: rate,
        motivo_dispensa: motivo,
        soma_retencoes: Sometimes(sum),
        codigo_receita: Sometimes(conteudo.codigo_receita.clone().filter(|_| rate.is_some())),
    };
    Ok(Calculated { valor, regra: regra.clone(), detalhes })
}

/// True if the law dispenses a withholding of this amount. The amount is compared before it is rounded: a payment of
/// R$ 215,06 at 4.65 % is above R$ 10,00 by a fraction of a cent, and is withheld from.
fn is_dispensed(conteudo: &Conteudo, amount: &Formula) -> RuleResult<bool> {
    let order = |limit: Amount| amount.exact().compare(limit.exact());
    Ok(match (conteudo.dispensa_ate, conteudo.dispensa_abaixo_de) {
        (Some(limit), _) => order(limit)? != Ordering::Greater,
        (None, Some(limit)) => order(limit)? == Ordering::Less,
        (None, None) => false,
    })
}
