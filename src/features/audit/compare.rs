//! A declared tax against the answer of the engine.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::differences::{CENT, agree};
use super::finding::{AuditLine, Certainty, Verdict};
use crate::base::problem::Problem;
use crate::base::value::{Date, with_comma};
use crate::law::nfe::Contribuinte;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::rule::{Condicao, RuleResult};
use crate::law::tax::{self, TaxAnswer};

pub(super) type Figure = fn(&TaxAnswer) -> Option<Decimal>;

/// Which figures of an answer are compared.
#[derive(Debug, Clone, Copy)]
pub struct Members {
    /// The amounts, which are added.
    pub(super) valores: &'static [Figure],
    /// The rate, or the margin of ST.
    pub(super) aliquota: Figure,
    pub(super) base: Figure,
    /// True if one of the amounts is the difference of rates, which some answers leave to the buyer.
    pub(super) with_difference: bool,
    /// True if some issuers write the rate of the FCP within the rate.
    pub(super) with_fcp: bool,
}

impl Members {
    /// The amount of an answer; `None` if it leaves one of its parts out.
    fn calculated(&self, answer: &TaxAnswer) -> Option<Decimal> {
        self.valores.iter().try_fold(Decimal::ZERO, |sum, figure| Some(sum.saturating_add(figure(answer)?)))
    }
}

/// What a document declares of a tax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Declared {
    pub valor: Decimal,
    /// The rate, or the margin of ST.
    pub aliquota: Option<Decimal>,
    pub base: Option<Decimal>,
    /// The part of `valor` that the document does not charge now: it is deferred, or given back.
    pub adiado: Decimal,
}

/// A comparison of one declared tax with an answer.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Where the answer has its figures.
    pub members: &'static Members,
    pub declared: Declared,
    /// The reductions of the rate that it declares, in percent: of CBS one, of IBS those of State and municipality.
    pub reductions: [Option<Decimal>; 2],
    /// Why a difference may be right: a special treatment of the taxpayer, or a CST that says little.
    pub doubt: Option<String>,
    /// True if the rules of that day have the general rates alone: a difference says nothing.
    pub before_exceptions: bool,
    pub line: AuditLine,
}

/// Why a difference may be right: a special treatment of the taxpayer. A treatment of `icms` is that of the State of
/// origin, so it says nothing of the difference that is due to the destination.
pub(super) fn special_treatment(contribuinte: &Contribuinte, tributo: &str, day: Date) -> Option<String> {
    let special = contribuinte.regime_especial(tributo, day)?;
    Some(format!("regime especial do contribuinte: {}", special.descricao))
}

/// The payload of a question. A document is compared with the law of its day, so the payload asks for it.
pub(super) fn asked(mut payload: EnginePayload) -> Arc<EnginePayload> {
    let entry = payload.text("tributo").and_then(tax::find);
    if let Some(flag) = entry.and_then(|entry| entry.flag_of_the_day(&payload)) {
        payload.set(flag, true);
    }
    Arc::new(payload)
}

/// Why it is a refusal. If several fields are at fault, the reason of each: nobody filled them in, so nobody is to correct
/// them.
fn why(problem: &Problem) -> String {
    if problem.erros.len() < 2 {
        return problem.detail.to_string();
    }
    let mut faults: Vec<&str> = problem.erros.iter().map(|fault| fault.detail.as_str()).collect();
    faults.dedup();
    faults.join(" ")
}

/// True if the answer leaves the difference of rates to the buyer, and does not calculate it.
fn leaves_difference_to_buyer(answer: &TaxAnswer) -> bool {
    let who = answer.get("responsavel_difal");
    answer.figure("valor_difal").is_none() && who.is_some_and(|who| who.text() == Some("destinatario"))
}

/// Why the answer says that nothing is due.
fn zero_reason(answer: &TaxAnswer) -> Option<String> {
    let reasons = ["motivo_zero", "isencao_base_legal", "nao_sujeicao_base_legal"];
    // Of another tax the same name says why an amount that is due is not collected.
    let dispensed = answer.get("retido").map(|_| "motivo_dispensa");
    reasons.into_iter().chain(dispensed).find_map(|name| Some(answer.get(name)?.text()?.to_owned()))
}

impl Declared {
    /// The line of the comparison, with what the document declares.
    fn on(self, line: AuditLine) -> AuditLine {
        let Declared { valor, aliquota, base, .. } = self;
        AuditLine { declarado: Some(valor), aliquota_declarada: aliquota, base_declarada: base, ..line }
    }

