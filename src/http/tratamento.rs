//! `GET /v1/tratamento`: what the rules say of a product for any seller.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::Value;

use super::app::App;
use super::query::Query;
use super::respond::{self, HttpResponse};
use crate::base::document::{Document as _, Field, Object, Shown as _};
use crate::base::problem::Problem;
use crate::base::sentence::{Reader, in_words};
use crate::core::calls::Caller;
use crate::core::engine::Engine;
use crate::features::tratamento;
use crate::law::labels;
use crate::law::tratamento::Pergunta;

/// The members that are sentences, which name fields and words in backquotes.
const SENTENCES: [&str; 3] = ["texto", "detail", "motivo"];

/// The parameters of the query: the fields of the question.
pub(super) fn parameters() -> &'static [Field] {
    Pergunta::FIELDS
}

pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: &Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let mut q = Query::parse(request.uri().query().unwrap_or_default());
    let mut given = Object::default();
    for field in Pergunta::FIELDS {
        q.take_asked(field, |text| tratamento::set(&mut given, field.name, text));
    }
    q.finish()?;
    let (service, reader) = (Arc::clone(&app.service), respond::reader(request.headers()));
    app.blocking.page(app.memory(caller), move || answer(service.engine(), &given, reader)).await
}

fn answer(engine: &Engine, given: &Object<'_>, reader: Reader) -> Result<HttpResponse, Box<Problem>> {
    let treatment = tratamento::treat(engine, given, reader)?;
    if reader == Reader::Person {
        let mut said = serde_json::to_value(&treatment).map_err(Problem::unwritten)?;
        in_words_of_people(&mut said, &labels::named(None));
        return Ok(respond::json(serde_json::to_vec(&said).map_err(Problem::unwritten)?));
    }
    Ok(respond::json(treatment.to_json().map_err(Problem::unwritten)?))
}

/// Replaces the names in the sentences of the document by what people call them.
fn in_words_of_people(value: &mut Value, named: &dyn Fn(&str) -> String) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if SENTENCES.contains(&name.as_str()) => *text = in_words(text, named),
                    member => in_words_of_people(member, named),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| in_words_of_people(item, named)),
        _ => {}
    }
}
