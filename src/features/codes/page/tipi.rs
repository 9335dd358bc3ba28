//! `GET /sandbox/v1/tipi`: whether the TIPI of a day has an NCM. A product that it lacks is mistyped or extinct, and the
//! general rates of other taxes answer it all the same.

use std::collections::HashMap;
use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::json;

use crate::base::document::{Field, Object, Shape};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Date, Ncm, Timestamp};
use crate::core::calls::Caller;
use crate::core::engine::Engine;
use crate::features::audit::ncm_probe;
use crate::http::app::App;
use crate::http::calculate::past_instant;
use crate::http::query;
use crate::http::respond::HttpResponse;
use crate::page::lookup::{self, Lookup};

const NCM: Field = query::parameter("ncm", "NCM do produto", Shape::Text, None);
const DATA: Field = query::parameter("data", "Dia da TIPI", Shape::Date, None);
const CONHECIDO_EM: Field = query::parameter("conhecido_em", "Pelo que se sabia neste instante", Shape::Instant, None);

/// Answers `falta`: true if the TIPI lacks the NCM. False if the NCM or the day is missing.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let now = app.service.engine().now();
    let (_, (ncm, day, known_at)) = Lookup::read(request, |q| {
        let ncm = q.take(&NCM, Ncm::parse);
        (ncm, q.take(&DATA, Date::parse), q.take(&CONHECIDO_EM, |text| past_instant(text, now)))
    })
    .await?;
    let service = Arc::clone(&app.service);
    let page = move || {
        let falta = ncm
            .zip(day)
            .is_some_and(|(ncm, day)| lacks(service.engine(), known_at, &ncm.to_string(), &day.to_string()));
        lookup::json(&json!({ "falta": falta }))
    };
    app.blocking.page(app.memory(caller), page).await
}

/// True if the rules have the TIPI of the day, and it has no line for the NCM: a tax of all NCMs finds no rule.
fn lacks(engine: &Engine, known_at: Option<Timestamp>, ncm: &str, day: &str) -> bool {
    let has = |payload: &Object<'_>| {
        let answer = engine.answer(payload, false, known_at);
        !answer.is_err_and(|problem| problem.codigo == ErrorCode::RegraInexistente)
    };
    let mut line = ncm_probe(day);
    line.set("ncm", ncm.to_owned());
    !has(&line) && has(&ncm_probe(day))
}

/// Products of a list, each looked up once.
pub(crate) struct Products<'e> {
    engine: &'e Engine,
    known_at: Option<Timestamp>,
    seen: HashMap<(String, String), bool>,
}

impl<'e> Products<'e> {
    pub(crate) fn of(engine: &'e Engine, known_at: Option<Timestamp>) -> Products<'e> {
        Products { engine, known_at, seen: HashMap::new() }
    }

    /// True if the TIPI lacks the product of the payload. False if the payload has none.
    pub(crate) fn lack(&mut self, payload: &Object<'_>) -> bool {
        let Some((ncm, day)) = payload.text("ncm").zip(payload.text("data_operacao")) else { return false };
        let (engine, known_at) = (self.engine, self.known_at);
        let product = (ncm.to_owned(), day.to_owned());
        if let Some(known) = self.seen.get(&product) {
            return *known;
        }
        let lacks = lacks(engine, known_at, &product.0, &product.1);
        self.seen.insert(product, lacks);
        lacks
    }
}
