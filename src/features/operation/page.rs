//! `POST /sandbox/v1/operacao`: every tax of one operation, with the parameters of `POST /v1/calculate`. The answer is
//! that of `taxd calc --operacao`. `POST /sandbox/v1/operacao/falta`: what the operation lacks.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::Value;

use crate::base::document::Object;
use crate::base::problem::Problem;
use crate::base::sentence::{Reader, in_words};
use crate::core::calls::Caller;
use crate::core::engine::Extras;
use crate::http::app::App;
use crate::http::calculate::{self, Parameters};
use crate::http::call::CallOutcome;
use crate::http::refusal;
use crate::http::respond::HttpResponse;
use crate::law::{labels, operation};
use crate::page::lookup;

/// Answers the operation in the body. An operation uses up one call of the quota, however many taxes it has; one of which
/// a fact is missing or at fault uses up none.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    let Parameters { extras, known_at } = calculate::read(app, caller, request, outcome).await?;
    let (service, facts) = (Arc::clone(&app.service), outcome.payload.bytes.clone());
    operation::check(&operation::parse(&facts)?)?;
    let calls = app.service.calls();
    calls.charge(caller).map_err(|refused| {
        let allowance = *outcome.used_up.insert(calls.until_next_month(caller));
        Box::new(refusal::not_admitted(refused, allowance))
    })?;
    let extras = Extras { leitor: Reader::Person, ..extras };
    let answer = move |payload: &Object<'_>| {
        let answer = service.engine().answer(payload, extras, known_at);
        answer.map_err(|problem| Box::new(problem.for_person(&labels::named(None))))
    };
    let calculated = move || operation::calculate(&operation::parse(&facts)?, &answer);
    let apuracao = app.blocking.run(caller, calculated).await?;
    let unwritten = |e| Box::new(Problem::failure("A resposta não pôde ser escrita; avise o operador.", e));
    let mut apuracao = serde_json::to_value(&apuracao).map_err(unwritten)?;
    in_words_of_form(&mut apuracao);
    app.memory(caller).keep(lookup::json(&apuracao)?)
}

/// Members that are sentences.
const SENTENCES: [&str; 3] = ["motivo", "detail", "descricao"];

/// Replaces the names in the sentences of the answer by the labels of the form.
fn in_words_of_form(value: &mut Value) {
    match value {
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| match value {
            Value::Array(texts) if name == "avisos" => texts.iter_mut().for_each(say),
            value if SENTENCES.contains(&name.as_str()) => say(value),
            value => in_words_of_form(value),
        }),
        Value::Array(items) => items.iter_mut().for_each(in_words_of_form),
        _ => {}
    }
}

fn say(value: &mut Value) {
    if let Value::String(text) = value {
        *text = in_words(text, &labels::named(None));
    }
}

/// Answers which facts the operation in the body lacks. It says no amount, so it uses no quota up.
pub(crate) async fn lacking(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    let Parameters { extras, known_at } = calculate::read(app, caller, request, outcome).await?;
    let (service, facts) = (Arc::clone(&app.service), outcome.payload.bytes.clone());
    let answer = move |payload: &Object<'_>| service.engine().answer(payload, extras, known_at);
    let needs = move || operation::needs(&operation::parse(&facts)?, &answer);
    lookup::json(&app.blocking.run(caller, needs).await?)
}
