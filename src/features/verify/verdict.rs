//! The verdict on a stored answer.
//!
//! An answer is calculated again from its payload and compared member by member. If it has a proof
//! ([`prova`](crate::core::engine::prova)), that is checked first: an answer that its own proof does not cover was changed
//! after it was given.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::compare::{self, AnswerDifference};
use super::{VerifiedAnswer, VerifyCommand, VerifyVerdict};
use crate::base::problem::{Problem, guarded};
use crate::base::value::{Date, Timestamp};
use crate::core::engine::prova::{self, MOTOR};
use crate::core::engine::{Answer, Engine, Extras};
use crate::features::calc::in_parallel;
use crate::features::error::AdminError;
use crate::features::instants::known_at;

#[derive(Deserialize)]
struct StoredAnswer<'l> {
    #[serde(borrow)]
    payload: &'l RawValue,
    resposta: Map<String, Value>,
    calculado_em: Option<String>,
    conhecido_em: Option<String>,
}

/// A line of an audit. Without `payload` no rule was asked.
#[derive(Deserialize)]
struct AuditedLine {
    #[serde(rename = "camada")]
    _camada: String,
    #[serde(rename = "veredito")]
    _veredito: String,
    payload: Option<IgnoredAny>,
}

/// What is found of each answer, in the order of the command.
pub fn verify(engine: &Engine, command: &VerifyCommand) -> Result<Vec<VerifiedAnswer>, AdminError> {
    let default = command.conhecido_em.as_deref().map(|text| known_at(text, engine.now())).transpose()?;
    Ok(in_parallel(&command.lines, |line| verify_line(engine, line, default)))
}

fn verify_line(engine: &Engine, line: &str, default: Option<Timestamp>) -> VerifiedAnswer {
    let stored: StoredAnswer<'_> = match serde_json::from_str(line) {
        Ok(stored) => stored,
        Err(_) if serde_json::from_str::<AuditedLine>(line).is_ok_and(|line| line.payload.is_none()) => {
            return without_answer(VerifyVerdict::SemCalculo, None);
        }
        Err(error) => {
            return unreadable(format!(
                "a linha precisa ser um objeto JSON com `payload` e `resposta`, também um objeto ({error})"
            ));
        }
    };
    let instants = match stored.calculado_em.as_ref().or(stored.conhecido_em.as_ref()) {
        None => Vec::from_iter(default),
        Some(text) => match past_instants(text, engine.now()) {
            Some(instants) => instants,
            None => {
                return unreadable(format!(
                    "\"{text}\" não é um instante ou dia que já passou, como 2026-03-10T12:00:00Z ou 2026-03-10"
                ));
            }
        },
    };
    verify_stored(engine, &stored, &instants).unwrap_or_else(|problem| unreadable(problem.detail.into()))
}

/// The instants of an answer: one, or the last and the first of a day in UTC. `None` if the text is neither, or in the
/// future.
fn past_instants(text: &str, now: Timestamp) -> Option<Vec<Timestamp>> {
    let instants = match Date::parse(text) {
        Ok(day) => {
            let (first, last) = (Timestamp::start_of(day), Timestamp::end_of(day));
            vec![if first <= now { last.min(now) } else { last }, first]
        }
        Err(_) => vec![Timestamp::parse(text).ok()?],
    };
    instants.iter().all(|instant| *instant <= now).then_some(instants)
}

fn unreadable(erro: String) -> VerifiedAnswer {
    without_answer(VerifyVerdict::Ilegivel, Some(erro))
}

fn without_answer(veredito: VerifyVerdict, erro: Option<String>) -> VerifiedAnswer {
    VerifiedAnswer {
        veredito,
        rule_id: None,
        adulterado: Vec::new(),
        motor: None,
        agora: Vec::new(),
        entao: None,
        erro,
    }
}

