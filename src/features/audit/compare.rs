//! A declared tax against the answer of the engine.

use std::sync::Arc;

use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use super::finding::{AuditLine, Certainty, Layer, Verdict};
use super::sums::{CENT, agree};
use crate::base::value::{Date, parse_decimal, with_comma};
use crate::law::nfe::Contribuinte;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::tax::{self, LISTED_IN_FULL, UNCONFIRMED_REDUCTION};

/// Where an answer has the figures to compare; each path starts at the envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Members {
    /// The amounts, which are added.
    pub valores: &'static [&'static str],
    /// The rate, or the margin of ST.
    pub aliquota: &'static str,
    /// The base.
    pub base: &'static str,
}

/// What a document declares of a tax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Declared {
    /// The amount.
    pub valor: Decimal,
    /// The rate, or the margin of ST.
    pub aliquota: Option<Decimal>,
    /// The base.
    pub base: Option<Decimal>,
}

/// A comparison of one declared tax with an answer.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Where the answer has its figures.
    pub members: &'static Members,
    /// What the document declares.
    pub declared: Declared,
    /// The reductions of the rate that it declares, in percent: of CBS one, of IBS those of State and municipality.
    pub reductions: [Option<Decimal>; 2],
    /// Why a difference may be right: a special treatment of the taxpayer, or a CST that says little.
    pub doubt: Option<String>,
    /// The line, with its tax.
    pub line: AuditLine,
}

/// Why a difference may be right: a special treatment of the taxpayer. A treatment of `icms` is that of the State of
/// origin, so it says nothing of the difference that is due to the destination.
pub(super) fn special_treatment(contribuinte: &Contribuinte, tributo: &str, day: Date) -> Option<String> {
    let special = contribuinte.regime_especial(tributo, day)?;
    Some(format!("regime especial do contribuinte: {}", special.descricao))
}

/// A payload, and what its answer decides.
#[derive(Debug, Clone)]
pub struct Question {
    /// The payload, as the service takes it.
    pub payload: Vec<u8>,
    /// The comparisons with the answer; several for a tax with parts.
    pub comparisons: Vec<Comparison>,
    /// The line of the NCM, if the answer is that of the table of all NCMs (TIPI).
    pub ncm: Option<AuditLine>,
}

impl Question {
    /// The results, from one line of JSON: the answer, or the problem document.
    #[must_use]
    pub fn answered(self, line: &[u8]) -> Vec<AuditLine> {
        let answer: Value = serde_json::from_slice(line).unwrap_or_default();
        let payload = std::str::from_utf8(&self.payload).ok().filter(|_| answer.is_object()).map(Arc::<str>::from);
        let resposta = answer.as_object().map(whole);
        let mut results = Vec::new();
        if let Some(line) = self.ncm {
            results.extend(extinct(&answer, line));
        }
        for comparison in self.comparisons {
            if comparison.line.tributo == "cbs" {
                results.extend(classification(&answer, &comparison.line));
            }
            let line = comparison.against(&answer);
            results.push(AuditLine { payload: payload.clone(), resposta: resposta.clone(), ..line });
        }
        results
    }
}

/// The text of a payload. A document is compared with the law of its day, so the payload asks for it.
pub(super) fn asked(mut payload: EnginePayload) -> Vec<u8> {
    let text = |name: &str| payload.get(name)?.as_str().map(str::to_owned);
    let entry = text("tributo").and_then(|tributo| tax::find(&tributo));
    if let Some(flag) = entry.and_then(|entry| entry.flag_of_the_day(text)) {
        payload.insert(flag.to_owned(), Value::Bool(true));
    }
    serde_json::to_vec(&payload).unwrap_or_default()
}

/// What a sentence of an answer says of a classification that only the description decides, and the code of its finding.
const TO_CHECK: [(&str, &str); 2] =
    [(UNCONFIRMED_REDUCTION, "cclasstrib_sem_lista"), (LISTED_IN_FULL, "cclasstrib_integral")];

