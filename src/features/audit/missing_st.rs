//! Substitution that a document does not charge, and that a rule of the destination asks for.
//!
//! Whether the buyer resells the goods or uses them in its industry is not on the document, so the finding is one to be
//! checked. Between States the seller withholds only if both signed an agreement, which no rule knows: nothing is alleged.

use rust_decimal::Decimal;

use super::finding::{AuditLine, Certainty};
use super::situation::IMPORTED_BY_SELLER;
use crate::base::value::{Cest, amount_in_brl, cnpj_root};
use crate::law::codes::{GrupoCfop, cest_da_lista, has_left};
use crate::law::nfe::{ItemDaNota, NotaFiscal, Tag};
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// Codes under which the seller charges its own ICMS, and may owe the substitution.
const CHARGED: [&str; 5] = ["00", "10", "20", "70", "90"];
const CHARGED_BY_SIMPLES: [&str; 7] = ["101", "102", "103", "201", "202", "203", "900"];

/// Whether the sale of an item may owe a substitution that it does not charge: by the maker or importer within a State,
/// and by any seller to another one; to another company that is a taxpayer and does not consume the goods; with a CEST of
/// the national list. What is made on a scale that does not count is outside the substitution (LC 123/2006, art. 13, § 8º;
/// Convênio ICMS 142/2018, cláusula vigésima segunda), as is a transfer to an establishment of the same company.
pub(super) fn may_be_due(nota: &NotaFiscal, item: &ItemDaNota) -> bool {
    let charged = if item.csosn.is_empty() {
        CHARGED.contains(&item.cst_icms.as_str())
    } else {
        CHARGED_BY_SIMPLES.contains(&item.csosn.as_str())
    };
    let internal = nota.uf_origem == nota.uf_destino;
    let first = item.producao_propria() || item.origem.is_some_and(|origem| IMPORTED_BY_SELLER.contains(&origem));
    let sale = item.natureza().is_some_and(|natureza| {
        natureza.grupo == GrupoCfop::Venda && matches!(natureza.st, "nao_em_regra" | "substituto" | "pode")
    });
    let cest = Cest::parse(&item.cest).ok();
    let listed = cest.is_some_and(|cest| cest_da_lista(cest).is_some() && !has_left(cest));
    let buyer = cnpj_root(&nota.comprador);
    let other = !nota.comprador_pessoa && buyer.is_none_or(|buyer| Some(buyer) != cnpj_root(&nota.emitente));
    let resold = nota.contribuinte && !nota.consumidor_final && other;
    let due = charged && sale && listed && resold && (first || !internal) && !item.escala_nao_relevante;
    due && item.figures.or_zero(Tag::StValor).is_zero()
}

/// The line, if the answer asks for a substitution.
pub(super) fn of_answer(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    let answer = answer.as_ref().ok().filter(|answer| answer.valor.decimal() > Decimal::ZERO)?;
    let amount = answer.valor.decimal();
    let line = AuditLine { regra: Some(answer.regra()), ..line };
    if answer.figure("aliquota_interestadual").is_some() {
        let detail = format!(
            "a UF de destino pede a substituição (R$ {}), e o documento não a traz: quem vende de outra UF a retém se há convênio ou protocolo entre as UFs, e nenhuma regra diz quais o assinaram",
            amount_in_brl(amount)
        );
        return Some(line.refused("acordo_entre_ufs", detail));
    }
    let detail = "a UF pede a substituição, e o documento não a traz: confira se o comprador revende a mercadoria";
    let line = line.with_amounts(Decimal::ZERO, amount);
    Some(line.differing(Certainty::Conferir, "sem_st", detail))
}