/// Fails if the service fails.
fn verify_stored(
    engine: &Engine,
    stored: &StoredAnswer<'_>,
    instants: &[Timestamp],
) -> Result<VerifiedAnswer, Box<Problem>> {
    let answer = &stored.resposta;
    if answer.contains_key("suposicoes") {
        return Ok(unreadable("a resposta tem `suposicoes`: é o que se supôs, e não o que a lei diz".to_owned()));
    }
    let proof = answer.get("prova").and_then(Value::as_object);
    let memoria = answer.get("detalhes").is_some_and(|detalhes| detalhes.get("memoria").is_some());
    let extras = Extras { memoria, prova: answer.contains_key("prova"), ..Extras::default() };
    let payload = stored.payload.get().as_bytes();
    let motor = proof.and_then(|proof| proof.get("motor")).and_then(Value::as_str).filter(|motor| *motor != MOTOR);
    let differences = |answered: Result<Answer, Box<Problem>>| -> Result<Vec<AnswerDifference>, Box<Problem>> {
        Ok(compare::differences(answer, &outcome(answered)?, proof.is_none() || motor.is_some()))
    };
    let adulterado = proof.map_or(Vec::new(), |proof| uncovered(stored, proof));
    let agora = differences(guarded(|| engine.calculate(payload, extras)))?;
    let mut entao: Option<Vec<AnswerDifference>> = None;
    for instant in instants {
        if entao.as_ref().is_none_or(|then| !then.is_empty()) {
            let then = differences(guarded(|| engine.calculate_at(payload, extras, Some(*instant))))?;
            // Of a day, the first word is that of its end.
            entao = entao.filter(|_| !then.is_empty()).or(Some(then));
        }
    }
    let veredito = if !adulterado.is_empty() {
        VerifyVerdict::Adulterada
    } else if agora.is_empty() {
        VerifyVerdict::Confere
    } else if entao.as_ref().is_some_and(Vec::is_empty) {
        VerifyVerdict::Conferia
    } else if motor.is_some() {
        VerifyVerdict::OutroMotor
    } else {
        VerifyVerdict::Diverge
    };
    let rule_id = answer.get("regra").and_then(|regra| regra.get("rule_id")).and_then(Value::as_str);
    Ok(VerifiedAnswer {
        veredito,
        rule_id: rule_id.map(str::to_owned),
        adulterado,
        motor: motor.map(str::to_owned),
        agora,
        entao,
        erro: None,
    })
}

/// The answer or the refusal, as JSON. Fails if the service fails.
fn outcome(answered: Result<Answer, Box<Problem>>) -> Result<Map<String, Value>, Box<Problem>> {
    let unwritten = |e: serde_json::Error| Box::new(Problem::failure("A resposta não pôde ser escrita.", e));
    match answered {
        Ok(answer) => serde_json::from_slice(&answer.to_json()).map_err(unwritten),
        Err(problem) if problem.codigo.status() >= 500 => Err(problem),
        Err(problem) => {
            serde_json::to_value(problem.document(None)).and_then(serde_json::from_value).map_err(unwritten)
        }
    }
}

/// Parts of a proof that differ from what its own payload and answer give.
fn uncovered(stored: &StoredAnswer<'_>, proof: &Map<String, Value>) -> Vec<String> {
    let pedido = prova::payload_digest(stored.payload.get().as_bytes());
    let resultado = prova::result_digest(&Value::Object(stored.resposta.clone()));
    let wanted = [
        ("pedido", pedido),
        ("resultado", Some(resultado)),
        ("resumo", Some(prova::summary_digest(proof))),
        ("algoritmo", Some(prova::ALGORITMO.to_owned())),
    ];
    let differs =
        |(name, digest): &(&str, Option<String>)| proof.get(*name).and_then(Value::as_str) != digest.as_deref();
    let mut names: Vec<String> = wanted.into_iter().filter(differs).map(|(name, _)| name.to_owned()).collect();
    if !proof.get("motor").is_some_and(Value::is_string) {
        names.push("motor".to_owned());
    }
    names
}