/// What the answer about CBS says of the classification; that about IBS says the same.
fn classification(answer: &Value, line: &AuditLine) -> Option<AuditLine> {
    let faults = std::iter::once(answer).chain(list(member(answer, "erros")));
    let of_document = faults.filter_map(|fault| {
        let code = match text(fault, "codigo") {
            "classificacao_tributaria_incompativel" => "cclasstrib_e_ncm",
            "classificacao_tributaria_invalida" => "cclasstrib_inexistente",
            // A later edition of the table may have it.
            "classificacao_tributaria_desconhecida" => {
                return Some((Certainty::Conferir, "cclasstrib_inexistente", text(fault, "detail")));
            }
            _ => return None,
        };
        Some((Certainty::ErroDoDocumento, code, text(fault, "detail")))
    });
    let to_check = list(member(answer, "avisos")).filter_map(Value::as_str).filter_map(|sentence| {
        let (_, code) = TO_CHECK.into_iter().find(|(words, _)| sentence.contains(words))?;
        Some((Certainty::Conferir, code, sentence))
    });
    let (certainty, code, detail) = of_document.chain(to_check).next()?;
    Some(line.clone().in_layer(Layer::Coerencia, "cbs").differing(certainty, code, detail))
}

/// The answer as JSON text, without whether the cache gave it: the same documents have the same report.
fn whole(answer: &Map<String, Value>) -> Arc<str> {
    let members = answer.iter().filter(|(name, _)| *name != "cached");
    let kept: Map<String, Value> = members.map(|(name, value)| (name.clone(), value.clone())).collect();
    Value::Object(kept).to_string().into()
}

/// What a refusal says if there is a rule for another day.
const NEAREST: &str = "vigência mais próxima";

/// The table has no line for the NCM on that day. If it has one for another day, the rules may begin later than the
/// document, and the difference is to be checked.
fn extinct(answer: &Value, line: AuditLine) -> Option<AuditLine> {
    if text(answer, "codigo") != "regra_inexistente" {
        return None;
    }
    let detail = text(answer, "detail");
    let certainty = if detail.contains(NEAREST) { Certainty::Conferir } else { Certainty::ErroDoDocumento };
    let text = format!("NCM {} sem linha na TIPI do dia. {detail}", line.ncm);
    Some(line.in_layer(Layer::Coerencia, "ncm").differing(certainty, "ncm_inexistente", text))
}

/// A payload about an NCM that every version of the TIPI has (beer), on a day (`2026-01-31`).
#[must_use]
pub fn ncm_probe(day: &str) -> Vec<u8> {
    let probe = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "1.00", "data_operacao": day});
    probe.to_string().into_bytes()
}

/// Whether the answer to [`ncm_probe`] shows that the rules have the table of all NCMs on its day.
#[must_use]
pub fn has_ncm_table(answer: &[u8]) -> bool {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    text(&answer, "codigo") != "regra_inexistente"
}

/// The value on a path of members; null if there is none.
fn member<'v>(answer: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(answer, |value, name| value.get(name).unwrap_or(&Value::Null))
}

/// The text on a path of members; empty if there is none.
pub(super) fn text<'v>(answer: &'v Value, path: &str) -> &'v str {
    member(answer, path).as_str().unwrap_or_default()
}

fn figure(answer: &Value, path: &str) -> Option<Decimal> {
    parse_decimal(member(answer, path).as_str()?).ok()
}

