//! The columns that a result adds to its row.

use std::borrow::Cow;

use crate::base::document::{Node, Role};
use crate::base::problem::{ErrorCode, Problem, TipoRecusa};
use crate::base::sentence::Sentence;
use crate::base::value::{RegraCitada, rate_as_shown};
use crate::law::labels::WORDS;
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

/// What a row shows.
pub(super) struct ShownAnswer<'a> {
    result: Result<&'a TaxAnswer, &'a Problem>,
    /// The rule that answered or refused.
    regra: Option<Cow<'a, RegraCitada>>,
}

impl<'a> ShownAnswer<'a> {
    pub(super) fn of(result: Result<&'a TaxAnswer, &'a Problem>) -> ShownAnswer<'a> {
        let regra = match result {
            Ok(answer) => Some(Cow::Owned(answer.regra())),
            Err(problem) => problem.regra.as_ref().map(Cow::Borrowed),
        };
        ShownAnswer { result, regra }
    }
}

/// The columns that an answer adds to its row, in order.
pub(super) fn columns<'a>() -> [Column<ShownAnswer<'a>>; 17] {
    [
        Column::new("taxd_valor", "Valor calculado", Decimal, |shown| {
            of(shown, |answer| answer.valor.decimal().into())
        }),
        Column::new("taxd_base", "Base de cálculo", Decimal, |shown| {
            of(shown, |answer| answer.figures(Role::Base).next().into())
        }),
        Column::new("taxd_aliquota", "Alíquota (%)", Decimal, |shown| of(shown, rate)),
        Column::said(
            SITUATION,
            "Situação",
            Text,
            |shown| Cell::of(situation(shown.result).0),
            |shown| Cell::of(situation(shown.result).1),
        ),
        Column::new("taxd_cest", "CEST da regra", Text, |shown| of_text(shown, "cest")),
        Column::new("taxd_mva", "MVA (%)", Decimal, |shown| of_figure(shown, "mva_aplicada")),
        Column::new("taxd_mva_original", "MVA original (%)", Decimal, stated_margin),
        Column::new("taxd_aliquota_interna", "Alíquota interna (%)", Decimal, |shown| {
            of_figure(shown, "aliquota_interna")
        }),
        Column::said(
            "taxd_tratamento",
            "Tratamento",
            Text,
            |shown| treatment(shown.result).map(|word| Cell::of(&word)).into(),
            |shown| treatment(shown.result).map(|word| Cell::of(WORDS.get(&*word).unwrap_or(&&*word))).into(),
        ),
        Column::new("taxd_regra", "Regra", Text, |shown| of_rule(shown, |regra| Cell::of(&regra.rule_id))),
        Column::new("taxd_citacao_legal", "Citação legal", Text, |shown| {
            of_rule(shown, |regra| Cell::of(regra.citacao_legal.as_str()))
        }),
        Column::new("taxd_vigente_de", "O taxd responde desde", ColumnKind::Date, |shown| {
            of_rule(shown, |regra| regra.vigente_de.into())
        }),
        Column::new("taxd_vigente_ate", "Deixa de responder em", ColumnKind::Date, |shown| {
            of_rule(shown, |regra| regra.vigente_ate.into())
        }),
        Column::new("taxd_conferencia", "Conferência", Text, |shown| {
            of_rule(shown, |regra| regra.conferencia.0.as_ref().map(Cell::of).into())
        }),
        Column::said(
            SUPPOSED,
            "Suposição",
            Text,
            |shown| of(shown, |answer| supposed(&answer.suposicoes, Reader::Program)),
            |shown| of(shown, |answer| supposed(&answer.suposicoes, Reader::Person)),
        ),
        Column::new("taxd_avisos", "Avisos", Text, |shown| of(shown, |answer| Cell::of(&avisos(answer).join(" ")))),
        Column::said(
            "taxd_erro",
            "Erro",
            Text,
            |shown| shown.result.err().map(|problem| Cell::of(&refused(problem, Reader::Program))).into(),
            |shown| shown.result.err().map(|problem| Cell::of(&refused(problem, Reader::Person))).into(),
        ),
    ]
}

