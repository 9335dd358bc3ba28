//! `POST /v1/calculate` (contract, section 4.1).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;

use super::body;
use super::respond::{self, Answer};
use crate::engine::Engine;
use crate::problem::{Codigo, ErroDeCampo, Problem};

/// Calculates the payload in the body.
pub(super) async fn handle(
    engine: &Engine,
    request: Request<Incoming>,
    body_timeout: Duration,
) -> Result<Answer, Box<Problem>> {
    let memoria = read_query(request.uri().query().unwrap_or_default())?;
    check_content_type(&request)?;
    let payload = body::read(request.into_body(), body_timeout).await?;
    // A panic would be a defect; its caller hears of an internal failure, and nobody else of anything.
    let answered = catch_unwind(AssertUnwindSafe(|| engine.calculate(&payload, memoria)));
    match answered {
        Ok(result) => Ok(respond::json(result?.to_json())),
        Err(_) => {
            tracing::error!("a calculation panicked");
            let detail = "O cálculo falhou por um defeito do serviço; avise o operador com o request_id.";
            Err(Box::new(Problem::new(Codigo::ErroInterno, detail)))
        }
    }
}

/// Reads `memoria`; anything else in the query is a fault, so that a misspelt parameter is
/// not silently ignored.
fn read_query(query: &str) -> Result<bool, Box<Problem>> {
    let mut memoria = false;
    let mut erros = Vec::new();
    for pair in query.split('&').filter(|p| !p.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let detail = match (name, value) {
            ("memoria", "true") => {
                memoria = true;
                continue;
            }
            ("memoria", "false") => continue,
            ("memoria", _) => "`memoria` é true ou false.".to_owned(),
            _ => "Este endereço aceita só o parâmetro `memoria`.".to_owned(),
        };
        let campo: String = name.chars().take(60).collect();
        erros.push(ErroDeCampo { campo, codigo: Codigo::ParametroInvalido, detail });
    }
    match erros.first() {
        None => Ok(memoria),
        Some(first) => {
            let mut problem = Problem::of_field(Codigo::ParametroInvalido, &first.campo, first.detail.clone());
            problem.erros = erros;
            Err(Box::new(problem))
        }
    }
}

fn check_content_type(request: &Request<Incoming>) -> Result<(), Box<Problem>> {
    let sent = request.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let essence = sent.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let detail = "Envie o corpo com o cabeçalho `Content-Type: application/json`.";
    Err(Box::new(Problem::new(Codigo::TipoDeConteudo, detail)))
}
