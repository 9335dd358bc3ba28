//! The credit of IPI of an industrial company (RIPI, Decreto 7.212/2010, arts. 226 to 228).

use rust_decimal::Decimal;

use super::CreditSituation::{Conferir, Possivel, Sem};
use super::{BuyerRegime, Judgement, Purchase, SIMPLES};
use crate::features::audit::finding::AuditLine;
use crate::law::nfe::Tag;

const INPUT: &str = "crédito do imposto destacado, se é insumo ou embalagem do que a empresa industrializa (Decreto nº 7.212/2010, art. 226, I)";
const NO_TAXPAYER: &str = "a empresa não é contribuinte do IPI: ele é custo da compra";
const UNKNOWN: &str = "informe `contribuinte_ipi` nos dados da empresa: só o contribuinte do IPI o credita";
const FROM_SIMPLES: &str =
    "fornecedor do Simples Nacional: a compra não dá crédito de IPI (Decreto nº 7.212/2010, art. 228)";
const FROM_WHOLESALER: &str = "sem IPI na nota; se o fornecedor é atacadista não contribuinte, há crédito da alíquota do produto sobre metade do valor (Decreto nº 7.212/2010, art. 227)";
const NOTHING_CHARGED: &str =
    "a nota não cobra IPI: alíquota zero, isento ou não tributado não dá crédito (STF, Súmula Vinculante 58)";

/// The line of the credit; `None` if neither the note nor the company has IPI.
pub(super) fn credit(purchase: &Purchase<'_>, nature: Option<Judgement>) -> Option<AuditLine> {
    let charged = purchase.get(Tag::IpiValor) > Decimal::ZERO;
    let is_taxpayer = purchase.buyer.contribuinte_ipi;
    if purchase.item.servico || !charged && is_taxpayer != Some(true) {
        return None;
    }
    let judgement = match (is_taxpayer, charged) {
        _ if purchase.regime() == BuyerRegime::Simples => (Sem, SIMPLES),
        (Some(false), _) => (Sem, NO_TAXPAYER),
        (None, _) => (Conferir, UNKNOWN),
        (Some(true), true) => nature.unwrap_or((Possivel, INPUT)),
        (Some(true), false) if purchase.nota.simples() => (Sem, FROM_SIMPLES),
        (Some(true), false) if purchase.item.revenda() && nature.is_none() => (Conferir, FROM_WHOLESALER),
        (Some(true), false) => (Sem, NOTHING_CHARGED),
    };
    let known = |tag: Tag| purchase.item.figures.get(tag).filter(|figure| !figure.is_zero());
    Some(purchase.credit("ipi", judgement, [known(Tag::IpiBase), known(Tag::IpiAliquota), known(Tag::IpiValor)]))
}
