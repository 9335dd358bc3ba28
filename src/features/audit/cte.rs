//! A CT-e against its own figures, the codes of its layout, and the law of its day.
//!
//! The States give benefits to carriers that no rule here has, so a rate of ICMS is never alleged to be wrong. What the
//! layout itself demands, and what the document says against itself, is sure.

mod arithmetic;
mod codes;

use std::sync::Arc;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::compare::{self, Comparison, special_treatment};
use super::compared::REFORMA;
use super::explain::Facts;
use super::finding::{AuditLine, Certainty, Explanation, Layer};
use super::question::Question;
use super::questions::GOVERNMENT_PURCHASE;
use super::{PlannedLine, ready, reform, situation};
use crate::base::document::Role;
use crate::base::value::{Date, with_comma};
use crate::law::nfe::{Contribuinte, ReformaDoServico, Transporte, TributoDoServico, payloads};
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// `modal` of a carriage by air, whose rate between States no rule has (Resolução do Senado Federal 95/1996).
const BY_AIR: &str = "02";
const AIR: &str =
    "transporte aéreo entre UFs: a alíquota é de 4% (Resolução do Senado Federal 95/1996), que nenhuma regra traz";
const ANNULMENT: &str = "CT-e de anulação: desfaz o valor de outro";
const COMPLEMENT: &str = "CT-e de complemento: traz só a diferença de outro";
const NOT_CHARGED: &str = "isento, não tributado ou diferido, pelo CST";
const BY_THE_TAKER: &str = "ICMS retido pelo tomador, substituto do transportador (CST 60)";
const EXPORT: &str = "transporte para o exterior";
const NO_PLACES: &str = "o CT-e não traz a UF de início e a de fim da prestação";
const BENEFITS: &str = "as UFs dão benefícios ao transporte, que nenhuma regra traz";

/// The lines of a document.
pub(super) fn of_transport(
    cte: &Transporte,
    day: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let mut lines: Vec<PlannedLine> = arithmetic::of(cte, day, line).into_iter().map(ready).collect();
    lines.extend(codes::of(cte, day, line).into_iter().map(ready));
    if !cte.unreadable.is_empty() {
        let line = line.clone().in_layer(Layer::Lei, "icms");
        let detail = "um campo do CT-e não é legível: nenhum tributo dele é calculado";
        lines.push(ready(line.refused("campo_ilegivel", detail)));
        return lines;
    }
    lines.push(icms(cte, day, contribuinte, line.clone().in_layer(Layer::Lei, "icms")));
    if let Some(group) = &cte.reforma {
        let ibs = [group.ibs_uf, group.ibs_mun];
        for (tributo, parts) in [("cbs", &[group.cbs][..]), ("ibs", &ibs[..])] {
            let line = line.clone().in_layer(Layer::Lei, tributo);
            lines.push(of_reform(cte, group, parts, day, contribuinte, line));
        }
    }
    lines
}

/// The ICMS, of the State in which the carriage begins.
fn icms(cte: &Transporte, day: Date, contribuinte: &Contribuinte, line: AuditLine) -> PlannedLine {
    let [base, rate, amount] = cte.icms();
    let reason = match (cte.tipo, cte.grupo_icms.as_str()) {
        (1, _) => Some(COMPLEMENT),
        (2, _) => Some(ANNULMENT),
        (_, "ICMSSN") => Some(situation::SIMPLES),
        (_, "ICMS60") => Some(BY_THE_TAKER),
        (_, "ICMS45") => Some(NOT_CHARGED),
        _ => None,
    };
    if let Some(reason) = reason {
        return ready(line.not_applicable(reason));
    }
    let (Some(base), Some(rate), Some(amount)) = (base, rate, amount) else {
        return ready(line.not_applicable("o CT-e não destaca ICMS"));
    };
    if cte.icms_in_simples() && amount.is_zero() {
        return ready(line.not_applicable(situation::SIMPLES));
    }
    let line =
        AuditLine { base_declarada: Some(base), aliquota_declarada: Some(rate), declarado: Some(amount), ..line };
    if cte.para_o_exterior {
        return ready(line.not_applicable(EXPORT));
    }
    let (Some(from), Some(to)) = (cte.uf_inicio, cte.uf_fim) else {
        return ready(line.refused("uf_ausente", NO_PLACES));
    };
    if from != to && cte.modal == BY_AIR {
        return ready(line.refused("regra_inexistente", AIR));
    }
    if let Some(special) = special_treatment(contribuinte, "icms", day) {
        return ready(line.refused("regime_especial", special));
    }
    let payload = payloads::icms_do_transporte(from, to, base, day);
    let sign = if from == to { within_the_state } else { between_states };
    Question::of_sign(compare::asked(payload), sign, line).planned()
}