    /// Without what is deferred, if that is the whole and the rule leaves nothing to pay: the rate is then that after the
    /// deferral.
    fn without_deferred(self, calculated: Decimal) -> Declared {
        let charged = self.valor.saturating_sub(self.adiado);
        let is_whole = !self.adiado.is_zero() && charged.is_zero() && calculated.is_zero();
        if is_whole { Declared { valor: charged, aliquota: None, ..self } } else { self }
    }

    /// Whether the amounts, the rates and the bases agree; `None` of what is not on both sides.
    fn agreement(self, members: &Members, answer: &TaxAnswer) -> [Option<bool>; 3] {
        let calculated = members.calculated(answer);
        let declared = calculated.map_or(self, |calculated| self.without_deferred(calculated));
        [
            calculated.map(|calculated| agree(declared.valor, calculated)),
            declared.aliquota.zip(declared.rate(members, answer)).map(|(one, other)| same_points(one, other)),
            declared.base.zip((members.base)(answer)).map(|(one, other)| agree(one, other)),
        ]
    }

    /// The calculated rate, with that of the FCP if the document has both as one.
    fn rate(self, members: &Members, answer: &TaxAnswer) -> Option<Decimal> {
        let rate = (members.aliquota)(answer);
        let fcp = answer.figure("aliquota_fcp").filter(|_| members.with_fcp);
        let whole = rate.zip(fcp).map(|(rate, fcp)| rate.saturating_add(fcp));
        if whole.is_some() && whole == self.aliquota { whole } else { rate }
    }
}

impl Comparison {
    /// The amount that the answer has for that of the document; `None` if it leaves one of its parts out.
    pub(super) fn calculated(&self, answer: &TaxAnswer) -> Option<Decimal> {
        self.members.calculated(answer)
    }

    /// Whether the amounts, the rates and the bases agree; `None` of what is not on both sides.
    pub(super) fn agreement(&self, answer: &TaxAnswer) -> [Option<bool>; 3] {
        self.declared.agreement(self.members, answer)
    }

    /// Whether the answer has the figures of the document.
    pub(super) fn fits(&self, answer: &TaxAnswer) -> bool {
        self.fits_as(self.members, self.declared, answer)
    }

    /// Whether these figures of the answer are those of the document.
    pub(super) fn fits_as(&self, members: &Members, declared: Declared, answer: &TaxAnswer) -> bool {
        let reduction = wrong_reduction(self.reductions, answer.figure("percentual_reducao"));
        let [amount, rate, base] = declared.agreement(members, answer);
        amount == Some(true) && rate != Some(false) && base != Some(false) && reduction.is_none()
    }

    pub(super) fn against(&self, answer: &RuleResult<TaxAnswer>) -> AuditLine {
        let Comparison { members, declared, reductions, doubt, line, .. } = self.clone();
        let answer = match answer {
            Ok(answer) => answer,
            Err(problem) => {
                let line = AuditLine { regra: problem.regra.clone(), ..declared.on(line) };
                return line.refused(problem.codigo.as_str(), why(problem));
            }
        };
        let calculated = self.calculated(answer);
        let declared = calculated.map_or(declared, |calculated| declared.without_deferred(calculated));
        let line = AuditLine { regra: Some(answer.regra()), ..declared.on(line) };
        let Some(calculated) = calculated else {
            return if members.with_difference && leaves_difference_to_buyer(answer) {
                line.refused("regra_sem_conteudo", DIFFERENCE_OF_BUYER)
            } else {
                line.refused("resposta_ilegivel", "a resposta não traz o valor a comparar")
            };
        };
        let (avisos, condicoes_dos_avisos) = answer.avisos().map(|note| (note.texto, note.condicao)).unzip();
        let line = AuditLine {
            aliquota_calculada: declared.rate(members, answer),
            base_calculada: (members.base)(answer),
            avisos,
            condicoes_dos_avisos,
            memoria: answer.memoria().cloned(),
            ..line.with_amounts(declared.valor, calculated)
        };
        judged(line, doubt, zero_reason(answer), wrong_reduction(reductions, answer.figure("percentual_reducao")))
    }
}

/// Why the difference of rates of a buyer who is a taxpayer is not compared.
const DIFFERENCE_OF_BUYER: &str = "a diferença de alíquota é do comprador, contribuinte (LC 87/1996, art. 4º, § 2º, I), e a base dela na UF de destino não está estabelecida";

