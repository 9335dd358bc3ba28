//! The credit of ICMS: what the note charges, if the operation that follows is taxed (CF, art. 155, § 2º; LC 87/1996, arts.
//! 19 to 23 and 33; of a supplier of the Simples, LC 123/2006, art. 23).

use rust_decimal::Decimal;

use super::CreditSituation::{Conferir, Possivel, Sem};
use super::{BuyerRegime, Judgement, Purchase, SIMPLES, UNKNOWN_REGIME};
use crate::features::audit::finding::AuditLine;
use crate::law::nfe::Tag;

const TAXED: &str = "crédito do imposto destacado, se a mercadoria é para revenda ou industrialização com saída tributada (LC nº 87/1996, arts. 20 e 21)";
const OF_SIMPLES: &str = "fornecedor do Simples Nacional: crédito de vCredICMSSN, se a mercadoria é para revenda ou industrialização (LC nº 123/2006, art. 23, §§ 1º e 2º)";
const SIMPLES_WITHOUT: &str =
    "fornecedor do Simples Nacional, e o CSOSN não dá crédito (LC nº 123/2006, art. 23, § 4º)";
const NOTHING_CHARGED: &str = "a nota não destaca ICMS: nada a creditar (LC nº 87/1996, art. 19)";
const EXEMPT: &str =
    "isenta, não tributada ou suspensa: sem crédito (CF, art. 155, § 2º, II, a; LC nº 87/1996, art. 20, § 1º)";
const DEFERRED: &str = "diferida: a nota não cobra o imposto, e não há crédito";
const SUBSTITUTED: &str = "mercadoria em substituição tributária, comprada para revenda: o imposto até o consumidor já foi retido, e não há crédito (LC nº 87/1996, arts. 6º e 10)";
const SUBSTITUTED_INPUT: &str = "mercadoria em substituição tributária: não há crédito na revenda; se é insumo ou a saída seguinte tem débito próprio, a lei do Estado pode dar o do imposto da origem";
const SINGLE_PHASE: &str =
    "combustível com ICMS monofásico: sem crédito na revenda (LC nº 192/2022; Convênios ICMS nº 199/2022 e 15/2023)";
const SINGLE_PHASE_INPUT: &str = "combustível com ICMS monofásico: se é insumo da empresa, a lei do Estado pode dar o crédito (Convênios ICMS nº 199/2022 e 15/2023)";
const COUPON: &str = "cupom ou NFC-e: não se escritura na entrada, e não dá crédito de ICMS";
const SERVICE: &str = "serviço, sujeito ao ISS: sem crédito de ICMS";
const CONSUMED: &str = "a nota diz que a empresa é consumidora final: uso e consumo não dá crédito até 2032 (LC nº 87/1996, art. 33, I); insumo e ativo dão";
const NO_TAXPAYER: &str = "a nota diz que a empresa não é contribuinte do ICMS; se é, peça a correção antes do crédito";

/// The line of the credit. `nature` is what the CFOP says of it.
pub(super) fn credit(purchase: &Purchase<'_>, nature: Option<Judgement>) -> AuditLine {
    let (judgement, from_simples) = judged(purchase, nature);
    let known = |tag: Tag| purchase.item.figures.get(tag).filter(|figure| !figure.is_zero());
    let figures = if from_simples {
        [None, known(Tag::CreditoAliquota), known(Tag::CreditoValor)]
    } else {
        [known(Tag::IcmsBase), known(Tag::IcmsAliquota), known(Tag::IcmsValor)]
    };
    purchase.credit("icms", judgement, figures)
}

/// The judgement, and whether the credit is what a supplier of the Simples passes on.
fn judged(purchase: &Purchase<'_>, nature: Option<Judgement>) -> (Judgement, bool) {
    let from_simples = !purchase.item.csosn.is_empty();
    let is_retail = matches!(purchase.nota.modelo.as_str(), "59" | "65");
    let of_company = match purchase.regime() {
        BuyerRegime::Simples => Some((Sem, SIMPLES)),
        _ if purchase.item.servico => Some((Sem, SERVICE)),
        _ if is_retail => Some((Sem, COUPON)),
        _ => None,
    };
    let judgement = of_company.unwrap_or_else(|| {
        let of_code = by_code(purchase);
        match nature {
            // What the nature says of a tax that the note does not charge has no object.
            Some(of_nature) if of_code.0 != Sem => of_nature,
            _ => of_code,
        }
    });
    (judgement, from_simples)
}

/// What CST or CSOSN says, and then what the note says of the buyer.
fn by_code(purchase: &Purchase<'_>) -> Judgement {
    let item = purchase.item;
    let either = |input, resale| if purchase.may_be_input() { (Conferir, input) } else { (Sem, resale) };
    if !item.csosn.is_empty() {
        return match (item.csosn.as_str(), purchase.get(Tag::CreditoValor) > Decimal::ZERO) {
            ("101" | "900", true) => of_buyer(purchase, OF_SIMPLES),
            ("201", true) | ("202" | "203" | "500", _) => either(SUBSTITUTED_INPUT, SUBSTITUTED),
            _ => (Sem, SIMPLES_WITHOUT),
        };
    }
    let charged = purchase.get(Tag::IcmsValor) > Decimal::ZERO;
    match item.cst_icms.as_str() {
        "30" | "40" | "41" | "50" => (Sem, EXEMPT),
        "10" | "60" | "70" => either(SUBSTITUTED_INPUT, SUBSTITUTED),
        "02" | "15" | "53" | "61" => either(SINGLE_PHASE_INPUT, SINGLE_PHASE),
        "51" if !charged => (Sem, DEFERRED),
        "90" if purchase.get(Tag::StValor) > Decimal::ZERO => either(SUBSTITUTED_INPUT, SUBSTITUTED),
        _ if !charged => (Sem, NOTHING_CHARGED),
        _ => of_buyer(purchase, TAXED),
    }
}

/// A credit that the code allows, unless the note says of the buyer what does not allow it.
fn of_buyer(purchase: &Purchase<'_>, reason: &'static str) -> Judgement {
    let nota = purchase.nota;
    match purchase.regime() {
        BuyerRegime::Unknown => (Conferir, UNKNOWN_REGIME),
        // The note of an entry has the seller as its receiver.
        _ if nota.entrada => (Possivel, reason),
        _ if nota.consumidor_final => (Conferir, CONSUMED),
        _ if !nota.contribuinte => (Conferir, NO_TAXPAYER),
        _ => (Possivel, reason),
    }
}
