//! The columns that an operation adds to its row: four of each tax, and the totals.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::results::{ShownAnswer, number};
use crate::law::operation::TRIBUTOS;
use crate::sheet::{Cell, ColumnKind};

/// The columns of a tax. `motivo` says why there is no amount.
const OF_TAX: [(&str, ColumnKind); 4] = [
    ("valor", ColumnKind::Decimal),
    ("aliquota", ColumnKind::Decimal),
    ("regra", ColumnKind::Text),
    ("motivo", ColumnKind::Text),
];
/// The totals. One that lacks a tax is left empty.
const TOTALS: [&str; 5] =
    ["tributos_por_fora", "valor_documento", "tributos", "recolhido_pelo_vendedor", "recolhido_pelo_comprador"];

/// What a row shows of the taxes of an operation.
#[derive(Deserialize)]
struct Operation<'a> {
    #[serde(borrow, default)]
    tributos: Vec<Line<'a>>,
    #[serde(borrow)]
    totais: Option<Totals<'a>>,
}

#[derive(Deserialize)]
struct Line<'a> {
    tributo: Cow<'a, str>,
    situacao: Cow<'a, str>,
    valor: Option<Cow<'a, str>>,
    motivo: Option<Cow<'a, str>>,
    #[serde(default)]
    avisos: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    resposta: Option<&'a RawValue>,
    #[serde(borrow)]
    problema: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Totals<'a> {
    #[serde(borrow)]
    tributos_por_fora: Sum<'a>,
    valor_documento: Sum<'a>,
    tributos: Sum<'a>,
    recolhido_pelo_vendedor: Sum<'a>,
    recolhido_pelo_comprador: Sum<'a>,
}

#[derive(Deserialize)]
struct Sum<'a> {
    valor: Cow<'a, str>,
    faltam: Vec<Cow<'a, str>>,
}

/// The columns, in order: those of each tax, the totals, the avisos and the error.
pub(super) fn operation_columns() -> Vec<(String, ColumnKind)> {
    let of_tax = |tributo: &&str| OF_TAX.map(|(name, kind)| (format!("taxd_{tributo}_{name}"), kind));
    let totals = TOTALS.iter().map(|total| (format!("taxd_{total}"), ColumnKind::Decimal));
    let last = ["taxd_avisos", "taxd_erro"].map(|name| (name.to_owned(), ColumnKind::Text));
    TRIBUTOS.iter().flat_map(of_tax).chain(totals).chain(last).collect()
}

/// The cells of a result: the JSON text of the taxes of an operation, or of a problem document.
pub(super) fn operation_cells(answer: &[u8]) -> Result<Vec<Cell>, serde_json::Error> {
    let shown: Operation<'_> = serde_json::from_slice(answer)?;
    let mut cells = Vec::with_capacity(TRIBUTOS.len() * OF_TAX.len() + TOTALS.len() + 2);
    let mut avisos: Vec<String> = Vec::new();
    for tributo in TRIBUTOS {
        match shown.tributos.iter().find(|line| line.tributo == tributo) {
            Some(line) => cells.extend(line.cells(&mut avisos)?),
            None => cells.extend([const { Cell::Empty }; OF_TAX.len()]),
        }
    }
    let Some(totais) = &shown.totais else {
        cells.extend([const { Cell::Empty }; TOTALS.len() + 1]);
        let refusal: ShownAnswer<'_> = serde_json::from_slice(answer)?;
        cells.push(text(refusal.fault()));
        return Ok(cells);
    };
    cells.extend(totais.in_order().map(Sum::cell));
    cells.push(text(Some(avisos.join(" "))));
    cells.push(text(incomplete(&shown.tributos, &totais.tributos.faltam)?));
    Ok(cells)
}

/// The taxes that have no amount, and the data that they ask for.
fn incomplete(lines: &[Line<'_>], without: &[Cow<'_, str>]) -> Result<Option<String>, serde_json::Error> {
    if without.is_empty() {
        return Ok(None);
    }
    let mut asked: Vec<String> = Vec::new();
    for problem in lines.iter().filter_map(|line| line.problema) {
        let refusal: ShownAnswer<'_> = serde_json::from_str(problem.get())?;
        for name in refusal.missing() {
            let name = format!("`{name}`");
            if !asked.contains(&name) {
                asked.push(name);
            }
        }
    }
    let of_buyer = |name: &&Cow<'_, str>| lines.iter().any(|line| line.tributo == ***name && line.valor.is_some());
    let written = |name: &Cow<'_, str>| {
        let part = if of_buyer(&name) { " (a parte do comprador)" } else { "" };
        format!("{name}{part}")
    };
    let without: Vec<String> = without.iter().map(written).collect();
    let next = if asked.is_empty() { String::new() } else { format!(" Falta informar {}.", asked.join(", ")) };
    Ok(Some(format!("incompleta: falta o valor de {}.{next}", without.join(", "))))
}

fn text(text: Option<String>) -> Cell {
    text.filter(|text| !text.is_empty()).map_or(Cell::Empty, Cell::Text)
}

impl Line<'_> {
    /// The cells of the tax. Its avisos are added to those of the operation, each once.
    fn cells(&self, avisos: &mut Vec<String>) -> Result<[Cell; OF_TAX.len()], serde_json::Error> {
        let answer: Option<ShownAnswer<'_>> =
            self.resposta.or(self.problema).map(|raw| serde_json::from_str(raw.get())).transpose()?;
        let of_answer = answer.iter().flat_map(|answer| &answer.avisos);
        for aviso in self.avisos.iter().chain(of_answer) {
            if !avisos.iter().any(|known| known == aviso) {
                avisos.push(aviso.to_string());
            }
        }
        let refusal = answer.as_ref().and_then(|answer| answer.detail.clone());
        let why = [self.motivo.clone(), refusal]
            .into_iter()
            .flatten()
            .map(Cow::into_owned)
            .reduce(|why, more| why + " " + &more);
        let regra = answer.as_ref().and_then(|answer| Some(answer.regra.as_ref()?.rule_id.to_string()));
        Ok([
            number(self.valor.as_deref()),
            number(answer.as_ref().and_then(ShownAnswer::rate).as_deref()),
            text(regra),
            text(why.filter(|_| self.valor.is_none()).map(|why| format!("{}: {why}", self.situacao))),
        ])
    }
}

impl<'a> Totals<'a> {
    /// As [`TOTALS`].
    fn in_order(&self) -> [&Sum<'a>; TOTALS.len()] {
        let Totals { tributos_por_fora, valor_documento, tributos, recolhido_pelo_vendedor, recolhido_pelo_comprador } =
            self;
        [tributos_por_fora, valor_documento, tributos, recolhido_pelo_vendedor, recolhido_pelo_comprador]
    }
}

impl Sum<'_> {
    fn cell(&self) -> Cell {
        if self.faltam.is_empty() { number(Some(&self.valor)) } else { Cell::Empty }
    }
}
