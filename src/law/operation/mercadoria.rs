//! The taxes of a sale of goods.

use rust_decimal::Decimal;

use super::answers::Amounts;
use super::apuracao::{ICMS, ICMS_CONSUMIDOR_FINAL, ICMS_ST, IPI};
use super::facts::OperationFacts;
use super::federal::{self, Revenue};
use super::worksheet::{Fed, Outcome, PayloadValue, Worksheet};
use crate::base::problem::{ErrorCode, Problem};
use crate::rule::Condicao;
use crate::tax::Papel;

pub(super) fn taxes(w: &mut Worksheet<'_>) -> Result<(), Box<Problem>> {
    let facts = w.facts;
    let ipi = ipi(w)?.fed(|ipi| ipi.valor);
    let icms = icms(w, &ipi)?;
    icms_st(w, &ipi)?;
    let by_seller = |icms: Amounts| icms.valor - icms.comprador;
    let retained = facts.valor_icms_st_retido.map(|retained| Ok(retained.decimal()));
    let revenue = Revenue {
        valor: facts.revenue()?,
        ipi,
        icms_destacado: retained.clone().unwrap_or_else(|| icms.fed(|icms| icms.icms)),
        icms: retained.unwrap_or_else(|| icms.fed(by_seller)),
        iss: Ok(Decimal::ZERO),
    };
    federal::taxes(w, &revenue, icms.amounts.is_some_and(|icms| by_seller(icms) > icms.icms))
}

/// What the value of the operation is made of.
fn parts(facts: &OperationFacts) -> Result<Vec<(&'static str, PayloadValue)>, Box<Problem>> {
    Ok(vec![
        ("valor_produto", PayloadValue::Amount(Ok(facts.net_price()?))),
        ("despesas", PayloadValue::Amount(Ok(facts.expenses()?))),
    ])
}

fn ipi(w: &mut Worksheet<'_>) -> Result<Outcome, Box<Problem>> {
    let facts = w.facts;
    if facts.regime_simples_nacional {
        return Ok(w.unify(IPI, "O Simples Nacional inclui o IPI (LC 123/2006, art. 13, II)."));
    }
    let by_role = facts.papel_na_cadeia.map(|papel| papel == Papel::FabricanteImportador);
    match facts.contribuinte_ipi.or(by_role) {
        Some(true) => w.ask(IPI, &parts(facts)?),
        Some(false) => Ok(w.skip(
            IPI,
            "O vendedor não é contribuinte do IPI: a operação não é a saída do industrial, do importador nem de quem se equipara a eles (CTN, art. 51; RIPI, arts. 9º e 24).",
        )),
        None => {
            let detail = "Informe `contribuinte_ipi`, ou `papel_na_cadeia`, de que ele se segue: o IPI é do industrial, do importador e de quem se equipara a eles.";
            Ok(w.refuse(IPI, Problem::of_field(ErrorCode::CampoObrigatorio, "contribuinte_ipi", detail)))
        }
    }
}

fn icms(w: &mut Worksheet<'_>, ipi: &Fed) -> Result<Outcome, Box<Problem>> {
    let facts = w.facts;
    let is_taxed_otherwise = facts.consumes() || facts.regime_simples_nacional;
    if is_taxed_otherwise && facts.valor_icms_st_retido.is_none() && w.is_single_phase(ICMS)? {
        return single_phase_icms(w);
    }
    let tributo = if facts.consumes() { ICMS_CONSUMIDOR_FINAL } else { ICMS };
    if facts.regime_simples_nacional && facts.consumes() && facts.destinatario_contribuinte && !facts.is_internal() {
        let detail = "O Simples Nacional inclui o ICMS do vendedor, mas o comprador, contribuinte de outra UF que consome a mercadoria, recolhe a diferença de alíquota: calcule-a por outro meio.";
        let problem = Problem::of_field(ErrorCode::RegimeSimplesNacional, "regime_simples_nacional", detail);
        return Ok(w.refuse(tributo, problem));
    }
    if facts.regime_simples_nacional {
        let motivo = "O Simples Nacional inclui o ICMS da operação própria (LC 123/2006, art. 13, VII).";
        return Ok(w.unify(tributo, motivo));
    }
    if facts.valor_icms_st_retido.is_some() {
        let motivo =
            "O ICMS das operações até o consumo já foi retido na compra da mercadoria (LC 87/1996, art. 6º, § 1º).";
        return Ok(w.skip(tributo, motivo));
    }
    let mut fields = parts(facts)?;
    fields.push(("destinatario_contribuinte", PayloadValue::Bool(facts.destinatario_contribuinte)));
    if facts.consumes() {
        fields.push(("ipi", PayloadValue::Amount(ipi.clone())));
    } else {
        fields.push(("destinatario_consumidor_final", PayloadValue::Bool(false)));
    }
    w.ask(tributo, &fields)
}

