//! IPI: the federal tax on industrialised products (contract, section 2.3; the TIPI).
//!
//! Order of the lookup: the declared ex of the NCM, then the NCM, then its prefixes. An ex
//! without a line of its own falls back to the parent line, and the answer says so.
//!
//! Cigarettes have a base of their own, a part of the retail price, and a special regime by option: a rate and an amount a
//! unit, added (Lei 12.546/2011, arts. 14 to 17; RIPI, arts. 212-A and 212-B).

mod especial;

use self::especial::Especial;
use super::calculation::{Calculated, Calculation};
use super::entry::Tax;
use super::figures::Money;
use crate::base::document::{Faults, Object, Path, Sometimes};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Date, ExDeclarado, Figura, Ncm, Rate, Text, Tributo};
use crate::codes::texto_do_ex;
use crate::rule::{Axis, Chave, Condicao, RuleResult, ScopeSpec, require_of_ncm};

pub(super) use super::ncm_do_dia::IPI;

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "ipi",
  "ncm": "22030000",
  "valor_produto": "1000.00",
  "frete": "50.00",
  "data_operacao": "2026-03-10"
}"#;

taxd_base::vocabulary! {
    /// Situation of a line of the TIPI.
    pub enum SituacaoTipi {
        Tributado = "tributado" => "Tributado",
        NaoTributado = "nao_tributado" => "Não tributado (NT)",
        AliquotaZero = "aliquota_zero" => "Alíquota zero",
    }
}

impl SituacaoTipi {
    /// The situation as people say it.
    fn in_words(self) -> &'static str {
        match self {
            SituacaoTipi::Tributado => "tributado",
            SituacaoTipi::NaoTributado => "produto não tributado (NT)",
            SituacaoTipi::AliquotaZero => "produto de alíquota zero",
        }
    }
}

taxd_base::document! {
    pub struct Payload {
        ncm: Ncm, "NCM do produto" + ", 8 dígitos";
        ex: ExDeclarado, "Exceção tarifária (Ex)" + "; 00 é nenhuma";
        valor_produto: Amount, "Valor do produto";
        frete: Amount = "0", "Frete";
        despesas: Amount = "0", "Despesas acessórias";
        preco_venda_varejo: Option<Amount>, "Preço de venda no varejo" + ", de toda a quantidade, quando a base é parte dele (cigarros)";
        regime_especial: Option<bool>, "O fabricante ou importador optou pelo regime especial" + ", quando a regra o tem (cigarros)";
        quantidade: Option<Amount>, "Quantidade" + ", na unidade da regra, no regime especial";
        data_operacao: Date, "Data da saída";
    }

    /// The tax of who opted for the special regime: a rate on the base and an amount a unit, added.
    pub struct RegimeEspecial {
        aliquota: Figura<Rate>, "Alíquota ad valorem";
        valor: Figura<Amount>, "Imposto por unidade, somado ao da alíquota";
        unidade: Text, "Unidade da quantidade" + ", como em: vintena";
    }

    pub struct Conteudo {
        situacao: SituacaoTipi, "Situação na TIPI";
        aliquota: Option<Figura<Rate>>, "Alíquota, quando tributado";
        percentual_varejo: Option<Figura<Rate>>, "Percentual do preço de venda no varejo que é a base, em vez do valor do produto";
        regime_especial: Option<RegimeEspecial>, "Regime especial, para quem optou por ele";
        tabela_versao: Text, "Edição da TIPI";
    }
}

taxd_base::components! {
    pub struct Detalhes {
        situacao: SituacaoTipi, "Situação da linha da TIPI";
        aliquota_aplicada: Option<Rate> as Aliquota, "Alíquota" + "; nulo se não tributado";
        base_calculo: Money as Base, "Base de cálculo";
        ex_aplicado: bool, "A regra é a do Ex declarado";
        ex_declarado: Option<String>, "Ex declarado" + ", canônico";
        ex_descricao: Sometimes<&'static str>, "Texto do Ex na TIPI" + "; termina em reticências se foi lido só o começo";
        tabela_versao: Text, "Edição da TIPI";
        regime_especial: Sometimes<bool>, "Opção declarada pelo regime especial";
        parcela_ad_valorem: Sometimes<Money>, "Parcela da alíquota" + ", no regime especial";
        parcela_por_unidade: Sometimes<Money>, "Parcela do valor por unidade" + ", no regime especial";
        quantidade: Sometimes<Amount>, "Quantidade tributada" + ", na unidade da regra, no regime especial";
        valor_por_unidade: Sometimes<Amount>, "Imposto por unidade";
        unidade: Sometimes<Text>, "Unidade da quantidade";
    }
}

pub struct Ipi;