impl Comparison {
    /// Compares with an answer.
    fn against(self, answer: &Value) -> AuditLine {
        let Comparison { members, declared, reductions, doubt, line } = self;
        let mut line = line.in_layer_of_law();
        line.regra = Some(member(answer, "regra").clone()).filter(Value::is_object);
        line.declarado = Some(declared.valor);
        (line.aliquota_declarada, line.base_declarada) = (declared.aliquota, declared.base);
        if let Some(codigo) = member(answer, "codigo").as_str() {
            return line.refused(codigo, refusal(answer));
        }
        let amounts: Option<Vec<Decimal>> = members.valores.iter().map(|path| figure(answer, path)).collect();
        let Some(amounts) = amounts else {
            return if is_of_buyer(answer, members.valores) {
                line.refused("regra_sem_conteudo", DIFFERENCE_OF_BUYER)
            } else {
                line.refused("resposta_ilegivel", "a resposta não traz o valor a comparar")
            };
        };
        let calculated = amounts.into_iter().fold(Decimal::ZERO, Decimal::saturating_add);
        line.aliquota_calculada = figure(answer, members.aliquota);
        line.base_calculada = figure(answer, members.base);
        line.avisos = list(member(answer, "avisos")).filter_map(|text| Some(text.as_str()?.to_owned())).collect();
        line.condicoes_dos_avisos = list(member(answer, "condicoes_dos_avisos")).cloned().collect();
        line.memoria = Some(member(answer, "detalhes.memoria").clone()).filter(Value::is_array);
        let line = line.with_amounts(declared.valor, calculated);
        let reduction = wrong_reduction(reductions, figure(answer, "detalhes.percentual_reducao"));
        judged(line, doubt, zero_reason(answer), reduction)
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Why an answer is a refusal. If several fields are at fault, the reason of each: nobody filled them in, so nobody is
/// to correct them.
fn refusal(answer: &Value) -> String {
    let mut faults: Vec<&str> = list(member(answer, "erros")).map(|fault| text(fault, "detail")).collect();
    if faults.len() < 2 {
        return text(answer, "detail").to_owned();
    }
    faults.dedup();
    faults.join(" ")
}

/// Why the difference of rates of a buyer who is a taxpayer is not compared.
const DIFFERENCE_OF_BUYER: &str = "a diferença de alíquota é do comprador, contribuinte (LC 87/1996, art. 4º, § 2º, I), e a base dela na UF de destino não está estabelecida";

/// True if one of these amounts is the difference of rates, which the answer leaves to the buyer and does not calculate.
fn is_of_buyer(answer: &Value, valores: &[&str]) -> bool {
    let (difference, buyer) = (member(answer, "detalhes.valor_difal"), member(answer, "detalhes.responsavel_difal"));
    valores.contains(&"detalhes.valor_difal") && difference.is_null() && buyer == "destinatario"
}

/// Why the answer says that nothing is due.
fn zero_reason(answer: &Value) -> Option<&str> {
    let reasons = ["detalhes.motivo_zero", "detalhes.isencao_base_legal", "detalhes.nao_sujeicao_base_legal"];
    reasons.into_iter().find_map(|path| member(answer, path).as_str())
}

/// A declared reduction of the rate that is not that of the rule, in words.
fn wrong_reduction(declared: [Option<Decimal>; 2], lawful: Option<Decimal>) -> Option<String> {
    let lawful = lawful?;
    let wrong = declared.into_iter().flatten().find(|points| *points != lawful)?;
    Some(format!("redução da alíquota de {}% no documento, {}% pela regra", with_comma(wrong), with_comma(lawful)))
}

fn judged(line: AuditLine, doubt: Option<String>, zero: Option<&str>, reduction: Option<String>) -> AuditLine {
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
    let explained = line.condicoes_dos_avisos.iter().any(|condition| condition != "campo");
    let sure = doubt.is_none() && !explained && code != "aliquota";
    let certainty = if sure { Certainty::RegraPlena } else { Certainty::Conferir };
    let mut detail = what.to_owned();
    if let Some((declared, calculated)) = both(line.aliquota_declarada, line.aliquota_calculada)
        && rate == Some(false)
    {
        let (declared, calculated) = (with_comma(declared), with_comma(calculated));
        detail = format!("{detail}: {declared}% no documento, {calculated}% pela regra");
    }
    for reason in [reduction, zero.map(str::to_owned), doubt].into_iter().flatten() {
        detail.push_str("; ");
        detail.push_str(&reason);
    }
    AuditLine { veredito: verdict, ..line.differing(certainty, code, detail) }
}

impl AuditLine {
    /// The same line in the layer of the law.
    fn in_layer_of_law(self) -> AuditLine {
        let tributo = self.tributo;
        self.in_layer(Layer::Lei, tributo)
    }
}
