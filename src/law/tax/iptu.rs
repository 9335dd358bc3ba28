//! IPTU: urban property (contract, section 2.3; CF, art. 156, I and § 1º).
//!
//! The caller states the market value. Municipalities use five models of progression. Exemptions by value are
//! applied; those that depend on data outside the payload are listed in `excecoes_nao_avaliadas`, unless the value rules
//! them out.

use super::calculation::{Calculated, Calculation, Noted};
use super::desconto::{self, Descontado, Desconto};
use super::entry::Tax;
use super::faixas::check_limits;
use super::figures::{Money, Percent};
use super::formula::Formula;
use super::isencao::{Efeito, Isencao, Unidade};
use crate::base::document::{Faults, Object, Path, Sometimes};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Exercicio, Figura, Municipio, Rate, SignedRate, Text, Tributo, Uf};
use crate::rule::{Axis, Chave, Discriminator, Regra, RuleResult, ScopeSpec, require};

pub const IPTU: Tributo = Tributo::new("iptu");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "iptu",
  "uf": "SP",
  "municipio": "São Paulo",
  "uso_imovel": "residencial",
  "valor_venal": "500000.00",
  "exercicio": 2026
}"#;

taxd_base::vocabulary! {
    /// Use of the property.
    pub enum UsoImovel {
        Residencial = "residencial" => "Residencial",
        NaoResidencial = "nao_residencial" => "Não residencial",
        Territorial = "territorial" => "Territorial",
    }

    /// How the rate grows with the value: not at all; the rate of the bracket on the whole;
    /// the same less a fixed deduction; each slice at its own rate; a base rate with a
    /// surcharge or discount on each slice.
    pub enum Modelo {
        Unica = "unica" => "Única",
        FaixaValorTotal = "faixa_valor_total" => "Pela faixa do valor total",
        FaixasParcelaDeduzir = "faixas_parcela_deduzir" => "Faixas com parcela a deduzir",
        Marginal = "marginal" => "Cada parte pela sua faixa",
        AcrescimoDesconto = "acrescimo_desconto" => "Acréscimo e desconto por faixa",
    }
}

impl Modelo {
    /// The model as people say it.
    fn in_words(self) -> &'static str {
        match self {
            Modelo::Unica => "alíquota única",
            Modelo::FaixaValorTotal => "alíquota da faixa do valor total",
            Modelo::FaixasParcelaDeduzir => "faixas com parcela a deduzir",
            Modelo::Marginal => "cada faixa com a sua alíquota",
            Modelo::AcrescimoDesconto => "acréscimo ou desconto por faixa",
        }
    }
}

/// The use of the property selects the rule.
const USO: Discriminator = Discriminator { campo: "uso_imovel", palavras: UsoImovel::VOCABULARY };

taxd_base::document! {
    /// Payload of `iptu`.
    pub struct Payload {
        uf: Uf, "UF do município";
        municipio: Municipio, "Município do imóvel";
        uso_imovel: UsoImovel, "Uso do imóvel";
        valor_venal: Amount, "Valor venal informado";
        exercicio: Exercicio, "Exercício";
    }

    pub struct FaixaIptu {
        ate: Option<Amount>, "Último valor da faixa" + "; nulo na última";
        aliquota: Option<Figura<Rate>>, "Alíquota da faixa";
        parcela_deduzir: Option<Figura<Amount>>, "Parcela a deduzir";
        ajuste: Option<Figura<SignedRate>>, "Acréscimo ou desconto em pontos percentuais";
    }

    /// An exception that the payload cannot decide, but perhaps rule out.
    pub struct Excecao {
        descricao: Text, "A quem ou a que se aplica";
        citacao: Text, "Dispositivo legal";
        acima_de: Option<Amount>, "Valor venal que é preciso superar" + ", para que ela caiba";
        ate: Option<Amount>, "Maior valor venal em que ela cabe";
    }
}

impl Excecao {
    /// What an answer shows of it; `None` if a property of that value is outside it.
    fn shown(&self, valor_venal: Amount) -> Option<ExcecaoNaoAvaliada> {
        let is_outside = self.acima_de.is_some_and(|limit| valor_venal <= limit)
            || self.ate.is_some_and(|limit| valor_venal > limit);
        let Excecao { descricao, citacao, .. } = self.clone();
        (!is_outside).then_some(ExcecaoNaoAvaliada { descricao, citacao })
    }
}

taxd_base::document! {
    pub struct Conteudo {
        modelo: Modelo, "Modelo de progressividade";
        aliquota: Option<Figura<Rate>>, "Alíquota única ou de base";
        faixas: Vec<FaixaIptu>, "Faixas de valor venal";
        isencao: Option<Isencao>, "Isenção que o valor decide";
        excecoes_nao_avaliadas: Vec<Excecao>, "Exceções não avaliadas, por falta de dados";
        descontos: Vec<Desconto>, "Descontos de quem paga antes ou de uma vez" + "; `valor` é o imposto sem eles";
    }
}

