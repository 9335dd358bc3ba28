//! `/v1/listas`: the kept lists of the caller's account.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{Method, Request};
use serde_json::json;

use super::app::App;
use super::body_writer::BodyWriter;
use super::call::CallOutcome;
use super::cursor;
use super::query::{self, Query};
use super::respond::{self, HttpResponse};
use super::upload::FileQuestion;
use super::{refusal, request_body};
use crate::base::document::{Field, Shape};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Date, Timestamp, shorten};
use crate::core::calls::Caller;
use crate::core::service::Service;
use crate::core::store::StoreResult;
use crate::core::watch;
use crate::features::kept_lists;
use crate::law::rule::RuleResult;

const DESDE: Field =
    query::parameter("desde", "Só as mudanças registradas deste dia em diante (UTC)", Shape::Date, None);
/// The parameters of the lines of a list.
pub(super) const OF_LINES: [Field; 2] = [query::LIMIT, cursor::CURSOR];
/// The parameters of the changes of a list.
pub(super) const OF_CHANGES: [Field; 3] = [DESDE, query::LIMIT, cursor::CURSOR];

/// What is between `/v1/listas/` and the end, or the last part.
fn name_in(path: &str) -> &str {
    let path = path.strip_prefix("/sandbox").unwrap_or(path);
    let name = path.strip_prefix("/v1/listas/").unwrap_or_default();
    name.split('/').next().unwrap_or_default()
}

fn unknown(nome: &str) -> Box<Problem> {
    let detail = format!("A conta não guarda a lista `{}`; `GET /v1/listas` traz as que ela guarda.", shorten(nome));
    Box::new(Problem::new(ErrorCode::RotaInexistente, detail))
}

fn found<T>(read: StoreResult<Option<T>>, nome: &str) -> RuleResult<T> {
    read.map_err(|e| respond::store_failed(&e))?.ok_or_else(|| unknown(nome))
}

/// A page as JSON, with the cursor of the next one.
fn page(of: impl serde::Serialize, next: Option<u64>) -> RuleResult<HttpResponse> {
    let mut shown = serde_json::to_value(of).map_err(Problem::unwritten)?;
    if let Some(members) = shown.as_object_mut() {
        members.insert("proximo".to_owned(), json!(next.map(cursor::write)));
    }
    Ok(respond::json(serde_json::to_vec(&shown).map_err(Problem::unwritten)?))
}

/// Answers the lists of the account.
pub(super) async fn all(app: &App, caller: &Caller, request: &Request<Incoming>) -> Result<HttpResponse, Box<Problem>> {
    Query::parse(request.uri().query().unwrap_or_default()).finish()?;
    let (service, client) = (Arc::clone(&app.service), Arc::clone(&caller.client));
    app.blocking
        .page(app.memory(caller), move || {
            let lists = kept_lists::lists(service.engine(), &client.client_id);
            let lists = lists.map_err(|e| respond::store_failed(&e))?;
            Ok(respond::json(serde_json::to_vec(&json!({ "listas": lists })).map_err(Problem::unwritten)?))
        })
        .await
}

/// Answers what changed in a list.
pub(super) async fn changes(
    app: &App,
    caller: &Caller,
    request: &Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let mut q = Query::parse(request.uri().query().unwrap_or_default());
    let since = q.take(&DESDE, Date::parse).map(Timestamp::start_of);
    let limit = q.take_whole(&query::LIMIT);
    let before = q.take(&cursor::CURSOR, cursor::read);
    q.finish()?;
    let (service, client) = (Arc::clone(&app.service), Arc::clone(&caller.client));
    let nome = name_in(request.uri().path()).to_owned();
    app.blocking
        .page(app.memory(caller), move || {
            let changes = kept_lists::changes(service.engine(), (&client.client_id, &nome), (since, before), limit);
            let mut changes = found(changes, &nome)?;
            let next = changes.next.take();
            page(changes, next)
        })
        .await
}

/// Answers a list, keeps it, or removes it.
pub(super) async fn one(
    app: &App,
    caller: &Arc<Caller>,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    if request.method() == Method::PUT {
        let question = match PutQuestion::read(&request, app.service.engine().now()) {
            Ok(question) => question,
            Err(problem) => {
                request_body::pass_over(request).await;
                return Err(problem);
            }
        };
        let caller = (caller, app.memory(caller));
        return app.files.answer(question, &app.service, caller, request, app.body_timeout, outcome).await;
    }
    let is_delete = request.method() == Method::DELETE;
    let answered = if is_delete { remove(app, caller, &request).await } else { lines(app, caller, &request).await };
    request_body::pass_over(request).await;
    answered
}

async fn lines(app: &App, caller: &Caller, request: &Request<Incoming>) -> Result<HttpResponse, Box<Problem>> {
    let mut q = Query::parse(request.uri().query().unwrap_or_default());
    let limit = q.take_whole(&query::LIMIT);
    let after = q.take(&cursor::CURSOR, cursor::read).unwrap_or(0);
    q.finish()?;
    let (service, client) = (Arc::clone(&app.service), Arc::clone(&caller.client));
    let nome = name_in(request.uri().path()).to_owned();
    app.blocking
        .page(app.memory(caller), move || {
            let lines = kept_lists::lines(service.engine(), (&client.client_id, &nome), after, limit);
            let mut lines = found(lines, &nome)?;
            let next = lines.next.take();
            page(lines, next)
        })
        .await
}

async fn remove(app: &App, caller: &Caller, request: &Request<Incoming>) -> Result<HttpResponse, Box<Problem>> {
    Query::parse(request.uri().query().unwrap_or_default()).finish()?;
    let (service, client) = (Arc::clone(&app.service), Arc::clone(&caller.client));
    let nome = name_in(request.uri().path()).to_owned();
    let work = move || {
        if !watch::remove(service.engine(), &client.client_id, &nome)? {
            return Err(unknown(&nome));
        }
        Ok(respond::json(serde_json::to_vec(&json!({"nome": nome, "removida": true})).map_err(Problem::unwritten)?))
    };
    app.blocking.run(caller, work).await
}

/// A list to keep.
struct PutQuestion {
    nome: String,
}

impl FileQuestion for PutQuestion {
    fn read(request: &Request<Incoming>, _: Timestamp) -> Result<PutQuestion, Box<Problem>> {
        Query::parse(request.uri().query().unwrap_or_default()).finish()?;
        let nome = name_in(request.uri().path()).to_owned();
        watch::check_name(&nome)?;
        Ok(PutQuestion { nome })
    }

    fn known_at(&self) -> Option<Timestamp> {
        None
    }

    fn content_type(&self) -> &'static str {
        "application/json"
    }

    fn answer(
        self,
        bytes: &[u8],
        service: &Service,
        caller: &Caller,
        writer: &mut BodyWriter,
    ) -> Result<(), Box<Problem>> {
        let calls = service.calls();
        let mut charge = || {
            let refused = |refused| refusal::not_admitted(refused, calls.until_next_month(caller));
            calls.charge(caller).map_err(|why| Box::new(refused(why)))
        };
        let client_id = &caller.client.client_id;
        let report = watch::put(service.engine(), (client_id, &self.nome), bytes, &mut charge)?;
        let shown = kept_lists::put_report(service, report).map_err(|e| respond::store_failed(&e))?;
        // A caller that has gone needs no answer: the list is kept.
        let _ = writer.line(&shown);
        Ok(())
    }
}
