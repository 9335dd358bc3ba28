//! The columns that a result adds to its row.

use std::borrow::Cow;

use crate::base::document::Role;
use crate::base::problem::Problem;
use crate::base::sentence::Sentence;
use crate::base::value::RegraCitada;
use crate::law::tax::TaxAnswer;
use crate::sheet::ColumnKind::{self, Decimal, Text};
use crate::sheet::{Cell, Column, Reader, table_row};

/// What a row shows: an answer, or a refusal.
pub(super) type ShownAnswer<'a> = Result<&'a TaxAnswer, &'a Problem>;

/// The columns that an answer adds to its row, in order.
pub(super) fn columns<'a>() -> [Column<ShownAnswer<'a>>; 10] {
    [
        Column::new("taxd_valor", "Valor calculado", Decimal, |shown| {
            of(shown, |answer| answer.valor.decimal().into())
        }),
        Column::new("taxd_base", "Base de cálculo", Decimal, |shown| {
            of(shown, |answer| answer.figures(Role::Base).next().into())
        }),
        Column::new("taxd_aliquota", "Alíquota (%)", Decimal, |shown| of(shown, rate)),
        Column::new("taxd_regra", "Regra", Text, |shown| of_rule(*shown, |regra| Cell::of(&regra.rule_id))),
        Column::new("taxd_citacao_legal", "Citação legal", Text, |shown| {
            of_rule(*shown, |regra| Cell::of(regra.citacao_legal.as_str()))
        }),
        Column::new("taxd_vigente_de", "O taxd responde desde", ColumnKind::Date, |shown| {
            of_rule(*shown, |regra| regra.vigente_de.into())
        }),
        Column::new("taxd_vigente_ate", "Deixa de responder em", ColumnKind::Date, |shown| {
            of_rule(*shown, |regra| regra.vigente_ate.into())
        }),
        Column::new("taxd_conferencia", "Conferência", Text, |shown| {
            of_rule(*shown, |regra| regra.conferencia.0.as_ref().map(Cell::of).into())
        }),
        Column::new("taxd_avisos", "Avisos", Text, |shown| of(shown, |answer| Cell::of(&avisos(answer).join(" ")))),
        Column::said(
            "taxd_erro",
            "Erro",
            Text,
            |shown| shown.err().map(|problem| Cell::of(&refused(problem, Reader::Program))).into(),
            |shown| shown.err().map(|problem| Cell::of(&refused(problem, Reader::Person))).into(),
        ),
    ]
}

#[must_use]
pub fn result_cells(shown: Result<&TaxAnswer, &Problem>, reader: Reader) -> Vec<Cell> {
    table_row(&columns(), &shown, reader)
}

fn of(shown: &ShownAnswer<'_>, cell: impl Fn(&TaxAnswer) -> Cell) -> Cell {
    shown.ok().map(cell).into()
}

pub(super) fn of_rule(shown: ShownAnswer<'_>, cell: impl Fn(&RegraCitada) -> Cell) -> Cell {
    let regra = shown.map_or_else(|problem| problem.regra.as_ref().map(Cow::Borrowed), |answer| Some(answer.regra()));
    regra.map(|regra| cell(&regra)).into()
}

/// The rate: the effective one if the answer has one.
pub(super) fn rate(answer: &TaxAnswer) -> Cell {
    answer.figures(Role::AliquotaEfetiva).chain(answer.figures(Role::Aliquota)).next().into()
}

pub(super) fn avisos(answer: &TaxAnswer) -> Vec<String> {
    answer.avisos().map(|note| note.texto.as_str().to_owned()).collect()
}

/// Code and sentence of a refusal, and those of each field if there are several. In a table nobody writes quotes and
/// decimal points; a person reads no code either.
pub(super) fn refused(problem: &Problem, reader: Reader) -> String {
    let said = |sentence: &Sentence| sentence.read_by(Reader::Person).to_owned();
    let fields: Vec<_> = problem.erros.iter().map(|erro| said(&erro.detail)).collect();
    let text = if fields.len() > 1 { fields.join(" ") } else { said(&problem.detail) };
    reader.either(format!("{}: {text}", problem.codigo.as_str()), text)
}