/// The ICMS of a fuel that pays once, for any buyer, and also if the seller is in the Simples Nacional.
fn single_phase_icms(w: &mut Worksheet<'_>) -> Result<Outcome, Box<Problem>> {
    let facts = w.facts;
    let mut fields = parts(facts)?;
    fields.extend([
        ("destinatario_contribuinte", PayloadValue::Bool(true)),
        ("destinatario_consumidor_final", PayloadValue::Bool(false)),
        ("regime_simples_nacional", PayloadValue::Bool(false)),
    ]);
    let outcome = w.ask(ICMS, &fields)?;
    if facts.consumes() {
        w.warn(Condicao::Regime, "O ICMS deste combustível incide uma só vez, qualquer que seja a finalidade (CF, art. 155, § 2º, XII, h; LC 192/2022, art. 2º): quem consome não muda o imposto, e não há diferença de alíquota.");
    }
    if facts.regime_simples_nacional {
        w.warn(Condicao::Regime, "O ICMS deste combustível fica fora do Simples Nacional: a tributação concentrada em uma única etapa segue a lei das demais pessoas jurídicas (LC 123/2006, art. 13, § 1º, XIII, a).");
    }
    Ok(outcome)
}

fn icms_st(w: &mut Worksheet<'_>, ipi: &Fed) -> Result<Outcome, Box<Problem>> {
    let facts = w.facts;
    let reasons = [
        (
            facts.consumes(),
            "Quem consome a mercadoria não faz operação subsequente (LC 87/1996, art. 6º, § 1º). A substituição que alcança só a diferença de alíquota (Convênio ICMS 142/2018, cláusula primeira, § 1º) muda quem a recolhe, e não é examinada aqui.",
        ),
        (
            facts.destinado_industrializacao,
            "A mercadoria entra na industrialização do comprador (Convênio ICMS 142/2018, cláusula nona).",
        ),
        (facts.valor_icms_st_retido.is_some(), "O ICMS-ST já foi retido na compra da mercadoria."),
        (facts.substituicao_tributaria == Some(false), "A operação informa que a mercadoria não está sujeita."),
    ];
    if let Some((_, motivo)) = reasons.into_iter().find(|(applies, _)| *applies) {
        return Ok(w.skip(ICMS_ST, motivo));
    }
    let mut fields = parts(facts)?;
    fields.push(("ipi", PayloadValue::Amount(ipi.clone())));
    let outcome = w.ask(ICMS_ST, &fields)?;
    if !facts.desconto.decimal().is_zero() {
        w.warn(Condicao::Conferencia, "A base da ST foi calculada sem o desconto. Há UFs cuja lei soma de volta o desconto incondicional: confira a do destino.");
    }
    if facts.is_internal() && facts.papel_na_cadeia == Some(Papel::Revenda) {
        w.warn(Condicao::Campo, "Quem revende dentro da UF costuma já ter comprado com o ICMS retido: se é o caso, informe `valor_icms_st_retido`.");
    }
    Ok(outcome)
}
