//! `GET /sandbox/v1/calendario`: what begins and what ends from a day on, in groups; the rules of one group; and the
//! same as a calendar and as a table.

mod report;
mod table;

use std::sync::{Arc, LazyLock};

use hyper::body::Incoming;
use hyper::{HeaderMap, Request, StatusCode};

use super::filters::{self, PageFilter};
use crate::calls::Caller;
use crate::document::{Field, FromNode, Shape};
use crate::engine::upcoming::{Evento, Sucessao, Upcoming, UpcomingRule};
use crate::engine::{Engine, Filter};
use crate::http::app::App;
use crate::http::query::{self, Query};
use crate::http::respond::{self, HttpResponse};
use crate::http::{etag, request_body};
use crate::problem::Problem;
use crate::value::Date;

crate::vocabulary! {
    /// What the calendar lists.
    pub enum CalendarKind {
        Comeca = "comeca",
        Termina = "termina",
        SemSucessora = "sem_sucessora",
        SemResposta = "sem_resposta",
    }
}

crate::vocabulary! {
    /// The form of the answer.
    pub enum CalendarForm {
        Json = "json",
        Ics = "ics",
        Csv = "csv",
    }
}

const DESDE: Field = query::parameter("desde", "Dia a partir do qual se olha à frente", Shape::Date, None);
const DIAS: Field = query::parameter("dias", "Dias à frente", Shape::Int { min: 1, max: 3_660 }, Some("90"));
const TIPO: Field = query::parameter("tipo", "O que acontece", CalendarKind::SHAPE, None);
const FORMATO: Field = query::parameter("formato", "Forma da resposta", CalendarForm::SHAPE, None);
const GRUPO: Field = query::parameter("grupo", "O grupo cujas regras se listam", Shape::Text, None);

/// The filters of the rules.
static FILTERS: LazyLock<PageFilter> = LazyLock::new(|| PageFilter::of(&["tributo", "uf", "ncm"]));

/// What is asked for.
struct Asked {
    desde: Option<Date>,
    dias: u32,
    filter: Option<Filter>,
    tipo: Option<CalendarKind>,
    formato: CalendarForm,
    grupo: Option<String>,
    after: usize,
}

impl Asked {
    fn read(text: &str) -> Result<Asked, Box<Problem>> {
        let mut q = Query::parse(text);
        let desde = q.take(&DESDE, Date::parse);
        let dias = u32::try_from(q.take_whole(&DIAS)).unwrap_or(u32::MAX);
        let filter = FILTERS.take(&mut q);
        let tipo = q.take(&TIPO, |text| filters::word(text, CalendarKind::from_word, CalendarKind::WORDS));
        let formato = q.take(&FORMATO, |text| filters::word(text, CalendarForm::from_word, CalendarForm::WORDS));
        let grupo = q.take(&GRUPO, |text| Ok(text.to_owned()));
        let after = q.take(&query::CURSOR, query::cursor).unwrap_or(0);
        q.finish()?;
        let after = usize::try_from(after).unwrap_or(usize::MAX);
        Ok(Asked { desde, dias, filter, tipo, formato: formato.unwrap_or(CalendarForm::Json), grupo, after })
    }
}

/// Answers what begins and ends after a day.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let text = request.uri().query().unwrap_or_default().to_owned();
    let headers = request.headers().clone();
    request_body::pass_over(request).await;
    let asked = Asked::read(&text)?;
    let service = Arc::clone(&app.service);
    app.blocking.page(app.memory(caller), move || page(service.engine(), &headers, &text, &asked)).await
}

fn page(engine: &Engine, headers: &HeaderMap, query_text: &str, asked: &Asked) -> Result<HttpResponse, Box<Problem>> {
    let today = engine.now().day();
    let state = engine.state_of_rules().map_err(|e| respond::store_failed(&e))?;
    let tag = etag::of(&["calendario", query_text, &state, &today.to_string()]);
    if etag::matches(headers, &tag) {
        return Ok(etag::not_modified(&tag));
    }
    let from = asked.desde.unwrap_or(today);
    let upcoming = engine.upcoming_of(from, from.plus_days(asked.dias), asked.filter.as_ref());
    let mut upcoming = upcoming.map_err(|e| respond::store_failed(&e))?;
    let days = report::days(&upcoming);
    if let Some(tipo) = asked.tipo {
        upcoming.regras.retain(|regra| tipo.has(regra));
    }
    if let Some(filter) = &asked.filter {
        // They are counted by tax only.
        let is_by_tax = filter.uf.is_none() && filter.ncm.is_none();
        let is_of = |name: &str| filter.tributo.is_none_or(|tributo| tributo.as_str() == name);
        upcoming.figuras_nulas.retain(|total| is_by_tax && is_of(&total.tributo));
    }
    let answer = match asked.formato {
        CalendarForm::Ics => file("text/calendar; charset=utf-8", upcoming.to_ics().into_bytes()),
        CalendarForm::Csv => {
            file("text/csv; charset=utf-8", table::csv(&upcoming).map_err(|_| Problem::unavailable())?)
        }
        CalendarForm::Json => json(&upcoming, days, asked)?,
    };
    Ok(etag::tagged(answer, &tag))
}

fn json(upcoming: &Upcoming, days: Vec<report::CalendarDay>, asked: &Asked) -> Result<HttpResponse, Box<Problem>> {
    let body = match &asked.grupo {
        None => serde_json::to_vec(&report::calendar(upcoming, days, asked.after)),
        Some(id) => serde_json::to_vec(&report::rules(upcoming, id, asked.after)),
    };
    Ok(respond::json(body.map_err(|_| Problem::unavailable())?))
}

fn file(content_type: &'static str, body: Vec<u8>) -> HttpResponse {
    respond::with_type(StatusCode::OK, content_type, body)
}

impl CalendarKind {
    fn has(self, regra: &UpcomingRule) -> bool {
        match self {
            CalendarKind::Comeca => regra.evento == Evento::Comeca,
            CalendarKind::Termina => regra.evento == Evento::Termina,
            CalendarKind::SemSucessora => regra.sucessao == Some(Sucessao::SemSucessora),
            CalendarKind::SemResposta => regra.leaves_no_answer(),
        }
    }
}
