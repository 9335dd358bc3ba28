//! `POST /sandbox/v1/operacao`: every tax of one operation, with the parameters of `POST /v1/calculate`. The answer is
//! that of `taxd calc --operacao`. `POST /sandbox/v1/operacao/falta`: what the operation lacks.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;

use crate::calls::Caller;
use crate::engine::{Engine, Extras};
use crate::http::app::App;
use crate::http::calculate::{self, Parameters};
use crate::http::call::CallOutcome;
use crate::http::refusal;
use crate::http::respond::{self, HttpResponse};
use crate::operation;
use crate::problem::Problem;
use crate::value::Timestamp;

/// Answers the operation in the body. An operation uses up one call of the quota, however many taxes it has; one of which
/// a fact is missing or at fault uses up none.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    let Parameters { extras, known_at } = calculate::read(app, caller, request, outcome).await?;
    let (service, facts) = (Arc::clone(&app.service), outcome.payload.bytes.clone());
    operation::check(&facts)?;
    let calls = app.service.calls();
    calls.charge(caller).map_err(|refused| {
        let allowance = *outcome.used_up.insert(calls.until_next_month(caller));
        Box::new(refusal::not_admitted(refused, allowance))
    })?;
    let calculated =
        move || operation::calculate(&facts, &|payload| answer(service.engine(), payload, extras, known_at));
    let apuracao = app.blocking.run(caller, calculated).await?;
    let unwritten = |e| Box::new(Problem::failure("A resposta não pôde ser escrita; avise o operador.", e));
    app.memory(caller).keep(respond::json(serde_json::to_vec(&apuracao).map_err(unwritten)?))
}

/// Answers which facts the operation in the body lacks. It says no amount, so it uses no quota up.
pub(super) async fn lacking(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    let Parameters { extras, known_at } = calculate::read(app, caller, request, outcome).await?;
    let (service, facts) = (Arc::clone(&app.service), outcome.payload.bytes.clone());
    let needs = move || operation::needs(&facts, &|payload| answer(service.engine(), payload, extras, known_at));
    let needs = app.blocking.run(caller, needs).await?;
    let unwritten = |e| Box::new(Problem::failure("A resposta não pôde ser escrita; avise o operador.", e));
    Ok(respond::json(serde_json::to_vec(&needs).map_err(unwritten)?))
}

fn answer(
    engine: &Engine,
    payload: &[u8],
    extras: Extras,
    known_at: Option<Timestamp>,
) -> Result<Vec<u8>, Box<Problem>> {
    let answer = match known_at {
        None => engine.calculate(payload, extras)?,
        Some(instant) => engine.calculate_as_known(payload, extras, instant)?,
    };
    Ok(answer.to_json())
}
