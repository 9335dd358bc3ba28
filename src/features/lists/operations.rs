//! The columns that an operation adds to its row: four of each tax, and the totals.

use std::borrow::Cow;

use serde::Deserialize;

use super::results::{ShownAnswer, number};
use crate::law::operation::TRIBUTOS;
use crate::sheet::ColumnKind::{Decimal, Text};
use crate::sheet::{Cell, Column, Reader, table_row};

const OF_TAX: usize = 4;
const TOTALS: usize = 5;

/// The columns of a tax. `motivo` says why there is no amount.
pub(super) fn of_tax<'a>() -> [Column<TaxLine<'a>>; OF_TAX] {
    [
        Column::new("valor", "valor", Decimal, |tax| number(tax.valor.as_deref())),
        Column::new("aliquota", "alíquota (%)", Decimal, |tax| {
            number(tax.answer().and_then(ShownAnswer::rate).as_deref())
        }),
        Column::new("regra", "regra", Text, |tax| {
            tax.answer().and_then(|answer| answer.regra.as_ref()).map(|regra| Cell::of(&regra.rule_id)).into()
        }),
        Column::new("motivo", "motivo", Text, |tax| tax.why().as_ref().map(Cell::of).into()),
    ]
}

/// The totals. One that lacks a tax is left empty.
pub(super) fn totals<'a>() -> [Column<OperationTotals<'a>>; TOTALS] {
    [
        Column::new("tributos_por_fora", "Tributos por fora", Decimal, |totals| totals.tributos_por_fora.cell()),
        Column::new("valor_documento", "Valor do documento", Decimal, |totals| totals.valor_documento.cell()),
        Column::new("tributos", "Soma dos tributos", Decimal, |totals| totals.tributos.cell()),
        Column::new("recolhido_pelo_vendedor", "Recolhido pelo vendedor", Decimal, |totals| {
            totals.recolhido_pelo_vendedor.cell()
        }),
        Column::new("recolhido_pelo_comprador", "Recolhido pelo comprador", Decimal, |totals| {
            totals.recolhido_pelo_comprador.cell()
        }),
    ]
}

/// What a row shows of the taxes of an operation.
#[derive(Deserialize)]
struct Operation<'a> {
    #[serde(borrow, default)]
    tributos: Vec<TaxLine<'a>>,
    #[serde(borrow)]
    totais: Option<OperationTotals<'a>>,
}

#[derive(Deserialize)]
pub(super) struct TaxLine<'a> {
    tributo: Cow<'a, str>,
    situacao: Cow<'a, str>,
    valor: Option<Cow<'a, str>>,
    motivo: Option<Cow<'a, str>>,
    #[serde(default)]
    avisos: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    resposta: Option<ShownAnswer<'a>>,
    #[serde(borrow)]
    problema: Option<ShownAnswer<'a>>,
}

#[derive(Deserialize)]
pub(super) struct OperationTotals<'a> {
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

/// The cells of a result: the JSON text of the taxes of an operation, or of a problem document.
pub(super) fn operation_cells(answer: &[u8]) -> Result<Vec<Cell>, serde_json::Error> {
    let shown: Operation<'_> = serde_json::from_slice(answer)?;
    let (of_tax, totals) = (of_tax(), totals());
    let mut cells = Vec::new();
    for tributo in TRIBUTOS {
        match shown.tributos.iter().find(|line| line.tributo == tributo) {
            Some(line) => cells.extend(table_row(&of_tax, line, Reader::Program)),
            None => cells.extend([const { Cell::Empty }; OF_TAX]),
        }
    }
    let Some(totais) = &shown.totais else {
        cells.extend([const { Cell::Empty }; TOTALS + 1]);
        let refusal: ShownAnswer<'_> = serde_json::from_slice(answer)?;
        cells.push(refusal.fault().as_ref().map(Cell::of).into());
        return Ok(cells);
    };
    cells.extend(table_row(&totals, totais, Reader::Program));
    cells.push(Cell::of(&avisos(&shown.tributos)));
    cells.push(incomplete(&shown.tributos, &totais.tributos.faltam).as_ref().map(Cell::of).into());
    Ok(cells)
}

/// The avisos of the operation and those of its taxes, each once.
fn avisos(lines: &[TaxLine<'_>]) -> String {
    let mut avisos: Vec<&str> = Vec::new();
    for line in TRIBUTOS.iter().filter_map(|tributo| lines.iter().find(|line| line.tributo == *tributo)) {
        let of_answer = line.answer().into_iter().flat_map(|answer| &answer.avisos);
        for aviso in line.avisos.iter().chain(of_answer) {
            if !avisos.contains(&&**aviso) {
                avisos.push(aviso);
            }
        }
    }
    avisos.join(" ")
}

/// The taxes that have no amount, and the data that they ask for.
fn incomplete(lines: &[TaxLine<'_>], without: &[Cow<'_, str>]) -> Option<String> {
    if without.is_empty() {
        return None;
    }
    let mut asked: Vec<String> = Vec::new();
    for refusal in lines.iter().filter_map(|line| line.problema.as_ref()) {
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
    Some(format!("incompleta: falta o valor de {}.{next}", without.join(", ")))
}

impl<'a> TaxLine<'a> {
    /// The answer, or the refusal.
    fn answer(&self) -> Option<&ShownAnswer<'a>> {
        self.resposta.as_ref().or(self.problema.as_ref())
    }

    /// Why there is no amount.
    fn why(&self) -> Option<String> {
        let refusal = self.answer().and_then(|answer| answer.detail.as_deref());
        let why: Vec<&str> = self.motivo.as_deref().into_iter().chain(refusal).collect();
        let is_without = self.valor.is_none() && !why.is_empty();
        is_without.then(|| format!("{}: {}", self.situacao, why.join(" ")))
    }
}

impl Sum<'_> {
    fn cell(&self) -> Cell {
        if self.faltam.is_empty() { number(Some(&self.valor)) } else { Cell::Empty }
    }
}