taxd_base::components! {
    pub struct ExcecaoNaoAvaliada {
        descricao: Text, "A quem ou a que se aplica";
        citacao: Text, "Dispositivo legal";
    }

    /// The bracket that the value reaches, and the deduction that makes `base × aliquota − parcela` the tax, if that is
    /// not below zero.
    pub struct FaixaAplicada {
        faixa: Option<i64>, "Número da faixa" + "; nulo na alíquota única";
        aliquota: Percent, "Alíquota da faixa";
        parcela_deduzir: Money, "Parcela a deduzir" + ", a da lei, também quando passa do imposto";
    }

    /// What an answer of `iptu` shows.
    pub struct Detalhes {
        valor_venal_tributavel: Money as Base, "Valor venal depois das isenções";
        modelo_progressividade: Modelo, "Modelo de progressividade";
        faixa_aplicada: FaixaAplicada, "Faixa aplicada";
        imposto_bruto: Money, "Imposto antes da isenção total";
        isento: bool, "O imóvel é isento";
        excecoes_aplicadas: Vec<String>, "Exceções aplicadas";
        excecoes_nao_avaliadas: Vec<ExcecaoNaoAvaliada>, "Exceções não avaliadas, por falta de dados" + "; sem as que o valor venal exclui";
        municipio: &'static str, "Município" + ", na grafia oficial";
        descontos: Sometimes<Vec<Descontado>>, "Imposto com desconto, de quem paga antes ou de uma vez";
    }
}

pub struct Iptu;

