//! IPVA: the yearly vehicle tax (contract, section 2.3; CF, art. 155, III).
//!
//! The market value is the caller's; the rate is that of the category in the UF, and of the
//! fuel where the rule tells fuels apart.

use super::calculo::{Calculo, Resultado};
use super::detalhes::Dado;
use super::isencao::{Efeito, Isencao, Unidade};
use super::registry::Tax;
use crate::problem::Codigo;
use crate::record::{Faults, Path};
use crate::rule::{Chave, Discriminador, Eixo, EscopoSpec, Regra, Resposta, exigir};
use crate::value::{Amount, Data, Exact, Figura, Rate, Texto, Tributo, Uf};

pub(super) const IPVA: Tributo = Tributo::new("ipva");

pub(super) const EXEMPLO: &str = r#"{
  "tributo": "ipva",
  "uf": "SP",
  "categoria_veiculo": "automovel",
  "valor_venal": "85000.00",
  "combustivel": "flex",
  "data_fato_gerador": "2026-01-01"
}"#;

crate::vocabulary! {
    /// Category of vehicle.
    pub enum Categoria {
        Automovel = "automovel",
        Motocicleta = "motocicleta",
        Caminhao = "caminhao",
        Caminhonete = "caminhonete",
        OnibusMicroOnibus = "onibus_micro_onibus",
        Locadora = "locadora",
        Taxi = "taxi",
        Pcd = "pcd",
    }
}

crate::vocabulary! {
    /// Fuel.
    pub enum Combustivel {
        Gasolina = "gasolina",
        Etanol = "etanol",
        Flex = "flex",
        Diesel = "diesel",
        Gnv = "gnv",
        Eletrico = "eletrico",
        Hibrido = "hibrido",
    }
}

/// Rules are told apart by the category of vehicle.
const CATEGORIA: Discriminador = Discriminador { campo: "categoria_veiculo", palavras: Categoria::WORDS };

crate::record! {
    /// Payload of `ipva`.
    pub struct Payload {
        uf: Uf, "UF do licenciamento";
        categoria_veiculo: Categoria, "Categoria do veículo";
        valor_venal: Amount, "Valor venal informado";
        data_fato_gerador: Data, "Data do fato gerador: 1º de janeiro do exercício";
        combustivel: Option<Combustivel>, "Combustível, quando a regra o distingue";
    }
}

crate::record! {
    /// What a rule says of some fuels.
    pub struct PorCombustivel {
        combustivel: Vec<Combustivel>, "Combustíveis";
        aliquota: Option<Figura<Rate>>, "Alíquota deles";
        isento: bool = false, "São isentos";
        motivo_isencao: Option<Texto>, "Por que são isentos";
    }
}

crate::record! {
    /// Content of an `ipva` rule.
    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota da categoria";
        combustiveis: Vec<PorCombustivel>, "Alíquotas por combustível";
        isento: bool = false, "A categoria é isenta";
        motivo_isencao: Option<Texto>, "Por que é isenta";
        isencao: Option<Isencao>, "Isenção por valor";
    }
}

/// See the module.
pub struct Ipva;

impl Tax for Ipva {
    type Payload = Payload;
    type Conteudo = Conteudo;
    const ESCOPO: EscopoSpec =
        EscopoSpec { eixos: &[Eixo::Uf], obrigatorios: &[Eixo::Uf], discriminador: Some(CATEGORIA) };

