//! IPVA: the yearly vehicle tax (contract, section 2.3; CF, art. 155, III).
//!
//! The caller states the market value. The rate depends on the category in the UF and, if the rule says so, on the
//! fuel, the value, the power or the displacement.

mod tratamento;

use self::tratamento::{Medida, Tratamento};
use super::calculation::{Calculated, Calculation, Noted};
use super::desconto::{self, Descontado, Desconto};
use super::entry::Tax;
use super::faixas::{Faixa, Metodo, Parcela};
use super::figures::Money;
use super::formula::Formula;
use super::isencao::{Efeito, Isencao};
use crate::base::document::{Faults, Object, Path, Sometimes};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Date, Figura, Int, Rate, Text, Tributo, Uf};
use crate::rule::{Axis, Chave, Condicao, Discriminator, Escopo, Regra, RuleResult, ScopeSpec, require};

pub const IPVA: Tributo = Tributo::new("ipva");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "ipva",
  "uf": "SP",
  "categoria_veiculo": "automovel",
  "valor_venal": "85000.00",
  "combustivel": "flex",
  "data_fato_gerador": "2026-01-01"
}"#;

taxd_base::vocabulary! {
    pub enum Categoria {
        Automovel = "automovel" => "Automóvel",
        Motocicleta = "motocicleta" => "Motocicleta",
        Caminhao = "caminhao" => "Caminhão",
        Caminhonete = "caminhonete" => "Caminhonete",
        OnibusMicroOnibus = "onibus_micro_onibus" => "Ônibus e micro-ônibus",
        Locadora = "locadora" => "Locadora",
        Taxi = "taxi" => "Táxi",
        Pcd = "pcd" => "PCD (pessoa com deficiência)",
    }

    /// Fuel.
    pub enum Combustivel {
        Gasolina = "gasolina" => "Gasolina",
        Etanol = "etanol" => "Etanol",
        Flex = "flex" => "Flex",
        Diesel = "diesel" => "Diesel",
        Gnv = "gnv" => "GNV",
        Eletrico = "eletrico" => "Elétrico",
        Hibrido = "hibrido" => "Híbrido",
    }
}

/// The category of vehicle selects the rule.
const CATEGORIA: Discriminator = Discriminator { campo: "categoria_veiculo", palavras: Categoria::VOCABULARY };

taxd_base::document! {
    pub struct Payload {
        uf: Uf, "UF do licenciamento";
        categoria_veiculo: Categoria, "Categoria do veículo";
        valor_venal: Amount, "Valor venal informado";
        data_fato_gerador: Date, "Data do fato gerador" + ": 1º de janeiro do exercício";
        combustivel: Option<Combustivel>, "Combustível" + ", quando a regra o distingue";
        potencia_cv: Option<Int<0, 9999>>, "Potência em cv" + ", quando a alíquota depende dela";
        cilindrada_cm3: Option<Int<0, 99999>>, "Cilindrada em cm³" + ", quando a alíquota depende dela";
    }

    /// How a rule treats some fuels.
    pub struct PorCombustivel {
        combustivel: Vec<Combustivel>, "Combustíveis";
        aliquota: Option<Figura<Rate>>, "Alíquota deles";
        faixas: Vec<Faixa>, "Faixas, em vez de uma alíquota";
        faixas_por: Option<Medida>, "O que distingue as faixas";
        metodo: Option<Metodo>, "Como as faixas se aplicam";
        reducao_base: Option<Figura<Rate>>, "Percentual em que a base é reduzida";
        isento: bool = false, "São isentos";
        motivo_isencao: Option<Text>, "Por que são isentos";
        isencao: Option<Isencao>, "Isenção por valor, só deles" + "; a da categoria vale depois dela";
    }

    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota da categoria";
        faixas: Vec<Faixa>, "Faixas, em vez de uma alíquota";
        faixas_por: Option<Medida>, "O que distingue as faixas";
        metodo: Option<Metodo>, "Como as faixas se aplicam";
        reducao_base: Option<Figura<Rate>>, "Percentual em que a base é reduzida";
        combustiveis: Vec<PorCombustivel>, "O que é próprio de alguns combustíveis";
        isento: bool = false, "A categoria é isenta";
        motivo_isencao: Option<Text>, "Por que é isenta";
        isencao: Option<Isencao>, "Isenção por valor";
        descontos: Vec<Desconto>, "Descontos de quem paga antes ou de uma vez" + "; `valor` é o imposto sem eles";
    }
}

