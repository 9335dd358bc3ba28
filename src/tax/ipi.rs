//! IPI: the federal tax on industrialised products (contract, section 2.3; the TIPI).
//!
//! Order of the lookup: the declared ex of the NCM, then the NCM, then its prefixes. An ex
//! without a line of its own falls back to the parent line, and the answer says so.

use super::calculation::{Calculated, Calculation, sum, written_sum};
use super::entry::Tax;
use super::figures::Money;
use crate::document::{Faults, Node, Object, Path};
use crate::problem::ErrorCode;
use crate::rule::{Axis, Chave, RuleResult, ScopeSpec, exigir};
use crate::value::{Amount, Date, Ex, Exact, Figura, Ncm, Rate, Text, Tributo};

pub(super) const IPI: Tributo = Tributo::new("ipi");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "ipi",
  "ncm": "22030000",
  "valor_produto": "1000.00",
  "frete": "50.00",
  "data_operacao": "2026-03-10"
}"#;

crate::vocabulary! {
    /// Situation of a line of the TIPI.
    pub enum SituacaoTipi {
        Tributado = "tributado",
        NaoTributado = "nao_tributado",
        AliquotaZero = "aliquota_zero",
    }
}

crate::document! {
    /// Payload of `ipi`.
    pub struct Payload {
        ncm: Ncm, "NCM do produto" + ", 8 dígitos";
        ex: Option<Ex>, "Exceção tarifária (Ex)";
        valor_produto: Amount, "Valor do produto";
        frete: Amount = "0", "Frete";
        despesas: Amount = "0", "Despesas acessórias";
        data_operacao: Date, "Data da saída";
    }

    /// Content of an `ipi` rule.
    pub struct Conteudo {
        situacao: SituacaoTipi, "Situação na TIPI";
        aliquota: Option<Figura<Rate>>, "Alíquota, quando tributado";
        tabela_versao: Text, "Edição da TIPI";
    }
}

crate::components! {
    /// What an answer of `ipi` shows.
    pub struct Detalhes {
        situacao: SituacaoTipi, "Situação da linha da TIPI";
        aliquota_aplicada: Option<Rate>, "Alíquota" + "; nulo se não tributado";
        base_calculo: Money, "Base de cálculo";
        ex_aplicado: bool, "A regra é a do Ex declarado";
        ex_declarado: Option<String>, "Ex declarado" + ", canônico";
        tabela_versao: Text, "Edição da TIPI";
    }
}

/// See the module.
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
    }

    /// A line that is not taxed has no rate to establish.
    fn null_needs_motivo(campo: &str, conteudo: &Object<'_>) -> bool {
        let taxed = matches!(conteudo.get("situacao"), Some(Node::Text(s)) if s == SituacaoTipi::Tributado.as_str());
        campo != "aliquota" || taxed
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let lines = || p.ncm.prefixes().map(|ncm| Chave { ncm: Some(ncm), ..Chave::of(IPI) });
        let with_ex = p.ex.into_iter().flat_map(|ex| lines().map(move |key| Chave { ex: Some(ex), ..key }));
        let keys: Vec<Chave> = with_ex.chain(lines()).collect();
        let regra = exigir(calculation.regras, &keys, Some(&p.ncm), p.data_operacao)?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        let rate = match conteudo.situacao {
            SituacaoTipi::Tributado => Some(regra.figura("aliquota", conteudo.aliquota)?),
            SituacaoTipi::NaoTributado | SituacaoTipi::AliquotaZero => None,
        };
        let parts = [p.valor_produto, p.frete, p.despesas];
        let base = sum(&parts);
        let due = rate.map_or(Exact::ZERO, |rate| base * rate.fraction());
        let (base, valor) = (Money::rounded(base)?, Money::rounded(due)?);
        calculation.step("base_calculo", &regra, base, || written_sum(&parts));
        calculation.step("valor", &regra, valor, || match rate {
            Some(rate) => format!("base × {rate}%"),
            None => format!("situação {}", conteudo.situacao),
        });
        let detalhes = Detalhes {
            situacao: conteudo.situacao,
            aliquota_aplicada: rate.or((conteudo.situacao == SituacaoTipi::AliquotaZero).then_some(Rate::ZERO)),
            base_calculo: base,
            ex_aplicado: regra.escopo.ex.is_some(),
            ex_declarado: p.ex.map(|ex| ex.to_string()),
            tabela_versao: conteudo.tabela_versao.clone(),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}
