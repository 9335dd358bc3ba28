//! A declared tax against the answer of the engine.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::differences::{CENT, agree};
use super::finding::{AuditLine, Certainty, Layer, Verdict};
use crate::base::document::Object;
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Date, with_comma};
use crate::law::nfe::Contribuinte;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::rule::{Condicao, RuleResult};
use crate::law::tax::{self, NoteCode, TaxAnswer};

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
    pub line: AuditLine,
}

/// Why a difference may be right: a special treatment of the taxpayer. A treatment of `icms` is that of the State of
/// origin, so it says nothing of the difference that is due to the destination.
pub(super) fn special_treatment(contribuinte: &Contribuinte, tributo: &str, day: Date) -> Option<String> {
    let special = contribuinte.regime_especial(tributo, day)?;
    Some(format!("regime especial do contribuinte: {}", special.descricao))
}

/// The line that an answer decides, if it decides one.
pub(super) type Sign = fn(&RuleResult<TaxAnswer>, AuditLine) -> Option<AuditLine>;

/// A payload, and what its answer decides.
#[derive(Debug, Clone)]
pub struct Question {
    /// The payload, as the service takes it.
    pub payload: Arc<EnginePayload>,
    /// The comparisons with the answer; several for a tax with parts.
    pub comparisons: Vec<Comparison>,
    /// The line of the NCM, if the answer is that of the table of all NCMs (TIPI).
    pub ncm: Option<AuditLine>,
    /// What the answer shows of a line, if it has no figure to be equal to.
    pub(super) sign: Option<(Sign, AuditLine)>,
}

impl Question {
    #[must_use]
    pub fn answered(self, answer: RuleResult<TaxAnswer>) -> Vec<AuditLine> {
        let answer = Arc::new(answer);
        let mut results = Vec::new();
        if let (Some(line), Err(problem)) = (self.ncm, &*answer) {
            results.extend(extinct(problem, line));
        }
        if let Some((sign, line)) = self.sign {
            let (payload, resposta) = (Some(Arc::clone(&self.payload)), Some(Arc::clone(&answer)));
            results.extend(sign(&answer, AuditLine { payload, resposta, ..line }));
        }
        for comparison in self.comparisons {
            if comparison.line.tributo == "cbs" {
                results.extend(classification(&answer, &comparison.line));
            }
            let line = comparison.against(&answer);
            let (payload, resposta) = (Some(Arc::clone(&self.payload)), Some(Arc::clone(&answer)));
            results.push(AuditLine { payload, resposta, ..line });
        }
        results
    }
}

/// The payload of a question. A document is compared with the law of its day, so the payload asks for it.
pub(super) fn asked(mut payload: EnginePayload) -> Arc<EnginePayload> {
    let entry = payload.text("tributo").and_then(tax::find);
    if let Some(flag) = entry.and_then(|entry| entry.flag_of_the_day(&payload)) {
        payload.set(flag, true);
    }
    Arc::new(payload)
}

/// The finding about a classification that only the description of the goods decides.
fn finding_of(code: NoteCode) -> &'static str {
    match code {
        NoteCode::UnconfirmedReduction => "cclasstrib_sem_lista",
        NoteCode::ListedInFull => "cclasstrib_integral",
    }
}

/// What the answer about CBS says of the classification; that about IBS says the same.
fn classification(answer: &RuleResult<TaxAnswer>, line: &AuditLine) -> Option<AuditLine> {
    let (certainty, code, detail) = match answer {
        Err(problem) => {
            let whole = std::iter::once((problem.codigo, &problem.detail));
            let mut all = whole.chain(problem.erros.iter().map(|fault| (fault.codigo, &fault.detail)));
            all.find_map(|(fault, detail)| {
                let (certainty, code) = match fault {
                    ErrorCode::ClassificacaoIncompativel => (Certainty::ErroDoDocumento, "cclasstrib_e_ncm"),
                    ErrorCode::ClassificacaoInvalida => (Certainty::ErroDoDocumento, "cclasstrib_inexistente"),
                    // A later edition of the table may have it.
                    ErrorCode::ClassificacaoDesconhecida => (Certainty::Conferir, "cclasstrib_inexistente"),
                    _ => return None,
                };
                Some((certainty, code, detail.to_string()))
            })?
        }
        Ok(answer) => answer
            .avisos()
            .find_map(|note| Some((Certainty::Conferir, finding_of(note.codigo?), note.texto.as_str().to_owned())))?,
    };
    Some(line.clone().in_layer(Layer::Coerencia, "cbs").differing(certainty, code, detail))
}

