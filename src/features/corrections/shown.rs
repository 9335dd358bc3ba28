//! The corrections of an account as its callers see them.

use serde::Serialize;
use serde_json::Value;

use super::{CorrectedAnswer, CorrectedCall, Correction, decode, read};
use crate::base::problem::{Problem, guarded};
use crate::base::value::{Date, Timestamp};
use crate::core::calls::Client;
use crate::core::engine::{Engine, Extras};
use crate::core::store::{Store, StoreResult};
use crate::law::rule::RuleResult;

/// Most publications of a page.
const MOST: usize = 500;

/// The publications that changed answers of an account, the last first, and the calls of one of them if they are wanted.
#[derive(Debug, Clone, Serialize)]
pub struct CorrectionsPage {
    pub correcoes: Vec<Correction>,
    /// Publications that are not looked through yet.
    pub pendentes: u64,
    /// Calls of the account that the log does not have any more because of their age.
    pub fora_do_registro: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chamadas: Option<Vec<ShownCorrectedCall>>,
    /// Number of the last of these calls, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proximo: Option<String>,
}

/// A call with both answers.
#[derive(Debug, Clone, Serialize)]
pub struct ShownCorrectedCall {
    #[serde(flatten)]
    pub corrected: CorrectedAnswer,
    pub request: Value,
    pub antes: ProvenAnswer,
    pub depois: ProvenAnswer,
}

/// An answer with its proof, or a refusal. With the payload it is a line that `taxd verify` reads.
#[derive(Debug, Clone, Serialize)]
pub struct ProvenAnswer {
    /// The instant whose rules give it.
    pub conhecido_em: Timestamp,
    pub resposta: Value,
}

/// The publications from that day on, or the one of that number.
pub fn page(
    store: &Store,
    client: &Client,
    desde: Option<Date>,
    publicacao: Option<u64>,
) -> StoreResult<CorrectionsPage> {
    let all = store.corrections(&client.client_id)?;
    let wanted = all.iter().filter(|(number, _)| publicacao.is_none_or(|wanted| *number == wanted));
    let mut correcoes: Vec<Correction> = wanted.map(|(_, record)| read(record)).collect::<StoreResult<_>>()?;
    correcoes.retain(|one| desde.is_none_or(|day| one.publicado_em >= Timestamp::start_of(day)));
    correcoes.truncate(MOST);
    let pendentes = super::CorrectionsState::read(store)?.pendentes;
    let fora_do_registro = client.meter.lock().pruned;
    Ok(CorrectionsPage { correcoes, pendentes, fora_do_registro, chamadas: None, proximo: None })
}

/// The calls of a publication after the one of that number, up to `most`.
pub fn calls(
    store: &Store,
    client: &Client,
    publication: u64,
    after: u64,
    most: usize,
) -> StoreResult<Vec<CorrectedCall>> {
    let mut calls = Vec::new();
    store.corrected_calls(&client.client_id, publication, after, |block| {
        calls.extend(decode(block)?.into_iter().filter(|call| call.corrected.numero > after));
        Ok(calls.len() < most)
    })?;
    calls.truncate(most);
    Ok(calls)
}

/// A call with both answers, each calculated by the rules of its instant.
pub fn proven(engine: &Engine, correction: &Correction, call: CorrectedCall) -> RuleResult<ShownCorrectedCall> {
    let CorrectedCall { corrected, request } = call;
    // A call in the last moments before the commit was answered by the rules of before.
    let last_before = Timestamp::from_millis(correction.publicado_em.millis().saturating_sub(1));
    let answered_at = last_before.map_or(corrected.created_at, |last| corrected.created_at.min(last));
    let answer = |conhecido_em: Timestamp| {
        let extras = Extras { prova: true, ..Extras::default() };
        let resposta = match guarded(|| engine.calculate_at(request.as_bytes(), extras, Some(conhecido_em))) {
            Ok(answer) => serde_json::from_slice(&answer.to_json()).map_err(unwritten)?,
            Err(problem) if problem.codigo.status() >= 500 => return Err(problem),
            Err(problem) => serde_json::to_value(problem.document(None)).map_err(unwritten)?,
        };
        Ok(ProvenAnswer { conhecido_em, resposta })
    };
    Ok(ShownCorrectedCall {
        corrected,
        antes: answer(answered_at)?,
        depois: answer(correction.publicado_em)?,
        request: serde_json::from_str(&request).map_err(unwritten)?,
    })
}

fn unwritten(error: serde_json::Error) -> Box<Problem> {
    Box::new(Problem::failure("A correção não pôde ser escrita; avise o operador.", error))
}
