//! The credits of PIS and COFINS (Leis 10.637/2002 and 10.833/2003, art. 3º): of companies that pay by the non-cumulative
//! regime, on what they buy to resell or to use, unless the supplier's sale paid no contribution.

use rust_decimal::Decimal;

use super::CreditSituation::{Conferir, Possivel, Sem};
use super::{BuyerRegime, CreditSituation, Judgement, Purchase, SIMPLES};
use crate::base::problem::ErrorCode;
use crate::features::audit::PlannedLine;
use crate::features::audit::compare::asked;
use crate::features::audit::contribution_rates::BASIC_RATES;
use crate::features::audit::finding::{AuditLine, Layer};
use crate::features::audit::question::{Question, Sign};
use crate::features::audit::situation::is_single_phase_resale;
use crate::law::nfe::Tag;
use crate::law::nfe::payloads::Mercadoria;
use crate::law::rule::{Condicao, RuleResult};
use crate::law::tax::TaxAnswer;

/// Since this day the ICMS of a purchase is not in the base of the credit (Lei 14.592/2023, arts. 6º, 7º and 15).
const WITHOUT_ICMS_SINCE: u32 = 20_230_501;

const ALLOWED: &str = "crédito sobre o valor da compra sem o ICMS, se é para revenda ou insumo (Leis nº 10.637/2002 e 10.833/2003, art. 3º, I, II e § 2º, III)";
const ALLOWED_WITH_ICMS: &str =
    "crédito sobre o valor da compra, se é para revenda ou insumo (Leis nº 10.637/2002 e 10.833/2003, art. 3º, I e II)";
const ALLOWED_FROM_SIMPLES: &str = "fornecedor do Simples Nacional: crédito permitido, às alíquotas ordinárias, se é para revenda ou insumo (ADI RFB nº 15/2007; Leis nº 10.637/2002 e 10.833/2003, art. 3º)";
const CONSUMED: &str = "a nota diz que a empresa é consumidora final: só dá crédito o que é insumo, ou outro caso do art. 3º das Leis nº 10.637/2002 e 10.833/2003";
const UNSURE_CODE: &str =
    "o CST do fornecedor não diz se a venda pagou a contribuição: a que não pagou não dá crédito (art. 3º, § 2º, II)";
const CUMULATIVE: &str =
    "regime cumulativo: não há créditos (Lei nº 10.637/2002, art. 8º; Lei nº 10.833/2003, art. 10)";
const UNKNOWN_REGIME: &str = "informe `regime_pis_cofins` nos dados da empresa: só o regime não cumulativo dá créditos";
const FROM_PERSON: &str = "fornecedor pessoa física: sem crédito (art. 3º, § 3º, I, das Leis nº 10.637/2002 e 10.833/2003), salvo o presumido";
const SERVICE: &str = "serviço: dá crédito se é insumo (Leis nº 10.637/2002 e 10.833/2003, art. 3º, II)";
const NOT_PAID: &str = "a venda do fornecedor não pagou a contribuição, pelo CST (alíquota zero, sem incidência ou suspensão): sem crédito (art. 3º, § 2º, II, das Leis nº 10.637/2002 e 10.833/2003)";
const EXEMPT: &str = "venda isenta, pelo CST: só dá crédito se é insumo do que a empresa vende tributado (art. 3º, § 2º, II, das Leis nº 10.637/2002 e 10.833/2003)";
const SINGLE_PHASE: &str = "produto monofásico comprado para revenda: sem crédito (art. 3º, I, b, das Leis nº 10.637/2002 e 10.833/2003; STJ, Tema 1.093)";
const SINGLE_PHASE_INPUT: &str = "produto monofásico: sem crédito na revenda (art. 3º, I, b, das Leis nº 10.637/2002 e 10.833/2003); se é insumo, o inciso II pode dá-lo";
const SUBSTITUTED: &str = "contribuição retida por substituição: sem crédito na revenda (art. 3º, I, a, das Leis nº 10.637/2002 e 10.833/2003)";
const ZERO_RATE: &str =
    "produto com alíquota zero pela regra: sem crédito (art. 3º, § 2º, II, das Leis nº 10.637/2002 e 10.833/2003)";
const DEPENDS: &str = "a regra do produto tira o crédito, mas depende do que ele é ou do seu uso: leia o aviso dela";
const REDUCED: &str = "produto com alíquota própria na regra: o crédito pode ser menor, e a parte que a LC nº 224/2025 cobra não dá crédito";
const EXTINCT: &str = "PIS e COFINS extintos: não há crédito novo";

/// The lines of both contributions. `nature` is what the CFOP says of them.
pub(super) fn credits(purchase: &Purchase<'_>, nature: Option<Judgement>) -> [PlannedLine; 2] {
    let pis = credit(purchase, nature, "pis", &purchase.item.cst_pis, Tag::PisValor);
    [pis, credit(purchase, nature, "cofins", &purchase.item.cst_cofins, Tag::CofinsValor)]
}

