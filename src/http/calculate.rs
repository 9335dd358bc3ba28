//! `POST /v1/calculate` (contract, section 4.1).

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;

use super::app::App;
use super::call::CallOutcome;
use super::query::{self, Query};
use super::respond::{self, HttpResponse};
use super::{refusal, request_body};
use crate::base::document::{Field, Node, Shape};
use crate::base::problem::{Problem, guarded};
use crate::base::sentence::Reader;
use crate::base::value::Timestamp;
use crate::core::calls::{Caller, sanitised_node};
use crate::core::engine::{Extras, no_proof};
use crate::law::tax::{SUPONDO, Suposicao};

const MEMORIA: Field =
    query::parameter("memoria", "Acrescenta detalhes.memoria, o cálculo passo a passo", Shape::Bool, Some("false"));
const PROVA: Field = query::parameter(
    "prova",
    "Acrescenta prova, os resumos SHA-256 do pedido, das regras usadas e do resultado",
    Shape::Bool,
    Some("false"),
);
const CONHECIDO_EM: Field = query::parameter(
    "conhecido_em",
    "Responde como o serviço teria respondido neste instante, que não pode estar no futuro",
    Shape::Instant,
    None,
);
const SUPOSTOS: Field = query::parameter(
    SUPONDO,
    "Responde como se valores da regra fossem outros: TRIBUTO.CAMPO:VALOR, separados por vírgula, só dos que o conteúdo das regras declara; a resposta diz em suposicoes e no primeiro aviso que não é a lei. Não se pede com prova",
    Shape::Code {
        name: "valores supostos",
        pattern: r"^[a-z_]+(\.[a-z_]+)+:-?[0-9]+(\.[0-9]+)?(,[a-z_]+(\.[a-z_]+)+:-?[0-9]+(\.[0-9]+)?)*$",
        example: "cbs.aliquota:8.80",
    },
    None,
);
pub(super) const PARAMETERS: [Field; 4] = [MEMORIA, PROVA, CONHECIDO_EM, SUPOSTOS];

/// Answers the calculation of the payload in the body.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    let com_leitor = respond::reader(request.headers()) == Reader::Person;
    let Parameters { extras, known_at, supondo } = read(app, caller, request, outcome).await?;
    let extras = Extras { com_leitor, ..extras };
    let answer = match known_at {
        None if supondo.is_empty() => {
            // The log has what is parsed here, and need not parse it again.
            let (payload, request) = (&outcome.payload.bytes, &mut outcome.request);
            let see = |parsed: &Node<'_>| *request = Some(sanitised_node(parsed, payload.len()).into());
            guarded(|| app.service.engine().calculate_seen(payload, extras, see))?
        }
        None => guarded(|| app.service.engine().calculate_supposing(&outcome.payload.bytes, extras, None, &supondo))?,
        Some(_) => {
            let (service, payload) = (Arc::clone(&app.service), outcome.payload.bytes.clone());
            app.blocking
                .run(caller, move || service.engine().calculate_supposing(&payload, extras, known_at, &supondo))
                .await?
        }
    };
    outcome.cached = answer.cached;
    outcome.tributo = Some(answer.tributo);
    outcome.rule_id = Some(Arc::clone(&answer.rule_id));
    app.memory(caller).keep(respond::json(answer.to_json()))
}

/// Reads the parameters, and the payload into `outcome`. Waits until the answers of a past instant are final: on the
/// blocking threads that would delay other answers.
pub(crate) async fn read(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<Parameters, Box<Problem>> {
    let parameters = match Parameters::read(&request, || app.service.engine().now()) {
        Ok(parameters) => parameters,
        Err(problem) => {
            outcome.payload = request_body::pass_over(request).await;
            return Err(problem);
        }
    };
    outcome.supposed = !parameters.supondo.is_empty();
    outcome.payload = request_body::read(request, app.body_timeout, app.memory(caller)).await.map_err(|unread| {
        outcome.caller_left = unread.left;
        unread.problem
    })?;
    if let Some(instant) = parameters.known_at {
        app.service.engine().answers_are_final(instant).await;
    }
    Ok(parameters)
}

/// The parameters that a caller sent.
#[derive(Default)]
pub(crate) struct Parameters {
    pub(crate) extras: Extras,
    pub(crate) known_at: Option<Timestamp>,
    /// The figures that the caller supposes.
    pub(crate) supondo: Vec<Suposicao>,
}

impl Parameters {
    /// Reads them. Fails also if the body is announced as another type than JSON.
    fn read(request: &Request<Incoming>, now: impl Fn() -> Timestamp) -> Result<Parameters, Box<Problem>> {
        let Some(sent) = request.uri().query() else {
            check_content_type(request)?;
            return Ok(Parameters::default());
        };
        let mut query = Query::parse(sent);
        let memoria = query.take(&MEMORIA, query::boolean).unwrap_or(false);
        let prova = query.take(&PROVA, query::boolean).unwrap_or(false);
        let known_at = query.take(&CONHECIDO_EM, |text| past_instant(text, now()));
        let supondo = query.take(&SUPOSTOS, Suposicao::list).unwrap_or_default();
        query.finish()?;
        if prova && !supondo.is_empty() {
            return Err(Box::new(no_proof()));
        }
        check_content_type(request)?;
        Ok(Parameters { extras: Extras { memoria, prova, ..Extras::default() }, known_at, supondo })
    }
}

/// Reads an instant. Fails if it is in the future.
pub(crate) fn past_instant(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let instant = Timestamp::parse(&with_plus(text))?;
    if instant > now {
        return Err("O instante está no futuro: informe um que já passou.".to_owned());
    }
    Ok(instant)
}

/// Restores the `+` of a timestamp's offset: decoding a query turns it into a space unless the caller wrote
/// `%2B`. A space between a time of day and digits can be nothing else.
fn with_plus(text: &str) -> String {
    match text.rsplit_once(' ') {
        Some((time, offset)) if time.contains(':') && offset.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{time}+{offset}")
        }
        _ => text.to_owned(),
    }
}

fn check_content_type(request: &Request<Incoming>) -> Result<(), Box<Problem>> {
    let sent = request.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let essence = sent.split_once(';').map_or(sent, |(essence, _)| essence).trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Box::new(refusal::not_json_by_type()))
}