taxd_base::components! {
    /// What an answer of `ipva` shows.
    pub struct Detalhes {
        valor_venal: Money, "Valor venal informado";
        base_calculo: Money as Base, "Base de cálculo";
        reducao_base: Option<Rate>, "Percentual em que a base foi reduzida";
        aliquota_aplicada: Option<Rate> as Aliquota, "Alíquota" + "; nulo se isento";
        categoria_veiculo: Categoria, "Categoria do veículo";
        combustivel: Option<Combustivel>, "Combustível informado";
        isento: bool, "O veículo é isento";
        motivo_isencao: Option<String>, "Por que é isento, no todo ou em parte";
        faixas_por: Sometimes<Option<Medida>>, "O que distingue as faixas";
        metodo: Sometimes<Option<Metodo>>, "Como as faixas se aplicam";
        faixas: Sometimes<Vec<Parcela>>, "Cálculo por faixa";
        descontos: Sometimes<Vec<Descontado>>, "Imposto com desconto, de quem paga antes ou de uma vez";
    }
}

/// The sentence on a new or imported vehicle, which pays by the month.
const NOT_THE_FIRST: &str = "O fato gerador informado não é 1º de janeiro: a proporção dos meses (veículo novo ou importado no exercício) não foi avaliada.";

pub struct Ipva;

impl Tax for Ipva {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const YEARLY: Option<&'static str> = Some("data_fato_gerador");
    const ESCOPO: ScopeSpec =
        ScopeSpec { eixos: &[Axis::Uf], obrigatorios: &[Axis::Uf], discriminador: Some(CATEGORIA) };
    const ANSWERS_WITHOUT_FIGURE: &'static [&'static str] = &["combustiveis", "isencao"];

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        Tratamento::from(c).check(!c.combustiveis.is_empty(), at, faults);
        desconto::check(&c.descontos, true, at, faults);
        let list = at.key("combustiveis");
        for (i, fuel) in c.combustiveis.iter().enumerate() {
            Tratamento::from(fuel).check(false, &list.index(i), faults);
        }
        let named: Vec<Combustivel> = c.combustiveis.iter().flat_map(|f| f.combustivel.iter().copied()).collect();
        if named.iter().enumerate().any(|(i, f)| named.iter().take(i).any(|g| g == f)) {
            faults.add(&list, ErrorCode::ValorInvalido, "Um combustível aparece em mais de um item.");
        }
    }

    // Checked only at import: a rule that was published before this check must still be read.
    fn check_regra(c: &Conteudo, _: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        let at = at.key("conteudo");
        Tratamento::from(c).check_idle(&at, faults);
        let list = at.key("combustiveis");
        for (i, fuel) in c.combustiveis.iter().enumerate() {
            Tratamento::from(fuel).check_idle(&list.index(i), faults);
        }
    }

    fn null_needs_motivo(campo: &str, _: &Object<'_>) -> bool {
        desconto::null_needs_motivo(campo)
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let key = Chave { palavra: CATEGORIA.palavra(p.categoria_veiculo.as_str()), ..Chave::na_uf(IPVA, p.uf) };
        let any = Chave::na_uf(IPVA, p.uf);
        let regra = require(calculation.regras, &[key, any], p.data_fato_gerador)?;
        if !p.data_fato_gerador.is_first_of_year() {
            calculation.warn(Condicao::Data, NOT_THE_FIRST);
        }
        let conteudo = regra.conteudo::<Conteudo>()?;
        let own = treatment(p, conteudo);
        let ground = &regra.citacao_legal;
        let value = calculation.formula(p.valor_venal);
        // Exemptions first: an exempt vehicle owes nothing at any rate.
        let exemption = exemption(&regra, conteudo, own.as_ref(), &value)?;
        let mut base = Noted { shown: Money::rounded(value.exact())?, exact: value.clone() };
        let mut reducao = None;
        let mut devido = None;
        if !matches!(exemption, Some((Efeito::Isento, _))) {
            let own = taxing(p, &regra, own)?;
            let mut taxed = match &exemption {
                Some((Efeito::Parcial(rest), _)) => Some(rest.clone()),
                _ => None,
            };
            if let Some(figura) = own.reducao_base {
                let cut = regra.figura("reducao_base", figura)?;
                taxed = Some(taxed.as_ref().unwrap_or(&value).reduced_by(cut));
                reducao = Some(cut);
            }
            if let Some(taxed) = taxed {
                base = calculation.step("base_calculo", ground, taxed)?;
            }
            devido = Some((own.apply(&regra, p, &base.exact)?, own));
        }
        let rate = devido.as_ref().map(|(d, _)| d.aliquota);
        let due = match &devido {
            None => calculation.formula(0).noting(|| "veículo isento".to_owned()),
            Some((d, Tratamento { faixas_por: Some(por), .. })) => {
                d.imposto.clone().noting(|| format!("faixas por {}", por.in_words()))
            }
            Some((d, _)) => d.imposto.clone(),
        };
        let valor = calculation.step("valor", ground, due)?.shown;
        let isento = devido.is_none();
        let (faixas, own) = devido.and_then(|(d, own)| Some((d.parcelas?, own))).unzip();
        let detalhes = Detalhes {
            valor_venal: Money::rounded(value.exact())?,
            base_calculo: base.shown,
            reducao_base: reducao,
            aliquota_aplicada: rate,
            categoria_veiculo: p.categoria_veiculo,
            combustivel: p.combustivel,
            isento,
            motivo_isencao: exemption.map(|(_, motivo)| motivo),
            faixas_por: Sometimes(own.as_ref().map(|own| own.faixas_por)),
            metodo: Sometimes(own.as_ref().map(|own| own.tributacao.metodo)),
            faixas: Sometimes(faixas),
            descontos: Sometimes(desconto::apply(&conteudo.descontos, (valor, &value), None, calculation)?),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}

/// How the rule treats the vehicle. `None` if that depends on the fuel and the payload has none.
fn treatment<'a>(p: &Payload, c: &'a Conteudo) -> Option<Tratamento<'a>> {
    if c.combustiveis.is_empty() {
        return Some(c.into());
    }
    let fuel = p.combustivel?;
    let own = c.combustiveis.iter().find(|f| f.combustivel.contains(&fuel));
    Some(own.map_or_else(|| c.into(), Tratamento::from))
}

