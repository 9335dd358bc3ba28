//! How a look-up of the page is read, and answered with 304 if neither the rules nor the day have changed.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{HeaderMap, Request};
use serde::Serialize;

use crate::base::problem::Problem;
use crate::base::value::Date;
use crate::core::calls::Caller;
use crate::core::engine::Engine;
use crate::core::store::StoreResult;
use crate::http::app::App;
use crate::http::query::Query;
use crate::http::respond::{self, HttpResponse};
use crate::http::{etag, request_body};

/// A look-up without its parameters: what its answer depends on beside them, the rules and the day.
pub(crate) struct Lookup {
    query_text: String,
    headers: HeaderMap,
}

impl Lookup {
    /// Takes the parameters by `read`, and passes over the body. Fails with every fault of the query at once.
    pub(crate) async fn read<T>(
        request: Request<Incoming>,
        read: impl FnOnce(&mut Query) -> T,
    ) -> Result<(Lookup, T), Box<Problem>> {
        let query_text = request.uri().query().unwrap_or_default().to_owned();
        let headers = request.headers().clone();
        request_body::pass_over(request).await;
        let mut q = Query::parse(&query_text);
        let asked = read(&mut q);
        q.finish()?;
        Ok((Lookup { query_text, headers }, asked))
    }

    /// Answers what `make` makes of the rules and of today, or 304 if the caller has it. `name` is that of the route.
    pub(crate) async fn answer(
        self,
        app: &App,
        caller: &Caller,
        name: &'static str,
        make: impl FnOnce(&Engine, Date) -> Result<HttpResponse, Box<Problem>> + Send + 'static,
    ) -> Result<HttpResponse, Box<Problem>> {
        self.answer_in(app, caller, name, Engine::state_of_rules, make).await
    }

    /// The same where `state` names the state of the rules that are read.
    pub(crate) async fn answer_in(
        self,
        app: &App,
        caller: &Caller,
        name: &'static str,
        state: fn(&Engine) -> StoreResult<String>,
        make: impl FnOnce(&Engine, Date) -> Result<HttpResponse, Box<Problem>> + Send + 'static,
    ) -> Result<HttpResponse, Box<Problem>> {
        let service = Arc::clone(&app.service);
        let page = move || {
            let engine = service.engine();
            let today = engine.now().day();
            let state = state(engine).map_err(|e| respond::store_failed(&e))?;
            let tag = etag::of(&[name, &self.query_text, &state, &today.to_string()]);
            if etag::matches(&self.headers, &tag) {
                return Ok(etag::not_modified(&tag));
            }
            Ok(etag::tagged(make(engine, today)?, &tag))
        };
        app.blocking.page(app.memory(caller), page).await
    }
}

pub(crate) fn json(answer: &impl Serialize) -> Result<HttpResponse, Box<Problem>> {
    Ok(respond::json(serde_json::to_vec(answer).map_err(Problem::unwritten)?))
}
