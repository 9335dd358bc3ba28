//! The columns that a result adds to its row.

use std::borrow::Cow;

use super::reply::RowReply;
use crate::base::document::{Node, Role};
use crate::base::problem::{ErrorCode, Problem, TipoRecusa};
use crate::base::sentence::Sentence;
use crate::base::value::{Conferencia, Date, rate_as_shown};
use crate::law::labels::WORDS;
use crate::law::rule::Vigencia;
use crate::law::tax::{FiguraSuposta, TaxAnswer};
use crate::law::tratamento::{RecusaSt, SituacaoTratada};
use crate::sheet::ColumnKind::{self, Decimal, Text};
use crate::sheet::{Cell, Column, Reader, table_row};

/// The column that says in a word what became of a row.
pub(super) const SITUATION: &str = "taxd_situacao";
/// The column of the figures that a row supposes.
pub(super) const SUPPOSED: &str = "taxd_suposicao";
/// The situation of a row that was not calculated and is in no other.
pub(super) const REFUSED: &str = "recusado";

/// The columns that an answer adds to its row, in order.
pub(super) fn columns<'r>() -> &'r [Column<RowReply<'r>>; 17] {
    const {
        &[
            Column::new("taxd_valor", "Valor calculado", Decimal, |reply| {
                of(reply, |answer| answer.valor.decimal().into())
            }),
            Column::new("taxd_base", "Base de cálculo", Decimal, |reply| {
                of(reply, |answer| answer.figures(Role::Base).next().into())
            }),
            Column::new("taxd_aliquota", "Alíquota (%)", Decimal, |reply| of(reply, rate)),
            Column::said(
                SITUATION,
                "Situação",
                Text,
                |reply| Cell::of(situation(reply).0),
                |reply| Cell::of(situation(reply).1),
            ),
            Column::new("taxd_cest", "CEST da regra", Text, |reply| of_text(reply, "cest")),
            Column::new("taxd_mva", "MVA (%)", Decimal, |reply| of_figure(reply, "mva_aplicada")),
            Column::new("taxd_mva_original", "MVA original (%)", Decimal, stated_margin),
            Column::new("taxd_aliquota_interna", "Alíquota interna (%)", Decimal, |reply| {
                of_figure(reply, "aliquota_interna")
            }),
            Column::said(
                "taxd_tratamento",
                "Tratamento",
                Text,
                |reply| treatment(reply).map(Cell::of).into(),
                |reply| treatment(reply).map(label).into(),
            ),
            Column::new("taxd_regra", "Regra", Text, rule_id),
            Column::new("taxd_citacao_legal", "Citação legal", Text, |reply| {
                law(reply).map(|(citation, ..)| Cell::of(citation)).into()
            }),
            Column::new("taxd_vigente_de", "O taxd responde desde", ColumnKind::Date, |reply| {
                law(reply).map(|(_, first, ..)| first).into()
            }),
            Column::new("taxd_vigente_ate", "Deixa de responder em", ColumnKind::Date, |reply| {
                law(reply).and_then(|(_, _, end, _)| end).into()
            }),
            Column::new("taxd_conferencia", "Conferência", Text, grade),
            Column::said(
                SUPPOSED,
                "Suposição",
                Text,
                |reply| of(reply, |answer| supposed(&answer.suposicoes, Reader::Program)),
                |reply| of(reply, |answer| supposed(&answer.suposicoes, Reader::Person)),
            ),
            Column::new("taxd_avisos", "Avisos", Text, |reply| of(reply, |answer| joined(answer.sentences()))),
            Column::said(
                "taxd_erro",
                "Erro",
                Text,
                |reply| refusal(reply).map(|problem| Cell::of(refused(problem, Reader::Program))).into(),
                |reply| refusal(reply).map(|problem| Cell::of(refused(problem, Reader::Person))).into(),
            ),
        ]
    }
}

/// What an answer that is not law supposes; empty for the law.
pub(super) fn supposed<'a, 'f>(figures: impl IntoIterator<Item = &'f FiguraSuposta>, to: Reader) -> Cell<'a> {
    let said: Vec<String> = figures.into_iter().map(|figure| figure.said(to)).collect();
    if said.is_empty() { Cell::Empty } else { Cell::of(said.join("; ")) }
}

/// Sentences one after another. Most answers have one or none, which is not copied.
fn joined<'s>(mut sentences: impl Iterator<Item = &'s str>) -> Cell<'s> {
    let Some(first) = sentences.next() else { return Cell::Empty };
    Cell::of(sentences.fold(Cow::Borrowed(first), |joined, sentence| joined + " " + sentence))
}

/// The cells of an answer, or of a refusal.
pub fn result_cells<'a>(reply: &'a RowReply<'_>, reader: Reader) -> Vec<Cell<'a>> {
    table_row(columns(), reply, reader)
}

/// What became of a row, as a name and for people.
fn situation(reply: &RowReply<'_>) -> (&'static str, &'static str) {
    let problem = match reply {
        RowReply::Tax(answer) => return situation_of(answer),
        RowReply::Refused(problem) => problem,
        _ => return (REFUSED, REFUSED),
    };
    match problem.codigo {
        ErrorCode::RegraInexistente => ("sem_regra", "sem regra"),
        ErrorCode::CestNecessario => {
            let is_outside = RecusaSt::of(problem).por_cest == Some(true);
            let outside = SituacaoTratada::VOCABULARY.label(SituacaoTratada::ForaNosCest.as_str());
            ("falta_cest", if is_outside { outside } else { "falta CEST" })
        }
        codigo if codigo.tipo_recusa() == Some(TipoRecusa::FaltaDado) => ("falta_dado", "falta dado"),
        _ => (REFUSED, REFUSED),
    }
}