/// The exemption of the vehicle, or of part of its value, and its legal ground.
fn exemption(
    regra: &Regra,
    c: &Conteudo,
    own: Option<&Tratamento<'_>>,
    value: &Formula,
) -> RuleResult<Option<(Efeito, String)>> {
    if let Some(own) = own.filter(|own| own.isento) {
        return Ok(Some((Efeito::Isento, own.motivo_isencao.map_or_else(String::new, |m| m.as_str().to_owned()))));
    }
    // An exemption of the whole wins over one of a part.
    let mut of_a_part = None;
    for isencao in [own.and_then(|own| own.isencao), c.isencao.as_ref()].into_iter().flatten() {
        let limite = regra.figura("isencao.limite", isencao.limite)?;
        let efeito = isencao.apply(value, limite, None)?;
        let why = || isencao.base_legal.as_str().to_owned();
        match efeito {
            Efeito::Isento => return Ok(Some((efeito, why()))),
            Efeito::Parcial(_) => of_a_part = of_a_part.or_else(|| Some((efeito, why()))),
            Efeito::Nenhum => {}
        }
    }
    Ok(of_a_part)
}

/// The treatment, if it taxes the vehicle; else the refusal that names the fuel.
fn taxing<'a>(p: &Payload, regra: &Regra, own: Option<Tratamento<'a>>) -> RuleResult<Tratamento<'a>> {
    match (own, p.combustivel) {
        (Some(own), _) if own.taxes() => Ok(own),
        (_, Some(fuel)) => Err(regra.refusal_of_field(
            ErrorCode::RegraSemConteudo,
            "combustivel",
            format!("A regra não diz a alíquota de veículo com combustível {fuel}."),
        )),
        (_, None) => Err(regra.refusal_of_field(
            ErrorCode::CombustivelAusente,
            "combustivel",
            format!("A regra distingue o combustível: informe `combustivel`: {}.", Combustivel::VOCABULARY.listed()),
        )),
    }
}
