//! ITCMD: inheritance and gifts (contract, section 2.3; CF, art. 155, I).
//!
//! One rate, or brackets that are marginal or whole-value as the law of the UF says, in BRL
//! or in the UF's fiscal unit; an exemption by value frees the whole or the part below it.

use super::calculo::{Calculo, Resultado};
use super::detalhes::Dado;
use super::faixas::{FAIXA, Faixa, Metodo, Tributacao};
use super::forma::{Componente, Forma};
use super::isencao::{Efeito, Isencao, Unidade};
use super::registry::Tax;
use crate::document::{Faults, Path};
use crate::problem::ErrorCode;
use crate::rule::{Axis, Chave, Discriminator, RuleResult, ScopeSpec, exigir};
use crate::value::{Amount, Date, Exact, Figura, Rate, Text, Tributo, Uf};

pub(super) const ITCMD: Tributo = Tributo::new("itcmd");

pub(super) const EXEMPLO: &str = r#"{
  "tributo": "itcmd",
  "uf": "SP",
  "fato_gerador": "doacao",
  "valor_base": "150000.00",
  "valor_unidade_fiscal": "38.42",
  "data_fato_gerador": "2026-05-20"
}"#;

crate::vocabulary! {
    /// Nature of the transfer.
    pub enum FatoGerador {
        CausaMortis = "causa_mortis",
        Doacao = "doacao",
    }
}

/// Rules are told apart by the nature of the transfer.
const NATUREZA: Discriminator = Discriminator { campo: "fato_gerador", palavras: FatoGerador::WORDS };

crate::document! {
    /// Payload of `itcmd`.
    pub struct Payload {
        uf: Uf, "UF competente";
        fato_gerador: FatoGerador, "Natureza da transmissão";
        valor_base: Amount, "Valor de mercado transmitido (um quinhão, ou a doação acumulada na janela legal)";
        data_fato_gerador: Date, "Data do óbito ou da doação";
        valor_unidade_fiscal: Option<Amount>, "Valor em reais de uma unidade fiscal do Estado no ano, se a regra a usa";
    }
}

crate::document! {
    /// Content of an `itcmd` rule.
    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota única";
        faixas: Vec<Faixa>, "Faixas progressivas";
        metodo: Option<Metodo>, "Como as faixas se aplicam";
        unidade: Unidade = "BRL", "Unidade dos limites das faixas";
        unidade_nome: Option<Text>, "Nome da unidade fiscal";
        isencao: Option<Isencao>, "Isenção por valor";
    }
}

impl Conteudo {
    fn tributacao(&self) -> Tributacao<'_> {
        Tributacao { aliquota: self.aliquota, faixas: &self.faixas, metodo: self.metodo }
    }
}

/// See the module.
pub struct Itcmd;