impl Tax for Iptu {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const YEARLY: Option<&'static str> = Some("exercicio");
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Uf, Axis::Municipio],
        obrigatorios: &[Axis::Uf, Axis::Municipio],
        discriminador: Some(USO),
    };
    const ANSWERS_WITHOUT_FIGURE: &'static [&'static str] = &["isencao"];

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        let base_rate = matches!(c.modelo, Modelo::Unica | Modelo::AcrescimoDesconto);
        if base_rate != c.aliquota.is_some() {
            let detail =
                format!("O modelo `{}` {} `aliquota`.", c.modelo, if base_rate { "precisa de" } else { "não usa" });
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        if (c.modelo == Modelo::Unica) != c.faixas.is_empty() {
            let uses = if c.modelo == Modelo::Unica { "não usa" } else { "precisa de" };
            faults.add(
                &at.key("faixas"),
                ErrorCode::CampoObrigatorio,
                format!("O modelo `{}` {uses} `faixas`.", c.modelo),
            );
        }
        let list = at.key("faixas");
        for (i, faixa) in c.faixas.iter().enumerate() {
            let wanted = match c.modelo {
                Modelo::AcrescimoDesconto => [false, false, true],
                Modelo::FaixasParcelaDeduzir => [true, true, false],
                _ => [true, false, false],
            };
            let present = [faixa.aliquota.is_some(), faixa.parcela_deduzir.is_some(), faixa.ajuste.is_some()];
            for ((name, wanted), present) in ["aliquota", "parcela_deduzir", "ajuste"].iter().zip(wanted).zip(present) {
                if wanted != present {
                    let uses = if wanted { "precisa de" } else { "não usa" };
                    let detail = format!("Uma faixa do modelo `{}` {uses} `{name}`.", c.modelo);
                    faults.add(&list.index(i), ErrorCode::CampoObrigatorio, detail);
                }
            }
        }
        let limites: Vec<_> = c.faixas.iter().map(|f| f.ate).collect();
        check_limits(&limites, &list, faults);
        if c.isencao.as_ref().is_some_and(|i| i.unidade != Unidade::Brl) {
            faults.add(&at.key("isencao"), ErrorCode::ValorInvalido, "A isenção do IPTU é em BRL.");
        }
        desconto::check(&c.descontos, true, at, faults);
    }

    fn null_needs_motivo(campo: &str, _: &Object<'_>) -> bool {
        desconto::null_needs_motivo(campo)
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let any = Chave::no_municipio(IPTU, p.municipio);
        let own = Chave { palavra: USO.palavra(p.uso_imovel.as_str()), ..any.clone() };
        let regra = require(calculation.regras, &[own, any], p.exercicio.first_day())?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        let ground = &regra.citacao_legal;
        let whole = calculation.formula(p.valor_venal);
        let mut base = Noted { shown: Money::rounded(whole.exact())?, exact: whole.clone() };
        let mut exempt = false;
        let mut applied = Vec::new();
        if let Some(isencao) = &conteudo.isencao {
            let limite = regra.figura("isencao.limite", isencao.limite)?;
            let effect = isencao.apply(&whole, limite, None)?;
            if !matches!(effect, Efeito::Nenhum) {
                applied.push(format!("{} (limite de {limite})", isencao.base_legal.as_str()));
            }
            match effect {
                Efeito::Isento => exempt = true,
                Efeito::Parcial(rest) => base = calculation.step("valor_venal_tributavel", ground, rest)?,
                Efeito::Nenhum => {}
            }
        }
        let gross = progress(&regra, conteudo, &base.exact)?;
        let modelo = conteudo.modelo;
        let written = gross.imposto.noting(|| modelo.in_words().to_owned());
        let imposto_bruto = calculation.step("imposto_bruto", ground, written)?.shown;
        let due = if exempt {
            calculation.formula(0).noting(|| "imóvel isento: o valor venal não passa do limite".to_owned())
        } else {
            calculation.formula(imposto_bruto)
        };
        let valor = calculation.step("valor", ground, due)?.shown;
        let descontos = desconto::apply(&conteudo.descontos, (valor, &whole), None, calculation)?;
        let detalhes = Detalhes {
            valor_venal_tributavel: base.shown,
            modelo_progressividade: conteudo.modelo,
            faixa_aplicada: gross.faixa,
            imposto_bruto,
            isento: exempt,
            excecoes_aplicadas: applied,
            excecoes_nao_avaliadas: conteudo
                .excecoes_nao_avaliadas
                .iter()
                .filter_map(|one| one.shown(p.valor_venal))
                .collect(),
            municipio: p.municipio.name(),
            descontos: Sometimes(descontos),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}

/// The tax before exemptions, and the bracket that the value reaches.
struct Bruto {
    imposto: Formula,
    faixa: FaixaAplicada,
}

fn progress(regra: &Regra, c: &Conteudo, base: &Formula) -> RuleResult<Bruto> {
    if c.modelo == Modelo::Unica {
        let rate = base.beside(regra.figura("aliquota", c.aliquota)?);
        return finish(base, base * &rate, &rate, None);
    }
    let base_rate = match c.modelo {
        Modelo::AcrescimoDesconto => Some(regra.figura("aliquota", c.aliquota)?),
        _ => None,
    };
    let by_slice = matches!(c.modelo, Modelo::Marginal | Modelo::AcrescimoDesconto);
    let mut imposto: Option<Formula> = None;
    let mut floor = base.beside(0);
    for (i, faixa) in c.faixas.iter().enumerate() {
        let ceiling = faixa.ate.map(|ate| base.beside(ate));
        let is_last = match &ceiling {
            Some(ceiling) => base.exact().compare(ceiling.exact())? != std::cmp::Ordering::Greater,
            None => true,
        };
        if by_slice || is_last {
            let rate = bracket_rate(regra, i, faixa, base_rate, base)?;
            let top = ceiling.as_ref().filter(|_| !is_last).unwrap_or(base);
            let slice = if by_slice && i > 0 { top - &floor } else { top.clone() };
            let part = slice * &rate;
            let total = match imposto {
                Some(so_far) => so_far + part,
                None => part,
            };
            if is_last {
                let numero = i64::try_from(i + 1).ok();
                let Some(parcela) = faixa.parcela_deduzir else { return finish(base, total, &rate, numero) };
                let parcela = regra.figura(format_args!("faixas[{i}].parcela_deduzir"), parcela)?;
                let mut gross = finish(base, (total - parcela).or_zero()?, &rate, numero)?;
                gross.faixa.parcela_deduzir = Money::rounded(parcela.exact())?;
                return Ok(gross);
            }
            imposto = Some(total);
        }
        floor = ceiling.unwrap_or_else(|| base.clone());
    }
    Err(regra.sem_conteudo("faixas"))
}

/// The rate of bracket `i`: its own, or the base rate with its adjustment.
fn bracket_rate(
    regra: &Regra,
    i: usize,
    faixa: &FaixaIptu,
    base_rate: Option<Rate>,
    base: &Formula,
) -> RuleResult<Formula> {
    let Some(base_rate) = base_rate else {
        return Ok(base.beside(regra.figura(format_args!("faixas[{i}].aliquota"), faixa.aliquota)?));
    };
    match faixa.ajuste {
        Some(ajuste) => Ok(base.beside(base_rate) + regra.figura(format_args!("faixas[{i}].ajuste"), ajuste)?),
        None => Err(regra.sem_conteudo("faixas.ajuste")),
    }
}

/// Shows the bracket with the deduction that makes `base × aliquota − parcela` the tax.
fn finish(base: &Formula, imposto: Formula, rate: &Formula, faixa: Option<i64>) -> RuleResult<Bruto> {
    let aliquota = Percent::rounded(rate.exact().as_points(), 6)?;
    let parcela_deduzir = Money::rounded(base.exact() * rate.exact() - imposto.exact())?;
    Ok(Bruto { imposto, faixa: FaixaAplicada { faixa, aliquota, parcela_deduzir } })
}
