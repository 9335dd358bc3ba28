//! `GET /sandbox/v1/calendario`: what begins and what ends in the next days, in groups.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;

use crate::calls::Caller;
use crate::document::{Field, Shape};
use crate::engine::Engine;
use crate::http::app::App;
use crate::http::query::{self, Query};
use crate::http::request_body;
use crate::http::respond::{self, HttpResponse};
use crate::problem::Problem;

const DIAS: Field = query::parameter("dias", "Dias à frente", Shape::Int { min: 1, max: 3_660 }, Some("90"));

/// Answers the groups of what begins and ends from today on, with their counts.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let mut q = Query::parse(request.uri().query().unwrap_or_default());
    let days = q.take_whole(&DIAS);
    request_body::pass_over(request).await;
    q.finish()?;
    let service = Arc::clone(&app.service);
    app.blocking.page(app.memory(caller), move || page(service.engine(), days)).await
}

fn page(engine: &Engine, days: usize) -> Result<HttpResponse, Box<Problem>> {
    let today = engine.now().day();
    let until = today.plus_days(u32::try_from(days).unwrap_or(u32::MAX));
    let upcoming = engine.upcoming(today, until).map_err(|e| respond::store_failed(&e))?;
    let body = serde_json::json!({
        "desde": upcoming.desde,
        "ate": upcoming.ate,
        "resumo": upcoming.resumo,
        "grupos": upcoming.groups(),
        "figuras_nulas": upcoming.figuras_nulas,
    });
    Ok(respond::json(body.to_string().into_bytes()))
}
