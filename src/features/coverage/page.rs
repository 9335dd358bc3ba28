//! `GET /sandbox/v1/cobertura`: what the rules answer on a day, by tax and UF.

pub mod municipios;

use std::collections::BTreeMap;

use hyper::Request;
use hyper::body::Incoming;
use serde::Serialize;

use crate::base::document::{Field, Shape};
use crate::base::problem::Problem;
use crate::base::value::{Date, Municipio, Uf};
use crate::core::calls::Caller;
use crate::core::engine::coverage::{Coverage, CoverageRow, GradeCounts, StateCounts, TaxTotal};
use crate::core::engine::{Engine, TableAge};
use crate::features::coverage::markdown::{WITHOUT_CEST, segments};
use crate::http::app::App;
use crate::http::query;
use crate::http::respond::{self, HttpResponse};
use crate::law::codes::{SEGMENTOS, segmento};
use crate::page::lookup::{self, Lookup};

pub(super) const VIGENTE_EM: Field = query::parameter("vigente_em", "Dia; sem ele, hoje", Shape::Date, None);

taxd_base::vocabulary! {
    /// What a tax answers in a place, the best first.
    pub enum CoverageState {
        Responde = "responde",
        EmParte = "em_parte",
        Recusa = "recusa",
        Extinto = "extinto",
        Ausente = "ausente",
    }
}

#[derive(Serialize)]
struct View {
    vigente_em: String,
    /// The official tables that the rules follow, with their ages today.
    tabelas: Vec<TableAge>,
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
    /// The UFs in which rules apply: their own, and the national ones of a tax that some UF has rules of.
    ufs: BTreeMap<String, Cell>,
}

/// A tax in a UF, or in none.
#[derive(Serialize)]
struct Cell {
    situacao: CoverageState,
    regras: StateCounts,
    /// Those of them that are national.
    #[serde(skip_serializing_if = "Option::is_none")]
    nacionais: Option<u64>,
    /// The segments of Convênio ICMS 142/2018, if its rules are by CEST.
    #[serde(skip_serializing_if = "Option::is_none")]
    segmentos: Option<SegmentCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    municipios: Option<PartCounts>,
}

/// The segments of goods, each that has rules with its state, and all in words: "Autopeças: 131 sim; outros 24 segmentos: sem
/// regra".
#[derive(Serialize)]
struct SegmentCounts {
    #[serde(flatten)]
    partes: PartCounts,
    situacoes: BTreeMap<String, CoverageState>,
    texto: String,
}

/// How many parts of a whole, municipalities or segments of goods, are in each state.
#[derive(Serialize)]
struct PartCounts {
    responde: usize,
    em_parte: usize,
    recusa: usize,
    /// All that the whole has.
    total: usize,
}

/// Answers what the rules answer on a day.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let (lookup, day) = Lookup::read(request, |q| q.take(&VIGENTE_EM, Date::parse)).await?;
    let make = move |engine: &Engine, today: Date| {
        let coverage = engine.coverage(day.unwrap_or(today)).map_err(|e| respond::store_failed(&e))?;
        let tables = engine.official_tables().map_err(|e| respond::store_failed(&e))?;
        lookup::json(&View::of(&coverage, tables))
    };
    lookup.answer(app, caller, "cobertura", make).await
}