/// What an answer that is not law supposes; empty for the law.
pub(super) fn supposed<'f>(figures: impl IntoIterator<Item = &'f FiguraSuposta>, to: Reader) -> Cell {
    let said: Vec<String> = figures.into_iter().map(|figure| figure.said(to)).collect();
    if said.is_empty() { Cell::Empty } else { Cell::of(&said.join("; ")) }
}

pub fn result_cells(shown: Result<&TaxAnswer, &Problem>, reader: Reader) -> Vec<Cell> {
    table_row(&columns(), &ShownAnswer::of(shown), reader)
}

/// What became of a row, as a name and for people.
fn situation(shown: Result<&TaxAnswer, &Problem>) -> (&'static str, &'static str) {
    match shown {
        Ok(answer) if matches!(answer.get("nao_sujeito"), Some(Node::Bool(true))) => ("nao_sujeito", "não sujeito"),
        // The general rate of a State, which does not know the product.
        Ok(answer) if answer.get("conferencia_produto").is_some() => ("aliquota_geral", "pela alíquota geral"),
        Ok(answer) => match answer.get("retido") {
            Some(Node::Bool(true)) => ("retido", "retido"),
            Some(Node::Bool(false)) => ("nao_retido", "não retido"),
            _ => ("calculado", "calculado"),
        },
        Err(problem) if problem.codigo == ErrorCode::RegraInexistente => ("sem_regra", "sem regra"),
        Err(problem) if problem.codigo == ErrorCode::CestNecessario => {
            let is_outside = RecusaSt::of(problem).por_cest == Some(true);
            let outside = SituacaoTratada::VOCABULARY.label(SituacaoTratada::ForaNosCest.as_str());
            ("falta_cest", if is_outside { outside } else { "falta CEST" })
        }
        Err(problem) if problem.codigo.tipo_recusa() == Some(TipoRecusa::FaltaDado) => ("falta_dado", "falta dado"),
        Err(_) => (REFUSED, REFUSED),
    }
}

/// The margin before its adjustment, and that of a rule which refuses for want of another figure.
fn stated_margin(shown: &ShownAnswer<'_>) -> Cell {
    match shown.result {
        Ok(answer) => answer.figure("mva_original").into(),
        Err(problem) => problem.mva_da_regra.map(|mva| rate_as_shown(mva.decimal())).into(),
    }
}

/// How the tax treats the goods, in a word; of a refusal, what is known of them all the same.
fn treatment<'a>(shown: Result<&'a TaxAnswer, &'a Problem>) -> Option<Cow<'a, str>> {
    let word = |situacao: SituacaoTratada| Some(Cow::Borrowed(situacao.as_str()));
    let answer = match shown {
        Ok(answer) => answer,
        Err(problem) => return word(RecusaSt::of(problem).tratamento()?),
    };
    if answer.tributo.as_str() == "icms_st" {
        let is_outside = matches!(answer.get("nao_sujeito"), Some(Node::Bool(true)));
        return word(if is_outside { SituacaoTratada::NaoSujeito } else { SituacaoTratada::Sujeito });
    }
    answer.get("situacao")?.text().map(|text| Cow::Owned(text.to_owned()))
}

fn of_text(shown: &ShownAnswer<'_>, name: &str) -> Cell {
    of(shown, |answer| answer.get(name).and_then(|node| node.text().map(Cell::of)).into())
}

fn of_figure(shown: &ShownAnswer<'_>, name: &str) -> Cell {
    of(shown, |answer| answer.figure(name).into())
}

fn of(shown: &ShownAnswer<'_>, cell: impl Fn(&TaxAnswer) -> Cell) -> Cell {
    shown.result.ok().map(cell).into()
}

fn of_rule(shown: &ShownAnswer<'_>, cell: impl Fn(&RegraCitada) -> Cell) -> Cell {
    shown.regra.as_deref().map(cell).into()
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