    fn conferir_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        let mut treatment = |isento: bool, aliquota: bool, motivo: bool, optional: bool, at: &Path<'_>| {
            if isento && aliquota || !isento && !aliquota && !optional {
                let detail = "Informe `aliquota` (ou null, se não está estabelecida), ou `isento`: true; não os dois.";
                faults.add(&at.key("aliquota"), Codigo::CampoObrigatorio, detail);
            }
            if isento && !motivo {
                faults.add(&at.key("motivo_isencao"), Codigo::CampoObrigatorio, "Diga por que é isento.");
            }
        };
        treatment(c.isento, c.aliquota.is_some(), c.motivo_isencao.is_some(), !c.combustiveis.is_empty(), at);
        let list = at.key("combustiveis");
        for (i, fuel) in c.combustiveis.iter().enumerate() {
            treatment(fuel.isento, fuel.aliquota.is_some(), fuel.motivo_isencao.is_some(), false, &list.index(i));
        }
        let named: Vec<Combustivel> = c.combustiveis.iter().flat_map(|f| f.combustivel.iter().copied()).collect();
        if named.iter().enumerate().any(|(i, f)| named.iter().take(i).any(|g| g == f)) {
            faults.add(&list, Codigo::ValorInvalido, "Um combustível aparece em mais de um item.");
        }
        if c.isencao.as_ref().is_some_and(|i| i.unidade != Unidade::Brl) {
            faults.add(&at.key("isencao"), Codigo::ValorInvalido, "A isenção do IPVA é em BRL.");
        }
    }

    fn calcular(_: Tributo, p: &Payload, calculo: &mut Calculo<'_>) -> Resposta<Resultado> {
        let key = Chave { palavra: CATEGORIA.palavra(p.categoria_veiculo.as_str()), ..Chave::na_uf(IPVA, p.uf) };
        let any = Chave::na_uf(IPVA, p.uf);
        let regra = exigir(calculo.regras, &[key, any], None, p.data_fato_gerador)?;
        if !p.data_fato_gerador.is_first_of_year() {
            calculo.aviso(
                "O fato gerador informado não é 1º de janeiro: a proporção dos meses (veículo novo ou importado no exercício) não foi avaliada.",
            );
        }
        let conteudo = regra.conteudo::<Conteudo>()?;
        let (rate, mut motivo) = treatment(p, &regra, conteudo)?;
        let mut base = p.valor_venal.exact();
        let mut exempt = rate.is_none();
        if let (Some(_), Some(isencao)) = (rate, &conteudo.isencao) {
            let limite = regra.figura("isencao.limite", isencao.limite)?;
            match isencao.aplicar(base, limite, Exact::ONE)? {
                Efeito::Isento => {
                    exempt = true;
                    motivo = Some(isencao.base_legal.as_str().to_owned());
                }
                Efeito::Parcial(rest) => {
                    base = rest;
                    motivo = Some(isencao.base_legal.as_str().to_owned());
                }
                Efeito::Nenhum => {}
            }
        }
        let due = match rate {
            Some(rate) if !exempt => base * rate.fraction(),
            _ => Exact::ZERO,
        };
        calculo.passo("valor", &regra, &Dado::valor(due)?, || match (exempt, rate) {
            (false, Some(rate)) => format!("base tributável de {} × {rate}%", p.valor_venal),
            _ => "veículo isento".to_owned(),
        });
        let detalhes = vec![
            ("valor_venal", Dado::valor(p.valor_venal.exact())?),
            ("base_calculo", Dado::valor(base)?),
            ("aliquota_aplicada", Dado::ou_nulo(rate.filter(|_| !exempt))),
            ("categoria_veiculo", p.categoria_veiculo.as_str().into()),
            ("combustivel", Dado::ou_nulo(p.combustivel.map(Combustivel::as_str))),
            ("isento", exempt.into()),
            ("motivo_isencao", Dado::ou_nulo(motivo)),
        ];
        Ok(Resultado { valor: due.round(2)?, regra: regra.clone(), detalhes })
    }
}

/// The rate for the fuel, or none and the reason of the exemption.
fn treatment(p: &Payload, regra: &Regra, c: &Conteudo) -> Resposta<(Option<Rate>, Option<String>)> {
    let words = |t: &Option<Texto>| t.as_ref().map(|t| t.as_str().to_owned());
    if c.combustiveis.is_empty() {
        return Ok(match c.aliquota {
            Some(aliquota) => (Some(regra.figura("aliquota", aliquota)?), None),
            None => (None, words(&c.motivo_isencao)),
        });
    }
    let Some(fuel) = p.combustivel else {
        return Err(regra.recusa_de_campo(
            Codigo::CombustivelAusente,
            "combustivel",
            format!("A regra distingue o combustível: informe `combustivel` ({}).", Combustivel::WORDS.join(", ")),
        ));
    };
    match c.combustiveis.iter().find(|f| f.combustivel.contains(&fuel)) {
        Some(PorCombustivel { aliquota: Some(aliquota), .. }) => {
            Ok((Some(regra.figura("combustiveis.aliquota", *aliquota)?), None))
        }
        Some(exempt) => Ok((None, words(&exempt.motivo_isencao))),
        None => match c.aliquota {
            Some(aliquota) => Ok((Some(regra.figura("aliquota", aliquota)?), None)),
            None if c.isento => Ok((None, words(&c.motivo_isencao))),
            None => Err(regra.recusa_de_campo(
                Codigo::RegraSemConteudo,
                "combustivel",
                format!("A regra não diz a alíquota de veículo com combustível {fuel}."),
            )),
        },
    }
}
