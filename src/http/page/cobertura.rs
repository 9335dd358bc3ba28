//! `GET /sandbox/v1/cobertura`: what the rules answer on a day, by tax and UF.

use std::collections::BTreeMap;

use hyper::Request;
use hyper::body::Incoming;
use serde::Serialize;

use super::lookup::{self, Lookup};
use crate::calls::Caller;
use crate::document::{Field, Shape};
use crate::engine::Engine;
use crate::engine::coverage::{Coverage, CoverageRow, GradeCounts, StateCounts, TaxTotal};
use crate::http::app::App;
use crate::http::query;
use crate::http::respond::{self, HttpResponse};
use crate::problem::Problem;
use crate::value::{Date, Municipio, Uf};

pub(super) const VIGENTE_EM: Field = query::parameter("vigente_em", "Dia; sem ele, hoje", Shape::Date, None);

crate::vocabulary! {
    /// What a tax answers in a place, the best first.
    pub enum CoverageState {
        Responde = "responde",
        EmParte = "em_parte",
        Recusa = "recusa",
        Extinto = "extinto",
        Ausente = "ausente",
    }
}

/// What the rules answer.
#[derive(Serialize)]
struct View {
    vigente_em: String,
    tributos: Vec<TaxView>,
}

/// A tax, in the order of the contract.
#[derive(Serialize)]
struct TaxView {
    tributo: String,
    /// True if its rules are those of municipalities.
    municipal: bool,
    situacao: CoverageState,
    regras: StateCounts,
    conferencia: GradeCounts,
    /// The rules of no UF: national ones, or those between two UFs.
    pais: Option<Cell>,
    /// The UFs that have rules.
    ufs: BTreeMap<String, Cell>,
}

/// A tax in a UF, or in none.
#[derive(Serialize)]
struct Cell {
    situacao: CoverageState,
    regras: StateCounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    municipios: Option<MunicipalityCounts>,
}

/// How many municipalities of a UF are in each state.
#[derive(Default, Serialize)]
struct MunicipalityCounts {
    responde: usize,
    em_parte: usize,
    recusa: usize,
    /// All that the UF has.
    total: usize,
}

/// Answers what the rules answer on a day.
pub(super) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let (lookup, day) = Lookup::read(request, |q| q.take(&VIGENTE_EM, Date::parse)).await?;
    let make = move |engine: &Engine, today: Date| {
        let coverage = engine.coverage(day.unwrap_or(today)).map_err(|e| respond::store_failed(&e))?;
        lookup::json(&View::of(&coverage))
    };
    lookup.answer(app, caller, "cobertura", make).await
}

impl View {
    fn of(coverage: &Coverage) -> View {
        let tax = |total: &TaxTotal| {
            let rows: Vec<&CoverageRow> = coverage.linhas.iter().filter(|row| row.tributo == total.tributo).collect();
            let mut by_uf: BTreeMap<&str, Vec<&CoverageRow>> = BTreeMap::new();
            for row in &rows {
                by_uf.entry(row.uf.as_deref().unwrap_or_default()).or_default().push(row);
            }
            let pais = by_uf.remove("").map(|rows| Cell::of(None, &rows));
            TaxView {
                tributo: total.tributo.clone(),
                municipal: rows.iter().any(|row| row.municipio.is_some()),
                situacao: CoverageState::of(&total.regras),
                regras: total.regras,
                conferencia: total.conferencia,
                pais,
                ufs: by_uf.into_iter().map(|(uf, rows)| (uf.to_owned(), Cell::of(Some(uf), &rows))).collect(),
            }
        };
        View { vigente_em: coverage.vigente_em.clone(), tributos: coverage.totais.iter().map(tax).collect() }
    }
}

impl Cell {
    fn of(uf: Option<&str>, rows: &[&CoverageRow]) -> Cell {
        let regras = sum(rows.iter().copied());
        let municipios = uf.and_then(Uf::from_abbreviation).and_then(|uf| MunicipalityCounts::of(uf, rows));
        let situacao = municipios.as_ref().map_or_else(|| CoverageState::of(&regras), MunicipalityCounts::situacao);
        Cell { situacao, regras, municipios }
    }
}

impl MunicipalityCounts {
    /// `None` if the rows are of no municipality.
    fn of(uf: Uf, rows: &[&CoverageRow]) -> Option<MunicipalityCounts> {
        let states = by_municipality(rows.iter().copied());
        if states.is_empty() {
            return None;
        }
        let count = |wanted| states.values().filter(|situacao| **situacao == wanted).count();
        Some(MunicipalityCounts {
            responde: count(CoverageState::Responde),
            em_parte: count(CoverageState::EmParte),
            recusa: count(CoverageState::Recusa),
            total: Municipio::of_uf(uf).count(),
        })
    }

    fn situacao(&self) -> CoverageState {
        match self.responde + self.em_parte {
            _ if self.responde == self.total => CoverageState::Responde,
            0 => CoverageState::Recusa,
            _ => CoverageState::EmParte,
        }
    }
}

/// The state of each municipality that has rules.
pub(super) fn by_municipality<'c>(rows: impl Iterator<Item = &'c CoverageRow>) -> BTreeMap<&'c str, CoverageState> {
    let mut of: BTreeMap<&str, Vec<&CoverageRow>> = BTreeMap::new();
    for row in rows {
        if let Some(municipio) = row.municipio.as_deref() {
            of.entry(municipio).or_default().push(row);
        }
    }
    of.into_iter().map(|(name, rows)| (name, CoverageState::of(&sum(rows.into_iter())))).collect()
}

fn sum<'c>(rows: impl Iterator<Item = &'c CoverageRow>) -> StateCounts {
    rows.fold(StateCounts::default(), |sum, row| StateCounts {
        sim: sum.sim + row.regras.sim,
        em_parte: sum.em_parte + row.regras.em_parte,
        nulo: sum.nulo + row.regras.nulo,
        recusa: sum.recusa + row.regras.recusa,
        extinto: sum.extinto + row.regras.extinto,
    })
}

impl CoverageState {
    fn of(regras: &StateCounts) -> CoverageState {
        match (regras.sim, regras.em_parte, regras.nulo + regras.recusa) {
            (0, 0, 0) if regras.extinto > 0 => CoverageState::Extinto,
            (0, 0, 0) => CoverageState::Ausente,
            (_, 0, 0) => CoverageState::Responde,
            (0, 0, _) => CoverageState::Recusa,
            _ => CoverageState::EmParte,
        }
    }
}