/// The line of a rate against that of the rule. `otherwise` is given the line if they differ, with both rates in words.
fn compared(
    answer: &RuleResult<TaxAnswer>,
    line: AuditLine,
    otherwise: impl FnOnce(AuditLine, [String; 2]) -> AuditLine,
) -> AuditLine {
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => return line.refused(problem.codigo.as_str(), problem.detail.to_string()),
    };
    let (declared, rate) = (line.declarado.unwrap_or_default(), line.aliquota_declarada);
    let lawful = answer.figures(Role::Aliquota).next();
    let (regra, memoria) = (Some(answer.regra()), answer.memoria().cloned());
    let line = AuditLine { aliquota_calculada: lawful, regra, memoria, ..line };
    if rate == lawful {
        // That base by rate gives the amount is arithmetic, and has its line there.
        return line.with_amounts(declared, declared);
    }
    let in_words = [rate, lawful].map(|rate| with_comma(rate.unwrap_or_default().normalize()));
    otherwise(line.with_amounts(declared, answer.valor.decimal()), in_words)
}

#[expect(clippy::unnecessary_wraps, reason = "the form of what an answer shows of a line")]
fn between_states(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    Some(compared(answer, line, |line, [declared, lawful]| {
        let detail = format!("alíquota de {declared}% no CT-e, {lawful}% entre as duas UFs; {BENEFITS}");
        let explicacao = Some(rate_between(line.aliquota_declarada.unwrap_or_default(), &declared));
        AuditLine { explicacao, ..line.differing(Certainty::Conferir, "aliquota", detail) }
    }))
}

/// What a rate is that is not that of the way between two States.
fn rate_between(rate: Decimal, in_words: &str) -> Explanation {
    let detalhe = match rate.to_u32().filter(|_| rate.fract().is_zero()) {
        Some(7) => "7% é a alíquota de quem sai do Sul ou do Sudeste (menos ES) para as outras regiões e ES".to_owned(),
        Some(12) => {
            "12% é a alíquota das prestações entre UFs que não vão do Sul ou do Sudeste às outras regiões".to_owned()
        }
        _ => format!("{in_words}% não é alíquota entre UFs (7% e 12%): parece a de dentro de uma"),
    };
    Explanation { codigo: "outra_aliquota", detalhe: format!("{detalhe} (Resolução do Senado Federal 22/1989)") }
}

/// A State has one rate in general, and often another for transport.
#[expect(clippy::unnecessary_wraps, reason = "the form of what an answer shows of a line")]
fn within_the_state(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    Some(compared(answer, line, |line, [declared, general]| {
        let detail = format!(
            "as regras não trazem a alíquota do transporte dentro da UF: a geral é de {general}%, e o CT-e traz {declared}%"
        );
        let line = AuditLine { calculado: None, diferenca: None, aliquota_calculada: None, ..line };
        line.refused("regra_inexistente", detail)
    }))
}

/// CBS or IBS: rates and amounts on the base that the document declares, which is without PIS and COFINS that it does not
/// show.
fn of_reform(
    cte: &Transporte,
    group: &ReformaDoServico,
    parts: &[TributoDoServico],
    day: Date,
    contribuinte: &Contribuinte,
    line: AuditLine,
) -> PlannedLine {
    if cte.simples() {
        return ready(line.not_applicable(situation::SIMPLES));
    }
    if group.government_purchase {
        return ready(line.refused("compra_governamental", GOVERNMENT_PURCHASE));
    }
    let Some(base) = group.base.or(cte.prestacao()) else {
        return ready(line.refused("preco_ausente", "o CT-e não traz o valor da prestação"));
    };
    let (declared, reductions, doubt) = reform::declared(group, parts);
    let doubt = special_treatment(contribuinte, line.tributo, day).or(doubt);
    let payload = payloads::reforma_sobre(line.tributo, base, "", &group.classificacao, day);
    let comparison = Comparison { members: &REFORMA, declared, reductions, doubt, before_exceptions: false, line };
    Question::compared(compare::asked(payload), vec![comparison], Arc::new(Facts::default())).planned()
}