fn credit(
    purchase: &Purchase<'_>,
    nature: Option<Judgement>,
    tributo: &'static str,
    cst: &str,
    amount: Tag,
) -> PlannedLine {
    let of_regime = match purchase.regime() {
        BuyerRegime::Simples => Some((Sem, SIMPLES)),
        BuyerRegime::Cumulativo => Some((Sem, CUMULATIVE)),
        BuyerRegime::Unknown => Some((Conferir, UNKNOWN_REGIME)),
        BuyerRegime::NaoCumulativo => None,
    };
    if let Some(judgement) = of_regime.or(nature).or_else(|| without_question(purchase, cst)) {
        // What the note has of the contribution may be the credit only if it is the buyer's own note.
        let declared = Some(purchase.get(amount)).filter(|amount| purchase.nota.entrada && !amount.is_zero());
        return crate::features::audit::ready(purchase.credit(tributo, judgement, [None, None, declared]));
    }
    let excluded =
        if purchase.day.ordinal() < WITHOUT_ICMS_SINCE { Decimal::ZERO } else { purchase.get(Tag::IcmsValor) };
    let goods = Mercadoria { nota: purchase.nota, item: purchase.item, day: purchase.day };
    let sign: Sign = if purchase.may_be_input() { for_use } else { for_resale };
    let (situation, reason) = ordinary(purchase, cst);
    let line = purchase.line.clone().in_layer(Layer::Compras, tributo).not_compared(situation.as_str(), reason);
    Question::of_sign(asked(goods.credito(tributo, excluded, purchase.buyer)), sign, line).planned()
}

/// What the document alone decides.
fn without_question(purchase: &Purchase<'_>, cst: &str) -> Option<Judgement> {
    const PERSON_DIGITS: usize = 11;
    let either = |resale, input| if purchase.may_be_input() { (Conferir, input) } else { (Sem, resale) };
    if purchase.nota.emitente.len() == PERSON_DIGITS {
        return Some((Conferir, FROM_PERSON));
    }
    if purchase.item.servico {
        return Some((Conferir, SERVICE));
    }
    match cst {
        "02" | "03" | "04" => Some(either(SINGLE_PHASE, SINGLE_PHASE_INPUT)),
        // Who pays by the Simples writes these codes for what its DAS pays all the same.
        _ if purchase.nota.simples() => None,
        "05" => Some(either(SUBSTITUTED, SINGLE_PHASE_INPUT)),
        "06" | "08" | "09" => Some((Sem, NOT_PAID)),
        "07" => Some((Conferir, EXEMPT)),
        _ => None,
    }
}

/// What the credit is if the product has no treatment of its own.
fn ordinary(purchase: &Purchase<'_>, cst: &str) -> Judgement {
    match cst {
        _ if purchase.nota.consumidor_final => (Conferir, CONSUMED),
        _ if purchase.nota.simples() => (Possivel, ALLOWED_FROM_SIMPLES),
        "01" if purchase.day.ordinal() < WITHOUT_ICMS_SINCE => (Possivel, ALLOWED_WITH_ICMS),
        "01" => (Possivel, ALLOWED),
        _ => (Conferir, UNSURE_CODE),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the form of a sign")]
fn for_resale(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    Some(decided(answer, line, (Sem, SINGLE_PHASE)))
}

#[expect(clippy::unnecessary_wraps, reason = "the form of a sign")]
fn for_use(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    Some(decided(answer, line, (Conferir, SINGLE_PHASE_INPUT)))
}

/// The line with what the rules say of the product: the credit is what a resale of it would pay at the ordinary rate.
fn decided(answer: &RuleResult<TaxAnswer>, line: AuditLine, of_single_phase: Judgement) -> AuditLine {
    let with =
        |line: AuditLine, (situation, reason): (CreditSituation, &str)| line.not_compared(situation.as_str(), reason);
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) if problem.codigo == ErrorCode::TributoExtinto => return with(line, (Sem, EXTINCT)),
        Err(problem) => return with(line, (Conferir, &problem.detail.to_string())),
    };
    let line = AuditLine { regra: Some(answer.regra()), memoria: answer.memoria().cloned(), ..line };
    let rate = answer.figure("aliquota_aplicada");
    let is_zero = rate.is_some_and(|rate| rate.is_zero());
    if is_single_phase_resale(answer) || is_zero {
        let of_product = |condition| matches!(condition, Some(Condicao::Descricao | Condicao::Destino));
        let depends = answer.avisos().any(|note| of_product(note.condicao));
        let of_rule = if is_single_phase_resale(answer) { of_single_phase } else { (Sem, ZERO_RATE) };
        return with(line, if depends { (Conferir, DEPENDS) } else { of_rule });
    }
    // Credits are at the rates of the non-cumulative regime (art. 2º and art. 3º, § 1º, of both laws).
    let ordinary =
        BASIC_RATES.iter().any(|(tributo, [of_credits, _])| *tributo == line.tributo && rate == Some(*of_credits));
    if !ordinary {
        return with(line, (Conferir, REDUCED));
    }
    let (base, amount) = (answer.figure("base_calculo"), Some(answer.valor.decimal()));
    AuditLine { base_calculada: base, aliquota_calculada: rate, calculado: amount, ..line }
}
