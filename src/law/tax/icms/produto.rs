//! Operations by the rule of a product or by the general rule of a UF.

use super::{
    ConferenciaProduto, Conteudo, Detalhes, ICMS, Operacao, Payload, RegraCasada, TipoOperacao, por_unidade,
    stated_rate,
};
use crate::base::document::Sometimes;
use crate::base::value::{Date, Ncm, Uf};
use crate::rule::{
    Chave, Condicao, Dimension, Nomeada, OpenDimension, Regra, Regras, RuleResult, first_of_ncm, require,
};
use crate::tax::calculation::{Calculated, Calculation};
use crate::tax::figures::Money;
use crate::tax::not_given::{is_named, is_named_by};

/// The product rule of a UF for an NCM: the longest prefix that has one.
pub(super) fn product_rule(regras: &dyn Regras, uf: Uf, ncm: &Ncm, data: Date) -> RuleResult<Option<Regra>> {
    first_of_ncm(regras, [[Chave::na_uf(ICMS, uf)]], ncm, data)
}

/// The national rule of a product, the same in every UF: an immunity, a single-phase fuel, a benefit agreed by the UFs.
/// Skips a rule that does not reach `operacao`: one of a shorter prefix may.
pub(in crate::tax) fn national_rule(
    regras: &dyn Regras,
    ncm: &Ncm,
    operacao: Operacao,
    data: Date,
) -> RuleResult<Option<Regra>> {
    let reaches = |regra: &Regra| Ok(regra.conteudo::<Conteudo>()?.reaches(operacao));
    regras.longest_prefix(&[Chave::of(ICMS)], ncm, data, &reaches)
}

/// The rule of an operation inside a UF: of the product in the UF, of the product in every UF, or of the UF.
pub(in crate::tax) fn internal_rule(
    regras: &dyn Regras,
    uf: Uf,
    ncm: Option<&Ncm>,
    data: Date,
) -> RuleResult<(Regra, RegraCasada)> {
    if let Some(ncm) = ncm {
        if let Some(regra) = product_rule(regras, uf, ncm, data)? {
            return Ok((regra, RegraCasada::Produto));
        }
        if let Some(regra) = national_rule(regras, ncm, Operacao::Interna, data)? {
            return Ok((regra, RegraCasada::ProdutoNacional));
        }
    }
    Ok((require(regras, &[Chave::na_uf(ICMS, uf)], data)?, RegraCasada::Geral))
}

/// An operation inside a UF.
pub(super) fn internal(p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
    let (regra, matched) = internal_rule(calculation.regras, p.uf_origem, p.ncm.as_ref(), p.data_operacao)?;
    let mut calculated = by_rule(p, &regra, TipoOperacao::Interna, matched, calculation)?;
    if let Some(ncm) = p.ncm.as_ref().filter(|_| matched == RegraCasada::Geral) {
        calculated.detalhes.conferencia_produto = Sometimes(Some(ConferenciaProduto::Nenhuma));
        calculation.warn(Condicao::Beneficio, no_product_rule(ncm, p.uf_origem));
    }
    if p.ncm.is_none()
        && let Some(which) = passed_over(calculation, Some(p.uf_origem), Operacao::Interna, p.data_operacao)?
    {
        calculation.not_given("`ncm`", which);
    }
    Ok(calculated)
}

/// Which rules of products an operation without NCM passes over: those of a UF, or else the national ones that reach
/// the operation. `None` if there are none on that day.
pub(in crate::tax) fn passed_over(
    calculation: &Calculation<'_>,
    uf: Option<Uf>,
    operacao: Operacao,
    data: Date,
) -> RuleResult<Option<[&'static str; 2]>> {
    let regras = calculation.regras;
    if let Some(uf) = uf
        && is_named(calculation, &Chave::na_uf(ICMS, uf), Dimension::Ncm, data)?
    {
        return Ok(Some(["por NCM em ", uf.as_str()]));
    }
    let reaches =
        |named: &Nomeada| Ok(regras.versao(named.numero, named.vigencia)?.conteudo::<Conteudo>()?.reaches(operacao));
    let open = OpenDimension { dimension: Dimension::Ncm, begins: b"", data };
    let national = is_named_by(calculation, [Chave::of(ICMS)], &open, &reaches)?;
    Ok(national.then_some(["por NCM em ", "todo o país"]))
}

/// The sentence of an answer by the general rule of a UF for a product that no rule names.
pub(in crate::tax) fn no_product_rule(ncm: &Ncm, uf: Uf) -> String {
    format!(
        "Nenhuma regra do NCM {ncm} foi encontrada em {uf}: a alíquota mostrada é a geral da UF. Pode haver benefício ou alíquota própria do produto; confira antes de usar."
    )
}

/// The operation by the rule of a product or of a UF.
pub(super) fn by_rule(
    p: &Payload,
    regra: &Regra,
    tipo_operacao: TipoOperacao,
    regra_casada: RegraCasada,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated<Detalhes>> {
    let conteudo = regra.conteudo::<Conteudo>()?;
    let ground = &regra.citacao_legal;
    let operation = calculation.sum(&p.parts());
    let nothing_due = |base| Detalhes::zero(tipo_operacao, regra_casada, base);
    if let Some(by_unit) = &conteudo.por_unidade {
        return por_unidade::answer(p, regra, by_unit, nothing_due(Money::rounded(operation.exact())?), calculation);
    }
    calculation.refuse_in_transition(conteudo.beside_rate(), regra)?;
    if conteudo.isento {
        let base = calculation.step("isencao", ground, operation.noting(exempt_written))?.shown;
        let isencao_base_legal = conteudo.isencao_base_legal.clone();
        let detalhes = Detalhes { isento: true, isencao_base_legal, ..nothing_due(base) };
        return Ok(Calculated { valor: detalhes.valor_icms, regra: regra.clone(), detalhes });
    }
    let aliquota = calculation.due_rate("aliquota_aplicada", stated_rate(regra)?, regra)?;
    let base = calculation.step("base_calculo", ground, conteudo.beneficio().reduced(regra, operation, aliquota)?)?;
    let valor_icms = calculation.step("valor_icms", ground, &base.exact * aliquota)?.shown;
    let mut detalhes = Detalhes { aliquota_aplicada: Some(aliquota), valor_icms, ..nothing_due(base.shown) };
    let mut valor = valor_icms;
    if let Some(rate) = conteudo.fcp.map(|fcp| regra.figura("fcp", fcp)).transpose()? {
        detalhes.valor_fcp = calculation.step("valor_fcp", ground, base.exact * rate)?.shown;
        valor = calculation.step("valor", ground, calculation.formula(valor_icms) + detalhes.valor_fcp)?.shown;
    }
    Ok(Calculated { valor, regra: regra.clone(), detalhes })
}

/// The remark on the base of an exempt operation.
pub(in crate::tax) fn exempt_written() -> String {
    "operação isenta".to_owned()
}
