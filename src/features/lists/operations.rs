//! The columns that an operation adds to its row: four of each tax, the amount of each withholding, and the totals.

use std::borrow::Cow;

use super::result_columns::{rate, supposed};
use crate::base::sentence::Sentence;
use crate::law::operation::{Apuracao, RETENCOES, TRIBUTOS, Totais, Total, TributoApurado};
use crate::law::tax::{self, Money};
use crate::sheet::ColumnKind::{Decimal, Text};
use crate::sheet::{Cell, Column, Reader, table_row};

/// Name of the refusal of a row that has the amounts of some taxes only.
pub const INCOMPLETE: &str = "incompleta";
const OF_TAX: usize = 4;
const TOTALS: usize = 7;

/// The columns of a tax. `motivo` says why there is no amount.
pub(super) fn of_tax() -> [Column<TributoApurado>; OF_TAX] {
    [
        Column::new("valor", "valor", Decimal, |tax| tax.valor.map(Money::decimal).into()),
        Column::new("aliquota", "alíquota (%)", Decimal, |tax| tax.resposta.0.as_deref().map(rate).into()),
        Column::new("regra", "regra", Text, |tax| rule(tax).into()),
        Column::new("motivo", "motivo", Text, |tax| why(tax).map(Cell::of).into()),
    ]
}

/// The totals. One that lacks a tax is left empty.
pub(super) fn totals() -> [Column<Totais>; TOTALS] {
    [
        Column::new("tributos_por_fora", "Tributos por fora", Decimal, |totals| cell(&totals.tributos_por_fora)),
        Column::new("valor_documento", "Valor do documento", Decimal, |totals| cell(&totals.valor_documento)),
        Column::new("tributos", "Soma dos tributos", Decimal, |totals| cell(&totals.tributos)),
        Column::new("recolhido_pelo_vendedor", "Recolhido pelo vendedor", Decimal, |totals| {
            cell(&totals.recolhido_pelo_vendedor)
        }),
        Column::new("recolhido_pelo_comprador", "Recolhido pelo comprador", Decimal, |totals| {
            cell(&totals.recolhido_pelo_comprador)
        }),
        Column::new("retencoes", "Retenções", Decimal, |totals| totals.retencoes.0.as_ref().map(cell).into()),
        Column::new("liquido_a_pagar", "Líquido a pagar", Decimal, |totals| {
            totals.liquido_a_pagar.0.as_ref().map(cell).into()
        }),
    ]
}

/// Name and label of the column of each withholding, which has its amount.
pub(super) fn withheld_columns() -> impl Iterator<Item = (String, String)> {
    let label = |tributo: &str| tax::find(tributo).map_or(tributo, |entry| entry.sigla).to_owned();
    RETENCOES.iter().map(move |tributo| (format!("taxd_{tributo}_valor"), label(tributo)))
}

fn cell(total: &Total) -> Cell<'_> {
    if total.completo { total.valor.decimal().into() } else { Cell::Empty }
}

/// The rule that answered or refused.
fn rule(tax: &TributoApurado) -> Option<Cell<'_>> {
    let answered = tax.resposta.0.as_deref().map(|answer| Cell::of(&**answer.rule_id()));
    answered.or_else(|| Some(Cell::of(&tax.problema.0.as_deref()?.regra.as_ref()?.rule_id)))
}

/// Why there is no amount.
fn why(tax: &TributoApurado) -> Option<String> {
    let refusal = tax.problema.0.as_deref().map(|problem| problem.detail.read_by(Reader::Person));
    let why: Vec<&str> = tax.motivo.0.as_deref().into_iter().chain(refusal).collect();
    let is_without = tax.valor.is_none() && !why.is_empty();
    is_without.then(|| format!("{}: {}", tax.situacao, why.join(" ")))
}

/// Those of each tax, then the totals and what to know.
pub(super) fn operation_cells(apuracao: &Apuracao, reader: Reader) -> Vec<Cell<'_>> {
    let Apuracao { tributos, totais, retencoes, .. } = apuracao;
    let withheld = retencoes.0.as_deref().unwrap_or_default();
    let of_tax = of_tax();
    let mut cells = Vec::new();
    for tributo in TRIBUTOS {
        match tributos.iter().find(|tax| tax.tributo == tributo) {
            Some(tax) => cells.extend(table_row(&of_tax, tax, Reader::Program)),
            None => cells.extend([const { Cell::Empty }; OF_TAX]),
        }
    }
    let amount = |tributo: &str| withheld.iter().find(|tax| tax.tributo == *tributo)?.valor.map(Money::decimal);
    cells.extend(RETENCOES.iter().map(|tributo| Cell::from(amount(tributo))));
    cells.extend(table_row(&totals(), totais, Reader::Program));
    let all: Vec<&TributoApurado> = tributos.iter().chain(withheld).collect();
    cells.push(supposed(apuracao.suposicoes.0.iter().flatten(), reader));
    cells.push(Cell::of(avisos(&all)));
    let of_withheld = totais.retencoes.0.iter().flat_map(|sum| &sum.faltam);
    let without: Vec<_> = totais.tributos.faltam.iter().chain(of_withheld).cloned().collect();
    let lacking = incomplete(&all, &without);
    cells.push(lacking.map(|lacking| Cell::of(lacking.read_by(reader).to_owned())).into());
    cells
}

/// The avisos of the operation and those of its taxes, each once.
fn avisos(taxes: &[&TributoApurado]) -> String {
    let mut avisos: Vec<&str> = Vec::new();
    let ordered = TRIBUTOS.iter().chain(&RETENCOES);
    for tax in ordered.filter_map(|tributo| taxes.iter().find(|tax| tax.tributo == *tributo)) {
        let of_answer = tax.resposta.0.iter().flat_map(|answer| answer.sentences());
        for aviso in tax.avisos.0.iter().flatten().map(String::as_str).chain(of_answer) {
            if !avisos.contains(&aviso) {
                avisos.push(aviso);
            }
        }
    }
    avisos.join(" ")
}

/// The taxes that have no amount, and the data that they ask for.
fn incomplete(taxes: &[&TributoApurado], without: &[Cow<'_, str>]) -> Option<Sentence> {
    if without.is_empty() {
        return None;
    }
    let mut asked: Vec<String> = Vec::new();
    for name in taxes.iter().filter_map(|tax| tax.problema.0.as_ref()).flat_map(|problem| problem.missing_fields()) {
        let name = format!("`{name}`");
        if !asked.contains(&name) {
            asked.push(name);
        }
    }
    let next = if asked.is_empty() { String::new() } else { format!(" Falta informar {}.", asked.join(", ")) };
    Some(Sentence::of(|to| {
        let written = |name: &Cow<'_, str>| {
            let of_buyer = taxes.iter().any(|tax| tax.tributo == *name && tax.valor.is_some());
            let part = if of_buyer { " (a parte do comprador)" } else { "" };
            to.either(format!("{name}{part}"), format!("`{name}`{part}"))
        };
        let without: Vec<String> = without.iter().map(written).collect();
        let falta = to.either(format!("{INCOMPLETE}: falta"), "Falta".to_owned());
        format!("{falta} o valor de {}.{next}", without.join(", "))
    }))
}
