//! `POST /sandbox/v1/regra`: a rule that the office writes beside a refusal, as a checked bundle to download. Nothing is
//! published: no key of the API changes a rule.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::base::problem::{ErrorCode, FieldError, Problem};
use crate::core::calls::Caller;
use crate::features::office_rules::{self, OfficeRule, OfficeRuleCommand};
use crate::features::{AdminError, InputFault};
use crate::http::app::App;
use crate::http::request_body;
use crate::http::respond::HttpResponse;
use crate::page::lookup;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    tributo: String,
    /// Text of each member, by its name.
    membros: Map<String, Value>,
    /// The payload that was refused.
    pergunta: Value,
}

/// Answers the bundle, or the faults beside their fields.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let body =
        request_body::read(request, app.body_timeout, app.memory(caller)).await.map_err(|unread| unread.problem)?;
    let form: Form = serde_json::from_slice(&body.bytes)
        .map_err(|e| Problem::new(ErrorCode::JsonInvalido, format!("O formulário da regra não foi entendido: {e}.")))?;
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let membros = form.membros.into_iter().map(|(name, value)| (name, text(value))).collect();
    let command = OfficeRuleCommand { tributo: form.tributo, membros, pergunta: Some(form.pergunta) };
    let service = Arc::clone(&app.service);
    let made = app
        .blocking
        .run(caller, move || office_rules::office_rule(service.engine(), &command).map_err(problem))
        .await?;
    // The operator reads these at the import.
    let made = OfficeRule { avisos: Vec::new(), ..made };
    app.memory(caller).keep(lookup::json(&made)?)
}

fn problem(error: AdminError) -> Box<Problem> {
    let AdminError::Faults { faults, .. } = error else {
        return Box::new(Problem::failure("A regra não pôde ser conferida; avise o operador.", error));
    };
    let field = |fault: InputFault| FieldError {
        campo: fault.path,
        codigo: fault.codigo.and_then(|name| ErrorCode::from_name(&name)).unwrap_or(ErrorCode::ValorInvalido),
        detail: fault.detail,
    };
    let erros: Vec<FieldError> = faults.into_iter().map(field).collect();
    let detail = match erros.as_slice() {
        [one] => one.detail.clone(),
        _ => "Corrija os campos marcados; o motivo de cada um está em `erros`.".into(),
    };
    Box::new(Problem { erros, ..Problem::new(ErrorCode::PayloadInvalido, detail) })
}
