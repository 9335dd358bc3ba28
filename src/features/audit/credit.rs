//! The rate of the credit that a buyer takes from a seller of the Simples: the part of the ICMS in the effective rate of the
//! month before (LC 123/2006, art. 23, §§ 1º to 3º; since 2027 that of the month).

use rust_decimal::Decimal;

use super::PlannedLine;
use super::compare::asked;
use super::differences::CENT;
use super::finding::{AuditLine, Certainty, Layer};
use super::question::{Question, Sign};
use crate::base::value::{Date, with_comma};
use crate::law::nfe::payloads::EnginePayload;
use crate::law::nfe::{Contribuinte, ItemDaNota, MesDoSimples, NotaFiscal, Tag};
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// The limit of the Simples, at which the part of the ICMS is the highest (LC 123/2006, art. 3º, II), and a revenue of the
/// first band, in which it is the lowest.
const MOST: Decimal = Decimal::from_parts(480_000_000, 0, 0, false, 2);
const LEAST: Decimal = Decimal::from_parts(100, 0, 0, false, 2);
/// Since this year the rate is that of the month itself, whose twelve months end one month earlier.
const OF_THE_MONTH_SINCE: u32 = 2027;

const KNOWN: &str =
    "pCredSN não é a parte do ICMS na alíquota efetiva da empresa (LC nº 123/2006, art. 23, §§ 1º e 2º)";
const TOO_HIGH: &str =
    "pCredSN passa da maior parte do ICMS que o Simples Nacional pode ter (LC nº 123/2006, art. 23, § 1º)";
const POSSIBLE: &str = "pCredSN é uma alíquota que o Simples Nacional pode ter; a da empresa depende da receita de 12 meses, que os dados da empresa podem trazer";
const TOO_LOW: &str = "pCredSN é menor que a parte do ICMS da primeira faixa (LC nº 123/2006, art. 23, §§ 1º a 3º), o que só uma redução do Estado explica";

/// The lines of an item that grants a credit.
pub(super) fn of_item(
    nota: &NotaFiscal,
    item: &ItemDaNota,
    day: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let Some(rate) = item.figures.get(Tag::CreditoAliquota).filter(|rate| !rate.is_zero()) else { return Vec::new() };
    if nota.entrada || !matches!(item.csosn.as_str(), "101" | "201") {
        return Vec::new();
    }
    let line = AuditLine { aliquota_declarada: Some(rate), ..line.clone().in_layer(Layer::Lei, "simples_nacional") };
    let ask = |payload, sign: Sign| Question::of_sign(asked(payload), sign, line.clone()).planned();
    let anexo = if item.producao_propria() { Some("II") } else { item.revenda().then_some("I") };
    if let Some((known, anexo)) = contribuinte.simples_em(month_of_rate(day)).zip(anexo) {
        return vec![ask(of_month(known, anexo), is_own)];
    }
    // Of the two Anexos, I has the highest part and the lowest one.
    vec![ask(of_revenue(MOST, "I", day), is_at_most), ask(of_revenue(LEAST, "I", day), is_at_least)]
}

/// A day of the month whose rate the document has.
fn month_of_rate(day: Date) -> Date {
    if day.year() >= OF_THE_MONTH_SINCE {
        return day;
    }
    Date::from_ordinal(day.ordinal() / 100 * 100 + 1).map_or(day, Date::previous_day)
}

/// A question without revenue of its own month: the rate depends on that of the twelve months.
fn of_revenue(revenue: Decimal, anexo: &'static str, day: Date) -> EnginePayload {
    let mut payload = EnginePayload::default();
    payload.set("tributo", "simples_nacional");
    payload.set("anexo", anexo);
    payload.set("competencia", day.to_string());
    payload.set("receita_mes", Decimal::ZERO);
    payload.set("receita_bruta_12_meses", revenue);
    // The limits of the year are not in question.
    payload.set("receita_bruta_ano", Decimal::ZERO);
    payload.set("impedido_icms_iss", false);
    payload
}

fn of_month(known: &MesDoSimples, anexo: &'static str) -> EnginePayload {
    let mut payload = of_revenue(known.receita_bruta_12_meses, anexo, known.mes);
    if let Some(begun) = known.inicio_atividade {
        payload.set("inicio_atividade", begun.to_string());
    }
    payload
}

/// The line with the rate of the month, and how far the declared one is above it; `None` of a refusal.
fn compared(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> (AuditLine, Option<Decimal>) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => return (line.refused(problem.codigo.as_str(), problem.detail.to_string()), None),
    };
    let line = AuditLine { regra: Some(answer.regra()), memoria: answer.memoria().cloned(), ..line };
    match (answer.figure("aliquota_credito_icms"), line.aliquota_declarada) {
        (Some(rate), Some(declared)) => {
            (AuditLine { aliquota_calculada: Some(rate), ..line }, Some(declared.saturating_sub(rate)))
        }
        _ => (line.refused("resposta_ilegivel", "a resposta não traz a alíquota do crédito"), None),
    }
}

fn differing(line: AuditLine, certainty: Certainty, text: &str) -> AuditLine {
    let [declared, calculated] = [line.aliquota_declarada, line.aliquota_calculada].map(Option::unwrap_or_default);
    let detail = format!("{text}: {}% no documento, {}% pela regra", with_comma(declared), with_comma(calculated));
    line.differing(certainty, "aliquota_do_credito", detail)
}

/// The rate of the company is known. Only a reduction by the State makes it smaller; documents have two places of it.
#[expect(clippy::unnecessary_wraps, reason = "the form of a sign")]
fn is_own(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    let (line, above) = compared(answer, line);
    Some(match above {
        Some(above) if above > CENT => differing(line, Certainty::RegraPlena, KNOWN),
        Some(above) if above < -CENT => differing(line, Certainty::Conferir, KNOWN),
        _ => line,
    })
}

#[expect(clippy::unnecessary_wraps, reason = "the form of a sign")]
fn is_at_most(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    let (line, above) = compared(answer, line);
    Some(match above {
        None => line,
        Some(above) if above > CENT => differing(line, Certainty::RegraPlena, TOO_HIGH),
        // That the rate is possible does not show that it is right.
        Some(_) => line.not_applicable(POSSIBLE),
    })
}

fn is_at_least(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    let (line, above) = compared(answer, line);
    (above? < -CENT).then(|| differing(line, Certainty::Conferir, TOO_LOW))
}
