//! `POST /sandbox/v1/operacao`: every tax of one operation, with the parameters of `POST /v1/calculate`. The answer is
//! that of `taxd calc --operacao`. `POST /sandbox/v1/operacao/falta`: what the operation lacks.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;

use crate::base::document::{Object, Shown as _};
use crate::base::problem::Problem;
use crate::base::sentence::{Reader, in_words};
use crate::core::calls::Caller;
use crate::core::engine::Extras;
use crate::http::app::App;
use crate::http::calculate::{self, Parameters};
use crate::http::call::CallOutcome;
use crate::http::refusal;
use crate::http::respond::{self, HttpResponse};
use crate::law::labels;
use crate::law::operation::{self, TributoApurado};
use crate::page::lookup;

/// Answers the operation in the body. An operation uses up one call of the quota, however many taxes it has; one of which
/// a fact is missing or at fault uses up none.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    let Parameters { extras, known_at, supondo } = calculate::read(app, caller, request, outcome).await?;
    let (service, facts) = (Arc::clone(&app.service), outcome.payload.bytes.clone());
    operation::check(&operation::parse(&facts)?)?;
    let calls = app.service.calls();
    calls.charge(caller).map_err(|refused| {
        let allowance = *outcome.used_up.insert(calls.until_next_month(caller));
        Box::new(refusal::not_admitted(refused, allowance))
    })?;
    let extras = Extras { leitor: Reader::Person, ..extras };
    let answer = move |payload: &Object<'_>| {
        let answer = service.engine().answer_supposing(payload, extras, known_at, &supondo)?;
        Ok(answer.in_words(&labels::named(None)))
    };
    let calculated = move || operation::calculate(&operation::parse(&facts)?, &answer);
    let mut apuracao = app.blocking.run(caller, calculated).await?;
    in_words_of_form(apuracao.tributos.iter_mut().chain(apuracao.retencoes.0.iter_mut().flatten()));
    app.memory(caller).keep(respond::json(apuracao.to_json().map_err(Problem::unwritten)?))
}

/// Replaces the names in the sentences on the taxes by the labels of the form. A refusal has them beside those of the contract.
fn in_words_of_form<'a>(taxes: impl Iterator<Item = &'a mut TributoApurado>) {
    let named = labels::named(None);
    for tax in taxes {
        for sentence in tax.motivo.0.iter_mut().chain(tax.avisos.0.iter_mut().flatten()) {
            *sentence = in_words(sentence, &named);
        }
        tax.problema.0 = tax.problema.0.take().map(|problem| Arc::unwrap_or_clone(problem).for_person(&named).into());
    }
}

/// Answers which facts the operation in the body lacks. It says no amount, so it uses no quota up.
pub(crate) async fn lacking(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    let Parameters { extras, known_at, supondo } = calculate::read(app, caller, request, outcome).await?;
    let (service, facts) = (Arc::clone(&app.service), outcome.payload.bytes.clone());
    let answer = move |payload: &Object<'_>| service.engine().answer_supposing(payload, extras, known_at, &supondo);
    let needs = move || operation::needs(&operation::parse(&facts)?, &answer);
    lookup::json(&app.blocking.run(caller, needs).await?)
}