impl View {
    fn of(coverage: &Coverage, tabelas: Vec<TableAge>) -> View {
        let tax = |total: &TaxTotal| {
            let rows: Vec<&CoverageRow> = coverage.linhas.iter().filter(|row| row.tributo == total.tributo).collect();
            let mut by_uf: BTreeMap<&str, Vec<&CoverageRow>> = BTreeMap::new();
            for row in &rows {
                by_uf.entry(row.uf.as_deref().unwrap_or_default()).or_default().push(row);
            }
            let pais = by_uf.remove("").map(|rows| Cell::of(None, &rows, &[]));
            let municipal = rows.iter().any(|row| row.municipio.is_some());
            // Of a municipal tax it is the municipalities that are counted, and a national tax has no rules of a UF.
            let is_local = !municipal && !by_uf.is_empty();
            let national: Vec<&CoverageRow> =
                rows.iter().copied().filter(|row| is_local && row.applies_in_every_uf()).collect();
            if !national.is_empty() {
                for uf in Uf::ALL {
                    by_uf.entry(uf.as_str()).or_default();
                }
            }
            TaxView {
                tributo: total.tributo.clone(),
                municipal,
                situacao: CoverageState::of(&total.regras),
                regras: total.regras,
                conferencia: total.conferencia,
                pais,
                ufs: by_uf
                    .into_iter()
                    .map(|(uf, rows)| (uf.to_owned(), Cell::of(Some(uf), &rows, &national)))
                    .collect(),
            }
        };
        View { vigente_em: coverage.vigente_em.clone(), tabelas, tributos: coverage.totais.iter().map(tax).collect() }
    }
}

impl Cell {
    fn of(uf: Option<&str>, own: &[&CoverageRow], national: &[&CoverageRow]) -> Cell {
        let regras = sum(own.iter().chain(national).copied());
        let states = |of: fn(&CoverageRow) -> Option<&str>| by(own.iter().copied(), of);
        let of_uf = |uf: Uf| PartCounts::of(&states(|row| row.municipio.as_deref()), Municipio::of_uf(uf).count());
        let municipios = uf.and_then(Uf::from_abbreviation).and_then(of_uf);
        let by_segment = states(|row| row.segmento.as_deref());
        let partes = PartCounts::of(&by_segment, SEGMENTOS.len());
        let parts = municipios.as_ref().or(partes.as_ref());
        let situacao = parts.map_or_else(|| CoverageState::of(&regras), PartCounts::situacao);
        let segmentos = partes.map(|partes| SegmentCounts {
            partes,
            situacoes: named_segments(by_segment, own),
            texto: segments(own),
        });
        Cell {
            situacao,
            regras,
            nacionais: Some(all(&sum(national.iter().copied()))).filter(|count| *count > 0),
            segmentos,
            municipios,
        }
    }
}

impl PartCounts {
    /// `None` without any part that has rules.
    fn of(states: &BTreeMap<&str, CoverageState>, total: usize) -> Option<PartCounts> {
        let count = |wanted| states.values().filter(|state| **state == wanted).count();
        (!states.is_empty()).then(|| PartCounts {
            responde: count(CoverageState::Responde),
            em_parte: count(CoverageState::EmParte),
            recusa: count(CoverageState::Recusa),
            total,
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

/// The same by the names of the segments, and that of the rules without a CEST.
fn named_segments(by_segment: BTreeMap<&str, CoverageState>, own: &[&CoverageRow]) -> BTreeMap<String, CoverageState> {
    let named = by_segment.into_iter().map(|(number, state)| (segmento(number).unwrap_or(number).to_owned(), state));
    let mut without = own.iter().copied().filter(|row| row.segmento.is_none()).peekable();
    let has_some = without.peek().is_some();
    let without = has_some.then(|| (WITHOUT_CEST.to_owned(), CoverageState::of(&sum(without))));
    named.chain(without).collect()
}

/// The state of each part that has rules, by its name.
pub(super) fn by<'c>(
    rows: impl Iterator<Item = &'c CoverageRow>,
    name: fn(&CoverageRow) -> Option<&str>,
) -> BTreeMap<&'c str, CoverageState> {
    let mut parts: BTreeMap<&str, Vec<&CoverageRow>> = BTreeMap::new();
    for row in rows {
        if let Some(name) = name(row) {
            parts.entry(name).or_default().push(row);
        }
    }
    parts.into_iter().map(|(name, rows)| (name, CoverageState::of(&sum(rows.into_iter())))).collect()
}

fn sum<'c>(rows: impl Iterator<Item = &'c CoverageRow>) -> StateCounts {
    rows.fold(StateCounts::default(), |sum, row| sum.plus(&row.regras))
}

fn all(counts: &StateCounts) -> u64 {
    counts.sim + counts.em_parte + counts.nulo + counts.recusa + counts.extinto
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
