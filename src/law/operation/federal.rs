//! PIS, COFINS, CBS and IBS, which goods and services have in common. They come last: each excludes from its base
//! amounts of the taxes before it.

use rust_decimal::Decimal;

use super::apuracao::{CBS, COFINS, IBS, PIS};
use super::worksheet::{Fed, Outcome, PayloadValue, Worksheet, sum};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::Date;
use crate::rule::Condicao;
use crate::tax::reforma::{TEST_YEAR, are_pis_and_cofins_due, is_after_test_year, is_in_test_year};
use crate::tax::{Papel, VendaA};

/// True if CBS and IBS are part of what the buyer pays: not in the test year, in which the total of the document leaves
/// them out (NT 2025.002, `vNFTot`).
pub(super) fn are_charged_on_top(date: Date) -> bool {
    is_after_test_year(date)
}

/// What the bases are made of.
pub(super) struct Revenue {
    /// What the buyer pays, but for the taxes charged on top.
    pub(super) valor: Decimal,
    pub(super) ipi: Fed,
    /// The ICMS that leaves the base of PIS and COFINS.
    pub(super) icms_destacado: Fed,
    /// The ICMS that leaves the base of CBS and IBS.
    pub(super) icms: Fed,
    pub(super) iss: Fed,
}

/// Notes the four taxes. `has_other_icms` says that part of the ICMS stays in the base of PIS and COFINS.
pub(super) fn taxes(w: &mut Worksheet<'_>, revenue: &Revenue, has_other_icms: bool) -> Result<(), Box<Problem>> {
    let pis = pis_or_cofins(w, PIS, revenue, has_other_icms)?;
    let cofins = pis_or_cofins(w, COFINS, revenue, has_other_icms)?;
    let (pis, cofins) = (pis.fed(|pis| pis.valor), cofins.fed(|cofins| cofins.valor));
    for tributo in [CBS, IBS] {
        cbs_or_ibs(w, tributo, revenue, [&pis, &cofins])?;
    }
    Ok(())
}

fn pis_or_cofins(
    w: &mut Worksheet<'_>,
    tributo: &'static str,
    revenue: &Revenue,
    has_other_icms: bool,
) -> Result<Outcome, Box<Problem>> {
    let facts = w.facts;
    if !are_pis_and_cofins_due(facts.data_operacao) {
        let motivo = "PIS e COFINS estão extintos desde 01/01/2027, e a CBS está em seu lugar (ADCT, art. 126, II; LC 214/2025, art. 542).";
        return Ok(w.skip(tributo, motivo));
    }
    if facts.regime_simples_nacional {
        let makes = facts.valor_produto.is_some() && facts.papel_na_cadeia != Some(Papel::Revenda);
        if makes && w.is_single_phase(tributo)? {
            let detail = "A receita de produto de incidência concentrada sai do regime unificado (LC 123/2006, art. 18, § 4º-A, I), e o fabricante ou importador a paga à parte: calcule por outro meio; se o vendedor revende, informe `papel_na_cadeia`.";
            let problem = Problem::of_field(ErrorCode::RegimeSimplesNacional, "papel_na_cadeia", detail);
            return Ok(w.refuse(tributo, problem));
        }
        return Ok(w.unify(tributo, "O Simples Nacional inclui PIS e COFINS (LC 123/2006, art. 13, IV e V)."));
    }
    let mut fields = vec![
        ("valor_operacao", PayloadValue::Amount(Ok(revenue.valor))),
        ("valor_icms_destacado", PayloadValue::Amount(revenue.icms_destacado.clone())),
    ];
    if facts.venda_a.is_none() && facts.consumes() {
        fields.push(("venda_a", PayloadValue::Word(VendaA::VarejistaConsumidorFinal.as_str())));
    }
    let outcome = w.ask(tributo, &fields)?;
    if facts.valor_icms_st_retido.is_some() {
        w.warn(Condicao::Regime, "O ICMS-ST retido na compra saiu da base (STJ, Tema 1.125).");
    } else if has_other_icms {
        w.warn(Condicao::Conferencia, "Só o ICMS da operação própria saiu da base. O FCP fica nela (SC Cosit 61/2024); a diferença devida ao destino também, até que o STJ julgue o Tema 1.372: as duas turmas a excluem (REsp 2.128.785 e 2.133.516), e a PGFN já não recorre (Parecer SEI 71/2025/MF).");
    }
    let has_iss = facts.preco_servico.is_some() && !revenue.iss.as_ref().is_ok_and(Decimal::is_zero);
    if has_iss {
        w.warn(Condicao::Conferencia, "O ISS ficou na base: a receita bruta inclui os tributos que incidem sobre ela (Decreto-Lei 1.598/1977, art. 12, § 5º). A exclusão está por julgar no STF (Tema 118, RE 592.616).");
    }
    Ok(outcome)
}