/// The table has no line for the NCM on that day. If only the day rules out a rule that came near, the rules may begin
/// later than the document, and the difference is to be checked.
fn extinct(problem: &Problem, line: AuditLine) -> Option<AuditLine> {
    if problem.codigo != ErrorCode::RegraInexistente {
        return None;
    }
    let mut excluded = problem.candidatos.iter().filter_map(|candidate| candidate.exclusao.as_ref());
    let on_another_day = excluded.any(|excluded| excluded.por == ["data"]);
    let certainty = if on_another_day { Certainty::Conferir } else { Certainty::ErroDoDocumento };
    let text = format!("NCM {} sem linha na TIPI do dia. {}", line.ncm, problem.detail);
    Some(line.in_layer(Layer::Coerencia, "ncm").differing(certainty, "ncm_inexistente", text))
}

/// A payload about an NCM that every version of the TIPI has (beer), on a day (`2026-01-31`).
#[must_use]
pub fn ncm_probe(day: &str) -> EnginePayload {
    let mut probe = Object::default();
    let members = [("tributo", "ipi"), ("ncm", "22030000"), ("valor_produto", "1.00")];
    for (name, value) in members {
        probe.set(name, value);
    }
    probe.set("data_operacao", day.to_owned());
    probe
}

/// Whether the answer to [`ncm_probe`] shows that the rules have the table of all NCMs on its day.
#[must_use]
pub fn has_ncm_table(answer: &RuleResult<TaxAnswer>) -> bool {
    !answer.as_ref().is_err_and(|problem| problem.codigo == ErrorCode::RegraInexistente)
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

    /// The calculated rate, with that of the FCP if the document has both as one.
    fn rate(self, members: &Members, answer: &TaxAnswer) -> Option<Decimal> {
        let rate = (members.aliquota)(answer);
        let fcp = answer.figure("aliquota_fcp").filter(|_| members.with_fcp);
        let whole = rate.zip(fcp).map(|(rate, fcp)| rate.saturating_add(fcp));
        if whole.is_some() && whole == self.aliquota { whole } else { rate }
    }
}

impl Comparison {
    fn against(self, answer: &RuleResult<TaxAnswer>) -> AuditLine {
        let Comparison { members, declared, reductions, doubt, line } = self;
        let answer = match answer {
            Ok(answer) => answer,
            Err(problem) => {
                let line = AuditLine { regra: problem.regra.clone(), ..declared.on(line) };
                return line.refused(problem.codigo.as_str(), why(problem));
            }
        };
        let amounts: Option<Vec<Decimal>> = members.valores.iter().map(|figure| figure(answer)).collect();
        let calculated = amounts.map(|amounts| amounts.into_iter().fold(Decimal::ZERO, Decimal::saturating_add));
        let declared = calculated.map_or(declared, |calculated| declared.without_deferred(calculated));
        let line = AuditLine { regra: Some(answer.regra().into_owned()), ..declared.on(line) };
        let Some(calculated) = calculated else {
            return if members.with_difference && leaves_difference_to_buyer(answer) {
                line.refused("regra_sem_conteudo", DIFFERENCE_OF_BUYER)
            } else {
                line.refused("resposta_ilegivel", "a resposta não traz o valor a comparar")
            };
        };
        let (avisos, condicoes_dos_avisos) =
            answer.avisos().map(|note| (note.texto.as_str().to_owned(), note.condicao)).unzip();
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

fn judged(line: AuditLine, doubt: Option<String>, zero: Option<String>, reduction: Option<String>) -> AuditLine {
    let both = |one: Option<Decimal>, other: Option<Decimal>| one.zip(other);
    let amount = line.diferenca.is_some_and(|difference| difference.abs() <= CENT);
    let rate = both(line.aliquota_declarada, line.aliquota_calculada)
        .map(|(one, other)| one.saturating_sub(other).abs() < CENT);
    let base = both(line.base_declarada, line.base_calculada).map(|(one, other)| agree(one, other));
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
    let sure = doubt.is_none() && !explained && code != "aliquota";
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
