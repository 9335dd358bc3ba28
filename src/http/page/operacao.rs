//! `POST /sandbox/v1/operacao`: every tax of one operation, with the parameters of `POST /v1/calculate`. The answer is
//! that of `taxd calc --operacao`.

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
use crate::operation::{self, Apuracao};
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
    let apuracao = app.blocking.run(caller, move || apuracao(service.engine(), &facts, extras, known_at)).await?;
    let unwritten = |e| Box::new(Problem::failure("A resposta não pôde ser escrita; avise o operador.", e));
    app.memory(caller).keep(respond::json(serde_json::to_vec(&apuracao).map_err(unwritten)?))
}

fn apuracao(
    engine: &Engine,
    facts: &[u8],
    extras: Extras,
    known_at: Option<Timestamp>,
) -> Result<Apuracao, Box<Problem>> {
    operation::calculate(facts, &|payload| {
        let answer = match known_at {
            None => engine.calculate(payload, extras)?,
            Some(instant) => engine.calculate_as_known(payload, extras, instant)?,
        };
        Ok(answer.to_json())
    })
}