fn situation_of(answer: &TaxAnswer) -> (&'static str, &'static str) {
    // The general rate of a State does not know the product.
    if matches!(answer.get("nao_sujeito"), Some(Node::Bool(true))) {
        ("nao_sujeito", "não sujeito")
    } else if answer.get("conferencia_produto").is_some() {
        ("aliquota_geral", "pela alíquota geral")
    } else {
        match answer.get("retido") {
            Some(Node::Bool(true)) => ("retido", "retido"),
            Some(Node::Bool(false)) => ("nao_retido", "não retido"),
            _ => ("calculado", "calculado"),
        }
    }
}

/// The margin before its adjustment, and that of a rule which refuses for want of another figure.
fn stated_margin<'a>(reply: &'a RowReply<'_>) -> Cell<'a> {
    match reply {
        RowReply::Refused(problem) => problem.mva_da_regra.map(|mva| rate_as_shown(mva.decimal())).into(),
        _ => of_figure(reply, "mva_original"),
    }
}

/// How the tax treats the goods, in a word; of a refusal, what is known of them all the same.
fn treatment<'a>(reply: &RowReply<'a>) -> Option<Cow<'a, str>> {
    let word = |situacao: SituacaoTratada| Some(Cow::Borrowed(situacao.as_str()));
    let answer = match reply {
        RowReply::Tax(answer) => answer,
        RowReply::Refused(problem) => return word(RecusaSt::of(problem).tratamento()?),
        _ => return None,
    };
    if answer.tributo.as_str() == "icms_st" {
        let is_outside = matches!(answer.get("nao_sujeito"), Some(Node::Bool(true)));
        return word(if is_outside { SituacaoTratada::NaoSujeito } else { SituacaoTratada::Sujeito });
    }
    answer.get("situacao").and_then(Node::into_text)
}

/// What people call a word of the contract.
fn label(word: Cow<'_, str>) -> Cell<'_> {
    Cell::of(WORDS.get(&*word).map_or(word, |label| (*label).into()))
}

fn of_text<'a>(reply: &RowReply<'a>, name: &str) -> Cell<'a> {
    of(reply, |answer| answer.get(name).and_then(Node::into_text).map(Cell::of).into())
}

fn of_figure<'a>(reply: &RowReply<'a>, name: &str) -> Cell<'a> {
    of(reply, |answer| answer.figure(name).into())
}

fn of<'a>(reply: &RowReply<'a>, cell: impl Fn(&'a TaxAnswer) -> Cell<'a>) -> Cell<'a> {
    if let RowReply::Tax(answer) = reply { cell(answer) } else { Cell::Empty }
}

fn refusal<'a>(reply: &RowReply<'a>) -> Option<&'a Problem> {
    if let RowReply::Refused(problem) = reply { Some(problem) } else { None }
}

/// The rule that answered or refused.
fn rule_id<'a>(reply: &'a RowReply<'_>) -> Cell<'a> {
    match reply {
        RowReply::Tax(answer) => Cell::of(&**answer.rule_id()),
        _ => refusal(reply).and_then(|problem| Some(Cell::of(&problem.regra.as_ref()?.rule_id))).into(),
    }
}

/// The grade of that rule.
fn grade<'a>(reply: &'a RowReply<'_>) -> Cell<'a> {
    law(reply).and_then(|(.., grade)| grade).map(|grade| Cell::of(grade.as_str())).into()
}

/// What a row shows of that rule: its citation, its first day and the one after its last, and its grade.
type Law<'a> = (&'a str, Date, Option<Date>, Option<Conferencia>);

fn law<'a>(reply: &RowReply<'a>) -> Option<Law<'a>> {
    if let RowReply::Tax(answer) = reply {
        let regra = answer.rule();
        let Vigencia { de, ate } = regra.vigencia;
        return Some((regra.citacao_legal.as_str(), de, ate, regra.conferencia));
    }
    let regra = refusal(reply)?.regra.as_ref()?;
    Some((regra.citacao_legal.as_str(), regra.vigente_de, regra.vigente_ate, regra.conferencia.0))
}

/// The rate: the effective one if the answer has one.
pub(super) fn rate(answer: &TaxAnswer) -> Cell<'_> {
    answer.figures(Role::AliquotaEfetiva).chain(answer.figures(Role::Aliquota)).next().into()
}

/// Code and sentence of a refusal, and those of each field if there are several. In a table nobody writes quotes and
/// decimal points; a person reads no code either.
pub(super) fn refused(problem: &Problem, reader: Reader) -> String {
    let said = |sentence: &Sentence| sentence.read_by(Reader::Person).to_owned();
    let fields: Vec<_> = problem.erros.iter().map(|erro| said(&erro.detail)).collect();
    let text = if fields.len() > 1 { fields.join(" ") } else { said(&problem.detail) };
    reader.either(format!("{}: {text}", problem.codigo.as_str()), text)
}