/// A declared reduction of the rate that is not that of the rule, in words.
fn wrong_reduction(declared: [Option<Decimal>; 2], lawful: Option<Decimal>) -> Option<String> {
    let lawful = lawful?;
    let wrong = declared.into_iter().flatten().find(|points| *points != lawful)?;
    Some(format!("redução da alíquota de {}% no documento, {}% pela regra", with_comma(wrong), with_comma(lawful)))
}

fn same_points(one: Decimal, other: Decimal) -> bool {
    one.saturating_sub(other).abs() < CENT
}

/// The ordinary rates of PIS and COFINS, cumulative or not (Lei nº 9.718/1998, art. 8º; Leis nº 10.637/2002 and 10.833/2003,
/// art. 2º), in hundredths of a point.
const ORDINARY: [(&str, [i64; 2]); 2] = [("pis", [65, 165]), ("cofins", [300, 760])];

/// Whether a rule is of zero only for a use or a form that no document shows, such as a pesticide of farms, and the
/// document charges the ordinary rate: it says that this is another one.
fn answers_the_condition(line: &AuditLine) -> bool {
    let unseen = [Condicao::Destino, Condicao::Descricao].map(Some);
    let ordinary = ORDINARY.iter().find(|(tributo, _)| *tributo == line.tributo).map(|(_, rates)| rates);
    let mut ordinary = ordinary.into_iter().flatten().map(|points| Some(Decimal::new(*points, 2)));
    ordinary.any(|rate| rate == line.aliquota_declarada)
        && line.condicoes_dos_avisos.iter().any(|condition| unseen.contains(condition))
}

fn judged(line: AuditLine, doubt: Option<String>, zero: Option<String>, reduction: Option<String>) -> AuditLine {
    let both = |one: Option<Decimal>, other: Option<Decimal>| one.zip(other);
    let amount = line.diferenca.is_some_and(|difference| difference.abs() <= CENT);
    let rate = both(line.aliquota_declarada, line.aliquota_calculada).map(|(one, other)| same_points(one, other));
    let base = both(line.base_declarada, line.base_calculada).map(|(one, other)| agree(one, other));
    let nothing = line.declarado == Some(Decimal::ZERO) && line.calculado == Some(Decimal::ZERO);
    // A base of which nothing is due is not compared.
    let base = base.filter(|_| !nothing);
    if zero.is_some() && answers_the_condition(&line) {
        let detalhe = "a nota cobra a alíquota comum; o zero da regra depende do que os avisos dizem".to_owned();
        let veredito = Verdict::Confere;
        return AuditLine { veredito, calculado: None, diferenca: None, aliquota_calculada: None, detalhe, ..line };
    }
    let (verdict, code, what) = match (amount, rate, base) {
        (true, Some(true) | None, Some(true) | None) | (true, None, Some(false)) if reduction.is_none() => {
            return AuditLine { veredito: Verdict::Confere, ..line };
        }
        (true, Some(true) | None, Some(true) | None) | (true, None, Some(false)) => {
            (Verdict::Diverge, "reducao", "o valor confere, e a redução da alíquota não")
        }
        (_, Some(true), Some(false)) => (Verdict::ConfereAliquota, "base", "a alíquota confere, e a base não"),
        (_, Some(true), _) => (Verdict::Diverge, "valor", "a alíquota confere, e o valor não"),
        (true, Some(false), _) => (Verdict::Diverge, "aliquota", "o valor confere, e a alíquota não"),
        (false, _, _) if zero.is_some() => (Verdict::Diverge, "nada_devido", "o documento cobra o que não é devido"),
        (false, _, _) => (Verdict::Diverge, "valor", "a alíquota e o valor divergem"),
    };
    let explained = line.condicoes_dos_avisos.iter().any(|condition| *condition != Some(Condicao::Campo));
    // An amount that agrees costs nobody anything.
    let sure = doubt.is_none() && !explained && (!amount || code == "reducao");
    let certainty = if sure { Certainty::RegraPlena } else { Certainty::Conferir };
    let mut detail = what.to_owned();
    if let Some((declared, calculated)) = both(line.aliquota_declarada, line.aliquota_calculada)
        && rate == Some(false)
    {
        let (declared, calculated) = (with_comma(declared), with_comma(calculated));
        detail = format!("{detail}: {declared}% no documento, {calculated}% pela regra");
    }
    for reason in [reduction, zero, doubt].into_iter().flatten() {
        detail.push_str("; ");
        detail.push_str(&reason);
    }
    AuditLine { veredito: verdict, ..line.differing(certainty, code, detail) }
}
