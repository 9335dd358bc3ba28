//! `GET /v1/usage` (contract, section 4.4).

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;

use super::app::App;
use super::query::{self, Query};
use super::respond::{self, HttpResponse};
use crate::base::document::{Field, Shape};
use crate::base::problem::Problem;
use crate::core::calls::{self, Caller, RECENT};

/// Recent calls (contract, section 8).
const RECENTES: Field =
    query::parameter("recentes", "Chamadas recentes na resposta", Shape::Int { min: 1, max: 50 }, Some("10"));
const _: () = assert!(RECENT == 50, "as many as the meter keeps");
pub(super) const PARAMETERS: [Field; 1] = [RECENTES];

/// Answers the consumption of the caller's account, without this call.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: &Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let mut q = Query::parse(request.uri().query().unwrap_or_default());
    let recent = q.take_whole(&RECENTES);
    q.finish()?;
    let (service, client, key) = (Arc::clone(&app.service), Arc::clone(&caller.client), caller.key.clone());
    app.blocking
        .page(app.memory(caller), move || {
            let usage = calls::usage(service.store(), &client, Some(&key), service.calls().now(), recent)
                .map_err(|e| respond::store_failed(&e))?;
            Ok(respond::json(
                serde_json::to_vec(&usage)
                    .map_err(|e| Box::new(Problem::failure("O consumo não pôde ser escrito.", e)))?,
            ))
        })
        .await
}