fn cbs_or_ibs(
    w: &mut Worksheet<'_>,
    tributo: &'static str,
    revenue: &Revenue,
    [pis, cofins]: [&Fed; 2],
) -> Result<Outcome, Box<Problem>> {
    let facts = w.facts;
    let day = facts.data_operacao;
    if day < TEST_YEAR {
        return Ok(w.skip(tributo, "CBS e IBS são cobrados desde 2026 (ADCT, art. 125)."));
    }
    let simples = facts.optante_simples.unwrap_or(facts.regime_simples_nacional);
    if simples && is_in_test_year(day) {
        return Ok(w.skip(
            tributo,
            "O optante do Simples Nacional não apura CBS e IBS em 2026 (LC 214/2025, art. 348, III, c).",
        ));
    }
    if simples {
        return Ok(w.unify(tributo, "O Simples Nacional inclui CBS e IBS (LC 214/2025, art. 41, § 2º)."));
    }
    if facts.regime_simples_nacional {
        return Ok(w.refuse(tributo, unified_amounts()));
    }
    let mut fields = fields(revenue, [pis, cofins])?;
    if is_after_test_year(day) {
        fields.push(("transicao", PayloadValue::Bool(true)));
    }
    let outcome = w.ask(tributo, &fields)?;
    if facts.valor_icms_st_retido.is_some() {
        w.warn(
            Condicao::Conferencia,
            "O ICMS-ST retido na compra saiu da base; a fórmula da base na NF-e (NT 2025.002) não o subtrai: confira.",
        );
    }
    Ok(outcome)
}

fn fields(revenue: &Revenue, [pis, cofins]: [&Fed; 2]) -> Result<Vec<(&'static str, PayloadValue)>, Box<Problem>> {
    Ok(vec![
        ("valor_operacao", PayloadValue::Amount(sum([&Ok(revenue.valor), &revenue.ipi].into_iter())?)),
        ("valor_icms", PayloadValue::Amount(revenue.icms.clone())),
        ("valor_iss", PayloadValue::Amount(revenue.iss.clone())),
        ("valor_pis", PayloadValue::Amount(pis.clone())),
        ("valor_cofins", PayloadValue::Amount(cofins.clone())),
        ("valor_ipi", PayloadValue::Amount(revenue.ipi.clone())),
        // Who pays them in the Simples Nacional is not asked.
        ("optante_simples", PayloadValue::Bool(false)),
    ])
}

/// The taxes of the Simples Nacional leave the base, but their share of this operation is not known.
fn unified_amounts() -> Problem {
    let detail = "Quem está no Simples Nacional e apura CBS e IBS pelo regime regular (LC 214/2025, art. 41, § 3º) tira da base os tributos do regime unificado, cujo valor na operação não é conhecido aqui: calcule com os tributos `cbs` e `ibs`.";
    Problem::of_field(ErrorCode::RegimeSimplesNacional, "optante_simples", detail)
}