impl Tax for Ipi {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec =
        ScopeSpec { eixos: &[Axis::Ncm, Axis::NcmExceto, Axis::Ex], obrigatorios: &[Axis::Ncm], discriminador: None };

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        let here = at.key("aliquota");
        let positive = |rate: Rate| matches!(rate.points().is_positive(), Ok(true));
        match (c.situacao, c.aliquota) {
            (SituacaoTipi::Tributado, None) => {
                let detail = "Uma linha tributada precisa de `aliquota` (null, se não está estabelecida).";
                faults.add(&here, ErrorCode::CampoObrigatorio, detail);
            }
            (SituacaoTipi::Tributado, Some(f)) if f.established().is_some_and(|r| !positive(r)) => {
                faults.add(&here, ErrorCode::ValorInvalido, "Alíquota zero tem a situação `aliquota_zero`.");
            }
            (SituacaoTipi::NaoTributado | SituacaoTipi::AliquotaZero, Some(f))
                if f.established().is_some_and(positive) =>
            {
                let detail = format!("Uma linha com situação `{}` não tem alíquota.", c.situacao);
                faults.add(&here, ErrorCode::ValorInvalido, detail);
            }
            _ => {}
        }
        let own =
            [("percentual_varejo", c.percentual_varejo.is_some()), ("regime_especial", c.regime_especial.is_some())];
        for (name, _) in own.into_iter().filter(|(_, stated)| *stated && c.situacao != SituacaoTipi::Tributado) {
            let detail = format!("Uma linha com situação `{}` não usa `{name}`.", c.situacao);
            faults.add(&at.key(name), ErrorCode::ValorInvalido, detail);
        }
    }

    /// A line that is not taxed has no rate to establish.
    fn null_needs_motivo(campo: &str, conteudo: &Object<'_>) -> bool {
        let untaxed = conteudo.text("situacao").is_some_and(|s| s != SituacaoTipi::Tributado.as_str());
        campo != "aliquota" || !untaxed
    }

    fn product(p: &Payload) -> Option<(&Ncm, Date)> {
        Some((&p.ncm, p.data_operacao))
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let line = [Chave::of(IPI)];
        let of_ex = p.ex.0.map(|ex| Chave { ex: Some(ex), ..Chave::of(IPI) });
        let places: Vec<Chave> = of_ex.into_iter().chain(line.clone()).collect();
        let regra = require_of_ncm(calculation.regras, &places, &p.ncm, p.data_operacao)?;
        match p.ex.0 {
            None => calculation.ex_not_given(&p.ncm, Chave::under(&line, &p.ncm), p.data_operacao)?,
            // The TIPI lists every Ex, so this one is probably mistyped; the contract answers by the line of the NCM.
            Some(ex) if regra.escopo.ex.is_none() => {
                let sentence =
                    format!("A TIPI do dia não tem o Ex {ex} no NCM {}: valeu a linha do código. Confira o Ex.", p.ncm);
                calculation.warn(Condicao::Campo, sentence);
            }
            Some(_) => {}
        }
        let conteudo = regra.conteudo::<Conteudo>()?;
        let especial = Especial::of(p, &regra, conteudo, calculation)?;
        let rate = match (&especial, conteudo.situacao) {
            (Some(especial), _) => Some(especial.aliquota),
            (None, SituacaoTipi::Tributado) => Some(regra.figura("aliquota", conteudo.aliquota)?),
            (None, SituacaoTipi::NaoTributado | SituacaoTipi::AliquotaZero) => None,
        };
        let base = especial::base(p, &regra, conteudo, calculation)?;
        let by_rate = match rate {
            Some(rate) => base.exact * rate,
            None => calculation.formula(0).noting(|| conteudo.situacao.in_words().to_owned()),
        };
        let ground = &regra.citacao_legal;
        let nome = if especial.is_some() { "parcela_ad_valorem" } else { "valor" };
        let ad_valorem = calculation.step(nome, ground, by_rate)?.shown;
        let (mut valor, mut by_unit) = (ad_valorem, None);
        if let Some(especial) = &especial {
            let due = calculation.step("parcela_por_unidade", ground, especial.by_unit(calculation))?.shown;
            valor = calculation.step("valor", ground, calculation.formula(ad_valorem) + due)?.shown;
            by_unit = Some(due);
        }
        let detalhes = Detalhes {
            situacao: conteudo.situacao,
            aliquota_aplicada: rate.or((conteudo.situacao == SituacaoTipi::AliquotaZero).then_some(Rate::ZERO)),
            base_calculo: base.shown,
            ex_aplicado: regra.escopo.ex.is_some(),
            ex_declarado: p.ex.0.map(|ex| ex.to_string()),
            ex_descricao: Sometimes(regra.escopo.ex.and_then(|ex| texto_do_ex(&p.ncm, ex))),
            tabela_versao: conteudo.tabela_versao.clone(),
            regime_especial: Sometimes(p.regime_especial),
            parcela_ad_valorem: Sometimes(by_unit.map(|_| ad_valorem)),
            parcela_por_unidade: Sometimes(by_unit),
            quantidade: Sometimes(especial.as_ref().map(|especial| especial.quantidade)),
            valor_por_unidade: Sometimes(especial.as_ref().map(|especial| especial.valor)),
            unidade: Sometimes(especial.map(|especial| especial.unidade)),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}
