//! `GET /sandbox/v1/codigos`: codes of a table by the beginning of the code or by words of its official text.

pub mod tipi;

use hyper::Request;
use hyper::body::Incoming;

use super::FoundCodes;
use crate::base::document::{Field, Shape, Words};
use crate::base::problem::Problem;
use crate::core::calls::Caller;
use crate::http::app::App;
use crate::http::query::{self, Query};
use crate::http::respond::HttpResponse;
use crate::law::codes::Tabela;
use crate::page::lookup::{self, Lookup};

/// Longer than any text that a person types to find a code.
const MAX_QUERY_CHARS: usize = 100;

const TABELA: Field =
    query::parameter("tabela", "Tabela de códigos", Shape::OneOf(Words::bare(Tabela::WORDS)), Some("\"ncm\""));
const Q: Field = query::parameter("q", "Começo do código, ou palavras do texto", Shape::Text, None);
const CODIGO: Field = query::parameter("codigo", "Um código inteiro, no lugar de `q`", Shape::Text, None);
const LIMIT: Field = query::parameter("limit", "Códigos na resposta", Shape::Int { min: 1, max: 100 }, Some("20"));

enum Asked {
    Words(String),
    Code(String),
}

/// Answers what the table is, and the codes that were found. Without `q` and `codigo` it finds none.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let (_, (tabela, asked, limit)) = Lookup::read(request, read).await?;
    app.blocking.page(app.memory(caller), move || answer(tabela, &asked, limit)).await
}

/// The table, what is looked for in it, and how many codes may be found.
fn read(q: &mut Query) -> (Tabela, Asked, usize) {
    let known = |text: &str| Tabela::from_word(text).ok_or_else(|| format!("Use {}.", TABELA.shape.describe()));
    let tabela = q.take(&TABELA, known).unwrap_or(Tabela::Ncm);
    let words = q.take(&Q, short);
    let asked = q.take(&CODIGO, short).map_or(Asked::Words(words.unwrap_or_default()), Asked::Code);
    (tabela, asked, q.take_whole(&LIMIT))
}

fn short(text: &str) -> Result<String, String> {
    if text.chars().count() > MAX_QUERY_CHARS {
        return Err(format!("Use no máximo {MAX_QUERY_CHARS} caracteres."));
    }
    Ok(text.to_owned())
}

fn answer(tabela: Tabela, asked: &Asked, limit: usize) -> Result<HttpResponse, Box<Problem>> {
    lookup::json(&match asked {
        Asked::Words(words) => FoundCodes::by_words(tabela, words, limit),
        Asked::Code(code) => FoundCodes::by_code(tabela, code),
    })
}