impl Tax for Itcmd {
    type Payload = Payload;
    type Conteudo = Conteudo;
    const ESCOPO: ScopeSpec =
        ScopeSpec { eixos: &[Axis::Uf], obrigatorios: &[Axis::Uf], discriminador: Some(NATUREZA) };
    const DETALHES: &'static [Componente] = &[
        Componente::sempre("base", Forma::Valor, "Base de cálculo"),
        Componente::sempre(
            "aliquota_aplicada",
            Forma::OuNulo(&Forma::Aliquota),
            "Alíquota, ou a da última faixa alcançada; nulo se isento",
        ),
        Componente::sempre("fato_gerador", Forma::Word(FatoGerador::WORDS), "Natureza da transmissão"),
        Componente::sempre("isento", Forma::Logico, "A transmissão é isenta"),
        Componente::sempre(
            "isencao_base_legal",
            Forma::OuNulo(&Forma::Texto),
            "Dispositivo da isenção, se ela alcança o valor",
        ),
        Componente::sempre("limite_isencao", Forma::OuNulo(&Forma::Valor), "Limite da isenção em reais"),
        Componente::algumas("metodo", Forma::Word(Metodo::WORDS), "Como as faixas se aplicam"),
        Componente::algumas("faixas", Forma::Lista(&FAIXA), "O que coube a cada faixa"),
    ];

    fn conferir_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        c.tributacao().conferir(at, faults);
    }

    fn calcular(_: Tributo, p: &Payload, calculo: &mut Calculo<'_>) -> RuleResult<Resultado> {
        let own = Chave { palavra: NATUREZA.palavra(p.fato_gerador.as_str()), ..Chave::na_uf(ITCMD, p.uf) };
        let any = Chave::na_uf(ITCMD, p.uf);
        let regra = exigir(calculo.regras, &[own, any], None, p.data_fato_gerador)?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        let in_units = !conteudo.faixas.is_empty() && conteudo.unidade == Unidade::UnidadeFiscal
            || conteudo.isencao.as_ref().is_some_and(|i| i.unidade == Unidade::UnidadeFiscal);
        let unfit = match p.valor_unidade_fiscal {
            Some(value) if value > Amount::ZERO => None,
            Some(_) => Some(ErrorCode::ValorZero),
            None => Some(ErrorCode::UnidadeFiscalAusente),
        };
        if let Some(codigo) = unfit.filter(|_| in_units) {
            let name = conteudo.unidade_nome.as_ref().map_or("unidade fiscal", Text::as_str);
            let detail =
                format!("A regra usa {name}: informe em `valor_unidade_fiscal` o valor de uma unidade no ano.");
            return Err(regra.recusa_de_campo(codigo, "valor_unidade_fiscal", detail));
        }
        let unit = |unidade: Unidade| match (unidade, p.valor_unidade_fiscal) {
            (Unidade::UnidadeFiscal, Some(value)) => value.exact(),
            _ => Exact::ONE,
        };

        let total = p.valor_base.exact();
        let mut base = total;
        let mut exempt = false;
        let mut partial = false;
        let mut limit = Dado::Nulo;
        let mut legal = Dado::Nulo;
        if let Some(isencao) = &conteudo.isencao {
            let limite = regra.figura("isencao.limite", isencao.limite)?;
            limit = Dado::valor(limite.exact() * unit(isencao.unidade))?;
            match isencao.aplicar(total, limite, unit(isencao.unidade))? {
                Efeito::Isento => exempt = true,
                Efeito::Parcial(rest) => {
                    base = rest;
                    partial = true;
                }
                Efeito::Nenhum => {}
            }
            if exempt || partial {
                legal = Dado::texto(isencao.base_legal.as_str());
            }
        }
        let devido =
            if exempt { None } else { Some(conteudo.tributacao().aplicar(&regra, base, unit(conteudo.unidade))?) };
        let due = devido.as_ref().map_or(Exact::ZERO, |d| d.imposto);
        let rate = devido.as_ref().map(|d| d.aliquota);
        calculo.passo("base", &regra, &Dado::valor(base)?, || match (exempt, &limit) {
            (true, Dado::Valor(limit)) => format!("{} não passa do limite de isenção de {limit}", p.valor_base),
            (false, Dado::Valor(limit)) if partial => format!("{} − {limit} isentos", p.valor_base),
            _ => p.valor_base.to_string(),
        });
        calculo.passo("valor", &regra, &Dado::valor(due)?, || match (rate, conteudo.metodo) {
            (None, _) => "isento".to_owned(),
            (Some(_), Some(metodo)) => format!("soma das faixas, método {metodo}"),
            (Some(rate), None) => format!("base × {rate}%"),
        });
        let mut detalhes = vec![
            ("base", Dado::valor(if exempt { total } else { base })?),
            ("aliquota_aplicada", Dado::ou_nulo(rate)),
            ("fato_gerador", p.fato_gerador.as_str().into()),
            ("isento", exempt.into()),
            ("isencao_base_legal", legal),
            ("limite_isencao", limit),
        ];
        if let (Some(parts), Some(metodo)) = (devido.and_then(|d| d.parcelas), conteudo.metodo) {
            detalhes.push(("metodo", metodo.as_str().into()));
            detalhes.push(("faixas", Dado::Lista(parts)));
        }
        Ok(Resultado { valor: due.round(2)?, regra: regra.clone(), detalhes })
    }
}
