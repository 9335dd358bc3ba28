//! `GET /v1/regras` (contract, section 4.2; design, section 2).

use hyper::Request;
use hyper::body::Incoming;

use super::etag;
use super::query::{self, Query};
use super::respond::{self, Answer};
use crate::engine::{Engine, Filter, Situacao};
use crate::problem::{Codigo, Problem};
use crate::tax;
use crate::value::{Data, Ex, Instante, ItemServico, Municipio, Ncm, RuleCode, RuleId, Tributo, Uf};

/// Rules in a page where the caller does not say.
const DEFAULT_LIMIT: usize = 100;

/// Answers a page of rules.
pub(super) fn handle(engine: &Engine, request: &Request<Incoming>) -> Result<Answer, Box<Problem>> {
    let text = request.uri().query().unwrap_or_default();
    let mut q = Query::parse(text);
    let mut filter = Filter {
        tributo: q.take("tributo", tributo),
        uf: q.take("uf", uf),
        uf_origem: q.take("uf_origem", uf),
        uf_destino: q.take("uf_destino", uf),
        municipio: q.take("municipio", municipios),
        ncm: q.take("ncm", Ncm::parse),
        ex: q.take("ex", Ex::parse),
        item_lista_servico: q.take("item_lista_servico", ItemServico::parse),
        numbers: None,
        vigente_em: q.take("vigente_em", Data::parse),
        situacao: q.take("situacao", situacao),
        q: q.take("q", |text| Ok(text.to_owned())),
    };
    let rule_code = q.take("rule_code", RuleCode::parse);
    let rule_id = q.take("rule_id", |text| {
        RuleId::parse(text).ok_or_else(|| "Um rule_id termina em -v<maior>.<menor>.".to_owned())
    });
    let limit = q.take("limit", query::limit).unwrap_or(DEFAULT_LIMIT);
    let after = q.take("cursor", query::cursor).unwrap_or(0);
    q.finish()?;

    let today = Instante::now().day().map_err(|e| Problem::new(Codigo::ErroInterno, e))?;
    let publication = engine.last_publication().map_err(|e| respond::store_failed(&e))?;
    let tag = etag::of(&["regras", text, &publication.to_string(), &today.to_string()]);
    if etag::matches(request.headers(), &tag) {
        return Ok(etag::not_modified(&tag));
    }
    let code = rule_id.as_ref().map(|id| &id.code).or(rule_code.as_ref());
    if let Some(code) = code {
        let consistent = rule_code.as_ref().is_none_or(|c| c == code);
        let numbers = engine.numbers_of(code, rule_id.as_ref()).map_err(|e| respond::store_failed(&e))?;
        filter.numbers = Some(if consistent { numbers } else { Vec::new() });
    }
    let page = engine.regras(&filter, today, after, limit).map_err(|e| respond::store_failed(&e))?;
    let next = page.next.map_or("null".to_owned(), |n| format!("\"{}\"", query::write_cursor(n)));
    let body = format!("{{\"regras\":[{}],\"proximo\":{next}}}", page.items.join(","));
    Ok(etag::tagged(respond::json(body.into_bytes()), &tag))
}

fn tributo(text: &str) -> Result<Tributo, String> {
    tax::find(text).map(|entry| entry.tributo).ok_or_else(|| {
        let names: Vec<&str> = tax::REGISTRY.iter().map(|e| e.tributo.as_str()).collect();
        format!("Não é um tributo daqui; use um destes: {}.", names.join(", "))
    })
}

fn uf(text: &str) -> Result<Uf, String> {
    Uf::from_abbreviation(text).ok_or_else(|| "Não é uma UF; use a sigla de duas letras maiúsculas.".to_owned())
}

fn municipios(text: &str) -> Result<Vec<Municipio>, String> {
    let found: Vec<Municipio> = Uf::ALL.iter().filter_map(|uf| Municipio::find(*uf, text).ok()).collect();
    if found.is_empty() { Err("Nenhuma UF tem município com este nome.".to_owned()) } else { Ok(found) }
}

fn situacao(text: &str) -> Result<Situacao, String> {
    Situacao::from_word(text).ok_or_else(|| format!("Use um destes: {}.", Situacao::WORDS.join(", ")))
}
