//! `GET /sandbox/v1/calendario`: what begins and what ends from a day on, in groups; the rules of one group; and the
//! same as a calendar and as a table.

mod report;

use std::sync::{Arc, LazyLock};

use hyper::body::Incoming;
use hyper::{Request, StatusCode};

use super::ics::to_ics;
use super::table::write_csv;
use crate::base::document::{Field, FromNode, Shape};
use crate::base::problem::Problem;
use crate::base::value::Date;
use crate::core::calls::Caller;
use crate::core::engine::upcoming::{Evento, Sucessao, Upcoming, UpcomingRule};
use crate::core::engine::{Engine, Filter};
use crate::http::app::App;
use crate::http::body_writer::BodyWriter;
use crate::http::cursor;
use crate::http::query::{self, Query};
use crate::http::respond::{self, HttpResponse};
use crate::page::filters::{self, PageFilter};
use crate::page::lookup::{self, Lookup};

taxd_base::vocabulary! {
    pub enum CalendarKind {
        Comeca = "comeca",
        Termina = "termina",
        SemSucessora = "sem_sucessora",
        SemFigura = "sem_figura",
        SemResposta = "sem_resposta",
        Prazo = "prazo",
    }
}

taxd_base::vocabulary! {
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

/// About how much memory the rows of the table take while it is sent.
const TABLE_BYTES: u64 = 16 * 1024 * 1024;

static FILTERS: LazyLock<PageFilter> = LazyLock::new(|| PageFilter::of(&["tributo", "uf", "ncm"]));

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
    fn read(q: &mut Query) -> Asked {
        let formato = q.take(&FORMATO, |text| filters::word(text, CalendarForm::from_word, CalendarForm::WORDS));
        let after = q.take(&cursor::CURSOR, cursor::read).unwrap_or(0);
        Asked {
            desde: q.take(&DESDE, Date::parse),
            dias: u32::try_from(q.take_whole(&DIAS)).unwrap_or(u32::MAX),
            filter: FILTERS.take_with_country(q),
            tipo: q.take(&TIPO, |text| filters::word(text, CalendarKind::from_word, CalendarKind::WORDS)),
            formato: formato.unwrap_or(CalendarForm::Json),
            grupo: q.take(&GRUPO, |text| Ok(text.to_owned())),
            after: usize::try_from(after).unwrap_or(usize::MAX),
        }
    }

    /// What begins and ends, and the days of all kinds.
    fn look_ahead(&self, engine: &Engine, today: Date) -> Result<(Upcoming, Vec<report::CalendarDay>), Box<Problem>> {
        let from = self.desde.unwrap_or(today);
        let upcoming = engine.upcoming_of(from, from.plus_days(self.dias), self.filter.as_ref());
        let mut upcoming = upcoming.map_err(|e| respond::store_failed(&e))?;
        let days = report::days(&upcoming);
        if let Some(tipo) = self.tipo {
            upcoming.regras.retain(|regra| tipo.has(regra));
            upcoming.prazos.retain(|_| tipo == CalendarKind::Prazo);
        }
        Ok((upcoming, days))
    }
}

/// Answers what begins and ends after a day. The table, which may have megabytes, is sent while it is made.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let (lookup, asked) = Lookup::read(request, Asked::read).await?;
    if asked.formato == CalendarForm::Csv {
        let service = Arc::clone(&app.service);
        let work = move |out: &mut BodyWriter| {
            let _memory = out.turn().memory(TABLE_BYTES)?;
            let (upcoming, _) = asked.look_ahead(service.engine(), service.engine().now().day())?;
            // A write fails only when nobody reads any more.
            let _ = write_csv(&upcoming, out);
            Ok(())
        };
        return app.files.send(caller, "text/csv; charset=utf-8", work).await;
    }
    let make = move |engine: &Engine, today: Date| {
        let (upcoming, days) = asked.look_ahead(engine, today)?;
        match (asked.formato, &asked.grupo) {
            (CalendarForm::Ics, _) => {
                Ok(respond::with_type(StatusCode::OK, "text/calendar; charset=utf-8", to_ics(&upcoming)))
            }
            (_, None) => lookup::json(&report::calendar(&upcoming, days, asked.after)),
            (_, Some(id)) => lookup::json(&report::rules(&upcoming, id, asked.after)),
        }
    };
    lookup.answer(app, caller, "calendario", make).await
}

impl CalendarKind {
    fn has(self, regra: &UpcomingRule) -> bool {
        match self {
            CalendarKind::Comeca => regra.evento == Evento::Comeca,
            CalendarKind::Termina => regra.evento == Evento::Termina,
            CalendarKind::SemSucessora => regra.sucessao == Some(Sucessao::SemSucessora),
            CalendarKind::SemFigura => regra.sucessao == Some(Sucessao::SemFigura),
            CalendarKind::SemResposta => regra.leaves_no_answer(),
            CalendarKind::Prazo => false,
        }
    }
}
