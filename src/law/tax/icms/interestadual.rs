//! Interstate operations: the Senate's table, and the one rate of imported goods.

use super::produto::{by_rule, national_rule, passed_over, product_rule};
use super::{
    Conteudo, Detalhes, Divergencia, ICMS, ORIGEM, Operacao, OrigemMercadoria, Payload, RegraCasada, TipoOperacao,
    stated_rate,
};
use crate::base::value::{Date, Ncm, Rate, Uf};
use crate::rule::{Chave, Regra, Regras, RuleResult, require};
use crate::tax::calculation::{Calculated, Calculation};

/// The interstate rule of imported goods, or of the Senate's table for a pair of UFs.
pub(in crate::tax) fn interstate_rule(
    regras: &dyn Regras,
    origem: Uf,
    destino: Uf,
    mercadoria: OrigemMercadoria,
    data: Date,
) -> RuleResult<Regra> {
    match mercadoria {
        OrigemMercadoria::Importada => {
            let key = Chave { palavra: ORIGEM.palavra(mercadoria.as_str()), ..Chave::of(ICMS) };
            require(regras, &[key], data)
        }
        OrigemMercadoria::Nacional => require(regras, &[senate_key(origem, destino)], data),
    }
}

/// The scope key of a pair of UFs in the Senate's table.
pub(in crate::tax) fn senate_key(origem: Uf, destino: Uf) -> Chave {
    Chave { uf_origem: Some(origem), uf_destino: Some(destino), ..Chave::of(ICMS) }
}

/// An operation from one UF to another.
pub(super) fn interstate(p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
    let operacao = Operacao::between_ufs(p.origem_mercadoria);
    if let Some(ncm) = &p.ncm
        && let Some(regra) = national_rule(calculation.regras, ncm, operacao, p.data_operacao)?
    {
        return by_rule(p, &regra, TipoOperacao::Interestadual, RegraCasada::ProdutoNacional, calculation);
    }
    let regra = interstate_rule(calculation.regras, p.uf_origem, p.uf_destino, p.origem_mercadoria, p.data_operacao)?;
    if p.ncm.is_none()
        && let Some(which) = passed_over(calculation, None, operacao, p.data_operacao)?
    {
        calculation.not_given("`ncm`", which);
    }
    let tabela = stated_rate(&regra)?;
    let aliquota = calculation.due_rate("aliquota_aplicada", tabela, &regra)?;
    let base = calculation.step("base_calculo", &regra.citacao_legal, calculation.sum(&p.parts()))?;
    let due = (base.exact * aliquota).noting(|| "alíquota da tabela do Senado".to_owned());
    let (base_calculo, valor_icms) = (base.shown, calculation.step("valor_icms", &regra.citacao_legal, due)?.shown);
    let divergencia = divergence(calculation, p.uf_origem, p.ncm.as_ref(), p.data_operacao, tabela)?;
    let regra_casada = match p.origem_mercadoria {
        OrigemMercadoria::Importada => RegraCasada::InterestadualImportada,
        OrigemMercadoria::Nacional => RegraCasada::Interestadual,
    };
    let detalhes = Detalhes {
        aliquota_aplicada: Some(aliquota),
        valor_icms,
        citacao_interestadual: Some(regra.citacao_legal.clone()),
        divergencia_interestadual: divergencia,
        ..Detalhes::zero(TipoOperacao::Interestadual, regra_casada, base_calculo)
    };
    Ok(Calculated { valor: valor_icms, regra, detalhes })
}

/// Both rates as shown, if a product rule of the origin states another interstate rate. Refuses if that rule says that
/// its rate is not established.
pub(in crate::tax) fn divergence(
    calculation: &mut Calculation<'_>,
    origem: Uf,
    ncm: Option<&Ncm>,
    data: Date,
    tabela: Rate,
) -> RuleResult<Option<Divergencia>> {
    let Some(ncm) = ncm else { return Ok(None) };
    let Some(regra) = product_rule(calculation.regras, origem, ncm, data)? else { return Ok(None) };
    let stated = regra.conteudo::<Conteudo>()?.aliquota_interestadual;
    let stated = stated.map(|rate| regra.figura("aliquota_interestadual", rate)).transpose()?;
    let Some(stated) = stated.filter(|stated| *stated != tabela) else { return Ok(None) };
    calculation.uses(&regra);
    Ok(Some(Divergencia {
        aliquota_tabela: tabela,
        aliquota_regra_produto: stated,
        rule_id: regra.rule_id.clone(),
        citacao_legal: regra.citacao_legal.clone(),
    }))
}
