//! `GET /sandbox/v1/municipios`: the municipalities of a UF or of all, those that a tax answers for first.

use std::sync::LazyLock;

use hyper::Request;
use hyper::body::Incoming;
use serde::Serialize;

use super::CoverageState;
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Date, Municipio, Tributo, Uf, fold};
use crate::core::calls::Caller;
use crate::core::engine::Engine;
use crate::core::engine::coverage::{Coverage, CoverageRow};
use crate::features::coverage::page;
use crate::http::app::App;
use crate::http::query::Query;
use crate::http::respond::{self, HttpResponse};
use crate::page::filters::PageFilter;
use crate::page::lookup::{self, Lookup};

static FILTERS: LazyLock<PageFilter> = LazyLock::new(|| PageFilter::of(&["tributo", "uf"]));

#[derive(Serialize)]
struct View {
    nome: &'static str,
    /// Of an answer for all UFs.
    #[serde(skip_serializing_if = "Option::is_none")]
    uf: Option<Uf>,
    situacao: CoverageState,
}

/// Answers every municipality of the UF, or of all.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let read = |q: &mut Query| (FILTERS.take(q).unwrap_or_default(), q.take(&page::VIGENTE_EM, Date::parse));
    let (lookup, (asked, day)) = Lookup::read(request, read).await?;
    let Some(tributo) = asked.tributo else {
        let detail = "Informe o tributo.".to_owned();
        return Err(Box::new(Problem::of_field(ErrorCode::ParametroInvalido, "tributo", detail)));
    };
    let make = move |engine: &Engine, today: Date| {
        let coverage = engine.coverage(day.unwrap_or(today)).map_err(|e| respond::store_failed(&e))?;
        lookup::json(&municipalities(&coverage, tributo, asked.uf))
    };
    lookup.answer(app, caller, "municipios", make).await
}

fn municipalities(coverage: &Coverage, tributo: Tributo, asked: Option<Uf>) -> Vec<View> {
    let mut all: Vec<View> = match asked {
        Some(uf) => of_uf(coverage, tributo, uf, None),
        None => Uf::ALL.iter().flat_map(|uf| of_uf(coverage, tributo, *uf, Some(*uf))).collect(),
    };
    all.sort_by_cached_key(|one| (one.situacao, fold(one.nome)));
    all
}

fn of_uf(coverage: &Coverage, tributo: Tributo, of: Uf, uf: Option<Uf>) -> Vec<View> {
    let is_of = |row: &&CoverageRow| row.tributo == tributo.as_str() && row.uf.as_deref() == Some(of.as_str());
    let known = page::by(coverage.linhas.iter().filter(is_of), |row| row.municipio.as_deref());
    let view = |municipio: Municipio| View {
        nome: municipio.name(),
        uf,
        situacao: known.get(municipio.name()).copied().unwrap_or(CoverageState::Ausente),
    };
    Municipio::of_uf(of).map(view).collect()
}
