//! `GET /v1/correcoes`: what publications changed in the answers that the caller's account had been given.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;

use super::app::App;
use super::cursor;
use super::query::{self, Query};
use super::respond::{self, HttpResponse};
use crate::base::document::{Field, Shape};
use crate::base::problem::Problem;
use crate::base::value::Date;
use crate::core::calls::{Caller, Client};
use crate::core::service::Service;
use crate::features::corrections::{self, Correction};

const DESDE: Field =
    query::parameter("desde", "Só as correções publicadas deste dia em diante (UTC)", Shape::Date, None);
const PUBLICACAO: Field = query::parameter(
    "publicacao",
    "A publicação cujas chamadas vêm uma a uma, cada uma com as duas respostas e as provas delas",
    Shape::Int { min: 1, max: i64::MAX },
    None,
);
/// Two answers are calculated for each call of a page.
const LIMIT: Field = query::parameter("limit", "Itens na página", Shape::Int { min: 1, max: 200 }, Some("50"));
pub(super) const PARAMETERS: [Field; 4] = [DESDE, PUBLICACAO, LIMIT, cursor::CURSOR];

struct Asked {
    desde: Option<Date>,
    publicacao: Option<u64>,
    limit: usize,
    after: u64,
}

impl Asked {
    fn read(text: &str) -> Result<Asked, Box<Problem>> {
        let mut q = Query::parse(text);
        let desde = q.take(&DESDE, Date::parse);
        let publicacao = q.take(&PUBLICACAO, |text| {
            let whole =
                text.parse::<i64>().ok().and_then(|number| u64::try_from(number).ok()).filter(|number| *number > 0);
            whole.ok_or_else(|| "Use o número de uma publicação, como 12.".to_owned())
        });
        let limit = q.take_whole(&LIMIT);
        let after = q.take(&cursor::CURSOR, cursor::read).unwrap_or_default();
        q.finish()?;
        Ok(Asked { desde, publicacao, limit, after })
    }
}

/// Answers the corrections of the caller's account, or the calls of one of them.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: &Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let asked = Asked::read(request.uri().query().unwrap_or_default())?;
    let (service, client) = (Arc::clone(&app.service), Arc::clone(&caller.client));
    app.blocking.page(app.memory(caller), move || page(&service, &client, &asked)).await
}

fn page(service: &Service, client: &Client, asked: &Asked) -> Result<HttpResponse, Box<Problem>> {
    let Asked { desde, publicacao, limit, after } = *asked;
    let (store, failed) = (service.store(), |e| respond::store_failed(&e));
    let mut page = corrections::page(store, client, desde, publicacao).map_err(failed)?;
    if let Some(publicacao) = publicacao {
        let mut calls = corrections::calls(store, client, publicacao, after, limit + 1).map_err(failed)?;
        let more = calls.len() > limit;
        calls.truncate(limit);
        page.proximo = calls.last().filter(|_| more).map(|last| cursor::write(last.corrected.numero));
        let both = |one: &Correction| {
            calls.drain(..).map(|call| corrections::proven(service.engine(), one, call)).collect::<Result<Vec<_>, _>>()
        };
        page.chamadas = Some(page.correcoes.first().map_or(Ok(Vec::new()), both)?);
    }
    let unwritten = |e| Box::new(Problem::failure("As correções não puderam ser escritas.", e));
    Ok(respond::json(serde_json::to_vec(&page).map_err(unwritten)?))
}
